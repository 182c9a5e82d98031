"""Classes that many tests meet, with what is known of them."""

from __future__ import annotations

import numpy as np

from regretless.finite_classes import FiniteClass

# Family and size: VC dimension, Littlestone dimension.
KNOWN = {
    "thresholds:1": (1, 1),
    "thresholds:7": (1, 3),
    "thresholds:20": (1, 4),
    "intervals:4": (2, 3),
    "intervals:6": (2, 4),
    "singletons:1": (0, 0),
    "singletons:5": (1, 1),
    "singletons-and-zero:5": (1, 1),
    "parities:3": (3, 3),
    "conjunctions:2": (2, 3),
    "disjunctions:3": (3, 3),
    "all:3": (3, 3),
    "at-most-k:6,2": (2, 2),
    "exactly-k:5,2": (2, 2),
    "halfspaces:cube:2": (3, 3),
    "halfspaces:3x2": (3, 4),
    "homogeneous-halfspaces:signs:3": (3, 3),
}

# Halving with ties to 1 errs three times, with ties to 0 twice; the dimension is 2.
TIES_MATTER = (
    (0, 1, 0, 0),
    (0, 1, 1, 1),
    (1, 1, 0, 1),
    (1, 0, 0, 1),
    (1, 0, 1, 1),
    (0, 0, 0, 1),
    (0, 0, 1, 0),
    (0, 1, 0, 1),
)


def random_class(hypotheses: int, points: int, seed: int = 0) -> FiniteClass:
    """Rows of fair coins."""
    return FiniteClass(np.random.default_rng(seed).integers(0, 2, (hypotheses, points)))


def every_class() -> dict[str, FiniteClass]:
    """Named classes, odd ones and random ones, none of them large."""
    odd = {
        "one hypothesis": [[0, 1, 1]],
        "two opposites": [[0, 1, 1], [1, 0, 0]],
        "one point": [[0], [1]],
        "points that say nothing": [[0, 1, 0], [0, 1, 1]],
        "points alike and opposite": [[0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 1]],
        "hypotheses given twice": [[0, 1], [1, 1], [0, 1], [1, 0], [1, 1]],
        "ties matter": TIES_MATTER,
    }
    classes = {name: FiniteClass.named(name) for name in KNOWN}
    classes |= {name: FiniteClass(table) for name, table in odd.items()}
    classes["random, 12 on 7"] = random_class(12, 7)
    classes["random, two words"] = random_class(90, 7, 1)
    return classes
