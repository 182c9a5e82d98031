"""A game on which a theorem must say a number that is known, and how each of its assumptions fails on that game."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import pytest

from regretless.theorem import Theorem

# What is changed of a game, by its place: "ledger.rounds", "learner.player.rate".
Change = Mapping[str, Any]
Breaks = Mapping[str, Sequence[Change]]
# What theorems assume, stated once more: (words, check) as their modules have it.
Assumes = Sequence[tuple[Sequence[Theorem], Sequence[tuple[str, Any]]]]


@dataclass(frozen=True, eq=False)
class Known:
    """A theorem, what it is read on, and the numbers that it must say."""

    theorem: Theorem
    ledger: Any
    comparator: Any
    learner: Any
    bound: float
    observed: float | None = None

    def changed(self, change: Change) -> Known:
        """The same game but for these values."""
        case = self
        for place, value in change.items():
            case = _put(case, place.split("."), value)
        return case

    @property
    def obstacle(self) -> str | None:
        """The first assumption that fails."""
        return self.theorem.obstacle(self.ledger, self.comparator, self.learner)


def _put(held: Any, path: Sequence[str], value: Any) -> Any:
    return replace(held, **{path[0]: value if len(path) == 1 else _put(getattr(held, path[0]), path[1:], value)})


def known(cases: Iterable[Known]) -> pytest.MarkDecorator:
    """Parametrize by cases, named by their theorems."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.theorem.name)


def says_its_number(case: Known) -> None:
    """The certificate has the known numbers."""
    certificate = case.theorem.certify(case.ledger, [case.comparator], case.learner)
    assert certificate.why is None
    assert certificate.bound == pytest.approx(case.bound, rel=1e-9, abs=1e-300)
    if case.observed is not None:
        assert certificate.observed == pytest.approx(case.observed, rel=1e-12, abs=1e-300)


def is_unbounded(case: Known) -> None:
    """All assumptions hold, the formula is infinite, and the certificate has no number."""
    assert case.bound == inf
    assert case.obstacle is None
    assert case.theorem.value(case.ledger, case.comparator, case.learner) == inf
    assert case.theorem.slack(case.ledger, case.comparator, case.learner) == inf
    certificate = case.theorem.certify(case.ledger, [case.comparator], case.learner)
    assert (certificate.bound, certificate.observed, certificate.comparator) == (None, None, None)
    assert not certificate.applies


def refuses(case: Known, assumes: Assumes, breaks: Breaks, behind: Container[tuple[str, str]] = ()) -> None:
    """The theorem assumes what it is said to, and each assumption is the one that fails at each of its changes.

    Those of `behind`, by theorem and words, are never the first to fail: another one asks for them too.
    """
    reasons = {words for theorems, each in assumes for words, _ in each if case.theorem in theorems}
    assert {words for words, _ in case.theorem.assumes} == reasons
    for words in sorted(reasons):
        if (case.theorem.name, words) in behind:
            assert all(case.changed(change).obstacle not in (words, None) for change in breaks[words])
            continue
        for change in breaks[words]:
            broken = case.changed(change)
            assert broken.obstacle == words, change
            certificate = case.theorem.certify(broken.ledger, [broken.comparator], broken.learner)
            assert (certificate.bound, certificate.why) == (None, words)


def first_of_each(cases: Iterable[Known]) -> list[Known]:
    """One case of every theorem, whose assumptions are to fail."""
    results: dict[Theorem, Known] = {}
    for case in cases:
        results.setdefault(case.theorem, case)
    return list(results.values())
