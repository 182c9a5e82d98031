"""The second-order perceptron."""

from __future__ import annotations

from typing import ClassVar

from ..checks import one_of, positive
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.state import Rules
from ..theory.second_order_perceptron import SECOND_ORDER
from .perceptron import TIES
from .second_order_learner import SecondOrderLearner, invertible


@with_constructor
class SecondOrderPerceptron(SecondOrderLearner):
    """The second-order perceptron (Cesa-Bianchi, Conconi & Gentile 2005): directions in which it has erred often count
    for less, so that it hardly minds features of different sizes, or features that go together.

    ::

        start     u = 0, A = a I
        predict   sign u' (A + x x')^-1 x
        suffer    max(0, -y * score)
        update    u <- u + y x,  A <- A + x x'    when y * score <= 0

    For every vector v it makes at most H(v) + sqrt(v'A v) sqrt(ln det(A / a)) updates, A being the matrix that it ends
    with and H(v) the sum of the hinge losses of v over all rounds. With the diagonal of every x x' in place of x x'
    the same proof gives the same bound, the determinant being a product then.

    A diagonal costs what a perceptron costs, but for a division an entry. A full matrix of d features costs d^2
    operations an update, d a prediction, and d^2 / 2 numbers for each class against the rest. It is kept as
    the factors U D U' of its inverse, which no rounding makes indefinite.

    Parameters
    ----------
    a : float, default=1.0
        > 0. What the matrix starts with; it counts when learning begins. The smaller, the sooner the squares of the
        features decide alone what each of them is worth.
    matrix : {"auto", "full", "diagonal"}, default="auto"
        Whether all of the matrix is kept, for at most 2,000 features, or its diagonal. "auto": all of it if the rows
        with which learning begins have at most 200 features, for so many are cheap. What it chose then stays; a stream
        that begins narrow and grows wide is better off with "diagonal".
    intercept : float, default=0.0
        Size of a constant feature that is appended to every row; 0 for none.
    ties : {"update", 1, -1}, default="update"
        What a score of exactly 0 means, as in `Perceptron`. With a full matrix, a score that ought to be 0 after the
        first update is so but for rounding.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`. A round that weighs c counts as c rounds in u and in A.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        A^-1 u. With a full matrix, scores are its products with the rows: they have the signs of the scores above,
        which are these over 1 + x'A^-1 x. With a diagonal, scores are those above, and nearly these for short rows.
        The loss in the ledger is that of the scores above, whichever matrix is kept.
    classes_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import SecondOrderPerceptron
    >>> X, y = np.array([[1.0, 900.0], [2.0, 1000.0], [-1.0, 800.0], [-2.0, 700.0], [1.0, 500.0]]), [1, 1, -1, -1, 1]
    >>> learner = SecondOrderPerceptron(passes=2).fit(X, y)
    >>> learner.predict(X).tolist()
    [1, 1, -1, -1, 1]
    >>> all(certificate.holds for certificate in learner.certify(X, y))
    True
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="second-order-perceptron",
        task="classification",
        default_of="",
        charged="max(0, -m), of the scores with the row counted in",
        geometry="second order: inverse of A",
        rate="none",
        unit_free=True,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="its weights are solved from a matrix of all update rows; matrices of several shards could be "
        "added, but the bound is not about such a sum",
        by_sums=True,
        constant=True,
        twin="second_order_perceptron",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="y u′(A + x x′)⁻¹x ≤ 0",
        update="u ← u + y x, A ← A + x x′",
        costs=(
            Cost("diagonal", "n", "2 d", "n"),
            Cost("full", "d² an update", "d²", "n or d²"),
        ),
        small_if="is short in the matrix A of what was learned: √(v′A v)",
        at_most="H + √(v′A v) √(ln det(A/a))",
    )
    theorems = SECOND_ORDER
    WEIGHTED = False

    a: float = 1.0
    matrix: str = "auto"
    intercept: float = 0.0
    ties: str | int = "update"

    def prior(self) -> float:
        """The parameter a."""
        return invertible("a", self.a)

    def rules(self) -> Rules:
        """It moves when its score has the wrong sign."""
        self.prior()
        one_of("matrix", self.matrix, self._matrices)
        return Rules(
            tie=TIES[one_of("ties", self.ties, tuple(TIES))],
            intercept=positive("intercept", self.intercept, or_zero=True),
        )
