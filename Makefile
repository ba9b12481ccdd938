# Everything a newcomer runs. `make help` lists it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
Q      ?= inference 7B latency<100ms
STAGE  ?= prod
REGION ?= us-east-1
NODE   := requirements/node
DATABASE ?= ../advisory-database
OSLS   := $(NODE)/node_modules/.bin/osls

# A request is text, not make's or the recipe's shell: `$15`, quotes and backticks arrive as typed.
override Q := $(value Q)
export Q

.DEFAULT_GOAL := help
.PHONY: help pick chat page types screens test lint check slow ci smoke wheel bench artefact package deploy catalog lock card-picture architecture-picture clean calibrate accuracy judgment language language-compile load audit advisories

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 24

# Without byte code: Python writes that of what is used, a third of it, when it is first imported.
$(VENV)/.runtime: requirements/runtime.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements/runtime.txt
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.runtime
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements/test.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.test
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/dev.txt
	@touch $@

pick: $(VENV)/.runtime ## answer one request: make pick Q='inference 7B latency<100ms'
	@$(BIN)/python -m bot "$$Q"

chat: $(VENV)/.runtime ## the Slack app in a browser, with no workspace: type, click, read
	@$(BIN)/python -m bot.playground

test: $(VENV)/.test ## the tests a newcomer runs (Python only)
	$(BIN)/python -m pytest -m "not slow" -n 2

lint: $(VENV)/.dev ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: lint artefact ## format, lint, types, every test (the slow ones too)
	$(BIN)/python -m pytest -n 2

slow: $(VENV)/.dev artefact ## the long tests that `make test` leaves out
	$(BIN)/python -m pytest -m slow -n 2

ci: AUDIT = --if-reachable
ci: lint page types slow smoke wheel package bench audit ## what CI adds to `make test`: lint, types, long tests, packaging, speed

page: ## build the page of `make chat` (needs Node) and see that the committed one is the same
	cd docs/render && npm ci --ignore-scripts --silent && npm run --silent page
	git diff --exit-code --stat -- bot/playground/page

types: $(VENV)/.dev ## hold every kind of message against Slack's own types (needs Node)
	$(BIN)/python -m tests.slack_types.messages
	cd tests/slack_types && npm ci --ignore-scripts --silent && npx --no-install tsc -p .

smoke: $(VENV)/.runtime ## the main job, as a newcomer types it
	$(BIN)/python -m bot "inference 7B latency<100ms"
	$(BIN)/python -m bot --json "inference 7B latency<100ms" | $(BIN)/python -c "import json,sys; assert json.load(sys.stdin)['picks']"
	$(BIN)/python -m bot --manifest eksctl "inference 7B latency<100ms" | $(BIN)/python -c "import sys,yaml; assert yaml.safe_load(sys.stdin)['kind'] == 'ClusterConfig'"

wheel: $(VENV)/.dev ## build the wheel and check that it carries data and templates
	rm -rf dist && $(BIN)/python -m build --wheel --no-isolation --outdir dist . > /dev/null
	$(BIN)/python tests/packaging/check_wheel.py dist

bench: $(VENV)/.dev ## speed: cold answer, pick, parse, estimates, cold functions, a sweep of alerts
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python -m benchmarks.lambda_cold_start
	$(BIN)/python -m benchmarks.fan_out

load: $(VENV)/.dev ## 200 people ask `ec2-pick serve` for 30 s: is each answered exactly once?
	$(BIN)/python -m benchmarks.slack_load

artefact: $(VENV)/.dev
	@$(BIN)/python requirements/package_lambda.py

$(OSLS): $(NODE)/package-lock.json
	cd $(NODE) && npm ci --silent --ignore-scripts
	@touch $@

package: artefact $(OSLS) ## what a deployment ships, built and checked without an account (needs Node)
	$(OSLS) package --stage $(STAGE) --region $(REGION)
	$(BIN)/cfn-lint --ignore-checks W3005 --template .serverless/cloudformation-template-update-stack.json

deploy: package ## ship it to the account of your AWS credentials: make deploy STAGE=prod REGION=us-east-1
	$(OSLS) deploy --stage $(STAGE) --region $(REGION)

.venv-audit/.ready: requirements/audit.txt
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/audit.txt
	@touch $@

audit: .venv-audit/.ready ## known vulnerabilities of every locked package: live, else by the committed advisories
	.venv-audit/bin/python -m requirements.audit $(AUDIT)

advisories: $(VENV)/.dev ## rewrite requirements/advisories.csv from a clone: make advisories DATABASE=../advisory-database
	$(BIN)/python -m requirements.collect_advisories $(DATABASE)

calibrate: $(VENV)/.dev ## refit the coefficients to the shared measured rows (skips where there are none)
	$(BIN)/python -m benchmarks.calibration fit

accuracy: $(VENV)/.dev ## how far estimates are from measured rows: benchmarks/accuracy.md and .png
	$(BIN)/python -m benchmarks.calibration accuracy

judgment: $(VENV)/.dev ## first picks against deployments that experts published (skips where there are none)
	$(BIN)/python -m benchmarks.judgment

language: $(VENV)/.dev ## how well unseen questions are read: accuracy by kind, confusions, sizes
	$(BIN)/python -m benchmarks.reading report

language-compile: $(VENV)/.dev ## the same, and compile bot/language/examples into what is loaded
	$(BIN)/python -m benchmarks.reading compile

catalog: $(VENV)/.dev ## rebuild the compiled catalog from catalog/data/*.csv
	$(BIN)/python -m catalog.compile

card-picture: $(VENV)/.runtime ## draw docs/card.png from the real answer (needs Node and Chromium)
	cd docs/render && npm ci --silent
	$(BIN)/python docs/render/message_of.py "inference 7B latency<100ms" | $(BIN)/python docs/render/render_card.py docs/card.png

architecture-picture: $(VENV)/.dev ## draw docs/architecture.svg from the imports
	$(BIN)/python -m docs.render.architecture

screens: $(VENV)/.dev ## draw what people see in Slack into docs/screens (needs Node and Chromium)
	cd docs/render && npm ci --silent
	$(BIN)/python -m docs.render.screens

lock: ## rewrite the hashed lock files from pyproject.toml and requirements/*.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --output-file requirements/runtime.txt pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --output-file requirements/lambda.txt requirements/lambda.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --allow-unsafe --strip-extras --output-file requirements/test.txt requirements/test.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --allow-unsafe --strip-extras --output-file requirements/dev.txt requirements/dev.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --output-file requirements/pictures.txt requirements/pictures.in
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --allow-unsafe --strip-extras --output-file requirements/audit.txt requirements/audit.in

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .venv-audit .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist .serverless $(NODE)/node_modules
