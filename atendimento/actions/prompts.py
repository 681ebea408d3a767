"""The words of each prompt version, kept when it is first used, so that proposals of an older one can still be understood."""

from __future__ import annotations

from atendimento import ledger
from atendimento.models import Organization, PromptText
from memoria.extraction import Request
from memoria.instructions import instructions


def remember(sent: Request, organization: Organization) -> None:
    """Keep the rules that this request was made under: all of them, whatever its ticket type has no use for."""
    text = instructions(organization.language)
    if "+" in sent.prompt_version:
        # What the version's second part stands for is told last, after the fields.
        last = sent.system.rpartition("\n\n# ")[2]
        text = f"{text.rstrip()}\n\n# {last}"
    PromptText.objects.get_or_create(
        version=sent.prompt_version,
        language=organization.language,
        defaults={"text": text, "first_used_at": ledger.now()},
    )
