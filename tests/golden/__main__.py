"""``python -m tests.golden``: records all cases, and prints how they differ from what is kept."""

from __future__ import annotations

import argparse
import sys

from .cases import CASES, EXPECTED, stale
from .compare import difference
from .record import record


def run() -> int:
    """Record, compare, and keep what was recorded if that is wanted; 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep what was recorded")
    parser.add_argument("names", nargs="*", help="only cases whose name contains one of these")
    arguments = parser.parse_args()
    chosen = [case for case in CASES if not arguments.names or any(name in case.name for name in arguments.names)]
    differing = 0
    for case in chosen:
        expected = case.expected()
        actual = case.actual(record(case))
        if actual == expected and case.path.exists():
            continue
        differing += 1
        print(difference(expected, actual, case.name))
        if arguments.write:
            case.path.parent.mkdir(parents=True, exist_ok=True)
            case.path.write_text(actual, encoding="utf-8")
    for path in [] if arguments.names else stale():
        differing += 1
        print(f"{path.relative_to(EXPECTED)}: no case makes it")
        if arguments.write:
            path.unlink()
    verb = "written" if arguments.write else "differ" if differing else "as they are kept"
    print(f"{len(chosen)} cases, {differing} {verb}" if differing else f"{len(chosen)} cases, {verb}", file=sys.stderr)
    return int(differing > 0 and not arguments.write)


if __name__ == "__main__":
    sys.exit(run())
