"""Addresses below /api/v1/."""

from __future__ import annotations

from django.urls import path, re_path

from atendimento.api import customers, history, memory, rules, tickets

urlpatterns = [
    path("tickets", tickets.Tickets.as_view()),
    path("tickets/<str:ticket_id>", tickets.Ticket.as_view()),
    path("tickets/<str:ticket_id>/messages", tickets.Messages.as_view()),
    path("tickets/<str:ticket_id>/messages/<str:message>", tickets.Message.as_view()),
    path("tickets/<str:ticket_id>/state", memory.State.as_view()),
    path("tickets/<str:ticket_id>/state/diff", memory.StateDiff.as_view()),
    path("tickets/<str:ticket_id>/proposals", memory.Proposals.as_view()),
    path("tickets/<str:ticket_id>/propose", memory.Propose.as_view()),
    path("tickets/<str:ticket_id>/decisions", memory.Decisions.as_view()),
    path("tickets/<str:ticket_id>/slots/confirm", memory.Confirm.as_view()),
    path("tickets/<str:ticket_id>/slots/resolve", memory.Resolve.as_view()),
    path("tickets/<str:ticket_id>/slots/set", memory.Set.as_view()),
    path("tickets/<str:ticket_id>/undo", memory.Undo.as_view()),
    path("tickets/<str:ticket_id>/history", history.TicketHistory.as_view()),
    path("proposals/<str:proposal_id>", memory.Proposal.as_view()),
    path("changes", memory.Changes.as_view()),
    path("changes/<str:change_id>/accept", memory.Accept.as_view()),
    path("changes/<str:change_id>/edit", memory.Edit.as_view()),
    path("changes/<str:change_id>/reject", memory.Reject.as_view()),
    path("customers/<str:customer_id>/erase", customers.Erase.as_view()),
    path("customers/<str:customer_id>/export", customers.Export.as_view()),
    path("history", history.History.as_view()),
    path("ticket-types/<str:slug>", history.TicketType.as_view()),
    path("ticket-types/<str:slug>/simulate", rules.Simulate.as_view()),
    re_path(r".*", history.Nowhere.as_view()),
]
