"""Figures for Prometheus. Labels are routes and codes, never ids: each new label value is a new series."""

from __future__ import annotations

from prometheus_client import Histogram

REQUESTS = Histogram("lastro_request_seconds", "Time to answer a request", ["method", "route", "status"])
