"""Certificates of `learn` and `certify` of numbers, from the rows, the outcomes and the vectors alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..learner_table import REGRESSORS
from ..textbook import regression as book
from .certificates import Again, idle, whole
from .checks import ABSENT, OR_SETTINGS, Check, headline, not_played
from .experts import of_intervals

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]

FEW_COLUMNS, MOST_CELLS = 40, 4_000_000  # rows times squared columns that the textbook is asked to play
# The textbook inverts a matrix in every round and the kernel updates one: their digits part sooner than those of sums.
LOOSE = 1e3
ROUNDING = 1e-9  # of each sum of a comparator, that its line is allowed
SUMS = ("loss", "regularised", "energy", "linear")


def check(
    report: Mapping[str, Any],
    rows: Any,
    outcomes: Array,
    vectors: Mapping[str, Array] | None = None,
    skipped: int | None = None,
) -> list[Check]:
    """One check a certificate, and one of the run.

    Parameters
    ----------
    report : mapping
        What ``learn --json`` or ``certify --json`` printed.
    rows : ndarray or scipy sparse array, shape (rows, features)
    outcomes : ndarray, shape (rows,)
    vectors : mapping of str to ndarray, optional
        What ``--save-comparators`` wrote.
    skipped : int, optional
        How many rows were passed over.
    """
    reader = _Rows(report, rows, np.asarray(outcomes, dtype=np.float64))
    checks = [_check(reader, one, vectors or {}) for one in report["certificates"]]
    counted, scales = reader.counted() | {"input/skipped": skipped}, {"loss": reader.scale(report["loss"])}
    why = "" if reader.played is not None else OR_SETTINGS if reader.few else "it has one row, or too many numbers"
    return [*checks, headline(report, counted, scales, not_played(why))]


def _check(reader: _Rows, certificate: Fields, vectors: Mapping[str, Array]) -> Check:
    name = str(certificate["theorem"])
    if (nothing := idle(certificate)) is not None:
        return nothing
    if certificate["quantity"] == "coverage error":
        return whole(certificate, [of_intervals(certificate["constants"]["ledger"], len(reader.z) - 1)])
    comparator = certificate["comparator"]
    if comparator is None or comparator["name"] == "member":
        return whole(certificate, [reader.again(certificate, None)])
    vector = vectors.get(name, comparator["vector"])
    if vector is None:
        return Check(
            name,
            "unchecked",
            f"its vector is {ABSENT}",
        )
    vector = np.asarray(vector, dtype=np.float64)
    if len(vector) != reader.rows.shape[1]:
        fault = f"its vector has {len(vector):,} numbers and the rows {reader.rows.shape[1]:,} features"
        return Check(name, "differs", fault)
    return whole(certificate, [reader.again(certificate, vector)])


@dataclass(frozen=True)
class _Played:
    """The textbook's run: what it says of each member, what each lost, and what the mixture had."""

    members: Mapping[str, Fields]
    losses: Mapping[str, float]
    loss: float
    eta: float = 0.0
    gap: float = 0.0

    @property
    def best(self) -> dict[str, float]:
        """What theorems about all vectors take of the member whose bound is the least."""
        for some in ("least", "energy"), ("determinant",):
            members = [one for one in self.members.values() if all(name in one for name in some)]
            if members:
                best = min(members, key=lambda member: sum(member[name] for name in some))
                return {name: best[name] for name in some}
        return {}


class _Rows:
    """The rounds of a report."""

    def __init__(self, report: Fields, rows: Any, outcomes: Array) -> None:
        self.report, self.rows, self.outcomes = report, rows, outcomes
        self.parameters = report["parameters"]
        self.constant = float(self.parameters.get("intercept") or 0.0)
        usual = "pinball" if "quantile" in self.parameters else "square"
        self.loss = str(self.parameters.get("loss", usual))
        self.counts = self.loss == book.OF_COUNTS
        first = outcomes[0] if len(outcomes) else 0.0
        self.origin = float(book.place(first, self.loss, 0.0))
        self.level = self.origin if self.counts else float(self.parameters.get(book.TAKES.get(self.loss, "")) or 0.0)
        self.z = outcomes if self.counts else outcomes - first
        squares = rows.multiply(rows).sum(axis=1) if hasattr(rows, "multiply") else (rows * rows).sum(axis=1)
        self.norms2 = np.asarray(squares, dtype=np.float64).ravel() + self.constant**2

    @staticmethod
    def scale(value: float) -> float:
        """How large a number counts as whose digits part sooner."""
        return LOOSE * abs(float(value))

    def again(self, certificate: Fields, vector: Array | None) -> Again:
        """All that the rows say of one comparator, and of the run."""
        ledger: dict[str, Any] = {"rounds": len(self.z), "total_norm2": float(self.norms2[1:].sum())}
        places = book.place(self.z, self.loss, self.level)
        low, high = min(0.0, float(places.min())), max(0.0, float(places.max()))
        learner: dict[str, Any] = {"width": high - low, "steady": True}
        learner |= {"share": bool(self.parameters.get("share", True))}
        comparator = {} if vector is None else self._vector(certificate["comparator"], vector)
        played, observed = self.played, None
        if played is not None:
            ledger["loss"] = observed = played.loss
            learner |= {"members": len(played.members), "eta": played.eta, "gap": played.gap} | played.best
            comparator |= self._of_member(played, certificate["comparator"], vector)
        known = {**ledger, **learner, **comparator}
        scales = {name: self.scale(value) for name, value in known.items() if isinstance(value, float)}
        scales["observed"], scales["bound"] = self.scale(certificate["observed"]), self.scale(certificate["bound"])
        ends = np.zeros(2), np.array([high - low, low - high])
        if self.counts:  # no count at the highest mean, or the largest at the lowest
            ends = np.array([high, low]), np.array([0.0, float(np.exp(self.origin + high))])
        most = (len(self.z) - 1) * float(book.charged(*ends, self.loss, self.level).max())
        facts = {"ledger": ledger, "comparator": comparator, "learner": learner}
        shown = self._shown(certificate["comparator"], comparator)
        return Again(
            facts, shown, observed, scales, most or None, self._rounding(certificate["comparator"], comparator)
        )

    def _shown(self, reported: Fields | None, again: Fields) -> dict[str, Any]:
        """The numbers of a comparator as it is described: no score of a number has a limit, and a member no weights."""
        if reported is None:
            return {}
        shown = {"loss": again["loss"]} if "loss" in again else {}
        shown |= {"rounds": len(self.z), "bias": again.get("bias", 0.0), "largest": 0.0}
        return shown | ({} if self.played is None else {"regularised": again.get("regularised")})

    def _rounding(self, reported: Fields | None, again: Fields) -> float | None:
        """What the sums of a comparator may be off by; not known where one of them is the report's alone."""
        if reported is None:
            return 0.0
        names = [name for name in SUMS if name in again]
        return ROUNDING * sum(abs(again[name]) for name in names) if self.played is not None else None

    def _vector(self, reported: Fields, vector: Array) -> dict[str, Any]:
        """The loss of a vector."""
        bias = float(reported["bias"]) if self.constant else 0.0
        scores = np.asarray(self.rows @ vector).ravel() + bias * self.constant
        loss = float(book.charged(scores[1:], self.z[1:], self.loss, self.level).sum())
        return {
            "rounds": len(self.z),
            "loss": loss,
            "bias": bias if self.constant else 0.0,
            "total_norm2": float(self.norms2[1:].sum()),
        }

    def _of_member(self, played: _Played, reported: Fields | None, vector: Array | None) -> dict[str, Any]:
        """What a vector is to the member that it was read against; of a member, its loss."""
        if reported is None or reported["member"] not in played.members:
            return {}
        name = str(reported["member"])
        if vector is None:
            rounds = {"rounds": len(self.z), "total_norm2": float(self.norms2[1:].sum())}
            return {**rounds, "loss": played.losses[name]}
        whole = np.append(float(reported["bias"]), vector) if self.constant else vector
        member = played.members[name]
        if "slopes" in member:
            return {"linear": member["linear"] + float(member["slopes"] @ whole)}
        sizes = np.abs(self.dense[1:]).max(axis=0, initial=0.0)
        return {"regularised": member["prior"] * float((sizes * whole) @ (sizes * whole)), "energy": member["energy"]}

    @cached_property
    def dense(self) -> Array:
        """The rows, the constant feature first."""
        rows = np.asarray(self.rows.toarray() if hasattr(self.rows, "toarray") else self.rows, dtype=np.float64)
        return np.column_stack([np.full(len(rows), self.constant), rows]) if self.constant else rows

    @property
    def few(self) -> bool:
        """Whether there are rounds, and no more than the textbook is asked to play."""
        count, columns = self.rows.shape
        return bool(count > 1 and columns <= FEW_COLUMNS and count * (columns + 1) ** 2 <= MOST_CELLS)

    @cached_property
    def played(self) -> _Played | None:
        """The run once more; None where it would take the textbook long."""
        if not self.few:
            return None
        twin = REGRESSORS[str(self.report["learner"])].info.twin
        X, z, settings = self.dense[1:], self.z[1:], (self.loss, self.level)
        members = book.PLAYS[getattr(book, twin) if twin else None](X, z, *settings, self.parameters)
        if members is None:
            return None
        each = np.stack([one["forecasts"] for one in members.values()], axis=1)
        losses = book.charged(each, z[:, None], *settings).sum(axis=0).tolist()
        by_name = dict(zip(members, losses, strict=True))
        if len(members) == 1:
            return _Played(members, by_name, losses[0])
        mixed, eta, gap = book.adahedge(each, z, *settings, share=bool(self.parameters["share"]))
        return _Played(members, by_name, float(book.charged(mixed, z, *settings).sum()), eta, gap)

    def counted(self) -> dict[str, Any]:
        """The numbers of the run."""
        nonzeros = self.rows.nnz if hasattr(self.rows, "nnz") else np.count_nonzero(self.rows)
        numbers: dict[str, Any] = {
            "rounds": len(self.z),
            "input/rows": len(self.z),
            "input/features": self.rows.shape[1],
            "input/nonzeros": int(nonzeros),
        }
        y = self.outcomes[1:]
        if len(y) and self.report.get("best_constant_loss") is not None:
            best = book.best_constant(y, self.loss, self.level)
            numbers["best_constant_loss"] = float(book.charged(best, y, self.loss, self.level).sum())
        if self.played is not None:
            numbers["loss"] = self.played.loss
        return numbers
