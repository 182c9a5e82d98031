"""The kernel perceptron."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from os import PathLike
from typing import Any, ClassVar, Self, cast

import numpy as np

from ...certificate import Certificate
from ...checks import drawn_seed, one_of, positive, whole
from ...data.batch import Array, Batch
from ...errors import ParameterError, RegretlessError
from ...info import Cost, LinearInfo, LinearWords
from ...picture import Bars
from ...rows.estimator import with_constructor
from ...theorem import Theorem
from ...theory.facts import LinearFacts
from ...theory.perceptron import BUDGET, KERNEL_PERCEPTRON, KernelFacts
from ...theory.perceptron import budget as budget_bound
from ...turns import in_turn
from ..base import OnlineClassifier
from ..comparators.question import Question
from ..labels import positive_labels
from ..perceptron import TIES
from .player import DualState
from .state import AVERAGES, GAMMA_KERNELS, GAMMAS, KERNELS, LENGTHS, REMOVALS, ROUNDS, TIMES, KernelRules

STREAM_GAMMA = (
    "gamma={0!r} looks at all rows, and a stream has only shown its first; give a number (in the command line, "
    "--set gamma=NUMBER)"
)
MOST_DEGREE = 1000  # that a value of the kernel takes so many products
MOST_BUDGET = 2**31 - 1
MOST_SEED = 2**53  # what survives in every format
MOST_INTERCEPT = 1e145
COARSEST = 5e5  # gamma |x|^2 up to which exp(-gamma |x - z|^2) is rounded by less than certificates forgive
COARSE = (
    "the rows lie so far from the origin (gamma |x|^2 is {0:.3g}) that distances between them lose their digits, and "
    "rounded values are no kernel; centre X"
)


@with_constructor
class KernelPerceptron(OnlineClassifier):
    """The kernel perceptron (Aizerman, Braverman & Rozonoer 1964): the perceptron in the space of a kernel.

    ::

        predict   sign f(x),  f = sum of a_s K(x_s, .) over the rows that were learned from
        suffer    max(0, -y f(x))
        update    f <- f + y K(x, .)       when y f(x) <= 0

    Every theorem of the perceptron holds in the space of the kernel: with r^2 the largest K(x, x), if some function v
    of that space has y v(x) / |v| >= rho in all rounds, there are at most (r / rho)^2 updates; and for every v, M
    updates satisfy M <= H(v) + r |v| sqrt(M). With a budget, whatever it removes, M <= H(v) + |v| (|f| + the sum of
    the lengths of what was removed).

    A round costs one value of the kernel for each row in the support. Rounds are played in blocks, with the result of
    playing them one by one, bit for bit.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "precomputed"} or callable, default="rbf"
        exp(-gamma \\|x - z\\|^2), <x, z>, (gamma <x, z> + coef0)^degree, or a Gram matrix in the place of X: square in
        `fit`, later with a row for each row and a column for each row of `fit`. A callable is given two sets of rows
        and returns the matrix of its values. Theorems are read of either if its values on the rows, at most 2,000,
        prove to be those of a positive semidefinite kernel.
    gamma : float or {"scale", "auto"}, default="scale"
        Of the kernel; "scale" is 1 / (features * variance of X), "auto" is 1 / features, both of the first rows that
        are learned from. A stream needs a number.
    degree : int, default=3
        Of the polynomial, at most 1000.
    coef0 : float, default=1.0
        Its constant, >= 0; 0 makes it homogeneous.
    average : {None, "averaged", "voted"}, default=None
        Which function predicts: the last; the mean of those before each round; or a vote in which each of them has one
        voice, which costs as much as the mean and a sum over all updates besides. What is counted and certified are the
        rounds of the perceptron itself; `learn` prints the errors of what predicts beside them.
    budget : int or None, default=None
        The most rows in the support; None for as many as there are updates.
    removal : {"oldest", "random", "smallest", "projection"}, default="oldest"
        What goes when there is one row more: the one that came first, any, the one whose part of the function is
        shortest, or the one that a combination of the others replaces best, which costs budget^2 an update.
    intercept : float, default=0.0
        Size B of a constant feature: B^2 is added to the kernel.
    ties : {"update", 1, -1}, default="update"
        What a score of exactly 0 means; see `Perceptron`.
    passes : int, default=1
        How many times `fit` goes over the rows; a row that is learned from again adds to its own coefficient.
    until_clean, max_passes, shuffle, class_weight, warm_start
        As in `Perceptron`.
    random_state : int, numpy Generator or None, default=None
        Where that order, and random removals, come from; with None the removals are always the same ones.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending; a positive score stands for ``classes_[1]``.
    support_vectors_ : ndarray or sparse matrix, shape (support, features)
        The rows that the functions are made of; of a precomputed kernel there are none.
    support_ : ndarray of int, shape (support,)
        With a precomputed kernel, their places among the rows of `fit`.
    dual_coef_ : ndarray, shape (1, support) or (classes, support)
        Coefficients of the function that predicts; of the last one where all vote.
    gamma_ : float
        What gamma stood for.
    coef_, intercept_ : ndarray
        With the linear kernel, the weights.
    ledger_ : Ledger
        What was observed; lengths are those of the kernel's space.
    n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import KernelPerceptron
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [-1, 1, 1, -1]
    >>> learner = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, until_clean=True).fit(X, y)
    >>> learner.predict(X).tolist(), int(learner.ledger_.updates)
    ([-1, 1, 1, -1], 21)
    >>> separable = learner.certify(X, y)[0]
    >>> separable.comparator.name, round(separable.bound)
    ('maximum margin', 105)
    """

    holds_rows = True
    example_options: ClassVar[str] = "--set gamma=0.1"
    info: ClassVar[LinearInfo] = LinearInfo(
        name="kernel-perceptron",
        task="classification",
        default_of="",
        charged="max(0, -m)",
        geometry="euclidean, in the space of the kernel",
        rate="constant",
        unit_free=False,
        predicts_by="support",
        plain="KernelPerceptron(average=None)",
        lazy=False,
        additive=True,
        not_mixed="its weights are combinations of rows that it keeps, and rows do not travel",
        by_sums=False,
        constant=False,
        twin="kernel_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="y f(x) ≤ 0",
        update="f ← f + y K(x, ·)",
        costs=(
            Cost("", "M values of the kernel", "M rows", "M values of the kernel"),
            Cost("`budget=B`", "B values of the kernel", "B rows", "B values of the kernel"),
        ),
        small_if="as `perceptron`, v being a function of the kernel's space",
        at_most="(r / ρ)², r² the largest K(x, x)",
    )
    theorems = (*KERNEL_PERCEPTRON, budget_bound)

    state_: DualState = field(init=False)

    kernel: str | Callable[[Any, Any], Any] = field(default="rbf", kw_only=False)
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    average: str | None = None
    budget: int | None = None
    removal: str = "oldest"
    intercept: float = 0.0
    ties: str | int = "update"

    def _intercept(self) -> float:
        size = positive("intercept", self.intercept, or_zero=True)
        if size > MOST_INTERCEPT:
            raise ParameterError(
                "intercept", repr(self.intercept), f"must be at most {MOST_INTERCEPT:g}: its square is needed", " "
            )
        return size

    def rules(self) -> KernelRules:
        """Perceptron loss and steps of length 1, in the space of the kernel."""
        own = callable(self.kernel)
        kernel = "callable" if own else one_of("kernel", self.kernel, KERNELS)
        gamma = one_of("gamma", self.gamma, GAMMAS) if isinstance(self.gamma, str) else positive("gamma", self.gamma)
        rules = KernelRules(
            tie=TIES[one_of("ties", self.ties, tuple(TIES))],
            intercept=self._intercept(),
            kernel=kernel,
            function=self.kernel if callable(self.kernel) else None,
            gamma=gamma,
            degree=whole("degree", self.degree, most=MOST_DEGREE),
            coef0=positive("coef0", self.coef0, or_zero=True),
            average=one_of("average", self.average, AVERAGES),
            budget=0 if self.budget is None else whole("budget", self.budget),
            removal=one_of("removal", self.removal, REMOVALS),
        )
        if rules.budget > MOST_BUDGET:
            raise ParameterError(
                "budget", repr(self.budget), f"it must be at most {MOST_BUDGET}, or None for any number"
            )
        if rules.external and rules.intercept:
            raise ParameterError(
                "intercept", repr(self.intercept), "add its square to the values of your kernel instead"
            )
        if rules.budget and rules.average is not None:
            raise ParameterError(
                "budget",
                repr(self.budget),
                f"forgets rows that average={self.average!r} is made of; use one or the other",
                " ",
            )
        if rules.budget and kernel == "precomputed":
            raise ParameterError("budget", repr(self.budget), "is for rows, and a precomputed kernel has none", " ")
        return rules

    def new_state(self, columns: int, targets: int) -> DualState:
        """No rows, and functions that are 0."""
        rules = self.rules()
        seed = 0
        if rules.budget and rules.removal == "random" and self.random_state is not None:
            seed = drawn_seed(self.random_state) % MOST_SEED
        return DualState(columns, targets, seed=seed, logged=rules.average == "voted", form=rules.form)

    # ---- learning

    @in_turn
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then play the rows of X, `passes` times or until a pass is clean.

        With `warm_start` nothing is forgotten: the rows are played after all that came before, as new rows.

        Parameters
        ----------
        X, y, sample_weight
            As of every learner; with a precomputed kernel, X is the Gram matrix, shape (rounds, rounds).

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If X or y cannot be used.
        """
        self._again = not (self.warm_start and hasattr(self, "classes_"))
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._again

    @in_turn
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Play the rows of X after all that came before, as new rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; a precomputed kernel needs `fit`.
        classes : array-like, optional
            All classes that will ever come.

        Returns
        -------
        self

        Raises
        ------
        RegretlessError
            If a row cannot be used.
        """
        self._refuse_precomputed()
        if not hasattr(self, "classes_"):
            self.lookahead_ = self.looks_ahead()
        return super().partial_fit(X, y, classes, sample_weight)

    @in_turn
    def observe(self, batch: Batch, weights: Array | None = None) -> None:
        """As `OnlineClassifier.observe`, for kernels that need not know all rows, or a scale of them."""
        self._refuse_precomputed()
        if isinstance(self.gamma, str) and not hasattr(self, "classes_") and self.kernel in GAMMA_KERNELS:
            raise RegretlessError(STREAM_GAMMA.format(self.gamma))
        super().observe(batch, weights)

    @in_turn
    def update_one(self, x: Array | Mapping[str, float | str], label: Any) -> None:
        """As `OnlineClassifier.update_one`; a precomputed kernel needs `fit`."""
        self._refuse_precomputed()
        self._require_fitted()
        self.state_.forget_rows()
        super().update_one(x, label)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `regretless.load` reads, replaced as a whole or not at all.

        Raises
        ------
        RegretlessError
            If nothing was learned yet, the kernel is a function, or a parameter is no longer what was learned with.
        OSError
            If the file cannot be written.
        """
        self._require_fitted()
        if callable(self.kernel):
            raise ParameterError(
                "kernel",
                repr(self.kernel),
                "cannot be kept in a model file; give the name of a kernel, or its values with kernel='precomputed'",
                " ",
            )
        self.state_.refuse_other(self.rules())
        super().save(path)

    # ---- what was learned

    @property
    def predicted_by(self) -> str:
        """The last function, the mean or the vote, as `average` says."""
        return {"averaged": "average", "voted": "vote"}.get(self.average or "", self.info.predicts_by)

    def settled(self) -> dict[str, Any]:
        """The kernel's gamma, where it has one."""
        return {"gamma": self.gamma_} if self.kernel in ("rbf", "poly") else {}

    @property
    def gamma_(self) -> float:
        """What gamma stood for."""
        self._require_fitted()
        return self.state_.gamma

    @property
    def support_vectors_(self) -> Any:
        """The rows that the functions are made of, shape (support, features)."""
        self._require_fitted()
        if self.state_.support.layout == "given":
            return np.zeros((0, 0))
        return self.state_.support.matrix()

    @property
    def support_(self) -> Array:
        """With a precomputed kernel, the places of the support among the rows of `fit`."""
        self._require_fitted()
        if self.state_.support.layout != "given":
            raise AttributeError(
                "rows are kept themselves, in support_vectors_; their places are known of a Gram matrix"
            )
        return self.state_.support.column[: self.state_.support.count].copy()

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the function that predicts, shape (1, support) or (classes, support)."""
        self._require_fitted()
        state = self.state_
        if self.average == "averaged":
            return np.ascontiguousarray(state.averages().T)
        return np.ascontiguousarray(state.support.coefficients[: state.support.count].T)

    @property
    def coef_(self) -> Array:
        """With the linear kernel, the weights of the last function."""
        self._require_fitted()
        if self.kernel != "linear":
            raise AttributeError("only the linear kernel has weights; see dual_coef_ and support_vectors_")
        return np.ascontiguousarray(self.state_.coefficients().T)

    @property
    def intercept_(self) -> Array:
        """What the constant feature adds to the scores of the last function."""
        self._require_fitted()
        return self.state_.biases() * self.intercept

    def bars(self) -> list[Bars]:
        """The coefficients of the support rows for each label, by their place in the support."""
        rows = self.dual_coef_
        labels = positive_labels(self.classes_, len(rows))
        return [Bars(f"Support rows for {label}", None, row) for label, row in zip(labels, rows, strict=True)]

    # ---- certificates

    def looks_ahead(self) -> str:
        """The parameter by which something is taken from all rows, or from the first that are given to `partial_fit`,
        before one is played."""
        taken = isinstance(self.gamma, str) and self.kernel in GAMMA_KERNELS
        return "gamma" if taken else super().looks_ahead()

    def target_facts(self) -> list[LinearFacts]:
        """What theorems may ask of each target."""
        state = self.state_
        return [
            KernelFacts(norm, 1.0, steady=state.steady, removed=float(gone[LENGTHS]), removals=float(gone[TIMES]))
            for norm, gone in zip(state.norms(), state.removed, strict=True)
        ]

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about this learner with its parameters: a budget has one of its own."""
        rules = self.played_rules() if hasattr(self, "classes_") else self.rules()
        return BUDGET if isinstance(rules, KernelRules) and rules.budget else KERNEL_PERCEPTRON

    def judge(self, question: Question) -> list[Certificate]:
        """One certificate a theorem, with comparators in the space of the kernel."""
        from .comparators import certify

        state = self.state_
        farthest = state.gamma * float(state.support.norm2[: state.support.count].max(initial=0.0))
        if cast(KernelRules, question.rules).kernel == "rbf" and farthest > COARSEST:
            return self.declined(COARSE.format(farthest))
        return certify(question)

    def comparators(self, against: Any) -> tuple[Array, Array]:
        """A user's comparators as coefficients of the rows that are certified, (rows, targets)."""
        coefficients = np.atleast_2d(np.asarray(against, dtype=np.float64))
        targets = self.state_.targets
        if coefficients.ndim != 2 or len(coefficients) != targets or not np.isfinite(coefficients).all():
            raise RegretlessError(
                f"the comparator has shape {coefficients.shape}; it must be finite and of shape ({targets}, rows): "
                "a coefficient of the kernel at each row"
            )
        return np.ascontiguousarray(coefficients.T), np.zeros(targets)

    # ---- inside

    _again: bool = field(default=False, init=False)

    def _refuse_precomputed(self) -> None:
        if self.kernel == "precomputed":
            raise RegretlessError("a precomputed kernel is one of rows that are all known: use fit")

    def _before(self, batch: Batch) -> None:
        state = self.state_
        if self._again and state.books[-1, ROUNDS] == 0:
            state.period = len(batch)
        elif not self._again:
            state.forget_rows()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
