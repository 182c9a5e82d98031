"""``python -m tests.fuzz --seconds N [--seed S] [--target T] [--save FOLDER]``."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from .runner import fuzz
from .targets import NAMES, made


def main() -> int:
    """Fuzz; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="fuzz everything that is read")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", choices=NAMES, help="by default all of them")
    parser.add_argument("--save", type=Path, help="a folder for the files that were found")
    given = parser.parse_args()
    names, failed = given.target or NAMES, 0
    with ProcessPoolExecutor() as pool:  # as many targets at once as there are processors
        results = pool.map(partial(fuzz, seed=given.seed, seconds=given.seconds), names)
        for name, (done, found) in zip(names, results, strict=True):
            print(f"{name:<22} {done:>8,} executions, {len(found)} findings", flush=True)
            shown = {finding.what[:80]: finding for finding in reversed(found)}
            for finding in shown.values():
                print(f"    seed {given.seed}, number {finding.number}: {finding.what}", flush=True)
                if given.save is not None:
                    given.save.mkdir(parents=True, exist_ok=True)
                    label = name.partition(".")[0].replace(" ", "-")
                    file = given.save / f"{label}-{given.seed}-{finding.number}{made(name)[1]}"
                    file.write_bytes(finding.content)
            failed += len(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
