"""From a bound on mistakes to a hypothesis that is probably approximately correct: the one that survives."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from math import floor, inf

from ..checks import positive, share, whole
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import RegretlessError
from ..ledger import FIELDS
from ..linear.base import OnlineClassifier
from ..linear.weights import weigh
from ..theorem import Certificate
from ..theory.mistakes import separable
from ..theory.online_to_batch import Declared, Survival, longest_survivor, survivals
from .rerun import updates

MAX_NORM2 = FIELDS.index("max_norm2")
SLACK = 1 + 1e-9  # of the longest row, whose square is a rounded sum


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many rounds a longest survivor takes.

    Attributes
    ----------
    mistakes : int
        M, the most updates that there can be.
    survive : int
        k, how many rounds in a row the hypothesis must be left as it is.
    rounds : int
        n = M k, which always suffice.
    """

    mistakes: int
    survive: int
    rounds: int


@dataclass(frozen=True, slots=True, eq=False)
class PacRun:
    """What came of the search for a survivor.

    Attributes
    ----------
    hypothesis : OnlineClassifier
        The learner as it was when the search ended.
    ending : str
        "survived": it went through `size.survive` rounds without an update. "all mistakes made": it has made its last
        update. "too short": the rounds ended before either, and nothing is guaranteed.
    size : SampleSize
    rounds, updates, survived : int
        Rounds that were played, updates, and rounds since the last of them.
    certificate : Certificate
    """

    hypothesis: OnlineClassifier
    ending: str
    size: SampleSize
    rounds: int
    updates: int
    survived: int
    certificate: Certificate = field(repr=False)


def sample_size(mistakes: int, epsilon: float, delta: float = 0.05) -> SampleSize:
    """How long a hypothesis must survive, and how many rounds suffice for that.

    Parameters
    ----------
    mistakes : int
        M >= 1, the most updates that there can be; known beforehand.
    epsilon, delta : float
        Risk and improbability, between 0 and 1.

    Examples
    --------
    >>> from regretless.batch import sample_size
    >>> sample_size(4, epsilon=0.1, delta=0.05)
    SampleSize(mistakes=4, survive=44, rounds=176)
    """
    most = whole("mistakes", mistakes)
    survive = survivals(most, share("epsilon", epsilon), share("delta", delta))
    return SampleSize(most, survive, most * survive)


def pac_run(
    learner: OnlineClassifier,
    stream: Stream,
    epsilon: float,
    delta: float = 0.05,
    *,
    margin: float | None = None,
    radius: float | None = None,
    mistakes: int | None = None,
) -> PacRun:
    """Learn until one hypothesis has survived so many rounds that its risk is probably small.

    The rounds must be independent draws from one distribution. M, the most updates that there can be, must be known
    beforehand: for a perceptron it is the whole part of (radius / margin)^2.

    Parameters
    ----------
    learner : OnlineClassifier
        Its parameters are all that counts; it is not changed.
    stream : Stream
        Read as far as needed.
    epsilon, delta : float
        The risk is to be at most epsilon, but for a probability of delta.
    margin : float, optional
        Some unit vector has y <v, x> >= margin in every round that can come. With an intercept, the vector has a weight
        for the constant feature too.
    radius : float, optional
        No row is longer, the constant feature left out; for a kernel, no sqrt(K(x, x)) is larger.
    mistakes : int, optional
        M itself, instead of `margin` and `radius`; for any learner whose updates are bounded.

    Returns
    -------
    PacRun

    Raises
    ------
    RegretlessError
        If the parameters do not fit together, a row is longer than `radius`, or a third class comes to a margin.

    Examples
    --------
    >>> import numpy as np
    >>> from regretless.batch import pac_run
    >>> from regretless.data.arrays import ArrayStream
    >>> from regretless.linear import Perceptron
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(5000, 2))
    >>> X = X[np.abs(X @ [0.6, 0.8]) >= 0.4]
    >>> stream = ArrayStream(X, np.sign(X @ [0.6, 0.8]))
    >>> run = pac_run(Perceptron(), stream, epsilon=0.05, margin=0.4, radius=1.5)
    >>> run.ending, run.size
    ('survived', SampleSize(mistakes=14, survive=113, rounds=1582))
    """
    ours = type(learner)(**learner.get_params())
    rules = ours.checked()
    most = _most(ours, rules.intercept, margin, radius, mistakes)
    size = sample_size(most, epsilon, delta)
    rounds = made = survived = 0
    ending = "too short"
    for changed in _rounds(ours, stream, radius, two_classes=margin is not None):
        rounds += 1
        made, survived = (made + 1, 0) if changed else (made, survived + 1)
        if made == most or survived == size.survive:
            ending = "all mistakes made" if made == most else "survived"
            break
    if not rounds:
        raise RegretlessError(f"{stream.name}: no rows; there is nothing to learn from")
    counted = Survival(most, made, survived, size.survive, float(epsilon))
    certificate = longest_survivor.certify(counted, [None], Declared(float(delta)))
    return PacRun(ours, ending, size, rounds, made, survived, certificate)


def _most(
    learner: OnlineClassifier, intercept: float, margin: float | None, radius: float | None, mistakes: int | None
) -> int:
    """The most updates that there can be."""
    if mistakes is not None:
        if margin is not None:
            raise RegretlessError("give either mistakes, or margin and radius")
        return whole("mistakes", mistakes)
    if margin is None or radius is None:
        raise RegretlessError("give margin and radius, from which the most mistakes follow, or mistakes itself")
    bounded = any(theorem.name == separable.name for theorem in learner.theorems)
    if not bounded or learner.class_weight is not None or learner.get_params().get("budget") is not None:
        raise RegretlessError(
            f"(radius / margin)^2 bounds the updates of a perceptron, not of {learner!r}; give mistakes instead"
        )
    longest2 = positive("radius", radius) ** 2 + intercept**2
    return max(1, floor(longest2 / positive("margin", margin) ** 2 * SLACK))


def _rounds(learner: OnlineClassifier, stream: Stream, radius: float | None, *, two_classes: bool) -> Iterator[bool]:
    """Play the rounds one by one; whether each has changed the hypothesis."""
    longest2 = inf if radius is None else (radius**2 + learner.rules().intercept ** 2) * SLACK
    done = 0
    for batch in stream.batches():
        for changed in _steps(learner, batch):
            done += 1
            if learner.state_.books[-1, MAX_NORM2] > longest2:
                raise RegretlessError(f"{stream.name}: row {done} is longer than radius={radius!r}")
            if two_classes and len(learner.classes_) > 2:
                raise RegretlessError(f"{stream.name}: (radius / margin)^2 is for two classes; give mistakes instead")
            yield changed


def _steps(learner: OnlineClassifier, batch: Batch) -> Iterator[bool]:
    """Play a batch row by row. A class that nobody knew changes the hypothesis, unless there was but one: two classes
    are the two signs, whichever comes first."""
    row = 0
    while row < len(batch):
        if hasattr(learner, "classes_"):
            row = yield from _known(learner, batch, row)
        if row < len(batch):
            before = (updates(learner.state_), len(learner.classes_)) if hasattr(learner, "classes_") else (0.0, 1)
            learner.observe(batch.slice(row, row + 1))
            after = updates(learner.state_), len(learner.classes_)
            yield after[0] > before[0] or after[1] > max(2, before[1])
            row += 1


def _known(learner: OnlineClassifier, batch: Batch, begin: int) -> Generator[bool, None, int]:
    """Play rows one by one as far as their classes are known; where that ends."""
    if batch.labels is None:
        raise RegretlessError("rounds without labels teach nothing")
    learner.state_.grow(batch.columns)
    learner.n_features_in_ = learner.state_.columns
    weights = weigh(learner.class_weight, batch.labels, None, None)
    codes, new = learner._encode(batch.labels)
    end = len(batch) if new is None else new
    rules = learner.rules()
    for row in range(begin, end):
        before = updates(learner.state_)
        batch = learner._play(batch, codes, weights, None, rules, row, row + 1)
        yield updates(learner.state_) > before
    return end
