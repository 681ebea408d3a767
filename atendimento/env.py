"""Typed readers of the environment: a bad value is one line that names its variable, and exit 1.

Values come from the process environment first. Where the demonstration runs its own servers, it leaves
their addresses in DATA_DIR/embedded.json, so that any other command with the same DATA_DIR finds them.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

Network = IPv4Network | IPv6Network

# Commands that read no row: they work where no server is configured yet.
COMMANDS_WITHOUT_SERVERS = frozenset(
    {"", "help", "demo", "version", "makemigrations", "makemessages", "compilemessages", "collectstatic", "spectacular"}
)
# Stands for a database in the commands above; whoever opens it all the same is told so by Django.
NO_DATABASE = "none"
TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", ""})


def refuse(name: str, problem: str) -> NoReturn:
    # A traceback would bury the one fact that the operator needs.
    print(f"{name}: {problem}", file=sys.stderr)
    sys.exit(1)


def servers_are_optional(argv: Sequence[str]) -> bool:
    """Whether this process is a management command that can do without database, Redis and secret key."""
    if Path(argv[0]).name not in {"manage.py", "django-admin"}:
        return False
    words = [word for word in argv[1:] if not word.startswith("-")]
    return bool({"--help", "-h", "--version"} & set(argv[1:])) or (words[0] if words else "") in COMMANDS_WITHOUT_SERVERS


@dataclass(frozen=True, slots=True)
class Environment:
    values: dict[str, str]

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name, "").strip()
        if value:
            return value
        if default is None:
            refuse(name, "is not set, and there is no default for it")
        return default

    def flag(self, name: str, default: bool = False) -> bool:
        word = self.values.get(name, "").strip().lower()
        if name not in self.values:
            return default
        if word in TRUE_WORDS:
            return True
        if word in FALSE_WORDS:
            return False
        refuse(name, f"must be 1 or 0, not {word!r}")

    def integer(self, name: str, default: int, *, minimum: int = 0, maximum: int = 10**9) -> int:
        word = self.text(name, str(default))
        try:
            number = int(word)
        except ValueError:
            refuse(name, f"must be a whole number, not {word!r}")
        if not minimum <= number <= maximum:
            refuse(name, f"must lie between {minimum} and {maximum}, not {number}")
        return number

    def seconds(self, name: str, default: float, *, minimum: float = 0, maximum: float = 86_400) -> float:
        word = self.text(name, str(default))
        try:
            number = float(word)
        except ValueError:
            refuse(name, f"must be a number of seconds, not {word!r}")
        # "nan" compares false with everything, so it is refused here too.
        if not minimum <= number <= maximum:
            refuse(name, f"must lie between {minimum:g} and {maximum:g} seconds, not {word}")
        return number

    def amount(self, name: str) -> Decimal | None:
        """A sum of money, with a point before its fractions; None where it is not set."""
        word = self.text(name, "")
        if not word:
            return None
        if not re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", word):
            refuse(name, f"must be an amount such as 2.50, not {word!r}")
        return Decimal(word)

    def words(self, name: str, default: Sequence[str] = ()) -> list[str]:
        value = self.values.get(name, "")
        return [word.strip() for word in value.split(",") if word.strip()] or list(default)

    def networks(self, name: str) -> list[Network]:
        """Addresses and networks (10.0.0.0/8), with commas between."""
        found: list[Network] = []
        for word in self.words(name):
            try:
                found.append(ip_network(word))
            except ValueError:
                refuse(name, f"must hold addresses or networks such as 10.0.0.0/8, not {word!r}")
        return found

    def path(self, name: str, default: Path) -> Path:
        return Path(self.text(name, str(default))).expanduser().resolve()

    def url(self, name: str, default: str | None = None, *, schemes: Sequence[str]) -> str:
        value = self.text(name, default)
        try:
            parts = urlsplit(value)
            _ = parts.port  # reading it is what makes urlsplit check it
        except ValueError:
            refuse(name, "is no valid address")
        if value and parts.scheme not in schemes:
            refuse(name, f"must begin with {' or '.join(scheme + '://' for scheme in schemes)}")
        return value

    def database(self, name: str, default: str | None = None) -> dict[str, Any]:
        """A Django database setting from postgresql://user:password@host:port/name?option=value.

        `host` may stand in the query, as libpq has it: that is how a Unix socket's folder is named.
        """
        value = self.text(name, default)
        if value == NO_DATABASE:
            return {"ENGINE": "django.db.backends.dummy"}
        value = self.url(name, default, schemes=("postgresql", "postgres"))
        parts = urlsplit(value)
        options = dict(parse_qsl(parts.query))
        database = unquote(parts.path.lstrip("/"))
        if not database:
            refuse(name, "names no database: postgresql://user:password@host:port/NAME")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": database,
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": options.pop("host", "") or unquote(parts.hostname or ""),
            "PORT": options.pop("port", "") or str(parts.port or ""),
            "OPTIONS": options,
        }

    def email(self, name: str) -> dict[str, Any]:
        """Django's mail settings from smtp://, smtps:// (TLS at once), submission:// (STARTTLS) or console://."""
        value = self.url(name, "console://", schemes=("smtp", "smtps", "submission", "console"))
        parts = urlsplit(value)
        if parts.scheme == "console":
            return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
        if not parts.hostname:
            refuse(name, f"names no host: {parts.scheme}://user:password@host:port")
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "EMAIL_HOST": parts.hostname,
            "EMAIL_PORT": parts.port or {"smtp": 25, "smtps": 465, "submission": 587}[parts.scheme],
            "EMAIL_HOST_USER": unquote(parts.username or ""),
            "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
            "EMAIL_USE_SSL": parts.scheme == "smtps",
            "EMAIL_USE_TLS": parts.scheme == "submission",
            "EMAIL_TIMEOUT": 20,
        }


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # it runs as another user
    return True


def embedded_values(data_dir: Path) -> dict[str, str]:
    """What a running demonstration left for other commands; nothing where none runs."""
    try:
        record = json.loads((data_dir / "embedded.json").read_text(encoding="utf-8"))
        return dict(record["env"]) if is_alive(int(record["pid"])) else {}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        refuse("DATA_DIR", f"{data_dir / 'embedded.json'} cannot be read ({error})")


def read(data_dir: Path, *, optional_servers: bool) -> Environment:
    """The environment, completed by the embedded servers' addresses and the kept secret key.

    The two database addresses are taken together or not at all: an owner's address of one server beside
    an application's address of another would migrate the wrong database.
    """
    values = dict(os.environ)
    embedded = embedded_values(data_dir)
    if values.get("DATABASE_URL"):
        embedded.pop("DATABASE_URL", None)
        embedded.pop("DATABASE_OWNER_URL", None)
    if values.get("OPENAI_BASE_URL"):
        embedded = {name: value for name, value in embedded.items() if not name.startswith("OPENAI_")}
    values = {**embedded, **values}
    if optional_servers:
        # Never reached: these commands open no connection, and no page is served under this key.
        values = {"DATABASE_URL": NO_DATABASE, "REDIS_URL": "redis://", "SECRET_KEY": os.urandom(32).hex()} | values
        return Environment(values)
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY"):
        if not values.get(name):
            refuse(name, f"is not set, and no demonstration runs in {data_dir} (start one with 'manage.py demo')")
    return Environment(values)
