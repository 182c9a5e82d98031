"""The mean of all hypotheses of one pass, and its risk by convexity."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

from ..certificate import Certificate
from ..checks import one_of, positive, share
from ..comparator import Comparator
from ..errors import RegretlessError
from ..ledger import Ledger
from ..linear.base import OnlineClassifier
from ..linear.state import BIAS, NORM2, State
from ..rows.state import Rules
from ..theory.gradient import posterior_regret, prior_regret
from ..theory.margin_losses import PLAYED_LOSSES
from ..theory.online_to_batch import MEAN, Declared
from .rerun import RerunTable, refuse_foreign

REGRETS = (posterior_regret, prior_regret)
SLACK = 1 + 1e-9  # of the longest row, whose square is a rounded sum


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """The mean of the weights of a pass.

    Attributes
    ----------
    hypothesis : OnlineClassifier
        A learner whose weights are the mean; it predicts like any other.
    ledger : Ledger
        Of the pass: its `loss` over its `rounds` is what the bounds start from.
    certificates : list of Certificate
        Bounds of the expected loss of the mean on a new round.
    """

    hypothesis: OnlineClassifier
    ledger: Ledger
    certificates: list[Certificate] = field(repr=False)


def average(
    learner: OnlineClassifier,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    longest: float | None = None,
    average: str = "before",
) -> Mean:
    """Play the rows once and take the mean of the weights, with bounds on its expected loss on a new round.

    The rows must be independent draws from one distribution. The loss must be convex, and bounded by what is known
    before the run: a ball for the weights (the learner's `radius`), and a length that no row exceeds. Nothing of this
    holds for wrong labels, whose count is not convex in the weights.

    Parameters
    ----------
    learner : OnlineGradientDescent
        Its parameters are all that counts; it is not changed.
    X, y
        As in its `fit`.
    delta : float, default=0.05
        How improbable it may be that a bound fails; each holds with probability 1 - delta by itself.
    longest : float, optional
        No row is longer, the constant feature left out. Without it the certificates say that they do not apply.
    average : {"before", "after"}, default="before"
        The mean of w_1, ..., w_T, the weights before each round, which is what the theorems speak of; or of
        w_2, ..., w_{T+1}, those after it, for which the certificates say that they do not apply.

    Returns
    -------
    Mean

    Raises
    ------
    RegretlessError
        If X or y cannot be used, the learner has no convex loss, or a row is longer than `longest`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.batch import average
    >>> from regretless.linear import OnlineGradientDescent
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(4000, 2))
    >>> result = average(
    ...     OnlineGradientDescent(loss="logistic", schedule="inverse-sqrt", radius=2.0), X, X[:, 0] > 0, longest=1.5
    ... )
    >>> for certificate in result.certificates[:2]:
    ...     print(f"{certificate.quantity} {certificate.observed:.4f} <= {certificate.bound:.4f}")
    risk of the mean, estimated at most 0.3440 <= 0.4030
    risk of the mean, estimated at most 0.3440 <= 0.3958
    """
    refuse_foreign(learner)
    if posterior_regret not in learner.theorems:
        raise RegretlessError(f"{learner!r} is charged no convex loss; take online gradient descent")
    if learner.most_passes > 1 or learner.shuffle or learner.class_weight is not None:
        raise RegretlessError("only one pass, in the order of the rows and with equal weights, can be averaged")
    before = one_of("average", average, ("before", "after")) == "before"
    table = RerunTable.read(learner, X, y)
    state = State(table.batch.columns, table.learner.targets(table.learner.classes_), average=True)
    table.play(state, 0, 0, len(table))
    ledger = state.ledger()
    width = _width(table.rules, ledger, longest) * state.targets
    table.learner._adopt(table.learner.classes_, state)
    declared = Declared(share("delta", delta), width, _regret(table.learner, state), before)
    table.learner._adopt(table.learner.classes_, _mean(state, ledger.rounds, before))
    return Mean(table.learner, ledger, [theorem.certify(ledger, [None], declared) for theorem in MEAN])


def _width(rules: Rules, ledger: Ledger, longest: float | None) -> float:
    """The largest loss of any vector of the ball on any row that can come."""
    if longest is None or rules.geometry != "ball":
        return inf
    longest2 = positive("longest", longest) ** 2 + rules.intercept**2
    if ledger.max_norm2 > longest2 * SLACK:
        length = sqrt(ledger.max_norm2 - rules.intercept**2)
        raise RegretlessError(f"a row of length {length:.6g} is longer than {longest=}")
    return float(PLAYED_LOSSES[rules.loss].value(-rules.radius * sqrt(longest2)))


def _regret(learner: OnlineClassifier, state: State) -> float:
    """Upper bound of the regret against every vector of the ball."""
    rules = learner.played_rules()
    if rules.geometry != "ball":
        return inf
    total = 0.0
    for ledger, facts in zip(state.ledgers(), learner.target_facts(), strict=True):
        farthest = Comparator(
            name="any vector of the ball",
            norm=rules.radius,
            hinge=inf,
            squared_hinge=inf,
            loss=0.0,
            least=0.0,
            rounds=ledger.rounds,
            max_norm2=ledger.max_norm2,
            total_norm2=ledger.total_norm2,
        )
        total += min(
            theorem.bound(ledger, farthest, facts)
            for theorem in REGRETS
            if theorem.obstacle(ledger, farthest, facts) is None
        )
    return total


def _mean(state: State, rounds: float, before: bool) -> State:
    """A state whose weights are the mean of those of a pass."""
    weights, biases = state.average()
    if not before:
        weights = weights + state.coefficients() / rounds  # w_{T+1} comes in, and w_1 = 0 goes
        biases = biases + state.biases() / rounds
    mean = State(state.columns, state.targets)
    mean.weights[:] = weights
    mean.memory[:, BIAS] = biases
    mean.memory[:, NORM2] = (weights**2).sum(axis=0) + biases**2
    mean.books[:] = state.books
    mean.rules, mean.steady = state.rules, False
    return mean
