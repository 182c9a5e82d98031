"""Questions of learning theory as zero-sum games: margins, boosting, and the least regret of any learner.

In each round of boosting the best hypothesis gets a vote, and the examples on which the votes are wrong gain weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite, log, log1p, prod, sqrt
from typing import Any

import numpy as np

from ..arrays import names_of, numbers
from ..certificate import Certificates
from ..checks import one_of, positive, whole
from ..comparator import GameComparator
from ..errors import ParameterError, RegretlessError
from ..theory.games import BOOSTING, BoostFacts, BoostLedger
from .certificates import bounded
from .matrix import MatrixGame
from .payoffs import Array, Payoffs, Vector

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
    certificates : Certificates
    """

    votes: Vector
    margin: float
    examples: Vector
    edge: float
    edges: Vector
    certificates: Certificates


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
    adapts = one_of("method", method, METHODS) == "adaboost"
    payoffs = _margins_of(predictions, y, adapts)
    limit, count = whole("rounds", rounds), payoffs.shape[1]
    if rate is None and not adapts:
        rate = sqrt(8 * log(count) / limit) / payoffs.spread if count > 1 and payoffs.spread > 0 else 1.0
    constant = None if adapts else positive("rate", rate)
    votes, edges, examples = _played(payoffs, limit, constant)
    margins = payoffs.left(votes)
    ledger = _ledger(edges, margins)
    facts = BoostFacts(count, payoffs.spread, constant)
    largest = payoffs.size if isfinite(payoffs.size) else float(max(np.abs(edges).max(), np.abs(margins).max()))
    seen = GameComparator(rounds=ledger.rounds, rounding=2.0**-52 * (sum(payoffs.shape) + ledger.rounds) * largest)
    certificates = Certificates(bounded(theorem.certify(ledger, [seen], facts)) for theorem in BOOSTING)
    return Ensemble(votes, ledger.margin, examples, ledger.least_edge, edges, certificates)


def _margins_of(predictions: Any, y: Any, adapts: bool) -> Payoffs:
    """The payoffs of the boosting game; `adapts` is whether they are to be from -1 to 1."""
    game = predictions if isinstance(predictions, MatrixGame) else boosting_game(predictions, y)
    if game.losses:
        raise ParameterError("predictions", None, "a game of losses; margins are what the row player wins")
    size = game.payoffs.size
    if adapts and not size <= 1:
        seen = f"{size:g} was found" if isfinite(size) else "the range of these is not known"
        raise ParameterError(
            "predictions", None, f"AdaBoost is about margins from -1 to 1, and {seen}; Hedge takes any"
        )
    return game.payoffs


def _ledger(edges: Vector, margins: Vector) -> BoostLedger:
    return BoostLedger(
        rounds=float(len(edges)),
        mean_edge=float(edges.mean()),
        least_edge=float(edges.min()),
        product=prod(sqrt(1 - min(1.0, max(0.0, edge)) ** 2) for edge in edges.tolist()),
        margin=float(margins.min()),
        wrong=float((margins <= 0).mean()),
    )


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


MOST_ROUNDS = 4  # there are 2^(2^T - 1) deterministic learners: 32,768 for four rounds


def margin_game(X: Any, y: Any, *, balanced: bool = False, names: Sequence[str] | None = None) -> MatrixGame:
    """The game whose value is the largest margin of weights on the simplex of features.

    The row player mixes features, the column player picks the hardest example; what is won is y x, the feature's
    value times the label's sign. The best row strategy is the vector of the largest margin in the sum of absolute
    weights, which Winnow's bounds are read against, and the best column strategy weighs the examples that keep it
    from being larger.

    Parameters
    ----------
    X : array, sequence, frame or sparse matrix, shape (examples, features)
    y : array or sequence, shape (examples,)
        Two labels, of which the larger one is +1. One label alone is +1 if it is a string or positive, else -1.
    balanced : bool
        Whether weights may be negative: each feature then has its opposite beside it. The value is never negative, and
        0 if no hyperplane through the origin separates the labels.
    names : sequence of str, optional
        Of the features; by default the labels of a frame, else their numbers from 1.

    Returns
    -------
    MatrixGame

    Raises
    ------
    RegretlessError
        If X or y cannot be used, or there are more than two labels.

    Examples
    --------
    >>> from regretless.games import margin_game
    >>> round(margin_game([[1, 1, -1], [1, -1, 1]], [1, 1]).value, 9)
    1.0
    """
    known = names_of(X) if names is None else list(names)
    rows = X.tocsr() if hasattr(X, "tocsr") else numbers(X, "X")
    if len(rows.shape) != 2:
        raise RegretlessError(f"X: shape {rows.shape}; rows of features are expected")
    count, width = rows.shape
    signs = signs_of(y, count)
    if hasattr(X, "tocsr"):
        from scipy.sparse import csr_array, vstack  # type: ignore[import-untyped, unused-ignore]

        signed = (csr_array(rows).T * signs).tocsr()
        payoffs = vstack([signed, -signed], format="csr") if balanced else signed
    else:
        signed = rows.T * signs
        payoffs = np.concatenate([signed, -signed]) if balanced else signed
    features = [str(place + 1) for place in range(width)] if known is None else known
    return MatrixGame(payoffs, rows=[*features, *(f"-{name}" for name in features)] if balanced else features)


def boosting_game(predictions: Any, y: Any, *, names: Sequence[str] | None = None) -> MatrixGame:
    """The game of hypotheses against examples, whose value is AdaBoost's edge.

    The row player votes among hypotheses, the column player weighs examples, and what is won is 1 where a hypothesis
    is right and -1 where it is wrong. The value is the largest least margin that votes can have, and the least edge
    that the best hypothesis has under any weights of the examples: it is above 0 if and only if weak learning
    succeeds whatever the weights, and then some votes are right on all examples.

    Parameters
    ----------
    predictions : array, sequence, frame or sparse matrix, shape (examples, hypotheses)
        From -1 to 1: 0 abstains.
    y : array or sequence, shape (examples,)
        Two labels, of which the larger one is +1.
    names : sequence of str, optional
        Of the hypotheses.

    Returns
    -------
    MatrixGame

    Raises
    ------
    RegretlessError
        If a prediction is not between -1 and 1, or there are more than two labels.

    Examples
    --------
    >>> from regretless.games import boosting_game
    >>> round(boosting_game([[1, 1, -1], [1, -1, 1], [-1, 1, 1]], [1, 1, 1]).value, 9)
    0.333333333
    """
    game = margin_game(predictions, y, names=names)
    if game.payoffs.size > 1:
        raise ParameterError("predictions", None, f"{game.payoffs.size:g} was found; numbers from -1 to 1 are expected")
    return game


def learning_game(rounds: int) -> MatrixGame:
    """Prediction with two experts as one game, in which the lower bound for all learners is Yao's principle.

    In each round one of two experts loses 1 and the other 0. A row is a deterministic learner: the expert that it
    follows after each history. A column is a sequence of outcomes, and the row player loses its regret against the
    better expert. A randomised learner is a mix of rows (Kuhn 1953), so that the value is the least expected regret
    that a learner can guarantee against every sequence.

    Fair coins are the uniform mix of all columns. Every learner is wrong in half of the rounds against them, in
    expectation, so that :meth:`regretless.environments.FairCoins.regret` is a lower bound on the value, whatever the
    learner (Yao 1977). For two experts it is no larger (Cover 1965), and the solved game shows it.

    Parameters
    ----------
    rounds : int
        At most 4: there are 2^(2^T - 1) deterministic learners for T rounds.

    Returns
    -------
    MatrixGame
        Of losses, which are regrets. Rows are named by the experts that are followed, 1 or 2, in the order of the
        histories: the empty one, those of one round, of two rounds, and so on; columns by the expert that loses in each
        round.

    Raises
    ------
    RegretlessError
        If there are no rounds, or too many.

    Examples
    --------
    >>> from regretless.games import learning_game
    >>> from regretless.environments import FairCoins
    >>> str(learning_game(2).solve(exact=True).exact.value), FairCoins.regret(2)
    ('1/2', 0.5)
    """
    if whole("rounds", rounds) > MOST_ROUNDS:
        raise ParameterError("rounds", str(rounds), f"the game of more than {MOST_ROUNDS} rounds has too many rows")
    outcomes = np.array(list(product((0, 1), repeat=rounds)))  # the expert that loses
    learners = np.array(list(product((0, 1), repeat=2**rounds - 1)), dtype=np.int8)  # the expert that it follows
    places = _histories(outcomes)
    lost = (learners[:, places] == outcomes).sum(axis=2)
    best = np.minimum(outcomes.sum(axis=1), (1 - outcomes).sum(axis=1))
    return MatrixGame.from_losses(lost - best, rows=_strings(learners), cols=_strings(outcomes))


def signs_of(y: Any, count: int) -> Array:
    """Labels as signs, the larger one +1.

    Raises
    ------
    RegretlessError
        If there is not one label for each example, or there are more than two.
    """
    labels = np.asarray(y)
    if labels.shape != (count,):
        raise ParameterError("y", None, f"shape {labels.shape}; one label for each of {count:,} examples is expected")
    classes = np.unique(labels)
    if len(classes) > 2:
        raise RegretlessError(f"y holds {len(classes)} labels; two are expected")
    alone = len(classes) == 1 and labels.dtype.kind in "biuf" and not classes[0] > 0
    return np.where((labels == classes[-1]) & (not alone), 1.0, -1.0)


def _histories(outcomes: Array) -> Array:
    """The number of each sequence's history before each round."""
    rounds = outcomes.shape[1]
    places = np.zeros(outcomes.shape, dtype=np.int64)
    for t in range(1, rounds):
        earlier = places[:, t - 1] - (2 ** (t - 1) - 1)
        places[:, t] = 2**t - 1 + 2 * earlier + outcomes[:, t - 1]
    return places


def _strings(choices: Array) -> list[str]:
    return ["".join("12"[choice] for choice in row) for row in choices.tolist()]
