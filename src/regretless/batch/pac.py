"""From a bound on mistakes to a hypothesis that is probably approximately correct: the one that survives."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, inf
from typing import Any

from ..certificate import Certificate
from ..checks import positive, share, whole
from ..data.batch import Batch
from ..data.stream import Stream
from ..errors import ParameterError, RegretlessError
from ..info import LinearInfo, info_of
from ..ledger import FIELDS
from ..linear.base import OnlineClassifier
from ..linear.labels import codes_until_new, weigh
from ..theory.online_to_batch import Declared, Survival, longest_survivor, survivals
from ..theory.perceptron import separable
from .rerun import refuse_foreign, updates

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
        n = M k, within which a hypothesis survives or the last of M updates is made. What it leaves has to survive k
        rounds as well.
    """

    mistakes: int
    survive: int
    rounds: int


@dataclass(frozen=True, slots=True, repr=False)
class PacCertificate(Certificate):
    """A certificate under a condition that the user vouches for.

    Attributes
    ----------
    condition : str
        Why there are no more than M updates.
    """

    condition: str = ""

    def describe(self) -> dict[str, Any]:
        """The certificate as JSON values."""
        return Certificate.describe(self) | {"if": self.condition}

    def _reading(self) -> str:
        return f"if {self.condition}, {Certificate._reading(self)}"


@dataclass(frozen=True, slots=True, eq=False)
class PacRun:
    """Result of the search for a survivor.

    Attributes
    ----------
    hypothesis : OnlineClassifier
        The learner as it was when the search ended.
    ending : str
        "survived": it went through `size.survive` rounds that left it as it was. "all mistakes made": the rounds ended
        before that, but after the last of the M updates. "too short": they ended before either, or before a second
        class came. There is no guarantee for a hypothesis that has not survived.
    size : SampleSize
    rounds, updates, survived : int
        Rounds that were played, those with an update, and those since the hypothesis was changed last.
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
    beforehand: for a perceptron it is the whole part of (radius / margin)^2. The guarantee is under this
    condition, and names it. A hypothesis that M updates have made can make none any more if the condition is true; that
    is tried in as many rounds as others have to survive.

    Parameters
    ----------
    learner : OnlineClassifier
        Its parameters are all that counts; it is not changed. It must predict by its last weights, for these are what
        survives: no mean and no vote.
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
        M itself, instead of `margin` and `radius`; for any learner whose updates are bounded. A round that brings a
        third or later class counts as one of the M, whether or not it is an update.

    Returns
    -------
    PacRun

    Raises
    ------
    RegretlessError
        If the parameters do not fit together, the learner predicts by a mean or a vote, a row is longer than `radius`,
        a third class comes to a margin, or there are more than M updates.

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
    refuse_foreign(learner, stream)
    ours = type(learner)(**learner.get_params())
    rules = ours.checked()
    _refuse_what_may_change_or_err_silently(ours)
    most = _most(ours, rules.intercept, margin, radius, mistakes)
    size = sample_size(most, epsilon, delta)
    rounds = updates = changes = survived = 0
    ending = "too short"
    condition = _condition(margin, radius, most)
    for updated, changed in _rounds(ours, stream, radius, two_classes=margin is not None):
        rounds, updates, changes = rounds + 1, updates + updated, changes + changed
        survived = 0 if changed else survived + 1
        if changes > most:
            raise RegretlessError(
                f"{stream.name}: row {rounds} is update {changes}; there can be no more than {most} if {condition}, "
                "which is therefore false"
            )
        # With one class the hypothesis predicts it for every row, whatever its weights.
        if len(ours.classes_) > 1 and survived >= size.survive:
            ending = "survived"
            break
    if not rounds:
        raise RegretlessError(f"{stream.name}: no rows; there is nothing to learn from")
    if updates == most and ending != "survived" and len(ours.classes_) > 1:
        ending = "all mistakes made"
    counted = Survival(most, updates, survived, size.survive, float(epsilon), len(ours.classes_))
    survivor = longest_survivor.certify(counted, [None], Declared(float(delta)))
    read = survivor.observed, survivor.bound, None, survivor.why, survivor.confidence
    certificate = PacCertificate(survivor.theorem, *read, condition=condition)
    return PacRun(ours, ending, size, rounds, updates, survived, certificate)


def _condition(margin: float | None, radius: float | None, most: int) -> str:
    """Why there are no more than so many updates, in words."""
    if margin is None:
        return f"no run makes more than {most:,} updates"
    return f"some unit vector has y <v, x> >= {margin:g} in all rounds and none is longer than {radius:g}"


def _refuse_what_may_change_or_err_silently(learner: OnlineClassifier) -> None:
    """Refuse learners that can change, or err, in a round without an update: the bound does not cover them."""
    info: LinearInfo = info_of(learner)
    if info.predicts_by == "mixture":
        raise RegretlessError(
            f"{learner!r} predicts by members that every round moves, and what survives here must stay as it is; take "
            "a learner that moves in updates alone, such as the perceptron"
        )
    if info.predicts_by != "weights" and learner.get_params().get("average", True):
        raise RegretlessError(
            f"{learner!r} predicts by all weights that it went through, and what survives here are the last; "
            f"take {info.plain}"
        )
    if isinstance(learner.class_weight, Mapping) and 0 in learner.class_weight.values():
        raise ParameterError(
            "class_weight",
            repr(learner.class_weight),
            "rows of weight 0 are never updates, so any error would survive",
            ": ",
        )


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
    bounded = any(theorem.name == separable.name for theorem in learner.proven())
    if not bounded or learner.class_weight is not None or learner.get_params().get("budget") is not None:
        raise RegretlessError(
            f"(radius / margin)^2 bounds the updates of a perceptron, not of {learner!r}; give mistakes instead"
        )
    if callable(learner.get_params().get("kernel")):
        raise RegretlessError(
            f"(radius / margin)^2 bounds the updates for kernels that are positive semidefinite on all rows that can "
            f"come, and of {learner!r} that is not known; give mistakes instead"
        )
    longest2 = positive("radius", radius) ** 2 + intercept**2
    return max(1, floor(longest2 / positive("margin", margin) ** 2 * SLACK))


def _rounds(
    learner: OnlineClassifier, stream: Stream, radius: float | None, *, two_classes: bool
) -> Iterator[tuple[bool, bool]]:
    """Play the rounds one by one; whether each was an update, and whether it has changed the hypothesis."""
    longest2 = inf if radius is None else (radius**2 + learner.rules().intercept ** 2) * SLACK
    done = 0
    for batch in stream.batches():
        for step in _steps(learner, batch):
            done += 1
            if learner.state_.books[-1, MAX_NORM2] > longest2:
                raise RegretlessError(f"{stream.name}: row {done} is longer than radius={radius!r}")
            if two_classes and len(learner.classes_) > 2:
                raise RegretlessError(f"{stream.name}: (radius / margin)^2 is for two classes; give mistakes instead")
            yield step


def _steps(learner: OnlineClassifier, batch: Batch) -> Iterator[tuple[bool, bool]]:
    """Play a batch row by row. A class that was not known changes the hypothesis, unless there was but one: two classes
    are the two signs, whichever comes first."""
    row = 0
    while row < len(batch):
        if hasattr(learner, "classes_"):
            row = yield from _known(learner, batch, row)
        if row < len(batch):
            before = (updates(learner.state_), len(learner.classes_)) if hasattr(learner, "classes_") else (0.0, 1)
            learner.observe(batch.slice(row, row + 1))
            after = updates(learner.state_), len(learner.classes_)
            updated = after[0] > before[0]
            yield updated, updated or after[1] > max(2, before[1])
            row += 1


def _known(learner: OnlineClassifier, batch: Batch, begin: int) -> Generator[tuple[bool, bool], None, int]:
    """Play rows one by one as far as their classes are known; where that ends."""
    if batch.labels is None:
        raise RegretlessError("rounds without labels teach nothing")
    learner.state_.grow(batch.columns)
    learner.n_features_in_ = learner.state_.columns
    weights = weigh(learner.class_weight, batch.labels, None, None)
    codes, new = codes_until_new(batch.labels, learner.classes_, learner._codes)
    end = len(batch) if new is None else new
    rules = learner.rules()
    for row in range(begin, end):
        before = updates(learner.state_)
        batch = learner._play(batch, codes, weights, None, rules, row, row + 1)
        updated = updates(learner.state_) > before
        yield updated, updated
    return end
