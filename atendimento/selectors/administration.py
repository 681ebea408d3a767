"""What administrators see of people, tokens, and of what they themselves did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access
from atendimento.access import Permission
from atendimento.models import Act, ApiToken, Membership, Role, Scope
from atendimento.selectors.joining import ROLES, InvitationRow, factor_holders, invitations
from atendimento.selectors.parts import Option, Problem

SCOPES: Final[Mapping[str, Promise]] = {
    Scope.INGEST.value: gettext_lazy("Integration: delivers tickets and messages, decides nothing"),
    Scope.MEMBER.value: gettext_lazy("Acts as you"),
}
CONTACT: Final[Mapping[str, Promise]] = {
    "name": gettext_lazy("name"),
    "phone": gettext_lazy("telephone"),
    "email": gettext_lazy("e-mail"),
}
ACTS: Final[Mapping[str, Promise]] = {
    Act.MEMBER_ADDED.value: gettext_lazy("added %(subject)s as %(role)s"),
    Act.MEMBER_ROLE.value: gettext_lazy("changed the role of %(subject)s from %(before)s to %(role)s"),
    Act.MEMBER_DEACTIVATED.value: gettext_lazy("deactivated %(subject)s; tokens revoked with it: %(tokens)s"),
    Act.MEMBER_REACTIVATED.value: gettext_lazy("let %(subject)s in again"),
    Act.TOKEN_CREATED.value: gettext_lazy("created the token “%(subject)s” (%(scope)s)"),
    Act.TOKEN_REVOKED.value: gettext_lazy("revoked the token “%(subject)s”"),
    Act.MASKING.value: gettext_lazy("%(on)s the masking of personal data"),
    Act.SETTINGS.value: gettext_lazy("changed in the settings: %(what)s"),
    Act.MODEL_ENDPOINT.value: gettext_lazy("set the model: %(subject)s at %(server)s"),
    Act.FIRST_RUN.value: gettext_lazy("finished setting up"),
    Act.MODEL_FORGOTTEN.value: gettext_lazy("had it found out again how the model %(subject)s takes answers"),
    Act.BUDGET.value: gettext_lazy("set the model's budget of a day: %(tokens)s tokens, money %(cost)s"),
    Act.REMINDERS.value: gettext_lazy("set the lead time of reminders: working hours %(hours)s"),
    Act.CUSTOMER_CHANGED.value: gettext_lazy("changed the contact of the customer of %(subject)s: %(fields)s"),
    Act.INVITED.value: gettext_lazy("invited %(subject)s as %(role)s"),
    Act.INVITATION_REVOKED.value: gettext_lazy("took the invitation of %(subject)s back"),
    Act.INVITATION_ACCEPTED.value: gettext_lazy("joined by invitation as %(role)s"),
    Act.SIGN_ON.value: gettext_lazy("set the sign-in service %(subject)s, %(on)s"),
    Act.SECOND_FACTOR.value: gettext_lazy("%(on)s the demand for a second factor"),
    Act.SECOND_FACTOR_RESET.value: gettext_lazy("took the lost second factor of %(subject)s away"),
    Act.SESSIONS_ENDED.value: gettext_lazy("ended every session of %(subject)s"),
    Act.TEAM_CREATED.value: gettext_lazy("created the team %(subject)s"),
    Act.TEAM_CHANGED.value: gettext_lazy("changed the team %(subject)s, now called %(name)s"),
    Act.TEAM_ARCHIVED.value: gettext_lazy("archived the team %(subject)s"),
    Act.TEAM_RESTORED.value: gettext_lazy("took the team %(subject)s into use again"),
    Act.TEAM_MEMBERS.value: gettext_lazy("said anew who is in the team %(subject)s"),
    Act.RETENTION_SET.value: gettext_lazy("set how many days data are kept: %(periods)s (before: %(was)s)"),
    Act.RETENTION_RUN.value: gettext_lazy("ended a run of retention; rows erased: %(rows)s"),
    Act.HOLD_PLACED.value: gettext_lazy("placed a legal hold on %(subject)s, until %(until)s"),
    Act.HOLD_LIFTED.value: gettext_lazy("lifted the legal hold on %(subject)s"),
    Act.ERASURE_REQUESTED.value: gettext_lazy("asked for the erasure of the customer %(subject)s"),
    Act.ERASURE_APPROVED.value: gettext_lazy("approved the erasure of the customer %(subject)s"),
    Act.ERASURE_REFUSED.value: gettext_lazy("refused the erasure of the customer %(subject)s"),
    Act.ERASURE_DONE.value: gettext_lazy("had the customer %(subject)s erased; tickets: %(tickets)s, rows: %(rows)s"),
    Act.CUSTOMER_EXPORTED.value: gettext_lazy("exported all that is held about the customer %(subject)s"),
    Act.CUSTOMER_EXPORT_READ.value: gettext_lazy("fetched the export of the customer %(subject)s"),
    Act.LOG_EXPORTED.value: gettext_lazy("took this log out as a spreadsheet; entries: %(entries)s"),
    Act.SENSITIVE_READ.value: gettext_lazy("opened what is sensitive in %(subject)s, %(via)s: %(fields)s"),
    Act.TYPE_PUBLISHED.value: gettext_lazy("published version %(version)s of the ticket type %(subject)s"),
}
SETTINGS: Final[Mapping[str, Promise]] = {
    "identity": gettext_lazy("name, time zone and language"),
    "working_time": gettext_lazy("working time and days off"),
    "reject_reasons": gettext_lazy("the reasons of rejecting"),
    "causes": gettext_lazy("the names of causes"),
}
FAULTS: Final[Mapping[str, Promise]] = {
    "member.bad_email": gettext_lazy("This is no e-mail address."),
    "member.no_name": gettext_lazy("Give a name of at most 100 characters."),
    "member.unknown_role": gettext_lazy("Choose a role."),
    "member.weak_password": gettext_lazy("Use ten characters or more, no common password, not only digits."),
    "member.elsewhere": gettext_lazy(
        "This address belongs to an account of another organisation. Whoever runs this installation can add it."
    ),
    "member.there_already": gettext_lazy("This person is a member already. Look in the list."),
    "member.last_admin": gettext_lazy("This is the only administrator. Make another one first."),
    "token.no_name": gettext_lazy("Give a name of at most 100 characters."),
    "token.unknown_scope": gettext_lazy("Choose what the token may do."),
}


@dataclass(frozen=True, slots=True)
class MemberRow:
    id: int
    name: str
    email: str
    role: str
    roles: tuple[Option, ...]
    active: bool
    oneself: bool
    since: datetime
    has_factor: bool = False


@dataclass(frozen=True, slots=True)
class MembersPage:
    rows: tuple[MemberRow, ...]
    roles: tuple[Option, ...]
    typed: Mapping[str, str]
    problem: Problem | None = None
    faults: Mapping[str, str] | None = None  # per control of the form
    added: str = ""
    invitations: tuple[InvitationRow, ...] = ()
    invited: Mapping[str, str] | None = None  # as typed, where the invitation was refused
    invite_faults: Mapping[str, str] | None = None
    link: str = ""  # of the invitation that was just made: shown this once
    link_for: str = ""
    mailed: bool = False


@dataclass(frozen=True, slots=True)
class TokenRow:
    id: int
    name: str
    scope: str
    acts_as: str
    made_by: str
    made_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class TokensPage:
    rows: tuple[TokenRow, ...]
    scopes: tuple[Option, ...]
    typed: Mapping[str, str]
    faults: Mapping[str, str] | None = None
    made: str = ""  # the token itself, shown this once


def may_manage(member: Membership) -> bool:
    return access.caller_of(member).may(Permission.MANAGE)


def fault(code: str) -> str:
    return str(FAULTS.get(code, code))


def members_page(
    member: Membership,
    *,
    typed: Mapping[str, str] | None = None,
    problem: Problem | None = None,
    faults: Mapping[str, str] | None = None,
    added: str = "",
    invited: Mapping[str, str] | None = None,
    invite_faults: Mapping[str, str] | None = None,
    link: str = "",
    link_for: str = "",
    mailed: bool = False,
) -> MembersPage:
    """Everybody, the active first. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    given = typed or {}
    found = Membership.objects.select_related("user").filter(organization_id=member.organization_id)
    holders = factor_holders(member)
    rows = tuple(
        MemberRow(
            row.pk,
            row.name,
            row.user.email,
            _role(row.role),
            _options(ROLES, row.role),
            row.is_active,
            row.pk == member.pk,
            row.created_at,
            row.pk in holders,
        )
        for row in found.order_by("-is_active", "name", "pk")
    )
    return MembersPage(
        rows=rows,
        roles=_options(ROLES, (invited or given).get("role", Role.AGENT.value)),
        typed=given,
        problem=problem,
        faults=faults,
        added=added,
        invitations=invitations(member),
        invited=invited,
        invite_faults=invite_faults,
        link=link,
        link_for=link_for,
        mailed=mailed,
    )


def tokens_page(
    member: Membership,
    last_uses: Callable[[Iterable[int]], Mapping[int, datetime]],
    *,
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    made: str = "",
) -> TokensPage:
    """Every token, those that work first. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    given = typed or {}
    found = ApiToken.objects.select_related("membership", "created_by").filter(organization_id=member.organization_id)
    tokens = sorted(found.order_by("-pk"), key=lambda token: token.revoked_at is not None)
    used = last_uses([token.pk for token in tokens])
    rows = tuple(
        TokenRow(
            token.pk,
            token.name,
            token.scope,
            token.membership.name if token.membership is not None else "",
            token.created_by.name if token.created_by is not None else "",
            token.created_at,
            used.get(token.pk),
            token.revoked_at,
        )
        for token in tokens
    )
    return TokensPage(rows, _options(SCOPES, given.get("scope", Scope.INGEST.value)), given, faults, made)


def act_words(kind: str, subject: str, told: Mapping[str, Any]) -> str:
    """An act of the log in words, without who did it. `told` are its details."""
    details: dict[str, Any] = {"subject": subject, **told}
    details |= {key: _role(details[key]) for key in ("role", "before") if key in details}
    if kind in {Act.MASKING, Act.SIGN_ON, Act.SECOND_FACTOR}:
        details["on"] = _("switched on") if details["on"] else _("switched off")
    if kind == Act.CUSTOMER_CHANGED:
        details["fields"] = ", ".join(str(CONTACT[key]) for key in details["fields"])
    if kind == Act.SETTINGS:
        details["what"] = SETTINGS[details["what"]]
    if kind == Act.BUDGET:
        details |= {key: _("without limit") if details[key] is None else details[key] for key in ("tokens", "cost")}
    return str(ACTS[kind]) % details


def _role(code: str) -> str:
    return str(ROLES.get(code, code))


def _options(labels: Mapping[str, Promise], chosen: str) -> tuple[Option, ...]:
    return tuple(Option(code, str(label), code == chosen) for code, label in labels.items())


def member_added(name: str) -> str:
    return _("%(name)s is a member now.") % {"name": name}
