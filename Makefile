# Everything a newcomer runs. `make help` lists it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
Q      ?= inference 7B latency<100ms

.DEFAULT_GOAL := help
.PHONY: help pick test check ci bench lock catalog card-picture clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(VENV)/.runtime: requirements/runtime.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/runtime.txt
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

pick: $(VENV)/.runtime ## answer one request: make pick Q="inference 7B latency<100ms"
	@$(BIN)/python -m bot "$(Q)"

test: $(VENV)/.dev ## the tests a newcomer runs (Python only)
	$(BIN)/python -m pytest -m "not slow" -n 2

check: $(VENV)/.dev ## format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

lock: ## rewrite the hashed lock files from pyproject.toml and requirements/dev.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --output-file requirements/runtime.txt pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --allow-unsafe --strip-extras --output-file requirements/dev.txt requirements/dev.in

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
