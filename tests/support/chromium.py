"""Where the browser is; installed where the machine has none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without these it looks up its maker's hosts at every start, which a closed network makes slow.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def find() -> str | None:
    return next((path for path in map(shutil.which, NAMES) if path), None)


def executable() -> str | None:
    """The machine's Chromium; else Debian's, where we may install it; else None for Playwright's own."""
    if path := find():
        return path
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            subprocess.run(command, check=False, capture_output=True, env=quiet, stdin=subprocess.DEVNULL)
        if path := find():
            return path
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True, stdin=subprocess.DEVNULL)
    return None
