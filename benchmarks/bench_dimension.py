"""Dimensions of finite classes: what the targets take, and how cost grows with the class (--curve, --curve --json).

Random classes are drawn without repetition. Seconds are CPU seconds, the search's own memory included, reading or
making the class not. A kind of the curve ends at the first class that is not done in time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from regretless.finite_classes import FiniteClass, littlestone_dimension, randomized_littlestone_dimension, vc_dimension

Search = Callable[..., Any]
SEARCHES: dict[str, Search] = {
    "VC": vc_dimension,
    "Littlestone": littlestone_dimension,
    "randomised": randomized_littlestone_dimension,
}

# What the searches were built for, and what they reach.
TASKS = (
    ("Littlestone", "random:1000x16"),
    ("Littlestone", "random:10000x20"),
    ("Littlestone", "random:8300x20"),
    ("Littlestone", "random:1000000x24"),
    ("Littlestone", "halfspaces:3x4"),
    ("Littlestone", "halfspaces:4x4"),
    ("Littlestone", "halfspaces:cube:4"),
    ("Littlestone", "thresholds:64"),
    ("Littlestone", "intervals:40"),
    ("Littlestone", "intervals:200"),
    ("Littlestone", "conjunctions:5"),
    ("Littlestone", "conjunctions:6"),
    ("VC", "random:4096x24"),
    ("VC", "random:10000x32"),
    ("VC", "halfspaces:4x4"),
    ("randomised", "halfspaces:4x4"),
    ("randomised", "intervals:30"),
    ("randomised", "random:100x12"),
)


# The kinds of the curve: classes by name, small ones first. Entries of random classes are 1 with the last number.
POWERS = [2**power for power in range(6, 21, 2)]
KINDS = {
    "fair coins, 40 points": [f"random:{n}x40" for n in POWERS],
    "a fifth ones, 40 points": [f"random:{n}x40x0.2" for n in POWERS],
    "a tenth ones, 64 points": [f"random:{n}x64x0.1" for n in POWERS],
    "intervals": [f"intervals:{n}" for n in (10, 20, 40, 80, 160, 320, 640)],
    "halfspaces on grids": [f"halfspaces:{n}x{n}" for n in (2, 3, 4, 6, 8, 10, 12)],
    "conjunctions": [f"conjunctions:{k}" for k in range(2, 11)],
}
BOTH = ("Littlestone", "VC")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="give up after a second")
    parser.add_argument("--seconds", type=float, default=10.0, help="after which a search is given up")
    parser.add_argument("--curve", action="store_true", help="how cost grows, instead of the targets")
    parser.add_argument("--json", action="store_true", help="the curve as JSON")
    options = parser.parse_args()
    patience = 1.0 if options.quick else options.seconds
    if options.curve and options.json:
        print("[", ",\n ".join(map(json.dumps, grown(patience))), "]", sep="")
        return
    print(f"{'class':24} {'hypotheses':>10} {'points':>6}  {'dimension':11} {'':>16} {'steps':>10} {'CPU s':>9}")
    rows = grown(patience) if options.curve else (measured(name, kind, patience) for kind, name in TASKS)
    for row in rows:
        span = str(row["value"]) if row["value"] is not None else f"{row['lower']} to {row['upper']}"
        print(
            f"{row['named']:24} {row['hypotheses']:>10} {row['points']:>6}  {row['dimension']:11} {span:>16}"
            f" {row['steps']:>10} {row['seconds']:>9.4f}",
            flush=True,
        )


def grown(patience: float) -> Iterator[dict[str, Any]]:
    """What each class of each kind takes, until one takes longer than so many seconds."""
    for dimension in BOTH:
        for kind, names in KINDS.items():
            for named in names:
                row = measured(named, dimension, patience)
                yield {"class": kind, **row}
                if row["seconds"] > patience or row["value"] is None:
                    break


def measured(named: str, dimension: str, patience: float) -> dict[str, Any]:
    """One class; best of three if it is quick."""
    finite_class = made(named)
    best, repeats = float("inf"), 3
    while repeats:
        before = time.process_time()
        result = SEARCHES[dimension](finite_class, limit=patience)
        best = min(best, time.process_time() - before)
        repeats = repeats - 1 if best < 0.1 else 0
    value, lower, upper = (_plain(end) for end in (result.lower if result.exact else None, result.lower, result.upper))
    return {
        "named": named,
        "hypotheses": finite_class.hypotheses,
        "points": finite_class.points,
        "dimension": dimension,
        "value": value,
        "lower": lower,
        "upper": upper,
        "seconds": round(best, 6),
        "steps": result.steps,
    }


def made(named: str) -> FiniteClass:
    """A named class, or random:NxP, or random:NxPxD, whose entries are 1 with probability D: N rows, none twice."""
    family, _, size = named.partition(":")
    if family != "random":
        return FiniteClass.named(named)
    count, points, ones = size.split("x") if size.count("x") == 2 else (*size.split("x"), "0.5")
    random, expected = np.random.default_rng(int(count)), int(count)
    drawn = FiniteClass(random.random((2 * expected, int(points))) < float(ones))
    return drawn.only(range(min(expected, drawn.hypotheses)))


def _plain(end: Any) -> Any:
    return end if end is None or isinstance(end, int) else round(float(end), 6)


if __name__ == "__main__":
    main()
