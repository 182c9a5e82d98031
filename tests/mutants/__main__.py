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
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path

import hypothesis.extra.numpy
import numpy as np  # noqa: F401
import pytest

from .changes import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "regretless"
MODULES = [
    *sorted((PACKAGE / "theory").glob("*.py")),
    *(PACKAGE / f"{n}.py" for n in ("ledger", "comparator", "theorem")),
]
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
SECONDS = 300  # a mutant that takes longer hangs, and is noticed


class Hand(MetaPathFinder):
    """Hands out one module with a fault in it."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant, self.name = mutant, module_name(mutant.path)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Only of that module."""
        if name != self.name:
            return None
        loader = SourceFileLoader(name, str(self.mutant.path))
        code = compile(self.mutant.source(), str(self.mutant.path), "exec", dont_inherit=True)
        loader.get_code = lambda _: code  # type: ignore[method-assign, assignment]
        return spec_from_loader(name, loader)


def module_name(path: Path) -> str:
    """As it is imported."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def imported(path: Path, inside: str) -> set[str]:
    """The modules of the package that a file names in its imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            here = inside.split(".")[: -node.level] if node.level else []
            base = ".".join([*here, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
    return found


def tests_of(path: Path) -> list[str]:
    """The test files for a module: known numbers, then those that import it, then those of theorems made from it."""
    name = module_name(path)
    users = {module_name(one) for one in MODULES if name in imported(one, module_name(one))}
    ranked = []
    for file in sorted((ROOT / "tests").glob("test_*.py")):
        read = imported(file, f"tests.{file.stem}")
        if name in read or (users & read and file.stem.startswith(("test_known", "test_theory"))):
            ranked.append((not file.stem.startswith("test_known"), name not in read, file.stat().st_size, str(file)))
    return [one[-1] for one in sorted(ranked)]


def killed_by(files: list[str], mutant: Mutant | None) -> str | None:
    """The first test that fails, or what else went wrong; None if all pass."""
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            _play(files, mutant, said.fileno())
        status = _wait(child)
        if status is None:
            return "too slow"
        if status == 0:
            return None
        said.seek(0)
        told = [line for line in said.read().splitlines() if line.startswith(("FAILED", "ERROR"))]
        return " ".join(told[0].split()[1:2]) if told else f"status {status}"


def _play(files: list[str], mutant: Mutant | None, output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    hypothesis.settings.register_profile(
        "mutants", derandomize=True, max_examples=25, deadline=None, database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    status = 99
    try:
        if mutant is not None:
            sys.meta_path.insert(0, Hand(mutant))
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


def main() -> int:
    """Play the sample, print who lived."""
    asked = argparse.ArgumentParser(prog="make mutants", description=__doc__.splitlines()[0])
    asked.add_argument("--sample", type=int, default=100, help="how many mutants (0: all)")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--module", default="", help="part of the path of the modules")
    asked.add_argument("--list", action="store_true", help="name them, play none")
    options = asked.parse_args()
    chosen = [path for path in MODULES if options.module in str(path.relative_to(PACKAGE))]
    every = [one for path in chosen for one in mutants(path)]
    sample = random.Random(options.seed).sample(every, min(options.sample or len(every), len(every)))
    if options.list:
        print(*(one.name for one in sample), sep="\n")
        return 0
    files = {path: tests_of(path) for path in {one.path for one in sample}}
    same, lived, counts = equivalents(), [], {"died": 0, "lived": 0, "equivalent": 0}
    for path in sorted(files):
        failed = killed_by(files[path], None)
        if failed is not None or not files[path]:
            print(f"{path.name}: {failed or 'no test file reads it'}, without any fault")
            return 1
    for one in sample:
        killer = killed_by(files[one.path], one)
        if killer is None:
            counts["equivalent" if one.name in same else "lived"] += 1
            if one.name not in same:
                lived.append(one)
                print(f"lived: {one.path.relative_to(ROOT)}:{one.line}  {one.name}", flush=True)
        else:
            counts["died"] += 1
            print(f"died:  {one.name}  ({killer})", flush=True) if os.environ.get("VERBOSE") else None
    live = counts["died"] + counts["lived"]
    share = 100 * counts["died"] / max(live, 1)
    print(f"{len(sample)} of {len(every)} mutants (seed {options.seed}): {counts['died']} died, {counts['lived']} lived,"
          f" {counts['equivalent']} change nothing; {share:.1f} % of {live} died")  # fmt: skip
    return 0 if share >= 90 else 1


if __name__ == "__main__":
    sys.exit(main())
