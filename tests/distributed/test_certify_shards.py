"""Certificates of ordinary models whose rounds are in shards: those of one stream, without bringing the rows
together."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless.distributed.comparators as over
from regretless.certify import certify_stream
from regretless.data.arrays import ArrayStream
from regretless.data.batch import Batch
from regretless.distributed import files
from regretless.distributed.certify import ALL_AT_ONCE, certify_shards
from regretless.errors import RegretlessError
from regretless.linear import (
    AROW,
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Winnow,
)
from regretless.linear.comparators.rays import Direction, Sight

LEARNERS: list[Any] = [
    Perceptron(intercept=1.0),
    AveragedPerceptron(),
    MulticlassPerceptron(),
    MarginPerceptron(gamma=0.01),
    OnlineGradientDescent(loss="logistic", radius=2.0),
    PassiveAggressive(variant="PA-II"),
    PNormPerceptron(p=3.0),
    Winnow(rate=0.2),
    AROW(),
]
SIZES = [30, 7, 50, 13]


def rows(seed: int, classes: int = 2, total: int = 100) -> tuple[Any, Any]:
    """Rows of four features, sorted in part by class, so that classes are met late."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(total, 4))
    y = (X @ rng.normal(size=(4, classes)) + 0.3 * rng.normal(size=(total, classes))).argmax(axis=1)
    order = np.concatenate([np.argsort(y[: total // 2], kind="stable"), np.arange(total // 2, total)])
    return X[order], y[order]


def cut(X: Any, y: Any) -> list[tuple[Any, Any]]:
    """The rows in shards of `SIZES`."""
    ends = np.cumsum(SIZES)
    return [(X[end - size : end], y[end - size : end]) for size, end in zip(SIZES, ends, strict=True)]


def learned(learner: Any, X: Any, y: Any, passes: int = 1) -> Any:
    """A learner of its own after so many passes in which it met its classes as they came."""
    twin = type(learner)(**learner.get_params())
    for _ in range(passes):
        twin.partial_fit(X, y)
    return twin


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no rounds were few enough to be brought to one place."""
    monkeypatch.setattr(over, "SMALL", -1)


@pytest.mark.parametrize("learner", [LEARNERS[0], LEARNERS[2], LEARNERS[-1], KernelPerceptron()], ids=repr)
def test_few_rounds_in_shards_have_the_certificates_of_one_stream(learner):
    """Where all rounds fit in one place the certificates are those of the same rows in one stream, to the last bit."""
    X, y = rows(1, 3)
    model = learned(learner, X, y)
    certificates = certify_shards(model, cut(X, y))
    assert [one.describe() for one in certificates] == [
        one.describe() for one in certify_stream(model, ArrayStream(X, y))
    ]


def test_rows_of_shards_are_called_by_their_shards(tmp_path):
    """Rows of two shards that no vector separates are called by their lines, also where lines are passed over,
    and rows of arrays by their places."""
    texts = {"a.svm": "1 1:1\n-1 2:1\n1 3:1\n", "b.svm": "# begins\n-1 2:3\n-1 1:1\n"}
    texts["c.svm"] = texts["b.svm"].replace("# begins", "oops\n")
    a, b, c = (tmp_path / name for name in texts)
    for path in (a, b, c):
        path.write_text(texts[path.name])
    X, y = np.vstack([np.eye(3), [[0, 3, 0], [1, 0, 0]]]), np.array([1.0, -1, 1, -1, -1])
    model = learned(Perceptron(), X, y)
    for shards, called in (
        (files([a, b]), f"the row in line 1 of {a} and the row in line 3 of {b} are equal"),
        (files([a, c], on_error="skip"), f"the row in line 1 of {a} and the row in line 4 of {c} are equal"),
        (
            [(X[:3], y[:3]), (X[3:], y[3:])],
            "row 0 (counted from 0) of shard 0 and row 1 (counted from 0) of shard 1 are equal",
        ),
    ):
        assert any(called in (one.why or "") for one in certify_shards(model, shards))


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron(), MarginPerceptron(gamma=0.01)], ids=repr)
def test_a_deep_search_over_shards_says_how_much_tighter_it_is(learner, monkeypatch):
    """Few rounds in shards have the two searches of one stream; where they stay in their shards no bound is tighter."""
    monkeypatch.setattr("regretless.linear.comparators.question.QUICK_WORK", 1.0)
    monkeypatch.setattr("regretless.linear.comparators.question.WORK_AN_ENTRY", 0.0)
    X = np.random.default_rng(1).normal(size=(100, 25))
    y = (X[:, :12].sum(axis=1) > 0).astype(int)
    model = learned(learner, X, y)
    certificates = certify_shards(model, cut(X, y), deep=True)
    assert max(one.tighter or 0.0 for one in certificates) > 0
    assert list(map(str, certificates)) == list(map(str, certify_stream(model, ArrayStream(X, y), deep=True)))
    monkeypatch.setattr(over, "SMALL", -1)
    there = certify_shards(model, cut(X, y), deep=True)
    assert {one.tighter for one in there} <= {0.0, None}
    assert [one.bound for one in there] == [one.bound for one in certify_shards(model, cut(X, y))]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize(("classes", "passes"), [(2, 1), (3, 2)])
@pytest.mark.usefixtures("no_room")
def test_a_vector_suffers_in_shards_what_it_suffers_in_one_stream(learner, classes, passes):
    """Read in shards that stay where they are, a user's vectors have the sums of one reading of all rows, of every
    class from where it was first met and over every pass."""
    X, y = rows(2, classes)
    model = learned(learner, X, y, passes)
    targets = model.state_.targets
    v = np.random.default_rng(0).uniform(0, 1, size=(targets, 4))
    for one, other in zip(
        certify_shards(model, cut(X, y), against=v), certify_stream(model, ArrayStream(X, y), against=v), strict=True
    ):
        assert one.theorem is other.theorem
        assert one.why == other.why
        if one.applies:
            assert one.observed == pytest.approx(other.observed, rel=1e-9, abs=1e-9)
            assert one.bound == pytest.approx(other.bound, rel=1e-9)


@given(place=st.integers(0, len(LEARNERS) - 1), seed=st.integers(0, 2**31), classes=st.sampled_from([2, 3]))
@settings(max_examples=10)
def test_no_certificate_over_shards_is_violated(place, seed, classes):
    """Whatever the rows, no certificate that is read in shards is violated."""
    X, y = rows(seed, classes)
    model = learned(LEARNERS[place], X, y, 1 + seed % 2)
    before = over.SMALL
    try:
        over.SMALL = -1
        certificates = certify_shards(model, cut(X, y))
    finally:
        over.SMALL = before
    assert not any(one.violated for one in certificates)


@pytest.mark.usefixtures("no_room")
def test_every_engine_reads_the_same():
    """Threads give the same certificates as one shard after the other, to the last bit."""
    X, y = rows(3, 3)
    model = learned(LEARNERS[0], X, y)
    here = [one.describe() for one in certify_shards(model, cut(X, y))]
    with ThreadPoolExecutor(3) as pool:
        assert [one.describe() for one in certify_shards(model, cut(X, y), pool)] == here


@given(seed=st.integers(0, 2**31), directions=st.integers(1, 3))
@settings(max_examples=10)
def test_sums_travel_without_loss(seed, directions):
    """What a reading along some directions has added up comes out of a pickle as it went in, though empty bins stay
    behind."""
    X, y = rows(seed, total=20)
    vectors = np.random.default_rng(seed).normal(size=(directions, 4))
    sight = Sight([Direction.along("some", v) for v in vectors], 0.0)
    sight.take(np.ones(directions), Batch(X, None, 4), np.where(y == 1, 1, -1).astype(np.int32))
    observed = sight.sums()
    packed = pickle.dumps(observed)
    other = pickle.loads(packed)
    assert len(packed) < 4000 * directions < observed.bins.nbytes
    assert np.array_equal(other.bins, observed.bins)
    assert np.array_equal(other.least, observed.least)
    for name in ("rounds", "longest", "total"):
        assert np.array_equal(getattr(other, name), getattr(observed, name))


def test_models_made_of_rows_need_all_of_them_at_once(monkeypatch):
    """A kernel perceptron is certified where its rounds can be brought together, and says why not where they cannot."""
    X, y = rows(4)
    model = learned(KernelPerceptron(), X, y)
    assert any(one.applies for one in certify_shards(model, cut(X, y)))
    monkeypatch.setattr(over, "SMALL", -1)
    assert {one.why for one in certify_shards(model, cut(X, y))} == {ALL_AT_ONCE}


def test_rounds_that_are_not_trusted_are_played_again():
    """The same shards in another order are other rounds: they are declined unless they are trusted."""
    X, y = rows(5)
    model, shards = learned(Perceptron(), X, y), cut(X, y)
    assert any(one.applies for one in certify_shards(model, shards, trusted=False))
    assert not any(one.applies for one in certify_shards(model, shards[::-1], trusted=False))


def test_other_numbers_of_rounds_are_declined():
    """If a shard is missing, the certificates say that these are other rounds."""
    X, y = rows(6)
    model = learned(Perceptron(), X, y)
    assert not any(one.applies for one in certify_shards(model, cut(X, y)[:-1]))


def test_files_are_read_where_they_are_and_named(tmp_path, monkeypatch):
    """svmlight files are certified as their rows are, and one with a label that was never met is named."""
    X, y = rows(7)
    for place, (part, labels) in enumerate(cut(X, y)):
        lines = [
            f"{label} " + " ".join(f"{i + 1}:{x!r}" for i, x in enumerate(row.tolist())) + "\n"
            for row, label in zip(part, labels, strict=True)
        ]
        (tmp_path / f"part-{place}.svm").write_text("".join(lines))
    model = learned(Perceptron(), X, y.astype(float))
    paths = files(str(tmp_path / "part-*.svm"))
    v = [[0.1, 0.2, 0.3, 0.4]]
    monkeypatch.setattr(over, "SMALL", -1)
    certificates = certify_shards(model, paths, against=v)
    for one, other in zip(certificates, certify_shards(model, cut(X, y.astype(float)), against=v), strict=True):
        assert one.applies == other.applies
        assert not one.applies or one.bound == pytest.approx(other.bound)
    (tmp_path / "part-2.svm").write_text("7 1:1\n")
    with pytest.raises(RegretlessError, match=r"part-2\.svm.*never met"):
        certify_shards(model, paths)
