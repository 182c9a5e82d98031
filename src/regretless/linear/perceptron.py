"""The perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from ..checks import one_of, positive
from ..data.batch import Array, Batch
from ..errors import ParameterError, RegretlessError
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import BaseState, Rules
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.perceptron import FROM_START, PERCEPTRON, StartFacts, clean_pass
from .base import OnlineClassifier
from .labels import distinct
from .state import NORM2, SCALE, Geometry, State

TIES = {"update": 0.0, 1: 1.0, -1: -1.0}


@with_constructor
class Perceptron(OnlineClassifier):
    """The perceptron (Rosenblatt 1958): on a mistake, add the example to the weights.

    ::

        predict   sign <w, x>
        suffer    max(0, -y <w, x>)
        update    w <- w + rate * y * x    when y <w, x> <= 0

    Whatever the order of the rounds and over any number of passes, if some v has y <v, x> / |v| >= rho in all of them,
    it makes at most (max |x| / rho)^2 updates (Novikoff 1962). For data that cannot be separated, M updates satisfy
    M <= H(v) + max |x| |v| sqrt(M) for every v, where H(v) is the sum of its hinge losses over all rounds.

    Parameters
    ----------
    rate : float, default=1.0
        Length of the steps, > 0; from w = 0 it changes the size of the weights and, but for rounding, no
        prediction.
    intercept : float, default=0.0
        Size B of a constant feature that is appended to every row; 0 for none. The bounds are those of the longer rows:
        B = max |x| at most quadruples them, B = 1 can be ruinous.
    initial : sequence of float or None, default=None
        The weights before the first round, of the first features in their order, for data of two classes: positive ones
        speak for the second class. Further features, and the constant one, begin with 0; None: all do. The theorems
        about weights that begin at 0 are false then, and others are certified, which know where the weights began.
    ties : {"update", 1, -1}, default="update"
        What a score of exactly 0 means. "update": predict +1, and update whatever the label is, as the proofs do. 1 or
        -1: predict that label, and update only if it is wrong.
    passes : int, default=1
        How many times `fit` goes over the rows.
    until_clean : bool, default=False
        Whether `fit` goes on until a pass without an update, which comes if and only if the rows can be separated.
    max_passes : int, default=1000
        The most passes it makes then; `passes`, if it is above 1, is such a limit too.
    shuffle : bool, default=False
        Whether `fit` plays each pass in a new random order.
    random_state : int, numpy Generator or None, default=None
        Where that order comes from.
    class_weight : mapping, "balanced" or None, default=None
        What the rounds of each class weigh; "balanced" for `fit` only: rounds / (classes * rounds of the class).
    warm_start : bool, default=False
        Whether `fit` goes on from what was learned before instead of forgetting it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending; a positive score stands for ``classes_[1]``.
    coef_, intercept_ : ndarray
        The weights, as in scikit-learn.
    ledger_ : Ledger
        What was observed.
    n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import Perceptron
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), [1, 1, -1, -1, 1]
    >>> learner = Perceptron(passes=50, until_clean=True).fit(X, y)
    >>> int(learner.ledger_.updates), learner.n_iter_
    (2, 2)
    >>> print(learner.certify(X, y)[0])
    Separable data: updates 2 <= 5, against maximum margin  [Novikoff 1962; Block 1962]
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="perceptron",
        task="classification",
        default_of="",
        charged="max(0, -m)",
        geometry="euclidean",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=True,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m ≤ 0",
        update="w ← w + η y x",
        costs=(Cost("", "n", "d", "n"),),
        small_if="has a margin in proportion to its length ‖v‖₂ and to that of the rows",
        at_most="(r₂ / ρ)²",
    )
    theorems: ClassVar[tuple[Theorem, ...]] = (*PERCEPTRON, *FROM_START)

    rate: float = 1.0
    intercept: float = 0.0
    initial: Any = None
    ties: str | int = "update"

    def proven(self) -> tuple[Theorem, ...]:
        """A run that goes on until a pass is clean has a bound on its length too."""
        if self.initial is not None:
            return FROM_START
        return (*PERCEPTRON, clean_pass) if self.until_clean else PERCEPTRON

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing import MIXED_PERCEPTRON

        return MIXED_PERCEPTRON

    def rules(self) -> Rules:
        """Perceptron loss, Euclidean steps of constant rate."""
        self._start()
        return Rules(
            eta=positive("rate", self.rate),
            tie=TIES[one_of("ties", self.ties, tuple(TIES))],
            intercept=positive("intercept", self.intercept, or_zero=True),
        )

    def multiplies_rows(self) -> bool:
        """Whether a row of weight c is c times the row, as it is to the perceptron that begins at 0."""
        return self.initial is None

    # ---- weights that begin elsewhere

    def _start(self) -> Array | None:
        """The weights to begin with, as numbers."""
        if self.initial is None:
            return None
        try:
            start = np.asarray(self.initial, dtype=np.float64)
        except (TypeError, ValueError):
            start = np.array([np.nan])
        if start.ndim != 1 or not np.isfinite(start).all():
            raise ParameterError("initial", repr(self.initial), "must be a number for each of the first features", " ")
        return start

    def new_state(self, columns: int, targets: int) -> BaseState:
        """An empty state, whose weights begin where they are to."""
        start = self._start()
        if start is None:
            return State(columns, targets)
        if targets > 1:
            raise RegretlessError("initial= are weights of two classes, and there are more: leave it out")
        return StartedState(columns, targets, start=start.tolist())

    def _play_and_meet(self, batch: Batch, labels: Array, weights: Array | None, rules: Rules) -> None:
        if self.initial is not None and len(batch) and not hasattr(self, "classes_"):
            classes = distinct(labels)
            if len(classes) == 2:  # a class alone has a sign that the next one might turn round
                self._expect(classes, batch.columns)
        super()._play_and_meet(batch, labels, weights, rules)

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask, with how far the weights are from where they began."""
        facts, state = super().target_facts(), self.state_
        if not isinstance(state, StartedState):
            return facts
        start = state.start()
        moved = float(np.hypot(np.linalg.norm(state.coefficients()[:, 0] - start), state.biases()[0]))
        more: dict[str, Any] = {"start": float(np.linalg.norm(start)), "moved": moved}
        return [StartFacts(**asdict(one), **more) for one in facts]

    def geometry(self) -> Geometry:
        """Vectors are measured beside the first weights, where these are not 0."""
        return FromStart(self.state_.start()) if isinstance(self.state_, StartedState) else Geometry()

    def stored_params(self) -> dict[str, Any]:
        """The parameters; the first weights as plain numbers."""
        start = self._start()
        return super().stored_params() | ({} if start is None else {"initial": start.tolist()})


class StartedState(State):
    """The weights of two classes, which begin with some numbers; those of further features, and of the constant one,
    with 0.

    Parameters
    ----------
    columns, targets : int
        As of any state; one target.
    start : sequence of float
        Those of the first features. Each is taken up when its feature comes.
    """

    def __init__(self, columns: int, targets: int, *, start: Sequence[float]) -> None:
        self._start = np.array(start, dtype=np.float64)
        super().__init__(columns, targets)
        self.memory[0, NORM2] = self._start @ self._start
        self._begin(0)

    def options(self) -> dict[str, Any]:
        """What the weights begin with."""
        return {"start": self._start.tolist()}

    def grow(self, columns: int) -> None:
        """Make room for more columns, whose weights begin at those of `initial`."""
        before = self.columns
        super().grow(columns)
        self._begin(before)

    def _begin(self, first: int) -> None:
        part = self._start[first : self.columns]
        self.weights[first : first + len(part), 0] = part / self.memory[0, SCALE]

    def mirror(self, target: int) -> None:
        """Refuse to exchange the classes: the first rounds were played from the weights as they are."""
        raise RegretlessError(
            "initial= are weights of two classes, positive ones for the second, and the class of the first rows was "
            "taken for it until now: announce both, as classes= of partial_fit, or give labels of which one is above 0"
        )

    def few_columns(self, batch: Batch) -> None:
        """Weights may begin at other numbers than 0 in columns that no row has."""

    def start(self) -> Array:
        """What the weights of all features began with, shape (columns,)."""
        start = np.zeros(self.columns)
        start[: len(self._start)] = self._start[: self.columns]
        return start


class FromStart(Geometry):
    """Comparators are measured beside the weights that a run began with.

    Parameters
    ----------
    start : ndarray, shape (columns,)
    """

    def __init__(self, start: Array) -> None:
        self._start = start

    def product(self, vector: Array, bias: float, target: int) -> float:
        """Inner product of a vector with the first weights."""
        return float(vector @ self._start)
