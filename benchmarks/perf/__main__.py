"""Whether a commit is slower than another one: ``python -m benchmarks.perf BASE [NEW]``, or ``make perf BASE=COMMIT``.

Both are compiled in build/perf, by the same compiler, and take turns at our part of each row of the table, each in a
process of its own. Rows that take more than 5 % longer are measured again in new processes; if one still does, the exit
code is 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from benchmarks.perf.build import ROOT, built, commit_of  # noqa: E402
from benchmarks.perf.verdict import LIMIT, Pair, settled  # noqa: E402
from benchmarks.table.all_rows import GROUPS, rows_of  # noqa: E402
from benchmarks.table.row import Row  # noqa: E402
from benchmarks.table.show import short  # noqa: E402

LEAST, MOST, PATIENCE = 5, 40, 1.0  # turns of each, and seconds after which there are no more of them


class Worker:
    """A process of one commit's environment that does a row when it is asked to."""

    def __init__(self, python: Path) -> None:
        command = [str(python), "-m", "benchmarks.perf.worker"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, **pipes)  # type: ignore[call-overload]

    def ask(self, line: str) -> str:
        """Its answer."""
        print(line, file=self.process.stdin, flush=True)
        answer: str = self.process.stdout.readline()
        if not answer:
            sys.exit("a process that measures has died")
        return answer.rstrip("\n")

    def close(self) -> None:
        """Let it end."""
        self.process.stdin.close()
        self.process.wait()


def measure(rows: Mapping[str, str], pythons: Sequence[Path], names: Sequence[str]) -> dict[str, Pair]:
    """The rows by name, whose titles are given; those that one commit lacks are named and left out."""
    workers = [Worker(python) for python in pythons]
    pairs = {}
    for name in names:
        lacking = [worker.ask(f"{rows[name]}\t{name}") for worker in workers]
        if any(lacking):
            print(f"{name}: not measured ({' | '.join(lacking)})", file=sys.stderr, flush=True)
            continue
        pairs[name] = _turns(workers)
        print(f"{name}: {pairs[name].ratio():.3f}", file=sys.stderr, flush=True)
    for worker in workers:
        worker.close()
    return pairs


def _turns(workers: Sequence[Worker]) -> Pair:
    """Seconds in turns, each first every other time."""
    pair = Pair([], [])
    begun = perf_counter()
    while len(pair.base) < LEAST or (len(pair.base) < MOST and perf_counter() - begun < PATIENCE):
        sides = list(zip(workers, pair, strict=True))
        for worker, times in sides if len(pair.base) % 2 else reversed(sides):
            times.append(float(worker.ask("")))  # type: ignore[attr-defined]
    return pair


def shown(row: Row, pair: Pair) -> str:
    """A line of the table."""
    ratio = pair.ratio()
    verdict = "WORSE" if ratio > LIMIT else "better" if ratio < 1 / LIMIT else ""
    best = [short(min(side) * row.scale) for side in pair]
    figures = f"{best[0]:>8} | {best[1]:>8} | {ratio:10.3f} | {len(pair.new):5}"
    return f"| {row.what:66} | {row.unit:12} | {figures} | {verdict:6} |"


def main() -> None:
    """Compile, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.perf", description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("new", nargs="?", default="HEAD", help="the commit that may be slower; by default the last one")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this in their name or title")
    options = parser.parse_args()
    commits = [commit_of(options.base), commit_of(options.new)]
    pythons = [built(commit) for commit in commits]
    rows = {row.what: (title, row) for title in GROUPS for row in rows_of(title, only=options.only)}
    titles = {name: title for name, (title, _) in rows.items()}
    pairs = settled(list(rows), partial(measure, titles, pythons))
    print(f"base {commits[0][:12]}, new {commits[1][:12]}, load average {os.getloadavg()[0]:.1f} at the end\n")
    print(f"| {'':66} | {'unit':12} | {'base':>8} | {'new':>8} | new / base | turns |        |\n|{' --- |' * 7}")
    for name, pair in pairs.items():
        print(shown(rows[name][1], pair))
    worse = [name for name, pair in pairs.items() if pair.worse()]
    sys.exit(f"more than 5 % slower: {'; '.join(worse)}" if worse else 0)


if __name__ == "__main__":
    main()
