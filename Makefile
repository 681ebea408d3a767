# Every entry works from a bare checkout: what it needs is installed first, once.
.DEFAULT_GOAL := help
.PHONY: help install install-runtime demo pictures test mutation faults bench bench-queue bench-console soak coverage lint types architecture format requirements audit messages clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
# Half of the work waits for servers, so as many workers as cores is right, no more.
TEST_WORKERS ?= auto
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps

help: ## Say what each entry does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The stamps make a later run instant; a changed requirements file installs again.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/base.txt | $(BIN)/python
	@echo "Installing what the product runs on"
	@$(PIP_INSTALL) -r requirements/base.txt
	@touch $@

$(VENV)/.development: requirements/dev.txt $(VENV)/.runtime
	@echo "Installing what tests and checks need"
	@$(PIP_INSTALL) -r requirements/dev.txt
	@touch $@

install: $(VENV)/.development ## Install everything into .venv

install-runtime: $(VENV)/.runtime ## Install only what the product runs on

demo: install-runtime ## Start everything on this machine: make demo ARGS="--port 8001"
	@exec $(BIN)/python manage.py demo $(ARGS)

pictures: install ## Take docs/pictures again, of a demonstration made for it (ARGS="queue ticket": only these)
	$(BIN)/python -m tests.support.pictures $(ARGS)

test: install ## Run every test, the browser's included
	$(BIN)/python -m pytest -n $(TEST_WORKERS) $(ARGS)

coverage: install ## Branch coverage of the domain
	$(BIN)/python -m pytest tests/memoria -p no:randomly --cov --cov-report=term-missing $(ARGS)

mutation: install ## Plant faults in the rules and see each one found (long; ARGS="--only cascade --write")
	$(BIN)/python -m benchmarks.mutation $(ARGS)

faults: install ## Kill, restart and freeze every part under load, and check every answer (long; ARGS="--seed 1 --write")
	$(BIN)/python -m benchmarks.faults $(ARGS)

bench: install ## Measure the domain (ARGS=--write keeps the figures)
	$(BIN)/python -m benchmarks.domain $(ARGS)

bench-queue: install ## Measure the queue over a million tickets (minutes; ARGS=--write keeps the figures)
	$(BIN)/python -m benchmarks.queue $(ARGS)

bench-console: install ## Measure the ticket's page and a decision (ARGS=--write keeps the figures)
	$(BIN)/python -m benchmarks.console $(ARGS)

soak: install ## A hundred live pages and ten decisions a second for ten minutes (ARGS="--minutes 1", ARGS=--write keeps the figures)
	$(BIN)/python -m benchmarks.soak $(ARGS)

lint: install ## Style of Python and of templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --check --lint --quiet templates

types: install ## mypy, strict
	$(BIN)/mypy

architecture: install ## Import directions
	$(BIN)/lint-imports

format: install ## Put Python and templates in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	-$(BIN)/djlint --reformat --quiet templates

requirements: install ## Pin again from pyproject.toml (ARGS="--upgrade" for the newest)
	$(BIN)/python -m requirements.pin $(ARGS)

audit: install ## Known weaknesses in the pinned packages
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements/base.txt
	$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements/dev.txt

messages: install ## Collect and compile the interface's words (needs gettext)
	$(BIN)/python manage.py makemessages --all --no-location --ignore=.venv --ignore=tests
	$(BIN)/python manage.py compilemessages --ignore=.venv

clean: ## Remove what the tools left (not the data)
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis htmlcov .coverage
