"""The pictures in docs/pictures: python -m tests.support.pictures [NAME ...]. A demonstration made for them, in a browser.

Every main screen is taken light, dark and on a telephone: NAME-light, NAME-dark, NAME-phone. With names, only these.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect, sync_playwright

from tests.support import chromium, palette
from tests.support.foreign import CHAT

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
PASSWORD = "casa-fria-demo"  # printed at every start
WIDE, PHONE = (1440, 900), (390, 844)
TYPES = "/admin/ticket-types/"
POLICY = f"{TYPES}assistencia-tecnica/"
VISIT, ADDRESS, DEFECT, REFUND = "Geladeira parou de gelar", "Sem internet", "Aplicativo fecha", "Reembolso da fritadeira"
LOOKS = ("light", "dark", "phone")
MOST_BYTES = 6 * 1024 * 1024

Take = Callable[[Page], None]


@contextmanager
def demonstration() -> Iterator[str]:
    """A fresh demonstration's address."""
    with tempfile.TemporaryDirectory(prefix="lastro-pictures-") as folder:
        command = [sys.executable, "manage.py", "demo", "--port", "0", "--data-dir", folder]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.match(r"Open (http://\S+)", line):
                    yield found[1]
                    return
            raise SystemExit("the demonstration did not start")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def opened(browser: Browser, address: str, look: str) -> BrowserContext:
    size = PHONE if look == "phone" else WIDE
    return browser.new_context(
        base_url=address,
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if look == "dark" else "light",
        locale="pt-BR",
        timezone_id="America/Sao_Paulo",
        reduced_motion="reduce",
        has_touch=look == "phone",
        is_mobile=look == "phone",
    )


def keep(page: Page, name: str) -> None:
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(400)
    small = palette.reduced(page.screenshot())
    (PICTURES / f"{name}.png").write_bytes(small)
    sys.stdout.write(f"{name}: {len(small) // 1024} KB\n")
    sys.stdout.flush()


def is_narrow(page: Page) -> bool:
    return page.viewport_size is not None and page.viewport_size["width"] < 1100


def sign_in(page: Page, name: str) -> None:
    page.goto("/conta/login/")
    page.locator("[name=login]").fill(f"{name}@exemplo.test")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator(".form button[type=submit]").click()
    expect(page.locator("#tickets")).to_be_visible()


def at(path: str) -> Take:
    """The screen behind an address."""

    def take(page: Page) -> None:
        page.goto(path)

    return take


def of_ticket(subject: str, rest: str = "") -> Take:
    """A page of the ticket with this subject."""

    def take(page: Page) -> None:
        page.goto("/?view=all")
        address = page.locator("#tickets a", has_text=subject).first.get_attribute("href") or "/"
        page.goto(address.partition("?")[0] + rest)
        if not rest or rest.startswith("?"):
            expect(page.locator("#live[data-state=on]")).to_be_attached()

    return take


def ticket(page: Page) -> None:
    of_ticket(VISIT)(page)
    if not is_narrow(page):
        page.keyboard.press("j")


def brief(page: Page) -> None:
    of_ticket(VISIT)(page)
    if is_narrow(page):
        page.locator("[data-show-pane=talk]").tap()
    page.locator("[data-dialog=brief]").click()
    expect(page.locator("#over .brief")).to_be_visible()


def state(page: Page) -> None:
    of_ticket(DEFECT, "?pane=state")(page)
    page.locator("#memory .slot", has_text="Descrição").locator("summary").first.click()


def conflict(page: Page) -> None:
    of_ticket(ADDRESS)(page)
    page.locator("#memory .card", has_text="Endereço de instalação").locator("summary[data-key=e]").first.click()
    page.locator("#memory-scroll").evaluate("element => { element.scrollTop = element.scrollHeight; }")


def history(page: Page) -> None:
    of_ticket(VISIT, "?pane=history")(page)
    expect(page.locator("#events")).to_be_visible()


def customer(page: Page) -> None:
    of_ticket(REFUND)(page)
    page.locator("[data-show-pane=customer]" if is_narrow(page) else "[data-customer-toggle]").first.click()
    expect(page.locator("#customer .customer-body").first).to_be_visible()


def closing(page: Page) -> None:
    of_ticket(REFUND)(page)
    if is_narrow(page):
        page.locator("[data-show-pane=talk]").tap()
    page.locator("[data-dialog=closing]").click()
    expect(page.locator("#over .closing")).to_be_visible()


def an_import(page: Page) -> None:
    page.goto("/imports/")
    chat = FilePayload(name="Conversa do WhatsApp com Helena.txt", mimeType="text/plain", buffer=CHAT.encode())
    page.locator("input[type=file]").set_input_files(chat)
    page.locator("form[enctype] button[type=submit]").click()
    expect(page.locator("#understood")).to_be_visible()


def publishing(page: Page) -> None:
    draft(page)
    page.goto(f"{POLICY}draft/publish")


def draft(page: Page) -> None:
    page.goto(POLICY)
    start = page.locator("form[action$='/start'] button")
    if start.count():
        start.first.click()
    page.goto(f"{POLICY}draft/?field=/facts/bairro#form")


AGENT: dict[str, Take] = {
    "queue": at("/"),
    "ticket": ticket,
    "conversation": of_ticket(VISIT, "?show=talk"),
    "brief": brief,
    "state": state,
    "conflict": conflict,
    "history": history,
    "customer": customer,
    "context": of_ticket(VISIT, "context"),
    "closing": closing,
    "dossier": of_ticket(VISIT, "dossier"),
    "search": at("/search?q=visita"),
    "reminders": at("/reminders/"),
    "tour": at("/tour/"),
    "account": at("/account/"),
}
SUPERVISOR: dict[str, Take] = {
    "corrections": at("/corrections/?source=customer"),
    "imports": at("/imports/"),
    "import": an_import,
    "canned": at("/canned/"),
}
ADMIN: dict[str, Take] = {
    "types": at(TYPES),
    "policy": at(POLICY),
    "try": at(f"{POLICY}?try=/facts/bairro&current=Pina&current_source=registry&new=Madalena&new_source=customer"),
    "draft": draft,
    "publish": publishing,
    "first-steps": at("/first-steps/"),
    "settings": at("/admin/settings/"),
    "members": at("/admin/members/"),
    "sign-in-service": at("/admin/sign-in/"),
    "teams": at("/admin/teams/"),
    "model": at("/admin/model/"),
    "retention": at("/admin/retention/"),
    "erasures": at("/admin/erasures/"),
    "admin-reminders": at("/admin/reminders/"),
    "log": at("/admin/log/"),
}
PEOPLE: dict[str, dict[str, Take]] = {"ana": AGENT, "sofia": SUPERVISOR, "dalva": ADMIN}


def take_all(browser: Browser, address: str, wanted: set[str]) -> None:
    for look in LOOKS:
        for person, screens in PEOPLE.items():
            chosen = {name: take for name, take in screens.items() if not wanted or name in wanted}
            context = opened(browser, address, look)
            page = context.new_page()
            if person == "ana" and (not wanted or "sign-in" in wanted):
                page.goto("/conta/login/")
                keep(page, f"sign-in-{look}")
            if chosen:
                sign_in(page, person)
            for name, take in chosen.items():
                take(page)
                keep(page, f"{name}-{look}")
            context.close()


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=30_000)
    with demonstration() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.ARGUMENTS)
        take_all(browser, address, set(sys.argv[1:]))
        browser.close()
    weight = sum(path.stat().st_size for path in PICTURES.glob("*.png"))
    if weight > MOST_BYTES:
        raise SystemExit(f"the pictures weigh {weight // 1024} KB, more than {MOST_BYTES // 1024}")


if __name__ == "__main__":
    main()
