# `make demo` and `make test` are all that a clean clone needs: each sets up what it runs in .venv, with uv where it
# is installed and with python3 -m venv and pip elsewhere. The environment is made anew when pyproject.toml changes,
# the core is compiled again when a source of it changes. `make test ARGS="-k name"` passes arguments on.

PYTHON ?= python3
ARGS ?=
VENV := .venv
SANITIZED := build/sanitize/venv
CORE := CMakeLists.txt $(wildcard bind/* cpp/regretless/*)
# Tests are shared among the processors, but few of them: each takes memory. Those of a file, which share browsers and
# models, begin on one of them; who is done takes over what another has left.
SHARED := --numprocesses=auto --maxprocesses=4 --dist=worksteal
PYTHONS := $(wildcard src tests benchmarks docs)
CPPS := $(wildcard cpp/regretless/*.hpp bind/*.hpp bind/*.cpp fuzz/*.hpp fuzz/*.cpp)
UV := $(shell command -v uv 2>/dev/null)

# Containers often forbid Python to keep what it has compiled; hundreds of processes would compile the same again.
unexport PYTHONDONTWRITEBYTECODE

# The first build takes minutes: on a terminal it shows how far it is, with pip each file that is compiled.
QUIET := $(shell test -t 2 || echo --quiet)

ifeq ($(UV),)
create = $(PYTHON) -m venv $(1)
# Like uv, pip leaves modules to be compiled when they are imported, which most of them never are.
install = $(1)/bin/python -m pip --disable-pip-version-check $(QUIET) install --no-compile
BUILDING := $(if $(QUIET),,--verbose)
wheel = $(VENV)/bin/python -m pip --disable-pip-version-check --quiet wheel --no-build-isolation --no-deps \
  --wheel-dir $(1) .
else
create = uv venv --quiet --python '>=3.11' $(1)
install = uv pip install $(QUIET) --python $(1)/bin/python
wheel = uv build --quiet --no-build-isolation --python $(VENV)/bin/python --wheel --out-dir $(1)
endif
# The build requirements stand in the environment itself, so that a build reuses what the last one compiled. Those of
# dependencies that come as source must then stand there too: pyspark is made by setuptools, which makes wheels since 70.1.
editable = $(call install,$(1)) $(BUILDING) --no-build-isolation --editable

.PHONY: demo test check golden rules tables docs test-engines lint audit bench perf soak kills mutants sanitize fuzz wheel sdist clean
.DELETE_ON_ERROR:
.NOTPARALLEL:  # targets install into one environment, which pip does not expect of two at once

demo: $(VENV)/.with-sklearn
	$(VENV)/bin/regretless demo

test: $(VENV)/.with-test
	$(VENV)/bin/python -m pytest $(SHARED) --ignore=tests/engines $(ARGS)

# One room alone, as in `make check ROOM=experts`: its tests, in a minute or two.
check: $(VENV)/.with-test
	$(VENV)/bin/python -m pytest $(SHARED) tests/$(ROOM) $(ARGS)

# How what is printed differs from what is kept in tests/golden/expected; ARGS=--write keeps it as it is now.
golden: $(VENV)/.with-test
	$(VENV)/bin/python -m tests.golden $(ARGS)

# The lists of the kernels' rules, before the core is compiled: it cannot be where they name a header that is no more.
rules:
	$(PYTHON) docs/rule_lists.py --write

# Besides, the table of learners, the names of rooms and the tables of the pages, from what classes and rules say.
tables: rules
	$(MAKE) $(VENV)/.with-lint
	$(VENV)/bin/python docs/learner_table.py --write
	$(VENV)/bin/ruff format --quiet src/regretless/learner_table.py
	$(VENV)/bin/python docs/name_lists.py --write
	$(VENV)/bin/clang-format -i cpp/regretless/*_rules.hpp
	$(VENV)/bin/python docs/learners.py --write

# The site in build/site/html, read from disk; a warning, as of a link that leads nowhere, is an error.
docs: $(VENV)/.with-docs
	$(VENV)/bin/python docs/pages.py build/site/pages
	$(VENV)/bin/sphinx-build -q -W --keep-going -b html -c docs -d build/site/trees build/site/pages build/site/html

# On real Dask workers and a real local Spark, which wants Java: they are extras, of the package and of its tests.
test-engines: $(VENV)/.with-engines
	$(VENV)/bin/python -m pytest tests/engines $(ARGS)

# For hours if need be: many more examples of every property, drawn by a seed that is printed. The same seed draws the
# same ones: `make soak SEED=7`.
SEED ?= $(shell date +%s)
soak: $(VENV)/.with-test
	@echo "hypothesis seed: $(SEED)"
	HYPOTHESIS_PROFILE=soak $(VENV)/bin/python -m pytest --ignore=tests/engines --hypothesis-seed=$(SEED) $(ARGS)

# Whether the tests notice small faults: of the theorems and books (--sample, --seed, --module; --rules of the core).
mutants: $(VENV)/.with-test
	$(VENV)/bin/python -m tests.mutants $(ARGS)

# Runs and servers that are killed at 500 random moments; REGRETLESS_SEED=n for others.
kills: $(VENV)/.with-test
	REGRETLESS_KILLS=500 $(VENV)/bin/python -m pytest -s tests/cli/test_kills.py tests/serve/test_kills.py $(ARGS)

# The types of the core are kept beside the sources, for mypy; the build that knows them better must agree.
lint: $(VENV)/.with-lint $(VENV)/.with-test
	diff -u src/regretless/_core.pyi $(VENV)/lib/python*/site-packages/regretless/_core.pyi
	$(VENV)/bin/ruff check $(PYTHONS)
	$(VENV)/bin/ruff format --check $(PYTHONS)
	$(VENV)/bin/clang-format --dry-run -Werror $(CPPS)
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m pytest -q -p no:cacheprovider tests/core/test_types.py # which needs mypy
	$(VENV)/bin/lint-imports
	.ci/core_imports

# Whether any dependency has a known vulnerability; this asks PyPI's advisory service.
audit: $(VENV)/.with-test
	$(call create,build/audit)
	$(call install,build/audit) pip-audit
	build/audit/bin/pip-audit --strict --path $$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# One table of how fast everything is, beside peers; --quick, --full, --only TEXT, --json.
bench: $(VENV)/.with-test
	$(VENV)/bin/python -m benchmarks $(ARGS)

# Whether NEW is slower than BASE, both of them commits: `make perf BASE=main`. Fails if a row takes 5 % longer.
NEW ?= HEAD
perf: $(VENV)/.with-test
	$(VENV)/bin/python -m benchmarks.perf $(or $(BASE),$(error which commit to compare with? make perf BASE=COMMIT)) $(NEW) $(ARGS)

# The kernel tests on a core that checks its own memory and arithmetic; docs/trust.md says what that sees. The build type
# keeps names and lines for its reports, and --capture=sys lets them be seen: they come from beneath Python. Only files
# with kernel tests are collected, since Python too is slow here. WIDE=OFF takes the kernels for plain x86-64 alone.
WIDE ?= ON
sanitize: $(SANITIZED)/.ready
	$(call editable,$(SANITIZED)) . --no-deps --config-settings=cmake.define.REGRETLESS_SANITIZE=ON \
	  --config-settings=cmake.define.REGRETLESS_WIDE=$(WIDE) \
	  --config-settings=build-dir=build/sanitize/core --config-settings=cmake.build-type=RelWithDebInfo
	HYPOTHESIS_PROFILE=quick .ci/sanitized $(SANITIZED)/bin/python -m pytest -m kernel --capture=sys \
	  -p no:cacheprovider $(SHARED) $$(grep -rl --include='*.py' 'mark\.kernel' tests | sort) $(ARGS)

# The kernels by clang's libFuzzer, then the readers in Python, each target for so many seconds.
FUZZ_SECONDS ?= 600
fuzz: $(VENV)/.with-test
	.ci/fuzz $(FUZZ_SECONDS) $(ARGS)
	$(VENV)/bin/python -m tests.fuzz --seconds $(FUZZ_SECONDS)

# A wheel of what is compiled in build/ already, or is now, by the build requirements that pyproject.toml states;
# installed into nothing, and used.
wheel: $(VENV)/.ready
	rm -rf build/wheel
	$(call wheel,build/wheel)
	$(call create,build/wheel/venv)
	$(call install,build/wheel/venv) build/wheel/*.whl
	.ci/smoke build/wheel/venv/bin

# The source as it is published, unpacked, compiled and tested there: nothing of it may lean on the checkout. What wants git's
# history, or the corpus of the fuzzers, is not in it.
sdist: $(VENV)/.ready
	rm -rf build/sdist
	$(VENV)/bin/python -c 'from scikit_build_core.build import build_sdist; build_sdist("build/sdist")'
	tar -xzf build/sdist/*.tar.gz -C build/sdist
	cd build/sdist/regretless-*/ && $(MAKE) test

clean:
	rm -rf $(VENV) build

%/.ready: pyproject.toml
	rm -rf $*
	$(call create,$*)
	$*/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], \
	  "cmake", "ninja", "setuptools>=70.1", sep="\n")' > $*/build-requirements.txt
	$(call install,$*) -r $*/build-requirements.txt
	touch $@

# The environment of the sanitized core has all other packages from $(VENV), by a path; what is editable there stays there.
$(SANITIZED)/.ready: $(VENV)/.with-test
	rm -rf $(SANITIZED)
	$(call create,$(SANITIZED))
	folder() { "$$1"/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }; \
	  folder $(abspath $(VENV)) > "$$(folder $(SANITIZED))/packages.pth"
	touch $@

$(VENV)/.with-%: $(VENV)/.ready $(CORE)
	@echo "Setting up $(VENV): compiling the $(words $(filter %.cpp,$(CORE))) files of the core takes minutes the first time"
	$(call editable,$(VENV)) '.[$*]'
	touch $@
