# Two commands are enough on a new machine: `make lab` and `make test`. `make help` lists the others.
# Written for the make of any system (GNU make 3.81, as on macOS, included).

VENV = .venv
BIN = $(VENV)/bin
PYTHON_READY = $(VENV)/.ready
NODE_READY = tests/js/node_modules/.ready
WITH_BIN = PATH="$(CURDIR)/$(BIN):$$PATH"
LESSON =
ARGS =

.DEFAULT_GOAL = help
.PHONY: help lab reset setup test lint exercises lessons golden bench differential lock environment schema clean

help:
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1 - \2/p' Makefile

setup: $(PYTHON_READY) ## make the virtual environment .venv from requirements.lock

$(PYTHON_READY): pyproject.toml requirements.lock tools/setup.sh
	@PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV)
	@touch $@

# An environment survives neither an upgrade of the system's Python nor a move of this folder: it is made again.
ifneq ($(shell (grep -qF '$(CURDIR)/$(VENV)' $(BIN)/activate && $(BIN)/python -c 'print(1)') 2>/dev/null),1)
.PHONY: $(PYTHON_READY)
endif

$(NODE_READY): $(PYTHON_READY) tests/js/package.json tests/js/package-lock.json
	cd tests/js && $(WITH_BIN) npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
	@touch $@

lab: $(PYTHON_READY) ## open JupyterLab on your own copies of the lessons (ARGS="..." goes to JupyterLab)
	@$(BIN)/python tools/my_lessons.py open $(ARGS)

reset: $(PYTHON_READY) ## renew one of your copies: make reset LESSON=01
	@$(BIN)/python tools/my_lessons.py reset "$(LESSON)"

test: $(PYTHON_READY) $(NODE_READY) ## run everything that CI runs
	@$(BIN)/python tools/stages.py test

lint: $(PYTHON_READY) $(NODE_READY) ## check style, types and the direction of imports
	@$(BIN)/python tools/stages.py lint

exercises: $(PYTHON_READY) ## check the data of the exercises: stubs, solutions and mistakes
	@$(BIN)/python tools/exercises.py

lessons: $(PYTHON_READY) ## execute the lessons again and store them in normal form
	@$(BIN)/python tools/notebooks.py lessons/*.ipynb

golden: $(PYTHON_READY) ## write the golden traces again, after a change that was meant
	$(BIN)/pytest tests/golden --update-golden

bench: $(PYTHON_READY) ## measure against the figures to reach, beside the nearest peers (in an environment of its own)
	@sh tools/setup.sh build/bench requirements-peers.lock
	build/bench/bin/python -m tools.bench $(ARGS)

differential: $(PYTHON_READY) ## run the standard library's own tests on instrumented modules
	$(BIN)/python tools/differential.py

lock: $(PYTHON_READY) ## resolve the dependencies again (UPGRADE=--upgrade moves every pin)
	@$(WITH_BIN) $(BIN)/python tools/lock.py $(UPGRADE)
	@$(BIN)/python tools/environment.py

environment: $(PYTHON_READY) ## write environment.yml again
	@$(BIN)/python tools/environment.py

schema: $(PYTHON_READY) ## write the JSON Schemas of scenario files and traces again, after a change of their fields
	@$(BIN)/python tools/schema.py

clean: ## remove what can be made again; my-lessons/ stays
	rm -rf $(VENV) build tests/js/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find ctxlab tests tools lessons -name __pycache__ -type d -prune -exec rm -rf {} +
