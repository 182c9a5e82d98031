"""The perceptron of several classes at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..certificate import Certificate
from ..checks import positive
from ..data.batch import Array
from ..info import Cost, LinearInfo, LinearWords
from ..ledger import FIELDS, Ledger
from ..rows.estimator import with_constructor
from ..rows.state import BaseState, Rules
from ..theorem import Theorem
from ..theory.perceptron import MULTICLASS, classes_clean_pass
from .base import OnlineClassifier
from .state import State

if TYPE_CHECKING:
    from .comparators.question import Question

TWICE = [FIELDS.index(name) for name in ("loss", "slope2", "step2", "reach2")]


class DirectState(State):
    """The weights of all classes, one long vector; those of two classes are one another's opposite, and one is kept."""

    def make_player(self, rules: Rules) -> Any:
        """The loop for several classes; for two it is the perceptron's."""
        return super().make_player(replace(rules, loss="perceptron") if self.targets == 1 else rules)

    def plain(self, columns: int) -> State:
        """Another of these."""
        return DirectState(columns, self.targets)

    def ledger(self) -> Ledger:
        """What was observed, a round being one update, though it moves two classes."""
        return Ledger.read(self.books[-1])


class AllInOne(OnlineClassifier):
    """All classes are one long vector, and theorems are about matrices."""

    def looks_at_classes(self) -> str:
        """A class that is still to come may be the rival that is pushed back."""
        return "classes"

    def new_state(self, columns: int, targets: int) -> BaseState:
        """Weights of all classes."""
        return DirectState(columns, targets)

    def extended(self, classes: Array) -> BaseState:
        """The state for one class more; what two classes were charged as one another's opposite counts for both."""
        grown = super().extended(classes)
        if self.state_.targets == 1 and grown.targets > 1:
            grown.books[-1, TWICE] *= 2
        return grown

    def judge(self, question: Question) -> list[Certificate]:
        """One certificate a theorem, against matrices."""
        from .comparators.matrices import certify

        return certify(question)


@with_constructor
class MulticlassPerceptron(AllInOne):
    """The perceptron of several classes (Duda & Hart 1973; Collins 2002; Crammer & Singer 2003): when another class
    scores as high as the right one, move the one away from the row and the other towards it.

    ::

        predict   the class c with the largest <w_c, x>
        suffer    max(0, <w_r, x> - <w_y, x>)          where r is the best of the other classes
        update    w_y <- w_y + rate * x,  w_r <- w_r - rate * x    when <w_y, x> <= <w_r, x>

    If some matrix V puts the class of every round above all others, <v_y, x> - <v_c, x> >= rho |V| for all c but y, it
    makes at most 2 (max |x| / rho)^2 updates, in whatever order. For any V, M updates satisfy M <= H(V) + sqrt(2) max
    |x| |V| sqrt(M), where H(V) is the sum over all rounds of max(0, 1 - that difference at the best other class).

    The other learners play one class against the rest, each class by itself; here one bound covers all of them, and a
    row is an update only if its class is not ranked first. With two classes it is the perceptron.

    Parameters
    ----------
    rate : float, default=1.0
        Length of the steps, > 0; it changes the size of the weights and, but for rounding, no prediction.
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`; an update is a round that moved two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import MulticlassPerceptron
    >>> X, y = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [1.0, 0.5]]), ["a", "b", "c", "a"]
    >>> learner = MulticlassPerceptron(until_clean=True).fit(X, y)
    >>> learner.predict(X).tolist(), int(learner.ledger_.updates)
    (['a', 'b', 'c', 'a'], 3)
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="multiclass-perceptron",
        task="classification",
        default_of="",
        charged="max(0, best other score - score)",
        geometry="euclidean, all classes in one",
        rate="constant",
        unit_free=False,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="",
        by_sums=True,
        constant=True,
        twin="multiclass_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="⟨w_y, x⟩ ≤ ⟨w_r, x⟩",
        update="w_y ← w_y + η x, w_r ← w_r − η x, r the best rival",
        costs=(Cost("", "n for each class", "d", "n"),),
        small_if="as `perceptron`, v being the matrix of all classes",
        at_most="2 (r₂ / ρ)²",
    )
    theorems = MULTICLASS

    rate: float = 1.0
    intercept: float = 0.0

    def mixed_proven(self) -> tuple[Theorem, ...]:
        """The theorems about mixed weights."""
        from ..theory.mixing import MIXED_MULTICLASS

        return MIXED_MULTICLASS

    def multiplies_rows(self) -> bool:
        """A row of weight c is c times the row."""
        return True

    def rules(self) -> Rules:
        """The loss of the best other class, Euclidean steps of constant rate."""
        return Rules(
            loss="direct",
            eta=positive("rate", self.rate),
            intercept=positive("intercept", self.intercept, or_zero=True),
        )

    def proven(self) -> tuple[Theorem, ...]:
        """Only a run that goes on until a pass is clean has a bound on its length."""
        return self.theorems if self.until_clean else tuple(t for t in self.theorems if t is not classes_clean_pass)
