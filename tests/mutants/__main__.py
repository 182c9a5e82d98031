"""`make mutants`: sampled faults of the theorems and the books, each played against the tests that read its module.

Each mutant lives in a process of its own, forked before anything of the package is imported, in which an import hook
hands out the source with the fault: no file is edited. The examples of hypothesis are the same in every run.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location, spec_from_loader
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy
import numpy as np  # noqa: F401
import pytest

from . import rules
from .changes import Mutant, mutants, told_apart

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "regretless"
MODULES = [
    *sorted((PACKAGE / "theory").glob("*.py")),
    *(PACKAGE / f"{n}.py" for n in ("ledger", "comparator", "theorem")),
]
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
SECONDS = 300  # a mutant that takes longer hangs, or the machine has other work: it is listed apart
SLOW = "too slow"
FATES = {"died": "died", "lived": "lived", "equal": "change nothing", "slow": "were too slow to tell"}


class Hand(MetaPathFinder):
    """Hands out one module from elsewhere."""

    def __init__(self, name: str, spec: ModuleSpec | None) -> None:
        self.name, self.spec = name, spec

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Only of that module."""
        return self.spec if name == self.name else None


def with_fault(mutant: Mutant) -> None:
    """From here on its module is read with the fault in it."""
    name = module_name(mutant.path)
    loader = SourceFileLoader(name, str(mutant.path))
    code = compile(mutant.source(), str(mutant.path), "exec", dont_inherit=True)
    loader.get_code = lambda _: code  # type: ignore[method-assign, assignment]
    sys.meta_path.insert(0, Hand(name, spec_from_loader(name, loader)))


def with_rule(core: Path, number: int) -> None:
    """From here on the core is the one that holds all mutants, and this one is awake (0: none)."""
    os.environ["REGRETLESS_MUTANT"] = str(number)
    name = "regretless._core"
    sys.meta_path.insert(0, Hand(name, spec_from_file_location(name, core)))


def module_name(path: Path) -> str:
    """As it is imported."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


@cache
def imported(path: Path, inside: str) -> set[str]:
    """The modules of the package that a file names in its imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            here = inside.split(".")[: -node.level] if node.level else []
            base = ".".join([*here, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
    return names


def tests_of(path: Path) -> list[str]:
    """The test files for a module: known numbers, then those that import it, then those of theorems made from it."""
    name = module_name(path)
    users = {module_name(one) for one in MODULES if name in imported(one, module_name(one))}
    ranked = []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        read = imported(file, ".".join(file.relative_to(ROOT).with_suffix("").parts))
        if name in read or (users & read and file.stem.startswith(("test_known", "test_theory"))):
            ranked.append((not file.stem.startswith("test_known"), name not in read, file.stat().st_size, str(file)))
    return [one[-1] for one in sorted(ranked)]


def killed_by(files: list[str], awake: Callable[[], None]) -> str | None:
    """The first test that fails, or what else went wrong, in a process where a mutant is awake; None if all pass."""
    with tempfile.TemporaryFile("w+") as log:
        child = os.fork()
        if child == 0:
            _play(files, awake, log.fileno())
        status = _wait(child)
        if status is None:
            return SLOW
        if status == 0:
            return None
        log.seek(0)
        lines = [line for line in log.read().splitlines() if line.startswith(("FAILED", "ERROR"))]
        return " ".join(lines[0].split()[1:2]) if lines else f"status {status}"


def _play(files: list[str], awake: Callable[[], None], output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    hypothesis.settings.register_profile(
        "mutants", derandomize=True, max_examples=25, deadline=None, database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    status = 99
    try:
        awake()
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        numbers = [file for file in files if "test_known" in file]  # most mutants die of these, and soon
        for some in (numbers, [file for file in files if file not in numbers]):
            status = int(pytest.main([*options, *some])) if some else 0
            if status:
                break
    finally:
        sys.stdout.flush()
        os._exit(status)


def _wait(child: int) -> int | None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def equivalents() -> dict[str, str]:
    """The mutants that change nothing, by name, and why: `name  # reason` in each line."""
    lines = [line for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, _, reason in (line.partition("  # ") for line in lines)}


@dataclass(frozen=True)
class Trial:
    """A mutant, what wakes it, and the tests that are to notice."""

    name: str
    place: str
    files: list[str]
    awake: Callable[[], None]


def unknown(names: Iterable[str], *, rules: bool) -> list[str]:
    """Lines of the list of equivalents that are about no mutant, of the core's rules or of the Python sources."""
    expected = {name for name in equivalents() if (".hpp: " in name) == rules}
    return sorted(expected - set(names))


def every_source() -> dict[str, Mutant]:
    """All mutants of the Python sources, by names that differ."""
    changes = [one for path in MODULES for one in mutants(path)]
    return dict(zip(told_apart([one.name for one in changes]), changes, strict=True))


def sampled(every: Mapping[str, Any], count: int, seed: int) -> dict[str, Any]:
    """So many of them; 0: all."""
    return dict(random.Random(seed).sample(list(every.items()), min(count or len(every), len(every))))


@dataclass(frozen=True)
class Sample:
    """How many mutants there are, lines of the list of equivalents about none, the tests alone, and some mutants."""

    size: int
    unknown: list[str]
    sound: Trial
    trials: list[Trial]


def of_sources(part: str, count: int, seed: int) -> Sample:
    """A sample of the mutants of the Python sources."""
    whole = every_source()
    every = {name: one for name, one in whole.items() if part in str(one.path.relative_to(PACKAGE))}
    sample = sampled(every, count, seed)
    files = {path: tests_of(path) for path in sorted({one.path for one in sample.values()})}
    sound = Trial("no fault", "the tests", sorted({one for each in files.values() for one in each}), lambda: None)
    return Sample(len(every), unknown(whole, rules=False), sound, [
        Trial(name, f"{one.path.relative_to(ROOT)}:{one.line}", files[one.path], partial(with_fault, one))
        for name, one in sample.items()
    ])  # fmt: skip


def of_rules(part: str, count: int, seed: int) -> Sample:
    """The same of the update rules of the core."""
    core, rules_of_core = rules.build()
    whole = dict(zip(told_apart([one.name for one in rules_of_core]), rules_of_core, strict=True))
    every = {name: one for name, one in whole.items() if part in one.header}
    sample = sampled(every, count, seed)
    sound = Trial(
        "no fault",
        "the tests",
        sorted({one for rule in sample.values() for one in rule.files}),
        partial(with_rule, core, 0),
    )
    return Sample(len(every), unknown(whole, rules=True), sound, [
        Trial(name, f"cpp/regretless/{one.header}.hpp:{one.line}", one.files, partial(with_rule, core, one.number))
        for name, one in sample.items()
    ])  # fmt: skip


def main() -> int:
    """Play the sample, print who lived."""
    parser = argparse.ArgumentParser(prog="make mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sample", type=int, default=100, help="how many mutants (0: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--module", default="", help="part of the path of the modules, or of the names of the headers")
    parser.add_argument("--rules", action="store_true", help="of the update rules of the core, which is compiled anew")
    parser.add_argument("--sound", action="store_true", help="first see whether the tests pass without any fault")
    parser.add_argument("--list", action="store_true", help="name them, play none")
    parser.add_argument("--verbose", action="store_true", help="name those that died too, and who noticed")
    options = parser.parse_args()
    result = (of_rules if options.rules else of_sources)(options.module, options.sample, options.seed)
    if options.list:
        print(*(one.name for one in result.trials), sep="\n")
        return 0
    if result.unknown:
        print(*(f"{EQUIVALENT.name} names no mutant: {name}" for name in result.unknown), sep="\n")
        return 1
    failed = killed_by(result.sound.files, result.sound.awake) if options.sound else None
    if failed is not None:
        print(f"{failed}, without any fault")
        return 1
    return played(
        result.trials, f"{len(result.trials)} of {result.size} mutants (seed {options.seed})", options.verbose
    )


def played(trials: list[Trial], what: str, verbose: bool = False) -> int:
    """Play them and say what became of them; the exit code."""
    same, counts = equivalents(), Counter[str]()
    for one in trials:
        killer = killed_by(one.files, one.awake)
        fate = "slow" if killer == SLOW else "died" if killer else "equal" if one.name in same else "lived"
        counts[fate] += 1
        if fate in ("lived", "slow") or (fate == "died" and verbose):
            print(f"{fate + ':':<6} {one.place}  {one.name}" + (f"  ({killer})" if fate == "died" else ""), flush=True)
    share = 100 * counts["died"] / max(counts["died"] + counts["lived"], 1)
    text = ", ".join(f"{counts[fate]} {words}" for fate, words in FATES.items())
    print(f"{what}: {text}; {share:.1f} % of those that died or lived died")
    return 0 if share >= 90 else 1


if __name__ == "__main__":
    sys.exit(main())
