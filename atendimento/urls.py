"""All addresses: the browser's at the root, the machine's below api/, the integrations' below hooks/."""

from __future__ import annotations

from csp.decorators import csp_update
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from atendimento import health, signin

# The reading page sets styles and small pictures from its own script. Only this page may.
reading_page = csp_update({"style-src": ["'unsafe-inline'"], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema")
)

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", reading_page, name="api-docs"),
    path("api/v1/", include("atendimento.api.urls")),
    path("conta/email/", signin.closed),
    path("conta/", include("allauth.account.urls")),
    path("", include("atendimento.web.urls")),
]
