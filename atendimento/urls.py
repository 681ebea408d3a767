"""All addresses: the browser's at the root, the machine's below api/, the integrations' below hooks/."""

from __future__ import annotations

from allauth.mfa.totp.views import activate_totp
from csp.decorators import csp_update
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from atendimento import health, signin

# The reading page sets styles and small pictures from its own script. Only this page may.
reading_page = csp_update({"style-src": ["'unsafe-inline'"], "img-src": ["data:"]})(
    SpectacularSwaggerSplitView.as_view(url_name="schema")
)

# The secret's picture lies in the page itself: no address may show it again.
factor_page = csp_update({"img-src": ["data:"]})(activate_totp)

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", reading_page, name="api-docs"),
    path("api/v1/", include("atendimento.api.urls")),
    # Shut, with all that it would let people do to their address or join to their account.
    path("conta/email/", signin.closed),
    path("conta/servico/signup/", signin.closed, name="socialaccount_signup"),
    path("conta/servico/", signin.closed, name="socialaccount_connections"),
    path("conta/servico/", include("allauth.socialaccount.urls")),
    path("conta/entrada/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("conta/fator/totp/activate/", factor_page),
    path("conta/fator/", include("allauth.mfa.urls")),
    path("conta/logout/", signin.sign_out),
    path("conta/", include("allauth.account.urls")),
    path("", include("atendimento.web.urls")),
]
