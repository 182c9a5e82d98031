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
    options = parser.parse_args()
    names, failed = options.target or NAMES, 0
    with ProcessPoolExecutor() as pool:  # as many targets at once as there are processors
        results = pool.map(partial(fuzz, seed=options.seed, seconds=options.seconds), names)
        for name, (done, result) in zip(names, results, strict=True):
            print(f"{name:<22} {done:>8,} executions, {len(result)} findings", flush=True)
            shown = {finding.what[:80]: finding for finding in reversed(result)}
            for finding in shown.values():
                print(f"    seed {options.seed}, number {finding.number}: {finding.what}", flush=True)
                if options.save is not None:
                    options.save.mkdir(parents=True, exist_ok=True)
                    label = name.partition(".")[0].replace(" ", "-")
                    file = options.save / f"{label}-{options.seed}-{finding.number}{made(name)[1]}"
                    file.write_bytes(finding.content)
            failed += len(result)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
