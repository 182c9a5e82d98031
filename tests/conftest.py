"""What all tests share: how hard hypothesis looks, where real data may be, and a browser."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from .browser import Browser, find_browser

# As the command line does, and before numpy is imported: where workers fill the processors, the threads of one wait for
# each other in loops, which took up to ten times the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Every run of the suite looks at the same examples: what it says depends on the code alone. The search for new ones is
# `make soak`, which prints its seed.
CALM = {"deadline": None, "derandomize": True}
settings.register_profile("quick", max_examples=25, suppress_health_check=list(HealthCheck), **CALM)
settings.register_profile("default", max_examples=30, suppress_health_check=[HealthCheck.too_slow], **CALM)
settings.register_profile(
    "soak", max_examples=5000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
settings.load_profile(PROFILE)
# Besides, hypothesis draws numbers that stand in the modules loaded so far: which tests ran before would decide.
if PROFILE != "soak":
    providers.is_local_module_file = lambda path: False

# A shell's background job and what nohup starts ignore signals, and so would all that they start. Tests of
# interruptions begin as a process at a terminal does.
for number, handler in {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}.items():
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
# Numba compiles what quantecon runs in each process that runs it, for up to ten seconds.
BY_NUMBA = ("test_bimatrix.py", "test_docs_general_sum.py", "[solve/equilibria-")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """While twenty thousand tests are collected, looking for garbage takes a third of the time and finds none; what was
    collected stays, and need not be looked at again. Thereafter it is looked for less often, which took a twelfth."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every other worker reads the files from the last to the first: what two of them import, tests and packages alike,
    is then compiled once in a new checkout, by the one that comes to it first, and not by both at a time."""
    report = yield
    if isinstance(collector, pytest.Directory) and int(WORKER.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """All workers have the same order, and one begins with what numba compiles. Tests of many minutes are those of
    `make soak` alone."""
    items.sort(key=lambda item: (not any(name in item.nodeid for name in BY_NUMBA), item.path))
    if os.environ.get("HYPOTHESIS_PROFILE") == "soak":
        return
    long = [item for item in items if item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker sends one message for a test that passes, not five: no word of its start and its end, and of what comes
    before and after it only what failed or was skipped."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="session", autouse=True)
def unsynced() -> Iterator[None]:
    """No file waits for the disk: whether one would outlive a power cut, no test can see, and the wait is long."""

    def fsync(descriptor: int) -> None:
        os.fstat(descriptor)  # which must be open all the same

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        yield


FOLDERS = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own. Pytest's fixture looks through all folders of a run for a number that is free, and
    leaves a link beside each: of thousands of tests that was a millisecond each."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{name}{next(FOLDERS)}"
    path.mkdir(mode=0o700)
    return path


ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture
def isas() -> Iterator[list[str]]:
    """The instruction sets that this machine has; the one in use is in use again afterwards."""
    from regretless import _core

    before = _core.isa()
    try:
        yield _core.isas()
    finally:
        _core.use_isa(before)


@pytest.fixture(params=["v1", "v3", "v4", "generic"])
def isa(request: pytest.FixtureRequest, isas: list[str]) -> str:
    """Each instruction set that this machine has, in use."""
    from regretless import _core

    if request.param not in isas:
        pytest.skip(f"this machine has no {request.param}")
    _core.use_isa(request.param)
    return str(request.param)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets; tests that want it skip where there is none."""
    folder = Path(os.environ.get("REGRETLESS_DATA", SHARED / "data"))
    if not folder.is_dir():
        pytest.skip("no real data here: set REGRETLESS_DATA to its folder")
    return folder


@pytest.fixture(scope="session")
def oracles() -> list[dict[str, Any]]:
    """Worked cases with exact answers, found by hand and by slow exact programs."""
    path = Path(os.environ.get("REGRETLESS_ORACLES", SHARED / "oracles.json"))
    if not path.is_file():
        pytest.skip("no worked cases here: set REGRETLESS_ORACLES to their file")
    cases: list[dict[str, Any]] = json.loads(path.read_text())["cases"]
    return cases


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all looks of a process; tests that want it skip where there is none."""
    executable = find_browser()
    if executable is None:
        pytest.skip("no Chromium on the path to look with")
    with Browser(executable) as one:
        yield one
