# Everything that is done by hand, in one place. `make` alone lists it.
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help venv format check test coverage lint bench screens docs tables dist sbom audit ci clean

help:            ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

venv: $(BIN)/logsense  ## make the environment
$(BIN)/logsense: pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/pip install --quiet -e '.[dev]'
	@touch $@

format: venv     ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: venv      ## lint, types, import contracts, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --no-warn-unreachable --cache-dir .mypy_cache/win32 logsense
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin logsense
	$(BIN)/lint-imports
	$(BIN)/codespell rules corpus docs README.md CONTRIBUTING.md CHANGELOG.md logsense

lint: venv       ## check the rules and signatures and run their examples
	$(BIN)/logsense rules lint
	$(BIN)/logsense rules test

test: venv       ## run the tests; PACKAGE=match runs those of one package
	$(BIN)/pytest $(if $(PACKAGE),tests/$(PACKAGE),-n auto --dist worksteal)

coverage: venv   ## run the tests and see which lines and branches they reach
	$(BIN)/pytest -n auto --dist worksteal --cov

# What the tests behind a marker need besides; the markers are listed in pyproject.toml.
test-notebooks: EXTRA := kernels
test-packaging: EXTRA := packaging
test-ray: EXTRA := fleet,parquet
test-website: EXTRA := docs
test-%: venv
	$(if $(EXTRA),$(BIN)/pip install --quiet -e '.[$(EXTRA)]')
	$(BIN)/pytest -n auto --dist worksteal -m $*

bench: venv      ## measure against other programs, write docs/benchmarks.md (needs 3 GB in the temporary folder)
	$(BIN)/python benchmarks/all.py

screens: venv    ## renew the screens in README, docs/ and tests/render/screens/
	$(BIN)/python scripts/screens.py

docs: venv       ## build the documentation as a site: build/site/index.html
	$(BIN)/pip install --quiet -e '.[docs]'
	$(BIN)/python -m website

tables: venv     ## renew the version tables from their sources, write docs/tables.md, docs/facts.md
	$(BIN)/python scripts/refresh_tables.py
	$(BIN)/python scripts/refresh_tables.py --age
	$(BIN)/python scripts/refresh_tables.py --list > docs/tables.md
	$(BIN)/python scripts/fact_page.py > docs/facts.md

dist: venv       ## build the wheel and the source archive
	$(BIN)/pip install --quiet -e '.[packaging]'
	$(BIN)/python -m build

sbom: venv       ## write the bill of materials (CycloneDX) to dist/
	$(BIN)/pip install --quiet -e '.[release]'
	$(BIN)/python scripts/supply_chain.py sbom

audit: venv      ## look for advisories on what we depend on
	$(BIN)/pip install --quiet -e '.[release]'
	$(BIN)/python scripts/supply_chain.py audit

ci:              ## everything, as a fresh clone would have it
	.ci/run

clean:           ## remove what was made
	rm -rf $(VENV) dist build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
