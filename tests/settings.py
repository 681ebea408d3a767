"""Settings of the test process, and the environment that the processes it starts inherit.

The addresses are known before any server runs: everything lies below one folder per test run, whose name
the first process draws and its xdist workers inherit.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from atendimento import embedded, translations

# Before Django starts: its own models ask for a word while they load, and what a process has read of a catalogue it never
# reads again. A bare checkout has none compiled.
translations.compile_stale()

RUN_DIR = Path(
    os.environ.setdefault("LASTRO_TEST_RUN", str(Path(tempfile.gettempdir()) / f"lastro-test-{secrets.token_hex(6)}"))
)
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")

# One PostgreSQL for the run with a database per worker; a Redis per worker, because its channels know no databases.
PASSWORDS = dict.fromkeys(embedded.SECRET_NAMES, RUN_DIR.name)
POSTGRES = embedded.Postgres(RUN_DIR, PASSWORDS, embedded.FAST_AND_LOSSY | {"max_connections": "200"})
REDIS = embedded.Redis(RUN_DIR / WORKER, PASSWORDS["redis"], lasting=False)
REDIS.port = embedded.free_port()
MODEL_PORT = embedded.free_port()
TEST_DATABASE = f"lastro_test_{WORKER}"

os.environ.update(
    {
        "DATA_DIR": str(RUN_DIR / WORKER),
        "DATABASE_URL": POSTGRES.url(embedded.APP, TEST_DATABASE),
        "DATABASE_OWNER_URL": POSTGRES.url(embedded.OWNER, TEST_DATABASE),
        "REDIS_URL": REDIS.url,
        "SECRET_KEY": "of-tests-only-" + RUN_DIR.name,
        "ALLOWED_HOSTS": "localhost,127.0.0.1,testserver",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{MODEL_PORT}/v1",
        "OPENAI_API_KEY": "test-key",
        "OPENAI_MODEL": "scripted",
        "PROPOSAL_DEBOUNCE": "0",
        "MODEL_TIMEOUT": "5",
        "MODEL_BACKOFF": "0.05",
        "LOG_LEVEL": "WARNING",
    }
)
for name in ("DEBUG", "EMAIL_URL", "STATIC_ROOT", "PUBLIC_URL", "OPENAI_EMBEDDING_MODEL", "PROMETHEUS_MULTIPROC_DIR"):
    os.environ.pop(name, None)

# The settings under test are the product's own; only what makes tests slow is replaced below.
from atendimento.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
