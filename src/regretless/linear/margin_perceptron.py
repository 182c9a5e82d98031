"""The margin perceptron."""

from __future__ import annotations

from dataclasses import asdict, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from .. import _core
from ..certificate import Certificate
from ..checks import positive
from ..data.batch import Array, Batch
from ..errors import ParameterError
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import BaseState, BatchPlayer, BatchRounds, Report, Rules, length
from ..rows.validation import read_rows
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.margin_perceptron import MARGIN_PERCEPTRON, UNTIL_A_MARGIN, MarginFacts, margin_attained
from ..turns import in_turn
from .base import OnlineClassifier
from .comparators.evaluate import Vector
from .comparators.question import Question
from .comparators.search import certify, read
from .labels import read_labels
from .state import Geometry, State


class MarginState(State):
    """The weights of a margin perceptron, and for how long they have been as they are.

    Attributes
    ----------
    quiet : ndarray, shape (targets, 1)
        Rounds since the last update.
    """

    TARGETS: ClassVar[dict[str, int]] = {"memory": _core.MEMORY_SIZE, "quiet": 1}

    quiet: Array

    def make_player(self, rules: Rules) -> Any:
        """The compiled player, and a look at the steps that it took."""
        return _CountingPlayer(super().make_player(rules), self.quiet)


class _CountingPlayer(BatchPlayer):
    """Counts the rounds since each target last moved."""

    def __init__(self, player: Any, quiet: Array) -> None:
        self._play, self.score, self.watch, self._quiet = player.play, player.score, player.watch, quiet

    def play_rounds(self, rounds: BatchRounds) -> Report:
        """Play them, and see which moved a target."""
        moves = np.zeros((rounds.total, len(self._quiet)))
        played, why = self._play(*rounds, moves)
        moved = moves[rounds.begin : played][::-1] != 0
        ever = moved.any(axis=0)
        since = moved.argmax(axis=0) if len(moved) else np.zeros(len(ever))
        self._quiet[:, 0] = np.where(ever, since, self._quiet[:, 0] + len(moved))
        return played, why


class _Asked(Geometry):
    """Measures a vector by the score that this learner asks of it: theta |v|."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    def measure(self, vector: Array, bias: float, target: int) -> tuple[float, float]:
        """theta |v|, and no divergence."""
        return self._threshold * length(vector, bias), 0.0


@with_constructor
class MarginPerceptron(OnlineClassifier):
    """The margin perceptron (Blum's lectures): go on until every row is far enough from the wrong side.

    ::

        predict   sign <w, x>
        update    w <- w + y * x    when y <w, x> / |w| < (1 - epsilon) * gamma, or w = 0

    If some v has a margin of gamma, y <v, x> / |v| >= gamma in all rows, then whatever the order it makes at most
    2 k^2 / epsilon^2 + 2 k / epsilon updates for k = max |x| / gamma. For epsilon = 1/2 that is 8 k^2 + 4 k; the
    recursion behind the proof, followed step by step, allows about 2.5 k^2, and rows exist that need so many. The first
    update, w = y x, counts. After a pass without an update the weights have a margin of at least (1 - epsilon) gamma.

    Parameters
    ----------
    gamma : float, default=0.1
        The margin that is thought to exist, > 0, a length in the units of X, with the constant feature if there is one;
        `max_margin` finds the largest. If it does not exist, no pass may ever be clean.
    epsilon : float, default=0.5
        Which share of it may be lost, between 0 and 1.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none. The margin is that of the longer rows.
    passes : int, default=1
        How many times `fit` goes over the rows, if not until clean; above 1 the most passes until then.
    until_clean : bool, default=True
        Whether `fit` goes on until a pass without an update.
    max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    margin_ : float
        The smallest distance from the wrong side of any row that `fit` was given, min y <w, x> / |w|, when it ended; of
        several classes, the smallest of all against the rest.
    clean_ : bool
        Whether the last pass of `fit` had no update: then `margin_` is at least (1 - epsilon) gamma.
    obstacle_ : str or None
        Why it was not clean.
    classes_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import MarginPerceptron
    >>> X, y = np.array([[1.0, 0.0], [-1.0, 0.5], [-1.0, -1.0]]), [1, 1, -1]
    >>> learner = MarginPerceptron(gamma=2 / 9).fit(X, y)
    >>> learner.clean_, round(learner.margin_, 4), int(learner.ledger_.updates)
    (True, 0.1581, 13)
    >>> print(learner.certify(X, y)[3])  # doctest: +ELLIPSIS
    Posterior bound: updates 13 <= 13, against maximum margin  [the perceptron's proof before |w| is bounded: M <= H ...
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="margin-perceptron",
        task="classification",
        default_of="",
        charged="max(0, theta·norm(w) - m)",
        geometry="euclidean",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="whether it moves depends on the length of its weights, which a mean shortens; the proof of its "
        "bound follows one sequence of steps and says nothing of a mean of several",
        by_sums=True,
        constant=False,
        twin="margin_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m < (1 − ε) γ ‖w‖",
        update="w ← w + y x, until no row is an update",
        costs=(Cost("", "n", "d", "n"),),
        small_if="as `perceptron`, and hands over (1 − ε) γ of the margin",
        at_most="8 k² + 4 k with k = r₂ / γ, for ε = 1/2, and less",
    )
    theorems = (*MARGIN_PERCEPTRON, *UNTIL_A_MARGIN)

    state_: MarginState = field(init=False)
    margin_: float = field(init=False)
    clean_: bool = field(init=False)
    obstacle_: str | None = field(init=False)

    gamma: float = field(default=0.1, kw_only=False)
    epsilon: float = 0.5
    intercept: float = 0.0
    until_clean: bool = True

    def rules(self) -> Rules:
        """Steps of constant length below the margin that is asked for."""
        if not isinstance(self.epsilon, Real) or not 0 < self.epsilon < 1:
            raise ParameterError("epsilon", repr(self.epsilon), "it must be a number between 0 and 1, neither included")
        return Rules(
            loss="margin",
            intercept=positive("intercept", self.intercept, or_zero=True),
            margin=(1 - float(self.epsilon)) * positive("gamma", self.gamma),
        )

    def new_state(self, columns: int, targets: int) -> BaseState:
        """Weights, and for how long they have been as they are."""
        return MarginState(columns, targets)

    def geometry(self) -> Geometry:
        """Vectors are measured by the score that is asked of them."""
        return _Asked(self.played_rules().margin)

    def proven(self) -> tuple[Theorem, ...]:
        """Only a run that goes on until a pass is clean has a bound on its length."""
        return self.theorems if self.until_clean else (*MARGIN_PERCEPTRON, margin_attained)

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask: what was asked of the rows, and since when all of them were fine."""
        asked, quiet = self.played_rules().margin, self.state_.quiet[:, 0].tolist()
        return [
            MarginFacts(**asdict(facts), threshold=asked, quiet=rounds)
            for facts, rounds in zip(super().target_facts(), quiet, strict=True)
        ]

    def judge(self, question: Question) -> list[Certificate]:
        """Bounds against every comparator, and the margin of the final weights."""
        stands: list[LinearFacts] = [
            replace(one, rows=float(question.rows)) for one in question.target_facts if isinstance(one, MarginFacts)
        ]
        others = tuple(theorem for theorem in question.theorems if theorem is not margin_attained)
        question = replace(question, target_facts=stands, theorems=others)
        return [*certify(question), self._handed_over(question)]

    def certify_rounds(self, question: Question) -> list[Certificate]:
        """As of others; only the final weights are handed over, so that nothing was left out or searched for there."""
        *others, last = super().certify_rounds(question)
        comparator = None if last.comparator is None else replace(last.comparator, left_out="")
        return [*others, replace(last, comparator=comparator, quick_bound=None)]

    @in_turn
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then play the rows of X until a pass is clean, or as many passes as were asked for.

        Parameters
        ----------
        X : array-like, sparse matrix or table, shape (rounds, features)
        y : array-like, shape (rounds,)
        sample_weight : array-like, shape (rounds,), optional
            As in `Perceptron.fit`.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If X or y cannot be used.
        """
        super().fit(X, y, sample_weight)
        batch = read_rows(X, learner=self, reset=False, text="known")
        codes = self.codes(read_labels(y, len(batch)))
        self.margin_ = self._margin(batch, codes)
        self.clean_ = bool(self.state_.quiet.min() >= len(batch))
        self.obstacle_ = None if self.clean_ else self._obstacle(batch)
        return self

    def _margin(self, batch: Batch, codes: Array) -> float:
        """The smallest distance from the wrong side."""
        scores, norms = self.scores(batch), np.array(self.state_.norms())
        one = self.state_.targets == 1
        signs = codes[:, None] if one else np.where(codes[:, None] == np.arange(self.state_.targets), 1, -1)
        least = (signs * scores).min(axis=0)
        return float(np.divide(least, norms, out=np.zeros_like(norms), where=norms > 0).min())

    def _obstacle(self, batch: Batch) -> str:
        zero = None if self.intercept else _first_zero(batch)
        if zero is not None:
            return f"row {zero} (from 0) is zero: it has no margin, so that no pass is ever clean"
        return (
            f"pass {self.n_iter_} still had an update, and it was the last that was allowed; "
            "`max_margin` tells whether the rows have any margin, and how much"
        )

    def _handed_over(self, question: Question) -> Certificate:
        """The certificate of the margin of the final weights, for the class that is worst off."""
        weights, biases = question.state.coefficients(), question.state.biases()
        certificates = []
        for target, (ledger, facts) in enumerate(zip(question.ledgers(), question.target_facts, strict=True)):
            final = Vector("final weights", weights[:, target], float(biases[target]))
            certificates.append(margin_attained.certify(ledger, read(question, target, [final]), facts))
        failed = [one for one in certificates if one.observed is None]
        return failed[0] if failed else max(certificates, key=lambda one: one.observed or -np.inf)


def _first_zero(batch: Batch) -> int | None:
    """The first row in which nothing but zeros stand."""
    if batch.starts is None:
        filled = batch.values.any(axis=1)
    else:
        owners = np.repeat(np.arange(len(batch)), np.diff(batch.starts))
        filled = np.bincount(owners[batch.values != 0], minlength=len(batch)) > 0
    return None if filled.all() else int(np.argmin(filled))
