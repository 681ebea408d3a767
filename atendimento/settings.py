"""The one settings file. What differs between installations comes from the environment (see env.py)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from atendimento import env as environment

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("DATA_DIR", "").strip() or BASE_DIR / ".data").expanduser().resolve()
env = environment.read(DATA_DIR, optional_servers=environment.servers_are_optional(sys.argv))

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.text("SECRET_KEY")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
# Where people reach the console: links in mails, and whether cookies may insist on TLS.
PUBLIC_URL = env.url("PUBLIC_URL", "http://localhost:8000", schemes=("http", "https")).rstrip("/")
SERVED_OVER_TLS = urlsplit(PUBLIC_URL).scheme == "https"

INSTALLED_APPS = [
    "atendimento",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "template_partials",
]

MIDDLEWARE = [
    # First of all: whatever looks at who asks, and by which scheme, looks at what this found.
    "atendimento.middleware.ForwardedMiddleware",
    # So that every line logged below carries the request's id.
    "atendimento.middleware.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "atendimento.web.language.ChosenLanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "atendimento.tenancy.TenancyMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "atendimento.middleware.PrivatePagesMiddleware",
]

ROOT_URLCONF = "atendimento.urls"
ASGI_APPLICATION = "atendimento.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
INSTALLED_APPS.append("django.forms")  # TemplatesSetting looks for the forms' own templates there

# Database. "default" is the application's role: row security binds it, and it can change no table.
# "owner" is the role that owns the tables: migrations (migrate --database owner) and erasure.

DATABASE_POOL_SIZE = env.integer("DATABASE_POOL_SIZE", 0, maximum=500)


def forget(connection: Any) -> None:
    """The organisation goes before a connection is handed to anybody else, however its last request ended."""
    connection.execute("RESET lastro.organization")


def with_pool(database: dict[str, Any], size: int) -> dict[str, Any]:
    """A pool for the web server (see asgi.py), whose threads come and go; a command or worker keeps one connection."""
    if size and "OPTIONS" in database:
        database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": size, "timeout": 60, "reset": forget}
        # A restarted database leaves dead connections in the pool; each is tried before it is handed out.
        database["CONN_HEALTH_CHECKS"] = True
    return database


DATABASES = {
    "default": with_pool(env.database("DATABASE_URL"), DATABASE_POOL_SIZE),
    "owner": env.database("DATABASE_OWNER_URL", env.text("DATABASE_URL")),
}

# Redis: cache, the workers' queue, and live updates.

REDIS_URL = env.url("REDIS_URL", schemes=("redis", "rediss", "unix"))
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "lastro",
        "OPTIONS": {"pool_class": "atendimento.pools.SharedPool"},
    }
}
# In the database, so that a lost Redis signs nobody out; read through the cache.
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"

# People

AUTH_USER_MODEL = "atendimento.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "atendimento.signin.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"  # an administrator makes the members; nobody signs up
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = None  # the person chooses at sign-in
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/5m/key", "reset_password": "20/m/ip,5/m/key"}

MFA_ADAPTER = "atendimento.signin.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_ALLOW_UNVERIFIED_EMAIL = True  # administrators vouch for addresses, nobody signs up
MFA_TOTP_TOLERANCE = 1  # one step of thirty seconds: clocks differ
SOCIALACCOUNT_ADAPTER = "atendimento.signin.ServiceAdapter"
SOCIALACCOUNT_STORE_TOKENS = False  # who somebody is, is asked once; nothing is done in their name
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = ""
# Whether administrators may have the product call addresses that are not https or not public: see outbound.py.
ALLOW_INTERNAL_ENDPOINTS = env.flag("ALLOW_INTERNAL_ENDPOINTS")

SESSION_COOKIE_NAME = "lastro_session"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = SERVED_OVER_TLS
CSRF_COOKIE_NAME = "lastro_csrf"
CSRF_COOKIE_HTTPONLY = True  # pages carry the token themselves
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SERVED_OVER_TLS
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
CSRF_FAILURE_VIEW = "atendimento.web.doors.csrf_failed"

# What browsers are told

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if SERVED_OVER_TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = False  # other services may live beside the console
X_FRAME_OPTIONS = "DENY"
# X-Forwarded-For and -Proto are believed of these alone (see middleware.py): anyone else could claim an address or TLS.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Who may read /metrics: whoever bears the token; without one, this machine, and only while nobody else is served.
METRICS_TOKEN = env.text("METRICS_TOKEN", "")
SERVED_HERE = urlsplit(PUBLIC_URL).hostname in {"localhost", "127.0.0.1", "::1"}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# Words and time

LANGUAGE_CODE = "pt-br"
LANGUAGES = [("pt-br", "Português"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
TIME_ZONE = "America/Sao_Paulo"
USE_TZ = True

# Static files. With STATIC_ROOT set (the container image), files are collected under hashed names and kept
# by browsers for ever; without it they are served from where they lie, and browsers ask each time.

STATIC_URL = "/static/"
STATICFILES_DIRS = [path for path in [BASE_DIR / "static"] if path.is_dir()]
STATIC_IS_COLLECTED = bool(env.text("STATIC_ROOT", ""))
STATIC_ROOT = env.path("STATIC_ROOT", DATA_DIR / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"
        if STATIC_IS_COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
SERVESTATIC_USE_FINDERS = not STATIC_IS_COLLECTED
SERVESTATIC_AUTOREFRESH = DEBUG
SERVESTATIC_MAX_AGE = 0
SERVESTATIC_USE_MANIFEST = STATIC_IS_COLLECTED
MEDIA_ROOT = env.path("MEDIA_ROOT", DATA_DIR / "media")

# Mail

vars().update(env.email("EMAIL_URL"))
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "lastro@localhost")

# The model: any endpoint that speaks OpenAI's protocol

OPENAI_BASE_URL = env.url("OPENAI_BASE_URL", "", schemes=("http", "https")) if env.text("OPENAI_BASE_URL", "") else ""
OPENAI_API_KEY = env.text("OPENAI_API_KEY", "")
OPENAI_MODEL = env.text("OPENAI_MODEL") if OPENAI_BASE_URL else env.text("OPENAI_MODEL", "")
OPENAI_EMBEDDING_MODEL = env.text("OPENAI_EMBEDDING_MODEL", "")
PROPOSAL_DEBOUNCE = env.seconds("PROPOSAL_DEBOUNCE", 3, maximum=15)
MODEL_TIMEOUT = env.seconds("MODEL_TIMEOUT", 60, minimum=0.1, maximum=900)
MODEL_MAX_TRIES = env.integer("MODEL_MAX_TRIES", 5, minimum=1, maximum=50)
MODEL_CACHE_BREAKPOINTS = env.flag("MODEL_CACHE_BREAKPOINTS", default=True)
MODEL_BACKOFF = env.seconds("MODEL_BACKOFF", 1, maximum=600)
# Requests under way at once, of all workers and organisations together; 0: as many as there are workers.
MODEL_CONCURRENCY = env.integer("MODEL_CONCURRENCY", 0, maximum=1000)
# Per million tokens. Where the prompt's and the answer's are both missing, nothing has a cost.
MODEL_PRICE_INPUT = env.amount("MODEL_PRICE_INPUT")
MODEL_PRICE_CACHED = env.amount("MODEL_PRICE_CACHED")
MODEL_PRICE_OUTPUT = env.amount("MODEL_PRICE_OUTPUT")
MODEL_CURRENCY = env.text("MODEL_CURRENCY", "USD")

SNAPSHOT_EVERY = 200
"""Versions from one kept state of a ticket to the next: no reading of the past folds more events."""

# The machine's door

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Lastro",
    "DESCRIPTION": "Working memory for support tickets: proposals, decisions, and the evidence of each value.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    # 3.1 speaks the JSON Schema that bodies are checked against, so that the description is the check.
    "OAS_VERSION": "3.1.0",
}

# What is written down while it runs: one JSON object a line, no message text. See logs.py.

LOG_LEVEL = env.text("LOG_LEVEL", "INFO").upper()
if LOG_LEVEL not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
    environment.refuse("LOG_LEVEL", f"must be DEBUG, INFO, WARNING or ERROR, not {LOG_LEVEL!r}")
LOGGING_CONFIG = "atendimento.logs.configure"
LOGGING = {"level": LOG_LEVEL, "readable": DEBUG}
