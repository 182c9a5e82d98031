"""Boosting: each round the best hypothesis gets a vote, and the examples on which the votes are wrong gain weight."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log, log1p, prod, sqrt
from typing import Any

import numpy as np

from ..certificate import Certificate
from ..checks import one_of, positive, whole
from ..comparator import GameComparator
from ..errors import ParameterError
from ..theory.boosting import BOOSTING, BoostFacts, BoostLedger
from .certificates import bounded
from .matrix import MatrixGame
from .payoffs import Payoffs
from .raw_solution import Vector
from .reductions import boosting_game

METHODS = ("hedge", "adaboost")


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Votes for hypotheses, and their margins.

    Attributes
    ----------
    votes : ndarray
        Of the hypotheses, with sum 1.
    margin : float
        The smallest margin of the votes over the examples.
    examples : ndarray
        The weights under which the best hypothesis had its smallest edge.
    edge : float
        That edge; the value of the boosting game lies between `margin` and it.
    edges : ndarray
        Of each round's best hypothesis.
    certificates : list of Certificate
    """

    votes: Vector
    margin: float
    examples: Vector
    edge: float
    edges: Vector
    certificates: list[Certificate]


def boost(
    predictions: Any, y: Any = None, *, rounds: int, method: str = "hedge", rate: float | None = None
) -> Ensemble:
    """Vote among hypotheses by self-play in the boosting game: Hedge weighs the examples, hypotheses answer best.

    Parameters
    ----------
    predictions : array, sequence, frame, sparse matrix or MatrixGame, shape (examples, hypotheses)
        From -1 to 1; or the :func:`boosting_game`, or any game of the row player's payoffs. Hedge's bounds hold for
        payoffs of any size, AdaBoost is made for those from -1 to 1.
    y : array or sequence, shape (examples,)
        Two labels, of which the larger one is +1; not used with a game.
    rounds : int
        At most; AdaBoost ends before if some hypothesis is right on all examples, or none has an edge.
    method : {"hedge", "adaboost"}
        Hedge at a constant rate, or AdaBoost, which votes and weighs by the edge of each round.
    rate : float, optional
        Of Hedge; by default sqrt(8 ln n / rounds) over the range of the margins, for n examples.

    Returns
    -------
    Ensemble

    Raises
    ------
    RegretlessError
        If a parameter is invalid, or the game is one of losses, or has margins beyond 1 for AdaBoost.

    Examples
    --------
    >>> from regretless.games import boost
    >>> ensemble = boost([[1, 1, -1], [1, -1, 1], [-1, 1, 1]], [1, 1, 1], rounds=300)
    >>> round(ensemble.margin, 3), round(ensemble.edge, 3)
    (0.333, 0.333)
    """
    game = predictions if isinstance(predictions, MatrixGame) else boosting_game(predictions, y)
    if game.losses:
        raise ParameterError("predictions", None, "a game of losses; margins are what the row player wins")
    payoffs = game.payoffs
    limit, count = whole("rounds", rounds), payoffs.shape[1]
    adapts = one_of("method", method, METHODS) == "adaboost"
    if adapts and not payoffs.size <= 1:
        size = f"{payoffs.size:g} was found" if isfinite(payoffs.size) else "the range of these is not known"
        raise ParameterError(
            "predictions", None, f"AdaBoost is about margins from -1 to 1, and {size}; Hedge takes any"
        )
    if rate is None and not adapts:
        rate = sqrt(8 * log(count) / limit) / payoffs.spread if count > 1 and payoffs.spread > 0 else 1.0
    constant = None if adapts else positive("rate", rate)
    votes, edges, examples = _played(payoffs, limit, constant)
    margins = payoffs.left(votes)
    ledger = BoostLedger(
        rounds=float(len(edges)),
        mean_edge=float(edges.mean()),
        least_edge=float(edges.min()),
        product=prod(sqrt(1 - min(1.0, max(0.0, edge)) ** 2) for edge in edges.tolist()),
        margin=float(margins.min()),
        wrong=float((margins <= 0).mean()),
    )
    facts = BoostFacts(count, payoffs.spread, constant)
    largest = max(float(np.abs(edges).max()), float(np.abs(margins).max()))
    if isfinite(payoffs.size):
        largest = payoffs.size
    seen = GameComparator(rounds=ledger.rounds, rounding=2.0**-52 * (sum(payoffs.shape) + ledger.rounds) * largest)
    certificates = [bounded(theorem.certify(ledger, [seen], facts)) for theorem in BOOSTING]
    return Ensemble(votes, ledger.margin, examples, ledger.least_edge, edges, certificates)


def _played(payoffs: Payoffs, rounds: int, rate: float | None) -> tuple[Vector, Vector, Vector]:
    """Votes, edges, and the weights of the examples in the round of the least edge; the rate of AdaBoost is None."""
    hypotheses, count = payoffs.shape
    votes, powers, edges = np.zeros(hypotheses), np.zeros(count), []
    weights = hardest = np.full(count, 1 / count)
    least = np.inf
    for _ in range(rounds):
        each = payoffs.times(weights)
        best = int(np.argmax(each))
        edge = float(each[best])
        edges.append(edge)
        if edge < least:
            least, hardest = edge, weights
        if rate is None and not 0 < edge < 1:
            # No finite vote does: a hypothesis that is always right is alone, and one without an edge adds nothing.
            votes = np.eye(1, hypotheses, best)[0] if edge >= 1 or not votes.any() else votes
            break
        vote = 1.0 if rate is not None else (log1p(edge) - log1p(-edge)) / 2
        votes[best] += vote
        powers -= (vote if rate is None else rate) * _row(payoffs, best)
        shares = np.exp(powers - powers.max())
        weights = shares / shares.sum()
    return votes / votes.sum(), np.array(edges), hardest


def _row(payoffs: Payoffs, place: int) -> Vector:
    if payoffs.kind == "operator":
        return payoffs.left(np.eye(1, payoffs.shape[0], place)[0])
    row = payoffs.values[[place]] if payoffs.kind == "dense" else payoffs.values[[place]].toarray()
    return np.asarray(row[0], dtype=np.float64)
