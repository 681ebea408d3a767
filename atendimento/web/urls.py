"""The browser's addresses."""

from __future__ import annotations

from django.urls import path

from atendimento.web import (
    admin_drafts,
    admin_model,
    admin_people,
    admin_types,
    canned,
    conversation,
    corrections,
    decisions,
    imports,
    live,
    pages,
    rebuilds,
)

app_name = "web"
TICKET = "tickets/<uuid:ticket_id>/"
CHANGE = f"{TICKET}changes/<uuid:change_id>/"
IMPORT = "imports/<uuid:import_id>/"
MEMBER = "admin/members/<int:member_id>/"
TYPE = "admin/ticket-types/<slug:slug>/"

urlpatterns = [
    path("", pages.queue, name="queue"),
    path("look", pages.look, name="look"),
    path("live", live.live, name="live"),
    path(TICKET, pages.ticket, name="ticket"),
    path(f"{TICKET}memory", pages.memory, name="memory"),
    path(f"{TICKET}messages", pages.messages, name="messages"),
    path(f"{TICKET}summary", pages.brief, name="brief"),
    path(f"{TICKET}reply", conversation.reply, name="reply"),
    path(f"{TICKET}draft", conversation.draft, name="draft"),
    path(f"{TICKET}check", conversation.check, name="check"),
    path(f"{TICKET}canned", canned.picker, name="canned-picker"),
    path(f"{TICKET}seen", conversation.seen, name="seen"),
    path(f"{TICKET}status", conversation.status, name="ticket-status"),
    path(f"{TICKET}decide", decisions.decide_all, name="decide-all"),
    path(f"{TICKET}confirm", decisions.confirm, name="confirm"),
    path(f"{TICKET}set", decisions.set_value, name="set"),
    path(f"{TICKET}resolve", decisions.resolve, name="resolve"),
    path(f"{TICKET}undo", decisions.undo_version, name="undo"),
    path(f"{TICKET}propose", decisions.propose, name="propose"),
    path(f"{TICKET}rebuild/", rebuilds.detail, name="rebuild"),
    path(f"{TICKET}rebuild/start", rebuilds.start, name="rebuild-start"),
    path(f"{TICKET}rebuild/<uuid:rebuild_id>/retry", rebuilds.retry, name="rebuild-retry"),
    path(f"{CHANGE}accept", decisions.accept, name="accept"),
    path(f"{CHANGE}answer", decisions.answer, name="answer"),
    path(f"{CHANGE}edit", decisions.edit, name="edit"),
    path(f"{CHANGE}reject", decisions.reject, name="reject"),
    path("admin/members/", admin_people.members, name="admin-members"),
    path(f"{MEMBER}role", admin_people.role, name="admin-member-role"),
    path(f"{MEMBER}deactivate", admin_people.deactivate, name="admin-member-deactivate"),
    path(f"{MEMBER}reactivate", admin_people.reactivate, name="admin-member-reactivate"),
    path("admin/tokens/", admin_people.tokens, name="admin-tokens"),
    path("admin/tokens/<int:token_id>/revoke", admin_people.revoke, name="admin-token-revoke"),
    path("admin/model/", admin_model.model, name="admin-model"),
    path("admin/model/masking", admin_model.masking, name="admin-model-masking"),
    path("admin/model/budget", admin_model.budget, name="admin-model-budget"),
    path("admin/model/retry", admin_model.retry, name="admin-model-retry"),
    path("admin/log/", admin_people.acts, name="admin-acts"),
    path("admin/ticket-types/", admin_types.index, name="admin-types"),
    path("admin/ticket-types/start", admin_drafts.start_from_gallery, name="admin-gallery"),
    path(TYPE, admin_types.detail, name="admin-type"),
    path(f"{TYPE}start", admin_drafts.start, name="admin-draft-start"),
    path(f"{TYPE}draft/", admin_drafts.detail, name="admin-draft"),
    path(f"{TYPE}draft/field", admin_drafts.field, name="admin-draft-field"),
    path(f"{TYPE}draft/add", admin_drafts.add, name="admin-draft-add"),
    path(f"{TYPE}draft/head", admin_drafts.head, name="admin-draft-head"),
    path(f"{TYPE}draft/collection", admin_drafts.collection, name="admin-draft-collection"),
    path(f"{TYPE}draft/document", admin_drafts.document, name="admin-draft-document"),
    path(f"{TYPE}draft/publish", admin_drafts.publish, name="admin-draft-publish"),
    path(f"{TYPE}draft/discard", admin_drafts.discard, name="admin-draft-discard"),
    path("corrections/", corrections.index, name="corrections"),
    path("corrections/export.csv", corrections.export, name="corrections-export"),
    path("corrections/<int:correction_id>/cause", corrections.cause, name="correction-cause"),
    path("canned/", canned.index, name="canned"),
    path("canned/<int:canned_id>/change", canned.change, name="canned-change"),
    path("canned/<int:canned_id>/remove", canned.remove, name="canned-remove"),
    path("imports/", imports.index, name="imports"),
    path(IMPORT, imports.detail, name="import"),
    path(f"{IMPORT}read", imports.reread, name="import-read"),
    path(f"{IMPORT}start", imports.start, name="import-start"),
    path(f"{IMPORT}discard", imports.discard, name="import-discard"),
    path(f"{IMPORT}undo", imports.undo, name="import-undo"),
    path(f"{IMPORT}file", imports.raw, name="import-file"),
]
