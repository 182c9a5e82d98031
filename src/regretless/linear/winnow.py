"""Winnow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import atanh
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..checks import one_of, positive
from ..errors import ParameterError
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.one_row import RowAsTable, row_in_order
from ..theorem import Theorem
from ..theory.facts import LinearFacts
from ..theory.mirror import WINNOW, WinnowFacts, winnow_clean_pass
from .base import OnlineClassifier
from .mirror_steps import REACH, MirrorRules, MirrorState, SimplexGeometry
from .perceptron import TIES

if TYPE_CHECKING:
    from ..data.batch import Array, Batch
    from ..rows.state import BaseState, Rules
    from .state import Geometry

USUAL = 0.25  # rate times radius, where no margin is known


@with_constructor
class Winnow(OnlineClassifier):
    """Winnow (Littlestone 1988), normalised: on a mistake, multiply the weights of the features that were right.

    ::

        start     w_i = 1 / N
        predict   sign <w, x>
        suffer    max(0, -y <w, x>)
        update    w_i <- w_i exp(rate * y * x_i) / Z    when y <w, x> <= 0

    If some v without negative entries has y <v, x> / |v|_1 >= rho in every round, whatever their order and over any
    number of passes, it makes at most KL / (rate rho - ln cosh(rate r)) updates: r is the largest entry of a row, and
    KL, the divergence of v from uniform weights, is at most ln N. So it hardly minds how many features there are, if
    few of them matter. For data that cannot be separated, every v with 1 / |v|_1 = rho adds its hinge losses.

    A round costs as much as its row has entries, whatever the number of features. Weights live as logarithms; nothing
    overflows or fades over any number of rounds.

    Parameters
    ----------
    rate : float, optional
        > 0. By default artanh(gamma / radius) / radius where a margin gamma is given, which is the best there is for
        it, and 0.25 / radius where none is.
    gamma : float, optional
        A margin that some v is known to have; below `radius`.
    radius : float, default=1.0
        The largest absolute entry that rows are expected to have; it only chooses the rate.
    balanced : bool, default=False
        Whether each feature has two weights, one for itself and one for its opposite, so that comparators may have
        negative entries. N is twice as large then. Without it, only evidence *for* ``classes_[1]`` can be learned.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none. It is one of the N, and an entry of the
        row.
    until_clean : bool, default=False
        Whether `fit` goes on until a pass without an update. It comes if some v, without negative entries unless
        `balanced`, separates the rows and the rate is small enough for its margin.
    ties, passes, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending; a positive score stands for ``classes_[1]``.
    coef_, intercept_ : ndarray
        The weights, of sum 1; balanced, the differences of the two weights of each feature.
    ledger_ : Ledger
        What was observed.
    n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.

    Notes
    -----
    Features that a stream reveals late count from the start, with the weight that all had then. With ``balanced=False``
    the two classes are not mirror images: while a stream has shown one class alone, its rounds are played for either
    sign, so that nothing depends on which class comes first. When a third class comes, that of the first two which
    stood for -1 gets weights that begin there, as the third's do.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import Winnow
    >>> X = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [-1, 1, 1, -1], [-1, -1, -1, 1]])
    >>> y = [1, 1, -1, -1]
    >>> learner = Winnow(rate=1.0, passes=20, until_clean=True).fit(X, y)
    >>> int(learner.ledger_.updates), int(learner.coef_.argmax())
    (2, 0)
    >>> str(learner.certify(X, y)[0]).split(",")[0]
    'Separable data: updates 2 <= 2'
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="winnow",
        task="classification",
        default_of="",
        charged="max(0, -m)",
        geometry="simplex",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="",
        by_sums=True,
        constant=False,
        twin="winnow",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m ≤ 0",
        update="w_i ← w_i exp(η y x_i) / Z",
        costs=(
            Cost("", "n, whatever d is, while η·max|x| is of order 1; d now and then when it is much larger", "d", "n"),
        ),
        small_if="has few large entries: its length is ‖v‖₁, that of a row its largest entry",
        at_most="KL / (η ρ − ln cosh(η r_∞))",
    )
    theorems = WINNOW

    state_: MirrorState = field(init=False)

    rate: float | None = field(default=None, kw_only=False)
    gamma: float | None = None
    radius: float = 1.0
    balanced: bool = False
    intercept: float = 0.0
    ties: str | int = "update"

    def proven(self) -> tuple[Theorem, ...]:
        """A run that goes on until a pass is clean has a bound on its length too."""
        return (*self.theorems, winnow_clean_pass) if self.until_clean else self.theorems

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing_mirror import MIXED_WINNOW

        return MIXED_WINNOW

    def rules(self) -> MirrorRules:
        """Perceptron loss, multiplicative steps of constant rate."""
        return MirrorRules(
            geometry=self._link(),
            eta=self._rate(),
            tie=TIES[one_of("ties", self.ties, tuple(TIES))],
            intercept=positive("intercept", self.intercept, or_zero=True),
            gamma=0.0 if self.gamma is None else positive("gamma", self.gamma),
            made_for=positive("radius", self.radius),
        )

    def _link(self) -> str:
        return "balanced" if one_of("balanced", self.balanced, (False, True)) else "simplex"

    def _rate(self) -> float:
        radius = positive("radius", self.radius)
        gamma = None if self.gamma is None else positive("gamma", self.gamma)
        if gamma is not None and gamma >= radius:
            raise ParameterError("gamma", repr(self.gamma), f"no margin is as large as the radius, {self.radius!r}")
        if self.rate is not None:
            return positive("rate", self.rate)
        return USUAL / radius if gamma is None else atanh(gamma / radius) / radius

    def new_state(self, columns: int, targets: int) -> MirrorState:
        """Uniform weights."""
        return MirrorState(columns, targets, link=self._link(), constant=self.intercept > 0)

    # While one class alone is known, its rounds are played for either sign.

    def _adopt(self, classes: Array, state: BaseState) -> None:
        super()._adopt(classes, state)
        ours = self.state_
        if len(classes) > 1:
            ours.reversed = None
        elif ours.reversed is None and ours.link == "simplex":
            ours.reversed = ours.blank(ours.columns, ours.targets)

    def _play(
        self,
        batch: Batch,
        codes: Array,
        weights: Array | None,
        order: Array | None,
        rules: Rules,
        begin: int = 0,
        end: int = -1,
    ) -> Batch:
        state, twin = self.state_, self.state_.reversed
        if twin is None:
            return super()._play(batch, codes, weights, order, rules, begin, end)
        before = int(state.ledger().rounds)
        try:
            return super()._play(batch, codes, weights, order, rules, begin, end)
        finally:  # as many rows as were played, if one was refused
            self.state_, watching, self.on_scores = twin, self.on_scores, None
            try:
                end = begin + int(state.ledger().rounds) - before
                super()._play(batch, -codes, weights, order, rules, begin, end)
            finally:
                self.state_, self.on_scores = state, watching

    def update_one(self, x: Array | Mapping[str, float | str], label: Any) -> None:
        """Play one round without the checks of `partial_fit`; the learner must be fitted."""
        x = self._plain(x)
        super().update_one(x, label)
        if self.state_.reversed is not None and not isinstance(x, RowAsTable):  # a table is played by both
            row = row_in_order(x, self.state_.columns)
            self.state_.reversed.player(self._playing).one(row, -self._codes[label], *self._weight_of(label))

    def geometry(self) -> Geometry:
        """The sum of absolute entries, and the divergence from uniform weights."""
        state = self.state_
        return SimplexGeometry(
            state.duals,
            state.weighed,
            balanced=state.link == "balanced",
            intercept=self.played_rules().intercept,
            made_for_margin=self.gamma is not None,
            groups=None if state.joins is None else state.joins.metric,
        )

    def settled(self) -> dict[str, Any]:
        """The rate, and how many weights there are."""
        return {"rate": self.played_rules().eta, "weights": self.state_.weighed}

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target."""
        state, rules = self.state_, cast(MirrorRules, self.played_rules())
        return [
            WinnowFacts(
                norm=norm,
                rate=rules.eta,
                steady=state.steady,
                reach=float(state.memory[target, REACH]),
                weights=state.weighed,
                gamma=rules.gamma,
                radius=rules.made_for,
            )
            for target, norm in enumerate(state.norms())
        ]
