"""Progressive counts: each row predicted before it is learned."""

from __future__ import annotations

import json
import tracemalloc
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import confusion_matrix, roc_auc_score

from regretless.catalogue import LEARNERS
from regretless.cli.learn.labels import progressive_lines
from regretless.data.batch import Batch
from regretless.data.svmlight import SvmlightStream
from regretless.errors import ModelError
from regretless.linear import (
    AggregatedClassifier,
    AveragedPerceptron,
    KernelPerceptron,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
)
from regretless.linear import voted as voted_module
from regretless.linear.kernel import player as kernel_player
from regretless.linear.progressive import MOST_CLASSES, Progressive
from regretless.run.linear import Run

from ..catalogue import Entry

ROWS = 240
OTHERS = (
    {"taken": None},
    {"bins": [[-1], [1], [1]]},
    {"labels": [[0], [1]]},
    {"counts": None},
    {"sums": [0, 0, 0, 0, 9]},
)


def drawn(classes: int, *, seed: int = 0, noise: float = 0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 5))
    scores = X @ rng.normal(size=(5, classes)) + noise * rng.normal(size=(ROWS, classes))
    return X, scores.argmax(axis=1).astype(np.float64)


def watched(learner, X, y, *, step=37):
    """The counts of a stream in pieces."""
    counts = Progressive()
    learner.on_scores = counts
    for begin in range(0, len(y), step):
        learner.observe(Batch(X[begin : begin + step], y[begin : begin + step], X.shape[1]))
    learner.on_scores = None
    return counts


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", LEARNERS)
def test_errors_are_those_of_the_ledger(name, classes):
    """A learner that learns and predicts by the same weights errs as often as its ledger says, in whatever pieces."""
    X, y = drawn(classes)
    learner = Entry("linear", name).made()
    counts = watched(learner, X, y)
    again = watched(Entry("linear", name).made(), X, y, step=ROWS)
    assert counts.describe() == again.describe()
    assert counts.rounds == ROWS
    if name == "voted-perceptron":
        assert counts.last.errors == learner.ledger_.mistakes
    elif name != "averaged-perceptron":
        assert counts.errors == learner.ledger_.mistakes


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_that_are_too_small_for_floats_keep_their_signs(classes):
    """On rows of 1e-200, whose scores to a power are no floats, the p-norm perceptron errs as its ledger says."""
    X, y = drawn(classes)
    learner = Entry("linear", "p-norm-perceptron").made()
    assert watched(learner, X * 1e-200, y).errors == learner.ledger_.mistakes > 0


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("average", ["before", "after"])
@pytest.mark.parametrize("intercept", [0.0, 1.0])
def test_the_mean_predicts_what_the_learner_would_have_said(classes, average, intercept):
    """Errors of an averaged perceptron are those of its predictions before each row, not of its last weights."""
    X, y = drawn(classes, seed=3)
    learner = AveragedPerceptron(average=average, intercept=intercept)
    counts = watched(learner, X, y)
    plain, errors = AveragedPerceptron(average=average, intercept=intercept), 0
    for row in range(ROWS):
        if row >= 20:  # all classes are known
            errors += plain.predict(X[row : row + 1])[0] != y[row]
        plain.observe(Batch(X[row : row + 1], y[row : row + 1], 5))
    late = watched(AveragedPerceptron(average=average, intercept=intercept), X[:20], y[:20])
    assert counts.errors - late.errors == errors
    assert counts.errors < learner.ledger_.mistakes


def _products(left, right):
    """Inner products that have the same bits in whatever pieces rows come."""
    left, right = (rows.toarray() if sp.issparse(rows) else rows for rows in (left, right))
    return (left[:, None] * right).sum(axis=2)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("average", ["averaged", "voted"])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "callable"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_averages_and_votes_of_kernels_predict_what_the_learner_would_have_said(classes, average, kernel, layout):
    """Errors of an averaged or voted kernel perceptron are those of its predictions before each row; beside them the
    vote has those of its last function, which the theorems count."""
    X, y = drawn(classes, seed=4)
    function = _products if kernel == "callable" else kernel
    made = partial(KernelPerceptron, function, gamma=0.2, degree=2, average=average, ties=-1)
    rows = layout(X)

    def batch(begin, end):
        part = rows[begin:end]
        return (
            Batch(part.data, y[begin:end], 5, part.indices, part.indptr)
            if sp.issparse(part)
            else Batch(part, y[begin:end], 5)
        )

    def counts_of(rows, step):
        learner, counts = made(), Progressive()
        learner.on_scores = counts
        for begin in range(0, rows, step):
            learner.observe(batch(begin, min(begin + step, rows)))
        return learner, counts

    learner, counts = counts_of(ROWS, 37)
    plain, errors = made(), 0
    for row in range(ROWS):
        if row >= 20:  # all classes are known
            errors += plain.predict(rows[row : row + 1])[0] != y[row]
        plain.observe(batch(row, row + 1))
    assert counts.errors - counts_of(20, 20)[1].errors == errors
    assert counts.describe() == counts_of(ROWS, ROWS)[1].describe()
    assert (counts.last is None) == (average == "averaged")
    assert counts.last is None or counts.last.errors == learner.ledger_.mistakes


@pytest.mark.parametrize(("average", "instead"), [(None, None), ("averaged", "the mean"), ("voted", "votes")])
def test_lines_name_the_function_that_predicts(average, instead):
    """What is printed of an averaged or voted kernel perceptron are the errors of the mean or the vote, and what the
    theorems count beside it; else the errors are said to be the last function's."""
    X, y = drawn(2, seed=4)
    learner = KernelPerceptron("rbf", gamma=0.2, average=average)
    counts = watched(learner, X, y)
    lines = list(progressive_lines(learner, counts))
    mistakes = f"{int(learner.ledger_.mistakes)} of {ROWS}"
    assert f": {counts.errors} of {ROWS}" in lines[0]
    assert lines[0].endswith("(by the last function)") == (average is None)
    if instead:
        assert f"by the last function instead of {instead}, as the theorems count: {mistakes}" in lines[1]
        assert counts.errors != learner.ledger_.mistakes


def test_votes_of_kernels_that_take_too_long_are_not_counted(monkeypatch):
    """Beyond so many rounds times updates, all counts are those of the last function, in one batch or many."""
    X, y = drawn(2, seed=3)
    monkeypatch.setattr(kernel_player, "MOST_VOTED", 2000)
    learner = KernelPerceptron("rbf", gamma=0.2, average="voted")
    counts = watched(learner, X, y, step=20)
    assert counts.last is None
    assert counts.errors == learner.ledger_.mistakes


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_and_area_are_those_of_scikit_learn(classes):
    """Confusion, recall and the interval of the AUC contain what is computed from all scores at once."""
    X, y = drawn(classes, seed=5)
    learner = Perceptron()
    learner.announce(np.arange(float(classes)), 5)
    counts, messages, scores = Progressive(), [], []
    learner.on_scores = counts
    for row in range(ROWS):
        messages.append(learner.predict(X[row : row + 1])[0])
        scores.append(learner.decision_function(X[row : row + 1]).ravel())
        learner.observe(Batch(X[row : row + 1], y[row : row + 1], 5))
    labels = counts.labels
    np.testing.assert_array_equal(counts.confusion, confusion_matrix(y, messages, labels=labels))
    summary = counts.summary()
    assert [one["label"] for one in summary["classes"]] == labels
    for one in summary["classes"]:
        mine = np.array(messages) == one["label"]
        assert one["recall"] == pytest.approx(mine[y == one["label"]].mean())
        assert one["precision"] == pytest.approx((y[mine] == one["label"]).mean())
    if classes == 2:
        low, high = counts.auc()
        assert low <= roc_auc_score(y, np.ravel(scores)) <= high
        assert high - low < 0.02
    else:
        assert counts.auc() is None


def test_simple_rules_are_counted_beside():
    """Always the most frequent label so far, and the label before, as a plain loop counts them."""
    y = np.random.default_rng(2).choice([0.0, 1.0, 2.0], p=[0.7, 0.2, 0.1], size=ROWS)
    counts = watched(MulticlassPerceptron(), np.ones((ROWS, 1)), y)
    frequent = previous = 0
    observed: dict[float, int] = {}
    for row, label in enumerate(y):
        frequent += not observed or max(observed, key=lambda one: observed[one]) != label
        previous += row == 0 or y[row - 1] != label
        observed[label] = observed.get(label, 0) + 1
    assert (counts.constant, counts.previous) == (frequent, previous)
    assert counts.frequent == 0.0


def test_counts_go_on_from_what_was_saved():
    """A description, through JSON, goes on as if nothing had happened; one that does not fit is refused."""
    X, y = drawn(2)
    whole, learner = watched(Perceptron(), X, y), Perceptron()
    half = Progressive.read(json.loads(json.dumps(watched(learner, X[:100], y[:100]).describe())))
    learner.on_scores = half
    learner.observe(Batch(X[100:], y[100:], 5))
    assert half.describe() == whole.describe()
    for change in ({"counts": [1, 2]}, {"sums": [1]}, {"labels": [0]}, {"bins": [[1 << 20], [1], [1]]}, *OTHERS):
        with pytest.raises(ModelError):
            Progressive.read(whole.describe() | change)


def test_very_many_classes_are_counted_without_a_table():
    """Beyond so many classes there is no confusion, and everything else stays."""
    y = np.arange(ROWS) % (MOST_CLASSES + 20)
    counts = watched(MulticlassPerceptron(), np.eye(ROWS), y.astype(np.float64))
    assert counts.summary()["classes"] == []
    assert counts.summary()["confusion"] is None
    assert (counts.rounds, counts.previous) == (ROWS, ROWS)


def test_kernels_of_all_kinds_write_their_scores_down():
    """Rows, Gram matrices and functions give the same counts of the perceptron in the dual."""
    X, y = drawn(2)
    expected = watched(Perceptron(), X, y).errors
    for kernel in ("linear", lambda A, B: A @ B.T):
        learner = KernelPerceptron(kernel=kernel)
        assert watched(learner, X, y).errors == expected
        assert learner.ledger_.mistakes == expected


@pytest.mark.parametrize("votes", ["before", "after"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_votes_are_counted_as_if_each_row_were_predicted_before_it_is_learned(votes, classes, sparse):
    """Rows in pieces, dense and sparse, err by votes as often as `predict` does between rounds learned one by one;
    counts are read back from their description."""
    X, y = drawn(classes, seed=3)
    X[np.abs(X) < 0.5] = 0
    learner, slow, wrong = VotedPerceptron(votes=votes), VotedPerceptron(votes=votes), 0
    for one in (learner, slow):
        one.announce(np.arange(float(classes)), 5)
    counts = Progressive()
    learner.on_scores = counts
    for begin in range(0, ROWS, 37):
        rows = sp.csr_array(X[begin : begin + 37])
        there = (rows.data, y[begin : begin + 37], 5, rows.indices, rows.indptr)
        learner.observe(Batch(*there) if sparse else Batch(X[begin : begin + 37], y[begin : begin + 37], 5))
    for x, label in zip(X, y, strict=True):
        wrong += int(slow.predict(x[None])[0] != label)
        slow.observe(Batch(x[None], np.array([label]), 5))
    assert counts.errors == wrong < counts.last.errors == learner.ledger_.mistakes
    again = Progressive.read(json.loads(json.dumps(counts.describe())))
    assert again.summary() == counts.summary()
    assert again.summary()["last_weights"] == {"errors": counts.last.errors}


def test_votes_that_take_too_long_leave_the_counts_of_the_last_weights(monkeypatch):
    """Once they are too many, all counts are those of the last weights, in whatever pieces the rows came."""
    X, y = drawn(2)
    monkeypatch.setattr(voted_module, "MOST_PRODUCTS", 100_000)
    counts = watched(VotedPerceptron(), X, y)
    assert counts.last is None
    assert counts.describe() == watched(Perceptron(), X, y).describe()
    assert counts.describe() == watched(VotedPerceptron(), X, y, step=ROWS).describe()


@pytest.mark.parametrize("classes", [2, 4])
def test_the_log_loss_is_that_of_probabilities_before_each_row(classes):
    """It is minus the logarithm of what `predict_proba` gave the label before the row was learned, and the ledger's."""
    X, y = drawn(classes)
    learner, twin, counts = AggregatedClassifier(), AggregatedClassifier(), Progressive()
    counts.log_loss = 0.0
    learner.partial_fit(X[:1], y[:1], classes=range(classes))
    twin.partial_fit(X[:1], y[:1], classes=range(classes))
    before = learner.ledger_.loss
    learner.on_scores = counts
    learner.observe(Batch(X[1:], y[1:], X.shape[1]))
    loss = 0.0
    for row, label in zip(X[1:], y[1:], strict=True):
        loss -= np.log(twin.predict_proba(row[None])[0, int(label)])
        twin.partial_fit(row[None], [label])
    assert counts.log_loss == pytest.approx(loss, rel=1e-12)
    assert counts.log_loss == pytest.approx(learner.ledger_.loss - before, rel=1e-12)
    assert counts.summary()["log_loss"] == counts.log_loss


@pytest.mark.parametrize("classes", [2, 4])
def test_the_log_loss_has_the_same_bits_in_any_pieces(classes):
    """A run that is stopped and goes on has the very sum of one that was not, wherever it stopped."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(ROWS, 1 if classes == 2 else classes)) * 3
    codes = rng.integers(0, classes, ROWS).astype(np.int32)
    sums = set()
    for step in (1, 7, 50, ROWS):
        counts = Progressive()
        counts.log_loss = 0.0
        for begin in range(0, ROWS, step):
            counts(scores[begin : begin + step], codes[begin : begin + step], np.arange(classes), 1.0)
        sums.add(counts.log_loss)
    assert len(sums) == 1


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_constants_lose_what_their_definitions_say(classes):
    """In hindsight the shares of the labels; so far each with its rows and a half, multiplied up in any order."""
    y = np.random.default_rng(classes).integers(0, classes, ROWS)
    counts = Progressive()
    counts(np.zeros((ROWS, 1 if classes < 3 else classes)), y, np.arange(classes), 1.0)
    known, so_far, hindsight = max(classes, 2), 0.0, 0.0
    for place, label in enumerate(y):
        so_far -= np.log((np.count_nonzero(y[:place] == label) + 0.5) / (place + known / 2))
        hindsight -= np.log(np.mean(y == label))
    assert counts.constant_so_far() == pytest.approx(so_far)
    assert counts.best_constant() == pytest.approx(hindsight)


def test_a_log_loss_that_is_none_is_refused():
    """It goes on from what was saved, and a number below 0 is no log loss; without probabilities there is none."""
    X, y = drawn(2)
    counts = Progressive()
    assert "log_loss" not in watched(Perceptron(), X, y).describe()
    assert "log_loss" not in counts.summary()
    counts.log_loss = 2.5
    record = json.loads(json.dumps(counts.describe()))
    assert Progressive.read(record).log_loss == 2.5
    for wrong in (-1, float("inf"), float("nan"), "much"):
        with pytest.raises(ModelError):
            Progressive.read(record | {"log_loss": wrong})


def test_scores_of_many_classes_that_come_late_are_not_kept(tmp_path):
    """With 200 classes that come all along 3,000 rows, less is kept while they are learned than their scores take."""
    rows, classes = 3000, 200
    labels = [row // 15 if row % 15 == 0 else row % (row // 15 + 1) for row in range(rows)]
    (tmp_path / "rows.svm").write_text("".join(f"{label} 1:{row % 7} 2:1\n" for row, label in enumerate(labels)))
    kept = []
    run = Run(MulticlassPerceptron(), SvmlightStream(tmp_path / "rows.svm"))
    run.on_point = lambda point: kept.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.start()
    run.play()
    tracemalloc.stop()
    assert run.progressive.rounds == rows
    assert max(kept) < rows * classes * 8
