"""Families of classes by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import RegretlessError, did_you_mean
from .dichotomies import Array, ClassTable, refuse_many
from .dichotomies import halfspaces as halfspaces_on

LARGEST = 1 << 28
"""The most entries, hypotheses times points, that a named class may have."""


@dataclass(frozen=True)
class Family:
    """Classes of one kind, by size.

    Attributes
    ----------
    parameters : str
        The parameters after its name and a colon.
    about : str
        A description of its hypotheses.
    make : callable
        The class of these parameters.
    """

    parameters: str
    about: str
    make: Callable[..., ClassTable]


def named(text: str) -> ClassTable:
    """A class of a family, as ``"thresholds:20"``, ``"at-most-k:8,2"`` or ``"halfspaces:3x4"``.

    Raises
    ------
    RegretlessError
        If there is no such family, or it has no such class.
    """
    asked, _, rest = text.strip().partition(":")
    name = asked.strip().lower().replace("_", "-")
    family = FAMILIES.get(name)
    if family is None:
        there = f"{did_you_mean(name, FAMILIES)}there are: {', '.join(map(usage, FAMILIES))}"
        raise RegretlessError(f"there is no family called {asked!r}; {there}")
    if "halfspaces" in name:
        return family.make(rest)
    parts = [part.strip() for part in rest.split(",")]
    wanted = family.parameters.split(",")
    if len(parts) != len(wanted) or not all(map(_whole, parts)):
        raise RegretlessError(f"{text!r} names no class; {usage(name)} is expected, with whole numbers")
    return family.make(*map(int, parts))


def usage(name: str) -> str:
    """The syntax of a name of the family."""
    return f"{name}:{FAMILIES[name].parameters}"


def thresholds(n: int) -> ClassTable:
    """n points on a line and n + 1 hypotheses: 1 from some point on."""
    _fits("thresholds", n, n + 1)
    starts = np.arange(n + 1)
    names = [f"x >= {start}" for start in range(n)] + ["none"]
    return ClassTable(np.arange(n) >= starts[:, None], hypotheses=names)


def intervals(n: int) -> ClassTable:
    """n points on a line: 1 on an interval of them, or on none."""
    _fits("intervals", n, 1 + n * (n + 1) // 2)
    first, last = np.triu_indices(n)
    points = np.arange(n)
    table = (first[:, None] <= points) & (points <= last[:, None])
    names = [f"[{a}, {b}]" for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    return ClassTable(np.vstack([np.zeros((1, n), dtype=bool), table]), hypotheses=["none", *names])


def singletons(n: int) -> ClassTable:
    """1 on a single one of n points."""
    _fits("singletons", n, n)
    return ClassTable(np.eye(n, dtype=bool), hypotheses=[f"{{{point}}}" for point in range(n)])


def singletons_and_zero(n: int) -> ClassTable:
    """1 on a single one of n points, or on none."""
    return at_most_k(n, 1)


def parities(k: int) -> ClassTable:
    """On all strings of k bits, the parity of some of the bits: 2^k hypotheses on 2^k points."""
    _fits("parities", _power(k), _power(k))
    bits = _strings(k)
    table = (bits.astype(np.uint8) @ bits.astype(np.uint8).T) & 1 == 1
    names = [" + ".join(_variables(chosen)) or "0" for chosen in bits]
    return ClassTable(table, hypotheses=names, points=_called(bits))


def conjunctions(k: int) -> ClassTable:
    """On all strings of k bits, the conjunctions of literals, and false: 3^k + 1 hypotheses on 2^k points."""
    _fits("conjunctions", _power(k), 1 + _power(k, 3))
    bits = _strings(k)
    table, names = [], []
    for signs in product((None, True, False), repeat=k):
        literals = [(place, sign) for place, sign in enumerate(signs) if sign is not None]
        agrees = np.ones(len(bits), dtype=bool)
        for place, sign in literals:
            agrees &= bits[:, place] == sign
        table.append(agrees)
        names.append(" and ".join(f"{'' if sign else 'not '}x{place + 1}" for place, sign in literals) or "true")
    table.append(np.zeros(len(bits), dtype=bool))
    return ClassTable(np.array(table), hypotheses=[*names, "false"], points=_called(bits))


def disjunctions(k: int) -> ClassTable:
    """On all strings of k bits, whether any of some bits is 1 (monotone): 2^k hypotheses on 2^k points."""
    _fits("disjunctions", _power(k), _power(k))
    bits = _strings(k)
    table = bits.astype(np.uint8) @ bits.astype(np.uint8).T > 0
    names = [" or ".join(_variables(chosen)) or "false" for chosen in bits]
    return ClassTable(table, hypotheses=names, points=_called(bits))


def all_functions(n: int) -> ClassTable:
    """All functions on n points: 2^n hypotheses."""
    _fits("all", n, _power(n))
    return ClassTable(_strings(n))


def at_most_k(n: int, k: int) -> ClassTable:
    """1 on at most k of n points."""
    _fits("at-most-k", n, sum(_choices(n, size) for size in range(min(k, n, 64) + 1)), empty=k < 0)
    return _of_sets(n, (chosen for size in range(min(k, n) + 1) for chosen in combinations(range(n), size)))


def exactly_k(n: int, k: int) -> ClassTable:
    """1 on exactly k of n points."""
    _fits("exactly-k", n, _choices(n, k), empty=k > n)
    return _of_sets(n, combinations(range(n), k))


def halfspaces(text: str) -> ClassTable:
    """Affine halfspaces on the points of a grid or a cube."""
    return halfspaces_on(point_set(text, "halfspaces"))


def homogeneous_halfspaces(text: str) -> ClassTable:
    """Halfspaces through the origin on the points of a grid or a cube."""
    return halfspaces_on(point_set(text, "homogeneous-halfspaces"), homogeneous=True)


def point_set(text: str, family: str) -> list[tuple[int, ...]]:
    """Points by name: the grid ``3x4``, the cubes ``cube:3`` of zeros and ones and ``signs:3`` of both signs.

    Raises
    ------
    RegretlessError
        If there is no such set, or it is too large, or there are too many halfspaces of it.
    """
    name, _, size = text.strip().lower().partition(":")
    if name in CUBES and _whole(size) and int(size) >= 1:
        _fits(family, _power(int(size)), 1)
        if family == "halfspaces":
            refuse_many(_least_halfspaces([2] * int(size)), 1 << int(size))
        elif name == "signs":
            # Through the origin opposite points have opposite labels: as many as affine ones of a cube of one side
            # less.
            refuse_many(_least_halfspaces([2] * (int(size) - 1)), 1 << int(size))
        return list(product(CUBES[name], repeat=int(size)))
    sides = name.split("x")
    if size or not all(_whole(side) and int(side) >= 1 for side in sides):
        raise RegretlessError(
            f"{family}:{text} names no points; {family}:3x4 for a grid, {family}:cube:3 for zeros and ones or "
            f"{family}:signs:3 for both signs is expected"
        )
    count = 1
    for side in sides:
        count = min(count * int(side), LARGEST + 1)
    _fits(family, count, 1)
    if family == "halfspaces":
        refuse_many(_least_halfspaces([int(side) for side in sides]), count)
    return list(product(*(range(int(side)) for side in sides)))


def _least_halfspaces(sides: list[int]) -> int:
    """A lower bound on the number of halfspaces of a grid.

    Take a halfspace of a grid of N points. After a small change of its weights all points have different values, so
    that a second layer of the grid gets one of N + 1 labellings, by the weight of the new side; further layers only
    add to that. A line of s points has 2 s.
    """
    longer = sorted((side for side in sides if side > 1), reverse=True)
    cubes = 0
    while longer and longer[-1] == 2 and cubes < len(OF_CUBES) - 1:
        longer.pop()
        cubes += 1
    count, points = OF_CUBES[cubes], 1 << cubes
    for place, side in enumerate(longer):
        count = 2 * side if place == cubes == 0 else count * (points + 1)
        points *= side
        if count > LARGEST:
            break
    return count


OF_CUBES = (2, 4, 14, 104, 1882)
"""Numbers of halfspaces of cubes; Muroga 1971."""
CUBES = {"cube": (0, 1), "signs": (-1, 1)}
FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "thresholds": Family("N", "1 from some of N points on a line on", thresholds),
        "intervals": Family("N", "1 on an interval of N points on a line, or on none", intervals),
        "singletons": Family("N", "1 on a single one of N points", singletons),
        "singletons-and-zero": Family("N", "1 on a single one of N points, or on none", singletons_and_zero),
        "parities": Family("K", "parities of some of K bits", parities),
        "conjunctions": Family("K", "conjunctions of some of K bits, negated or not, and false", conjunctions),
        "disjunctions": Family("K", "disjunctions of some of K bits, none negated", disjunctions),
        "all": Family("N", "all functions on N points", all_functions),
        "at-most-k": Family("N,K", "1 on at most K of N points", at_most_k),
        "exactly-k": Family("N,K", "1 on exactly K of N points", exactly_k),
        "halfspaces": Family("AxB", "halfspaces by lines, or hyperplanes, on a grid", halfspaces),
        "homogeneous-halfspaces": Family(
            "signs:K", "halfspaces by hyperplanes through the origin", homogeneous_halfspaces
        ),
    }
)


def _whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 9


def _fits(family: str, points: int, hypotheses: int, *, empty: bool = False) -> None:
    """Refuse empty classes, and those too large for memory."""
    if points < 1 or hypotheses < 1 or empty:
        raise RegretlessError(f"{family}: no point, or no hypothesis; larger numbers are expected")
    if points * hypotheses > LARGEST:
        raise RegretlessError(
            f"{family}: more than {LARGEST:,} entries, hypotheses times points; smaller numbers are expected"
        )


def _power(exponent: int, base: int = 2) -> int:
    return int(base ** min(exponent, 64))


def _choices(n: int, k: int) -> int:
    """The binomial coefficient, or some number beyond LARGEST."""
    count = 1
    for taken in range(min(k, n - k)):
        count = count * (n - taken) // (taken + 1)
        if count > LARGEST:
            break
    return count


def _strings(k: int) -> Array:
    """All strings of k bits in ascending order, the first bit highest."""
    bits: Array = (np.arange(1 << k)[:, None] >> np.arange(k - 1, -1, -1)) & 1 == 1
    return bits


def _called(bits: Array) -> list[str]:
    return ["".join("01"[bit] for bit in row) for row in bits.tolist()]


def _variables(chosen: Any) -> Iterator[str]:
    return (f"x{place + 1}" for place, is_in in enumerate(chosen) if is_in)


def _of_sets(n: int, sets: Iterator[tuple[int, ...]]) -> ClassTable:
    listed = list(sets)
    table = np.zeros((len(listed), n), dtype=bool)
    for row, chosen in zip(table, listed, strict=True):
        row[list(chosen)] = True
    names = [f"{{{', '.join(map(str, chosen))}}}" for chosen in listed]
    return ClassTable(table, hypotheses=names)
