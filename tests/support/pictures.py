"""The pictures in docs/pictures: python -m tests.support.pictures. A demonstration of its own, seen by its own browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect, sync_playwright

from tests.support import chromium, palette
from tests.support.foreign import CHAT

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
PASSWORD = "casa-fria-demo"  # printed at every start
WIDE, PHONE = (1440, 900), (390, 844)
POLICY = "/admin/ticket-types/assistencia-tecnica/"
VISIT, ADDRESS, DEFECT = "Geladeira parou de gelar", "Sem internet", "Aplicativo fecha"


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


def opened(browser: Browser, address: str, size: tuple[int, int] = WIDE, scheme: str = "light") -> BrowserContext:
    return browser.new_context(
        base_url=address,
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        locale="pt-BR",
        timezone_id="America/Sao_Paulo",
        reduced_motion="reduce",
        has_touch=size == PHONE,
    )


def keep(page: Page, name: str) -> None:
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(400)
    small = palette.reduced(page.screenshot())
    (PICTURES / f"{name}.png").write_bytes(small)
    sys.stdout.write(f"{name}: {len(small) // 1024} KB\n")


def sign_in(page: Page, name: str) -> None:
    page.goto("/conta/login/")
    page.locator("[name=login]").fill(f"{name}@exemplo.test")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator(".form button[type=submit]").click()
    expect(page.locator("#tickets")).to_be_visible()


def open_ticket(page: Page, subject: str, query: str = "") -> None:
    page.goto("/?view=all")
    address = page.locator("#tickets a", has_text=subject).first.get_attribute("href") or "/"
    page.goto(address.partition("?")[0] + query)
    expect(page.locator("#live[data-state=on]")).to_be_attached()


def wide(page: Page, scheme: str) -> None:
    page.goto("/")
    keep(page, f"queue-{scheme}")
    open_ticket(page, VISIT)
    page.keyboard.press("j")
    keep(page, f"ticket-{scheme}")
    page.locator("[data-dialog=brief]").click()
    expect(page.locator("#over .brief")).to_be_visible()
    keep(page, f"brief-{scheme}")
    open_ticket(page, DEFECT, "?pane=state")
    page.locator("#memory .slot", has_text="Descrição").locator("summary").first.click()
    keep(page, f"state-{scheme}")
    open_ticket(page, ADDRESS)
    page.locator("#memory .card", has_text="Endereço de instalação").locator("summary[data-key=e]").click()
    page.locator("#memory-scroll").evaluate("element => { element.scrollTop = element.scrollHeight; }")
    keep(page, f"conflict-{scheme}")
    page.locator("#memory [data-pane=history]").click()
    expect(page.locator("#events")).to_be_visible()
    keep(page, f"history-{scheme}")


def narrow(page: Page) -> None:
    page.goto("/")
    keep(page, "phone-queue")
    open_ticket(page, VISIT)
    keep(page, "phone-decide")
    page.locator("[data-show-pane=talk]").click()
    keep(page, "phone-conversation")


def supervising(page: Page) -> None:
    page.goto("/corrections/?source=customer")
    keep(page, "corrections-light")
    page.goto("/imports/")
    chat = FilePayload(name="Conversa do WhatsApp com Helena.txt", mimeType="text/plain", buffer=CHAT.encode())
    page.locator("input[type=file]").set_input_files(chat)
    page.locator("form[enctype] button[type=submit]").click()
    expect(page.locator("#understood")).to_be_visible()
    keep(page, "import-light")


def administrating(page: Page) -> None:
    page.goto(f"{POLICY}?try=/facts/bairro&current=Pina&current_source=registry&new=Madalena&new_source=customer")
    keep(page, "try-light")
    page.goto(POLICY)
    page.locator("form[action$='/start'] button").first.click()
    page.goto(f"{POLICY}draft/?field=/facts/bairro#form")
    keep(page, "draft-light")


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=30_000)
    with demonstration() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.ARGUMENTS)
        for scheme in ("light", "dark"):
            context = opened(browser, address, scheme=scheme)
            page = context.new_page()
            page.goto("/conta/login/")
            keep(page, f"sign-in-{scheme}")
            sign_in(page, "ana")
            wide(page, scheme)
            context.close()
        context = opened(browser, address, PHONE)
        page = context.new_page()
        sign_in(page, "ana")
        narrow(page)
        for name, take in (("sofia", supervising), ("dalva", administrating)):
            context = opened(browser, address)
            page = context.new_page()
            sign_in(page, name)
            take(page)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
