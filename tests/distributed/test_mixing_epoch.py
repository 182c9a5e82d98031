"""Epochs over shards: what is the same bit for bit, what is counted, and what stops them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as grids

from regretless import load
from regretless.distributed.learner_adapter import learner_at, make_start, take_in
from regretless.distributed.shard_epoch import epoch, merge
from regretless.distributed.shards import Shard
from regretless.distributed.sources import arrays, files
from regretless.distributed.state_weights import weights_of
from regretless.errors import DataError, Interrupted, RegretlessError
from regretless.ledger import FIELDS, Ledger
from regretless.linear import (
    AveragedPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Winnow,
)

from .mixed_runs import PLANE, cut, mixed

LEARNERS = [
    Perceptron(),
    Perceptron(intercept=1.5, ties=1, class_weight={1: 2.0}),
    AveragedPerceptron(rate=0.3),
    AveragedPerceptron(average="after", intercept=0.3),
    MulticlassPerceptron(),
    PassiveAggressive(variant="PA"),
    PassiveAggressive(variant="PA-II", C=0.5),
    OnlineGradientDescent(),
    OnlineGradientDescent(loss="logistic", schedule="inverse-sqrt", intercept=0.5),
    OnlineGradientDescent(loss="squared-hinge", schedule="self-tuned", radius=0.7),
    OnlineGradientDescent(loss="square", schedule="constant", rate=0.01),
    Winnow(),
    Winnow(balanced=True, intercept=1.0),
    PNormPerceptron(),
]
NAMES = [repr(learner) for learner in LEARNERS]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)

entries = st.floats(-4, 4, width=32).map(lambda a: a + 0.0)


@st.composite
def rows(draw: Any, classes: int = 2, most: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a few columns, some entries zero, with labels of so many classes."""
    count, columns = draw(st.integers(2, most)), draw(st.integers(1, 5))
    X = draw(grids(np.float64, (count, columns), elements=st.one_of(st.just(0.0), entries)))
    names = [-1, 1] if classes == 2 else list(range(classes))
    return X, np.array(draw(st.lists(st.sampled_from(names), min_size=count, max_size=count)))


def some(count: int = 60, columns: int = 6, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, columns)) * (random.random((count, columns)) < 0.6)
    scores = X @ random.normal(size=(columns, classes)) + random.normal(size=(count, classes))
    best = scores.argmax(axis=1)
    return X, 2 * best - 1 if classes == 2 else best


def fresh(learner: Any) -> Any:
    return type(learner)(**learner.get_params())


def bits(learner: Any) -> dict[str, bytes]:
    """All that is remembered but the books, whose sums over epochs are added in another order."""
    return {name: array.tobytes() for name, array in learner.state_.tensors().items() if name != "books"}


def sequential(learner: Any, X: Any, y: Any, passes: int, classes: Any) -> Any:
    learner = fresh(learner)
    for _ in range(passes):
        learner.partial_fit(X, y, classes=classes)
    return learner


# ---- the same bits


@every_learner
@settings(max_examples=12)
@given(st.data())
def test_one_shard_is_the_sequential_run(learner: Any, data: Any) -> None:
    """Over one shard, some epochs leave every bit of what as many passes over its rows leave, of the means too."""
    classes = data.draw(st.sampled_from([2, 3]))
    (X, y), epochs = data.draw(rows(classes)), data.draw(st.integers(1, 3))
    names = [-1, 1] if classes == 2 else [0, 1, 2]
    one = sequential(learner, X, y, epochs, names)
    other, _ = mixed(fresh(learner), [(X, y)], epochs, classes=names)
    assert bits(one) == bits(other)
    assert np.array_equal(one.coef_, other.coef_)
    for counted in ("rounds", "updates", "mistakes", "weighted", "max_norm2"):
        assert getattr(one.ledger_, counted) == getattr(other.ledger_, counted)
    assert np.allclose(one.state_.books, other.state_.books, rtol=1e-12)


@every_learner
@settings(max_examples=12)
@given(st.data())
def test_one_epoch_over_one_shard_is_one_pass_without_handing_anything_over(learner: Any, data: Any) -> None:
    """The general way, by parts alone, gives the weights and means of one pass over one shard bit for bit."""
    X, y = data.draw(rows())
    one = sequential(learner, X, y, 1, [-1, 1])
    other, _ = mixed(fresh(learner), [(X, y)], 1, alone=False)
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()


EUCLIDEAN = [learner for learner in LEARNERS if getattr(learner, "radius", None) is None or isinstance(learner, Winnow)]
EUCLIDEAN = [one for one in EUCLIDEAN if not isinstance(one, AveragedPerceptron)]


@pytest.mark.parametrize("learner", EUCLIDEAN, ids=[repr(one) for one in EUCLIDEAN])
def test_parts_alone_give_the_weights_of_several_passes(learner: Any) -> None:
    """Weights that are not rescaled come out of several epochs by parts alone as they come out of as many passes."""
    X, y = some()
    one = sequential(learner, X, y, 3, [-1, 1])
    other, _ = mixed(fresh(learner), [(X, y)], 3, alone=False)
    assert one.coef_.tobytes() == other.coef_.tobytes()


@every_learner
def test_one_shard_after_the_other_is_the_sequential_run(learner: Any) -> None:
    """Shards that are mixed one at a time, each from what the one before has left, are the stream of all their rows."""
    X, y = some(60, classes=3)
    one, two = fresh(learner), fresh(learner)
    two.announce(np.arange(3), 6)
    clock = None
    for number, (A, b) in enumerate(cut(X, y, 3) * 2):
        one.partial_fit(A, b, classes=[0, 1, 2])
        start = make_start(two, schema=PLANE, epoch=number // 3, weighting="uniform", clock=clock, alone=True)
        clock = take_in(two, start, epoch(start, arrays([(A, b)])[0]))
    assert bits(one) == bits(two)


@every_learner
def test_results_in_any_order_give_the_same_bits(learner: Any) -> None:
    """The model does not depend on which shard is done first."""
    X, y = some(90, classes=3)
    one, _ = mixed(fresh(learner), cut(X, y, 5), 3, classes=[0, 1, 2])
    other, _ = mixed(fresh(learner), cut(X, y, 5), 3, classes=[0, 1, 2], order=[3, 0, 4, 2, 1])
    assert bits(one) == bits(other)
    assert one.state_.books.tobytes() == other.state_.books.tobytes()


@every_learner
@pytest.mark.parametrize("weighting", ["uniform", "updates", "rows"])
def test_a_run_that_is_saved_between_epochs_is_the_run_that_is_not(
    learner: Any, weighting: str, tmp_path: Path
) -> None:
    """Saving the driver's learner after each epoch and going on from the file changes no bit."""

    def through_a_file(one: Any) -> Any:
        one.save(tmp_path / "between.rgl")
        return load(tmp_path / "between.rgl")

    X, y = some(70, classes=3)
    one, _ = mixed(fresh(learner), cut(X, y, 3), 3, classes=[0, 1, 2], weighting=weighting)
    other, _ = mixed(
        fresh(learner), cut(X, y, 3), 3, classes=[0, 1, 2], weighting=weighting, after_epoch=through_a_file
    )
    assert bits(one) == bits(other)
    assert one.state_.books.tobytes() == other.state_.books.tobytes()


@every_learner
def test_columns_that_only_some_shards_have(learner: Any) -> None:
    """Shards of sparse rows that know fewer columns give the bits of shards that know all of them from the start."""
    if isinstance(learner, PNormPerceptron):
        learner = PNormPerceptron(p=3.0)  # by default p is of the columns that are known at first
    X, y = some(60, 9)
    X[:20, 3:] = 0
    X[20:40, 5:] = 0
    wide = [(sp.csr_array(A), b) for A, b in cut(X, y, 3)]
    narrow = [(sp.csr_array(A[:, :width]), b) for (A, b), width in zip(cut(X, y, 3), (3, 5, 9), strict=True)]
    one, _ = mixed(fresh(learner), wide, 3, columns=9)
    other, _ = mixed(fresh(learner), narrow, 3, columns=3)
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert one.n_features_in_ == other.n_features_in_ == 9


@every_learner
def test_dense_and_sparse_shards_give_the_same_bits(learner: Any) -> None:
    """It does not matter whether a shard's rows are dense or sparse."""
    X, y = some(60, 9)
    one, _ = mixed(fresh(learner), cut(X, y, 3), 3)
    thin = [(sp.csr_array(A), b) if place else (A, b) for place, (A, b) in enumerate(cut(X, y, 3))]
    other, _ = mixed(fresh(learner), thin, 3)
    assert bits(one) == bits(other)


RESTING = [one for one in LEARNERS if getattr(one, "loss", "hinge") not in ("logistic", "square")]  # once all is well


@pytest.mark.parametrize("learner", RESTING, ids=[repr(one) for one in RESTING])
@pytest.mark.parametrize("weighting", ["uniform", "updates"])
def test_an_epoch_without_an_update_leaves_the_weights(learner: Any, weighting: str) -> None:
    """Where no shard updates, the mixed weights keep their bits."""
    X, y = np.array([[1.0, 0.3, 0.0], [-0.9, 0.2, 0.1], [0.7, -0.3, 0.1]] * 3), np.array([1, -1, 1] * 3)
    one, _ = mixed(fresh(learner), cut(X, y, 3), 1, weighting=weighting)
    weights = weights_of(one.state_)
    start = make_start(one, schema=PLANE, epoch=1, weighting=weighting)
    clear = np.array([[1e3, 0.0, 0.0], [2e3, 0.0, 0.0]]), np.array([1, 1])
    clean = [epoch(start, shard) for shard in arrays(cut(*clear, 2))]
    assert [outcome.counts[0].updates for outcome in clean] == [0, 0]
    take_in(one, start, merge(start, *clean))
    assert weights_of(one.state_).tobytes() == weights.tobytes()


def test_shards_without_updates_count_nothing_if_updates_count() -> None:
    """Of two shards of which one has no update, the mix by updates is the other's weights, bit for bit."""
    X, y = np.array([[0.0, 0.0], [1.0, 0.3], [-0.7, 2.0]]), np.array([1, 1, -1])
    shards = [(X[:1], y[:1]), (X[1:], y[1:])]
    learner, outcomes = mixed(Perceptron(ties=1), shards, 1, weighting="updates")
    assert [count.weight for count in outcomes[0].counts] == [0.0, 1.0]
    assert learner.coef_.tobytes() == Perceptron(ties=1).partial_fit(X[1:], y[1:], classes=[-1, 1]).coef_.tobytes()


# ---- what is counted


@every_learner
def test_books_are_of_the_epoch_and_add_up(learner: Any) -> None:
    """Each shard's books count its own epoch, and the learner's hold the sums over shards and epochs."""
    X, y = some(80, classes=3)
    one, outcomes = mixed(fresh(learner), cut(X, y, 4), 3, classes=[0, 1, 2], weighting="rows")
    counts = [count for outcome in outcomes for count in outcome.counts]
    assert [count.rounds for count in counts] == [20] * 12
    assert [count.weight for count in counts] == [20.0] * 12
    assert all(count.books[-1][FIELDS.index("rounds")] == 20 for count in counts)
    assert all(count.nonzeros == np.count_nonzero(part) for count, (part, _) in zip(counts, cut(X, y, 4), strict=False))
    for target, book in enumerate(one.state_.books):
        assert Ledger.read(book) == sum((Ledger.read(count.books[target]) for count in counts), Ledger())
    assert one.ledger_.updates == sum(count.updates for count in counts)
    assert one.ledger_.mistakes == sum(count.mistakes for count in counts)
    assert one.first_pass_ == (80, sum(count.mistakes for count in outcomes[0].counts))


def test_the_first_of_several_passes_within_an_epoch_is_what_was_new() -> None:
    """With three passes an epoch, the rounds that count as new are those of each shard's first pass."""
    X, y = some(60)
    learner, outcomes = mixed(Perceptron(), cut(X, y, 3), 1, passes=3)
    firsts = [Perceptron().partial_fit(A, b, classes=[-1, 1]).ledger_ for A, b in cut(X, y, 3)]
    assert [count.rounds for count in outcomes[0].counts] == [60, 60, 60]
    assert learner.first_pass_ == (60, sum(ledger.mistakes for ledger in firsts))


@pytest.mark.parametrize("schedule", ["inverse-sqrt", "self-tuned", "scale-free"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rates_never_rise_from_epoch_to_epoch(schedule: str, classes: int) -> None:
    """No shard begins an epoch with a larger rate than any shard had at the end of the one before."""
    X, y = some(80, classes=classes)
    X[:20] *= 3
    learner = OnlineGradientDescent(schedule=schedule, loss="logistic")
    _, outcomes = mixed(learner, cut(X, y, 4), 4, classes=[-1, 1] if classes == 2 else [0, 1, 2])
    first, last, targets = FIELDS.index("first_rate"), FIELDS.index("last_rate"), 1 if classes == 2 else 3
    for before, after in pairwise(outcomes):
        least = np.min([count.books[:targets, last] for count in before.counts], axis=0)
        assert all((count.books[:targets, first] <= least).all() for count in after.counts)


def test_the_clock_goes_by_the_longest_shard() -> None:
    """Rates of 1 / sqrt t count the rounds along the longest path: a shard of 5 rows goes on behind one of 20."""
    X, y = some(25)
    _, outcomes = mixed(
        OnlineGradientDescent(schedule="inverse-sqrt", loss="logistic", rate=1.0),
        [(X[:20], y[:20]), (X[20:], y[20:])],
        2,
    )
    first, last = FIELDS.index("first_rate"), FIELDS.index("last_rate")
    short = [outcome.counts[1].books[0] for outcome in outcomes]
    assert short[0][last] == pytest.approx(5**-0.5)
    assert short[1][first] == pytest.approx(21**-0.5)
    assert short[1][FIELDS.index("rounds")] == 5


# ---- what was not known, and what stops


def begin(learner: Any, classes: Any = (-1, 1), columns: int = 2, schema: Any = PLANE) -> Any:
    learner.announce(np.asarray(classes), columns)
    return make_start(learner, schema=schema, epoch=0, weighting="uniform")


def test_unknown_labels_are_reported_and_nothing_is_learned() -> None:
    """A shard that meets a label which was not announced reports all of its labels, and so does the merge."""
    start = begin(Perceptron())
    good, bad = arrays([([[1.0, 0.0]], [1]), (sp.csr_array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]), [-1, 5])])
    known, unknown = epoch(start, good), epoch(start, bad)
    assert unknown.part is None
    assert unknown.counts == ()
    for outcome in (unknown, merge(start, known, unknown), merge(start, unknown, known)):
        assert outcome.part is None
        assert outcome.schema is not None
        assert sorted(outcome.schema.labels) == [-1, 5]
        assert outcome.schema.columns == 3
    both = merge(start, unknown, epoch(start, arrays([([[1.0, 1.0]], [7])])[0])).schema
    assert both is not None
    assert sorted(both.labels) == [-1, 5, 7]
    assert len(both.schemas) == 2
    with pytest.raises(ValueError, match="begin anew"):
        take_in(Perceptron(), start, unknown)


def test_new_categories_are_reported(tmp_path: Path) -> None:
    """A file with a category that the schema lacks reports its own schema; one without is played."""
    (tmp_path / "a.csv").write_text("city,label\nOslo,1\nBonn,-1\n")
    (tmp_path / "b.csv").write_text("city,label\nRoma,1\nBonn,-1\n")
    first, second = files(str(tmp_path / "?.csv"))
    stream = first.open(None)
    list(stream.batches())
    start = begin(Perceptron(), schema=stream.schema())
    assert epoch(start, first).schema is None
    schema = epoch(start, second).schema
    assert schema is not None
    assert [value for _, value in schema.schemas[0]["features"]] == ["Oslo", "Bonn", "Roma"]


def test_ids_from_0_are_reported(tmp_path: Path) -> None:
    """A file whose ids begin at 0, where the others' begin at 1, is no bad file but news."""
    (tmp_path / "a.svm").write_text("1 0:1\n-1 3:1\n")
    (shard,) = files(str(tmp_path / "a.svm"))
    schema = epoch(begin(Perceptron(), schema={"format": "svmlight", "ids_from": 1}), shard).schema
    assert schema is not None
    assert schema.schemas == ({"format": "svmlight", "ids_from": 0},)
    assert schema.columns == 4


def test_a_bad_file_is_named_with_its_line(tmp_path: Path) -> None:
    """A malformed line in a shard raises the reader's own error, with the file and the line."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:x\n")
    (shard,) = files(str(tmp_path / "a.svm"))
    with pytest.raises(DataError, match=r"a\.svm:2:.*value not a number"):
        epoch(begin(Perceptron(), schema={"format": "svmlight", "ids_from": 1}), shard)


def test_rows_that_are_passed_over_are_counted(tmp_path: Path) -> None:
    """With on_error="skip" the count says how many rows were passed over, and what was wrong with the first."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:x\n1 2:1\n")
    (shard,) = files(str(tmp_path / "a.svm"), on_error="skip")
    (count,) = epoch(begin(Perceptron(), schema={"format": "svmlight", "ids_from": 1}), shard).counts
    assert (count.rounds, count.skipped) == (2, 1)
    assert "a.svm:2" in count.first_errors[0]


class Nothing(Shard):
    """A shard whose stream has no rows, or rows without labels."""

    name = "the empty one"

    def __init__(self, labels: bool = True) -> None:
        self.labels = labels

    def open(self, schema: Any) -> Any:
        (full,) = arrays([([[1.0, 0.0]], [1])])
        stream = full.open(schema)
        batch = next(iter(stream.batches()))
        from regretless.data.batch import Batch

        empty = Batch(batch.values[:0], batch.labels[:0], 2) if self.labels else Batch(batch.values, None, 2)
        stream.batches = lambda skip=0: iter([empty])  # type: ignore[method-assign, assignment]
        return stream


@pytest.mark.parametrize(
    ("shard", "text"),
    [
        (Nothing(), "the empty one: no rows"),
        (Nothing(labels=False), "the empty one: rows without labels"),
        (arrays([([[1.0, 0.0], [np.nan, 1.0]], [1, 1])])[0], "shard 0: .*NaN"),
        (arrays([([[1.0, 0.0]], ["yes"])])[0], "shard 0: .*strings and numbers never agree"),
        (arrays([([[1e200, 0.0]] * 9, [1, -1] * 4 + [1])])[0], "shard 0"),
    ],
    ids=["no rows", "no labels", "not finite", "labels of another kind", "too large"],
)
def test_a_shard_that_cannot_be_played_is_named(shard: Any, text: str) -> None:
    """The error names the shard and says what was found; it does not say that rows before it were learned."""
    with pytest.raises(RegretlessError, match=text) as caught:
        epoch(begin(Perceptron(rate=1e100)), shard)
    assert "learned" not in str(caught.value)


def test_a_shard_that_is_to_stop_says_no_more_than_that() -> None:
    """A wish to stop, which comes while a shard is read, is no fault of the shard and comes through as it is."""

    class Stopped(Nothing):
        def open(self, schema: Any) -> Any:
            raise Interrupted("interrupted")

    with pytest.raises(Interrupted, match=r"^interrupted$"):
        epoch(begin(Perceptron()), Stopped())


def test_a_mix_that_overflows_is_refused() -> None:
    """Two shards with finite weights whose difference is none raise an error, and the learner stays as it was."""
    learner = Perceptron()
    learner.announce(np.array([-1, 1]), 1)
    start = make_start(learner, schema=PLANE, epoch=0, weighting="uniform")
    ends = [epoch(start, shard) for shard in arrays([([[1.0]], [1]), ([[1.0]], [-1])])]
    parts = [replace(end.part, weights=end.part.weights * 1.7e308) for end in ends if end.part is not None]
    huge = [replace(end, part=part) for end, part in zip(ends, parts, strict=True)]
    with pytest.raises(RegretlessError, match="weights have overflowed"):
        take_in(learner, start, merge(start, *huge))
    assert learner.coef_.tolist() == [[0.0]]


def test_settling_leaves_what_it_was_given() -> None:
    """The result of an epoch is not changed by mixing it in: it may be mixed in again, elsewhere."""
    X, y = some(40)
    learner, _ = mixed(AveragedPerceptron(), cut(X, y, 2), 1)
    start = make_start(learner, schema=PLANE, epoch=1, weighting="uniform")
    outcome = epoch(start, arrays([(X, y)])[0])
    one, other = deepcopy(learner), deepcopy(learner)
    take_in(one, start, outcome)
    take_in(other, start, outcome)
    assert bits(one) == bits(other)


def test_a_weighting_that_there_is_not_is_refused() -> None:
    """Anything but uniform, updates and rows is refused by name."""
    learner = Perceptron()
    learner.announce(np.array([-1, 1]), 2)
    with pytest.raises(RegretlessError, match="weights='size'; it must be one of uniform, updates, rows"):
        make_start(learner, schema=None, epoch=0, weighting="size")  # type: ignore[arg-type]


def test_a_start_is_not_changed_by_who_plays_from_it() -> None:
    """Two shards that are played from one start in one process find it as it was."""
    X, y = some(40)
    learner, _ = mixed(AveragedPerceptron(), [(X, y)], 1)
    for alone in (False, True):
        start = make_start(learner, schema=PLANE, epoch=1, weighting="uniform", alone=alone)
        before = start.weights.tobytes(), start.norms2.tobytes(), start.clock.tobytes()
        first = epoch(start, arrays([(X, y)])[0])
        again = epoch(start, arrays([(X, y)])[0])
        assert first.part is not None
        assert again.part is not None
        assert first.part.weights.tobytes() == again.part.weights.tobytes()
        assert (start.weights.tobytes(), start.norms2.tobytes(), start.clock.tobytes()) == before
        assert weights_of(learner_at(start).state_).tobytes() == start.weights.tobytes()
