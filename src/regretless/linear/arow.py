"""Adaptive regularisation of weights."""

from __future__ import annotations

from typing import ClassVar

from .. import _core
from ..checks import one_of, positive, whole
from ..info import Cost, LinearInfo, LinearWords
from ..rows.estimator import with_constructor
from ..rows.faults import SCALE
from ..rows.state import Rules
from ..theory.second_order_perceptron import AROW as THEOREMS
from .second_order_learner import Ellipsoid, SecondOrderLearner, invertible

SCALES = ("auto", "none")
PENALTIES = (0.1, 0.35, 1.0, 2.0)  # of machines that comparators are looked for along, in units of |w| / |u|
SHORT_PENALTIES = (0.001, 0.003, 0.01, 0.03)  # besides, where ln det A, the other theorem's |u|^2, is far above it
MOST_RANK = _core.MOST_SKETCH_ROWS // 2
UPDATES = (
    10.0  # of the largest size, that each feature starts with as if it had seen them; of 1 to 30 the best on texts
)


@with_constructor
class AROW(SecondOrderLearner):
    """Adaptive regularisation of weights (Crammer, Kulesza & Dredze 2009): a Gaussian over weight vectors, which every
    round without enough margin moves and narrows.

    ::

        start     w = 0, Sigma = I
        predict   sign <w, x>
        suffer    max(0, 1 - m)^2,  m = y <w, x>
        update    w <- w + (1 - m) / (x'Sigma x + r) * y * Sigma x
                  Sigma <- Sigma - Sigma x x'Sigma / (x'Sigma x + r)    when m < 1

    That is with a full matrix, which by default is kept of up to 200 features. What is done with a diagonal, which is
    kept of more, and with a sketch stands below.

    Sigma is r A^-1 with A = r I + sum of x x' over the updates. With a full matrix, for every vector v the mistakes
    are at most H(v) + sqrt(v'A v) sqrt(ln det(A / r) + U) - U, where U is the number of updates that were no mistakes
    and H(v) the sum of the hinge losses of v over all rounds. With a diagonal one each entry of A adds up the squares
    of its own feature; nothing is known before the run then, but the mistakes are at most H(v) + sqrt(v'A v)
    sqrt(u'A^-1 u) - U, u being the sum of y x over the updates.

    How much of a feature there is to learn, r says in the units of the rows: pixels from 0 to 255 need another r than
    pixels from 0 to 1. A diagonal matrix therefore starts each entry with 10 r times the largest square of its feature
    so far, ::

        before a round, where |x_i| > M_i    A_i <- A_i + 10 r (x_i^2 - M_i^2)
                                             w_i <- w_i * (old A_i / new A_i),  M_i <- |x_i|

    so that predictions do not depend on the units of any feature. The bound is as above, with this A: its proof asks
    nothing of what A starts with. A round that is no update leaves M as it was.

    Costs are those of `SecondOrderPerceptron`; a prediction is a product with the weights.

    Between the two lies a sketch, D + B'B with a diagonal D and `rank` to 2 `rank` rows B, for rows of some hundreds to
    thousands of columns that go together, such as pixels::

        an update     w as above, with A = D + B'B;  x is appended to B
        of 2 k rows   those of B are turned until they are orthogonal in D^-1 (by the eigenvectors of B D^-1 B'); of the
                      k shorter ones, b, the squares go to D: D_i <- D_i + b_i^2

    so that the diagonal is always that of the whole matrix (Luo, Agarwal, Cesa-Bianchi & Langford 2016, and Luo, Chen,
    Zhang, Li & Zhang 2019, have a multiple of the identity in the place of D). D starts as a diagonal matrix does. A
    feature that is larger in an update than in all before raises it, and the weights become (A + R)^-1 A w, R being
    what D gains. The bound is that of a diagonal matrix, with A = D + B'B: its v'A v exceeds that of the whole matrix
    by at most the sum of v_i^2 times what D_i got. An update costs about 4 `rank` products of d numbers. Every
    `rank` updates the eigenvectors of 2 `rank` rows are computed, in time that grows with the cube of `rank`: a sketch
    of a large rank is slower than the whole matrix, of 784 columns from a rank between 20 and 30 on.

    A^-1 x is computed as a difference (Woodbury's identity), which may lose as many digits as x'D^-1 x has, of the 16
    of a float. With `scale` "none" D starts with r, so that for rows of some 10^8 sqrt(r) and longer none may be
    left: weights are then other ones than those of the update, and may grow until a row is refused. What a certificate
    counts and bounds stays true. With `scale` "auto" x'D^-1 x is at most d / (10 r), however long the rows are.

    Parameters
    ----------
    r : float, default=1.0
        > 0. The larger, the more slowly the Gaussian moves and narrows; it counts when learning begins.
    matrix : {"auto", "full", "diagonal", "sketch"}, default="auto"
        As in `SecondOrderPerceptron`: "auto" keeps all of the matrix of up to 200 features, and the diagonal of more.
    rank : int, default=5
        From 1 to 100. How many directions a sketch keeps besides its diagonal; it counts when learning begins. Large
        ones are slow, as above.
    scale : {"auto", "none"}, default="auto"
        Whether a diagonal matrix, or a sketch, measures each feature by its largest value so far; with "none", and with
        a full matrix, r is in the units of the rows; a sketch then wants rows shorter than 10^7 sqrt(r), as above. It
        counts when learning begins.
    intercept : float, default=1.0
        Size of a constant feature that is appended to every row; 0 for none. Unlike first-order learners this one finds
        how much of it is needed, whatever its size, so that there is one unless it is not wanted.
    passes, until_clean, max_passes, shuffle, random_state, class_weight, warm_start
        As in `Perceptron`. A round that weighs c has r / c in the place of r.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The mean of the Gaussian. With a diagonal matrix a feature that is larger in a row than in all updates is scored
        by a smaller weight, as above.
    classes_, ledger_, n_features_in_, feature_names_in_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.linear import AROW
    >>> X, y = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 1.0], [1.0, -2.0]]), [1, 1, -1, -1, 1]
    >>> learner = AROW(passes=3).fit(X, y)
    >>> learner.predict(X).tolist()
    [1, 1, -1, -1, 1]
    >>> all(certificate.holds for certificate in learner.certify(X, y))
    True
    """

    info: ClassVar[LinearInfo] = LinearInfo(
        name="arow",
        task="classification",
        default_of="",
        charged="max(0, 1 - m)^2",
        geometry="second order: inverse of A",
        rate="1 / (r + x'Sx)",
        unit_free=True,
        predicts_by="weights",
        plain="",
        lazy=True,
        additive=False,
        not_mixed="its weights belong to a covariance that every shard moves elsewhere; there is no bound for a "
        "mean of them",
        by_sums=True,
        constant=False,
        twin="arow",
    )
    words: ClassVar[LinearWords] = LinearWords(
        when="m < 1",
        update="w ← w + (1 − m) / (v + r) y Σx, Σ ← Σ − Σx x′Σ / (v + r), v = x′Σx",
        costs=(
            Cost("diagonal", "n", "4 d", "n"),
            Cost("a sketch of rank k", "n; about 4 k d an update", "(5 + 2 k) d", "n"),
            Cost("full", "d² an update", "d²", "n or d²"),
        ),
        small_if="as `second-order-perceptron`; counts mistakes, with U updates that were none",
        at_most="full: H + √(v′A v) √(ln det(A/r) + U) − U; diagonal: H + √(v′A v) √(u′A⁻¹u) − U, u the sum of y "
        "x over updates, A starting with 10 r times the largest square of each feature; a sketch: the "
        "same with A = D + B′B",
    )
    theorems = THEOREMS
    WEIGHTED = True
    _matrices = (*SecondOrderLearner._matrices, "sketch")

    r: float = 1.0
    matrix: str = "auto"
    rank: int = 5
    scale: str = "auto"
    intercept: float = 1.0

    def prior(self) -> float:
        """The parameter r."""
        return invertible("r", self.r)

    def sized_prior(self) -> float | None:
        """Ten times r, unless r is to be in the units of the rows."""
        return UPDATES * self.prior() if one_of("scale", self.scale, SCALES) == "auto" else None

    def geometry(self) -> Ellipsoid:
        """Comparators are measured by the matrix that was learned; its weights learn margins of 1."""
        return Ellipsoid(self.state_, PENALTIES, SHORT_PENALTIES)

    def sketch_rank(self) -> int:
        """The parameter rank."""
        return whole("rank", self.rank, 1, MOST_RANK)

    def _against_overflow(self) -> str:
        return f'take scale="auto" or {SCALE}' if (self.matrix, self.scale) == ("sketch", "none") else SCALE

    def rules(self) -> Rules:
        """It moves when its margin is below 1."""
        self.prior()
        one_of("matrix", self.matrix, self._matrices)
        self.sketch_rank()
        one_of("scale", self.scale, SCALES)
        return Rules(loss="squared-hinge", intercept=positive("intercept", self.intercept, or_zero=True))
