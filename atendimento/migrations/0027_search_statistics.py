"""What the planner knows of words: enough of them to tell a rare one from a common one.

Without, a word that it does not know counts as one in two hundred, and a page is looked for from the newest message on: for
a word that stands once, through all of them.
"""

from django.db import migrations

COLUMNS = (("message", "words"), ("ticket", "words"), ("customer", "words"), ("ticketstate", "identifiers"))


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0026_first_run")]

    operations = [
        migrations.RunSQL(
            sql=f"ALTER TABLE atendimento_{table} ALTER COLUMN {column} SET STATISTICS 1000",
            reverse_sql=f"ALTER TABLE atendimento_{table} ALTER COLUMN {column} SET STATISTICS -1",
        )
        for table, column in COLUMNS
    ]
