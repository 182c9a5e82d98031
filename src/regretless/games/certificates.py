"""Certificates of two strategies: of a matrix, of joint play on two matrices, and of plans in sequence form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum, inf, isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificate import RELATIVE, Certificate, Most
from ..comparator import GameComparator
from ..ledger import GameLedger
from ..theorem import Theorem
from ..theory.game_facts import GameFacts
from ..theory.games import (
    BY_METHOD,
    OF_SEQUENCES,
    OTHERS,
    SequenceFacts,
    counterfactual,
    gap_at,
    plans_gain_by_turns,
    reach,
)
from ..theory.self_play import COARSE
from .payoffs import Payoffs, Vector, trusted_to
from .solution import RawSolution

if TYPE_CHECKING:
    from .extensive_form.sequence_form import SequenceForm

EPSILON = 2.0**-52
TINY = 2.0**-1000  # payoffs near the smallest floats are rounded to whole steps
SPARE = 16  # operations that are not sums
SMALL = 1 << 12
BLOCK = 1 << 22  # numbers that are widened to float64 at once
BASIC = ("simplex",)  # methods that end at a vertex


@dataclass(frozen=True, slots=True, repr=False)
class GameCertificate(Certificate):
    """A certificate of a game."""

    @property
    def rounding(self) -> float:
        """How far the observed number may exceed the bound, relative to both: payoffs may be of any size."""
        return RELATIVE * max(abs(self.bound or 0.0), abs(self.observed or 0.0))


def bounded(one: Certificate, most: float = inf) -> Certificate:
    """The certificate as one of a game; no gap and no gain is larger than `most`, the range of the payoffs."""
    fields = (one.theorem, one.observed, one.bound, one.comparator, one.why, one.confidence)
    limit = Most(most, "the range of the payoffs") if 0 < most < inf else one.most
    return GameCertificate(*fields, most=limit, read=one.read)


def certificates(raw: RawSolution, payoffs: Payoffs, lower: float, upper: float) -> list[Certificate]:
    """Each theorem about a solution of a zero-sum game.

    Parameters
    ----------
    raw : RawSolution
    payoffs : Payoffs
    lower, upper : float
        The interval that its strategies guarantee, enclosed afresh.
    """
    answers = _answers(raw, payoffs, lower, upper)
    theorems = BY_METHOD.get(raw.method, OTHERS)
    return _certified(raw, upper - lower, theorems, answers, facts(raw, payoffs), payoffs.spread)


def _certified(
    raw: RawSolution, gap: float, theorems: Sequence[Theorem], answers: GameComparator, learner: Any, spread: float
) -> list[Certificate]:
    """The theorems on a solution with such a gap; bounds on self-play are vacuous beyond the range of the payoffs."""
    ledger = GameLedger(float(raw.iterations), gap=gap) if raw.ledger is None else replace(raw.ledger, gap=gap)
    most = inf if raw.ledger is None else spread
    return [bounded(theorem.certify(ledger, [answers], learner), most) for theorem in theorems]


def coarse_certificates(
    raw: RawSolution, payoffs: Payoffs, column_payoffs: Payoffs, row_gain: float, column_gain: float
) -> list[Certificate]:
    """Each theorem about the joint play of two learners in a general-sum game.

    Parameters
    ----------
    raw : RawSolution
        Of self-play.
    payoffs, column_payoffs : Payoffs
        Payoffs of the row and of the column player.
    row_gain, column_gain : float
        The gain of each by its best fixed strategy over the joint distribution, computed afresh from that.
    """
    if raw.ledger is None:
        return []
    learner = facts(raw, payoffs, column_payoffs)
    largest = max(value for value in (payoffs.size, column_payoffs.size, 0.0) if isfinite(value))
    copied = float((raw.settings or {}).get("rounding", 0.0))
    answers = GameComparator(
        rounds=float(raw.iterations),
        rounding=(sum(payoffs.shape) + raw.iterations) * EPSILON * largest + copied + TINY,
        detail={"row_gain": row_gain, "column_gain": column_gain},
    )
    spread = max(payoffs.spread, column_payoffs.spread)
    certified = [theorem.certify(raw.ledger, [answers], learner) for theorem in COARSE.get(raw.method, ())]
    return [bounded(one, spread) for one in certified]


def facts(raw: RawSolution, payoffs: Payoffs, column_payoffs: Payoffs | None = None) -> GameFacts:
    """The facts of both players for theorems; of a zero-sum game if there is one matrix."""
    rows, columns = payoffs.shape
    known: dict[str, Any] = raw.settings or {}
    return GameFacts(
        rows,
        columns,
        raw.method,
        alternate=bool(known.get("alternate", False)),
        power=int(known.get("power", 0)),
        row_rate=float(known.get("row_rate", nan)),
        column_rate=float(known.get("column_rate", nan)),
        row_information=float(known.get("row_information", nan)),
        column_information=float(known.get("column_information", nan)),
        row_spread=payoffs.spread,
        column_spread=payoffs.spread if column_payoffs is None else column_payoffs.spread,
        zero_sum=column_payoffs is None,
        claim=raw.claim,
        basic=raw.method in BASIC,
    )


def gap_bound(raw: RawSolution, payoffs: Payoffs) -> tuple[str, Callable[[float], float]] | None:
    """A theorem's bound on the gap of self-play: its title, and the bound as a function of the number of rounds.

    None for other methods, and where no such theorem applies.
    """
    learner = facts(raw, payoffs)
    first = gap_at(learner, 1.0)
    if first is None:
        return None

    def after(rounds: float) -> float:
        promised = gap_at(learner, rounds)
        return nan if promised is None else promised[1]

    return first[0], after


def _answers(raw: RawSolution, payoffs: Payoffs, lower: float, upper: float) -> GameComparator:
    """The gains of both players by best responses, and their rounding error."""
    p, q = raw.row, raw.column
    worth = min(upper, max(lower, _worth(payoffs, p, q) / (float(p.sum()) * float(q.sum()))))
    played = 0 if raw.ledger is None else raw.iterations
    largest = payoffs.size if isfinite(payoffs.size) else _largest(payoffs, p, q)
    # The ends of the interval are floats, and their distance includes the errors of the payoffs.
    unknown = 2 * (payoffs.rounding + (trusted_to(payoffs, largest) if payoffs.kind == "operator" else 0.0))
    copied = float((raw.settings or {}).get("rounding", 0.0))
    return GameComparator(
        rounds=float(raw.iterations),
        rounding=(len(p) + len(q) + played + SPARE) * EPSILON * largest + unknown + copied + TINY,
        detail={
            "row_gain": upper - worth,
            "column_gain": worth - lower,
            "row_support": int(np.count_nonzero(p)),
            "column_support": int(np.count_nonzero(q)),
        },
    )


def _largest(payoffs: Payoffs, p: Vector, q: Vector) -> float:
    """The largest product with a linear operator whose payoffs are not known."""
    won, paid = payoffs.times(q) / q.sum(), payoffs.left(p) / p.sum()
    return max(float(np.abs(won).max()), float(np.abs(paid).max()))


def _worth(payoffs: Payoffs, p: Vector, q: Vector) -> float:
    """p'Aq; of float32 block by block, to save memory."""
    values = payoffs.values
    if payoffs.kind == "dense" and values.size <= SMALL:
        # The same bits on every machine, which libraries of linear algebra do not promise.
        return fsum((p[:, None] * values * q).ravel().tolist())
    if payoffs.kind != "dense" or values.dtype == np.float64:
        return float(p @ payoffs.times(q))
    rows = max(1, BLOCK // len(q))
    blocks = range(0, len(p), rows)
    return float(
        sum(p[begin : begin + rows] @ (values[begin : begin + rows].astype(np.float64) @ q) for begin in blocks)
    )


def sequence_certificates(game: SequenceForm, raw: RawSolution, lower: float, upper: float) -> list[Certificate]:
    """Each theorem about plans of both players, which are in the kernels' order.

    Parameters
    ----------
    game : SequenceForm
    raw : RawSolution
    lower, upper : float
        The interval that its plans guarantee, enclosed afresh.
    """
    learner = sequence_facts(game, raw)
    theorems = OF_SEQUENCES.get(raw.method, OTHERS)
    answers = _sequence_answers(game, raw, lower, upper)
    return _certified(raw, upper - lower, theorems, answers, learner, learner.row_spread)


def sequence_facts(game: SequenceForm, raw: RawSolution) -> SequenceFacts:
    """The facts of both players for theorems."""
    known: dict[str, Any] = raw.settings or {}
    of_row, of_column = _reaches(game, True), _reaches(game, False)
    rows, columns = game.shape
    return SequenceFacts(
        rows,
        columns,
        raw.method,
        alternate=bool(known.get("alternate", False)),
        power=int(known.get("power", 0)),
        started=bool(known.get("started", False)),
        claim=raw.claim,
        row_reach=of_row[0],
        column_reach=of_column[0],
        row_sets=of_row[1],
        column_sets=of_column[1],
        row_spread=of_row[2],
        column_spread=of_column[2],
    )


def _reaches(game: SequenceForm, row: bool) -> tuple[float, float, float]:
    """Reach and sets of one player's facts, and the range of its expected payoffs."""
    tree = game.row if row else game.column
    low, high = game.reaches(row)
    return *reach(tree.first, tree.parent, low, high), float(high[0] - low[0])


def sequence_gap_bound(game: SequenceForm, raw: RawSolution) -> tuple[str, Callable[[float], float]] | None:
    """The theorem's bound on the gap of self-play: its title, and the bound as a function of the number of rounds."""
    learner, comparator = sequence_facts(game, raw), GameComparator()

    def book(rounds: float) -> GameLedger:
        return GameLedger(rounds, weight=1.0)

    if raw.ledger is None or not plans_gain_by_turns(learner):
        return None
    return counterfactual.title, lambda rounds: counterfactual.value(book(rounds), comparator, learner)


def _sequence_answers(game: SequenceForm, raw: RawSolution, lower: float, upper: float) -> GameComparator:
    """The gains of both players by best responses, and their rounding error."""
    x, y = raw.row, raw.column
    worth = min(upper, max(lower, float(x @ (game.inward @ y))))
    sizes = float(np.abs(game.payoffs.data).sum())  # no plans, and no sums on the way to them, come to more
    played = 0 if raw.ledger is None else raw.iterations
    return GameComparator(
        rounds=float(raw.iterations),
        rounding=(len(x) + len(y) + played + SPARE) * EPSILON * max(sizes, abs(lower), abs(upper)) + TINY,
        detail={"row_gain": upper - worth, "column_gain": worth - lower},
    )
