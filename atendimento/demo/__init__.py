"""The demonstration's content, and how it is brought in: through the same doors as everything else.

What is told lies in data files beside this package: the organisation, its ticket types, its conversations. Times in
them are relative to the moment of seeding, so that what is overdue, due or said yesterday is so on any day.
"""
