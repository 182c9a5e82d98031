"""What every learner of the table promises, whatever it learns by."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import regretless
from regretless.catalogue import LEARNERS
from regretless.data import load_svmlight
from regretless.errors import ModelError, RegretlessError
from regretless.ledger import FIELDS
from regretless.persist.format import read_model
from regretless.persist.model import rebuilt
from regretless.theory.aggregated import switching

from ..catalogue import Entry
from ..certificates import speak_of_some_rows
from ..command_line import CommandLine, noisy_lines, write

EVERY = pytest.mark.parametrize("name", list(LEARNERS))
CLASSES = pytest.mark.parametrize("classes", [(-1, 1), (1, 2, 5)], ids=["two classes", "three classes"])


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def made(name: str, **more: object):
    """The learner of that name."""
    return Entry("linear", name).made(**more)


def words(name: str) -> list[str]:
    """The same on the command line."""
    settings = Entry("linear", name).settings
    return ["--learner", name, *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))]


def rows(classes: tuple[int, ...], *, size: int = 160, seed: int = 0):
    """A noisy problem in memory, dense."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(size, 6)) * (random.random((size, 6)) < 0.7)
    directions = random.normal(size=(6, len(classes)))
    y = np.array(classes)[(X @ directions).argmax(axis=1)]
    return X, np.where(random.random(size) < 0.1, random.choice(classes, size=size), y)


@EVERY
@CLASSES
def test_a_file_becomes_a_model_a_report_and_certificates(run, tmp_path, name, classes):
    """`learn` writes a model and a page, no certificate is violated, one applies that any rows may have, and `certify`
    repeats it."""
    data = write(tmp_path / "rows.svm", noisy_lines(100, classes=classes))
    model, page = tmp_path / "m.rgl", tmp_path / "r.html"
    learned = run("learn", data, *words(name), "--save", model, "--report", page, "--json")
    assert learned.code == 0, learned.err
    certificates = learned.json["certificates"]
    applying = [c for c in certificates if c["applies"]]
    assert applying or speak_of_some_rows(made(name).proven())
    assert all(c["observed"] <= c["bound"] * (1 + 1e-9) + 1e-9 for c in applying if c["bound"] is not None)
    assert "</html>" in page.read_text()
    again = run("certify", model, data, "--json")
    assert again.code == 0, again.err
    assert [c["applies"] for c in again.json["certificates"]] == [c["applies"] for c in certificates]
    inspected = run("inspect", model)
    assert inspected.code == 0, inspected.err
    assert name in inspected.out
    X, _ = load_svmlight(data)
    predicted = run("predict", model, data).out.split()
    assert [float(label) for label in predicted] == regretless.load(model).predict(X).tolist()


@EVERY
@CLASSES
def test_a_stream_may_be_cut_anywhere(tmp_path, name, classes):
    """Rows in one call, in many and with a stop at a model file between them give the same books and predictions."""
    X, y = rows(classes)
    whole = made(name).partial_fit(X, y, classes=classes)
    parts, archive = made(name), tmp_path / "kept.rgl"
    for begin in range(0, len(X), 70):
        parts.partial_fit(X[begin : begin + 70], y[begin : begin + 70], classes=classes)
        parts.save(archive)
        parts = regretless.load(archive)
    assert parts.ledger_ == whole.ledger_
    assert np.array_equal(parts.decision_function(X), whole.decision_function(X))


@EVERY
@CLASSES
def test_dense_and_sparse_rows_are_the_same_rows(name, classes):
    """Compressed rows, with int32 or int64 indices, give the books and scores of the dense ones, bit for bit."""
    X, y = rows(classes)
    dense = made(name).fit(X, y)
    for index in (np.int32, np.int64):
        sparse = sp.csr_array(X)
        sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
        ours = made(name).fit(sparse, y)
        assert ours.ledger_ == dense.ledger_
        assert np.array_equal(ours.decision_function(sparse), dense.decision_function(X))


@EVERY
@CLASSES
def test_certificates_hold_and_say_why_they_do_not_apply(name, classes):
    """Each theorem of the learner gives one certificate; it holds, or says in words why there is no number."""
    X, y = rows(classes)
    learner = made(name).fit(X, y)
    certificates = learner.certify(X, y)
    theorems = [c.theorem for c in certificates]
    if name == "aggregated":  # the best come first, and a sequence of members is left out that is one of them
        assert len(theorems) == len(set(theorems))
        theorems = [one for one in learner.proven() if one in theorems or one is switching]
    assert theorems == list(learner.proven())
    assert all(c.holds and not c.violated for c in certificates)
    assert all(c.applies or c.why for c in certificates)
    assert not any(c.applies for c in learner.certify(X[::-1], y[::-1]))


@EVERY
def test_what_cannot_be_used_is_refused(name):
    """NaN, infinity, another number of columns and one class only are errors that say what is wrong."""
    X, y = rows((-1, 1))
    for bad, what in ((np.nan, "NaN"), (np.inf, "infinity")):
        wrong = X.copy()
        wrong[7, 2] = bad
        with pytest.raises(RegretlessError, match=what):
            made(name).fit(wrong, y)
    with pytest.raises(RegretlessError, match="one class"):
        made(name).fit(X, np.ones(len(X), dtype=int))
    learner = made(name).fit(X, y)
    with pytest.raises(RegretlessError, match="features"):
        learner.predict(X[:, :3])


@EVERY
def test_single_rounds_are_the_rounds_of_a_batch(name):
    """`update_one` and `predict_one` do to one row what `partial_fit` and `predict` do to a batch."""
    X, y = rows((-1, 1), size=80)
    batch = made(name).partial_fit(X, y, classes=[-1, 1])
    single = made(name).partial_fit(X[:1], y[:1], classes=[-1, 1])
    for x, label in zip(X[1:], y[1:], strict=True):
        single.update_one(x, label)
    assert single.ledger_ == batch.ledger_
    assert [single.predict_one(x) for x in X] == batch.predict(X).tolist()


@EVERY
@pytest.mark.parametrize("names", [5, True, "ab", [1, 2, 3, 4, 5, 6], ["a", "b"], {"a": 1}])
def test_a_model_whose_names_fit_no_columns_is_refused(tmp_path, name, names):
    """A model file, though its checksum be right, has one name a column or none."""
    X, y = rows((-1, 1), size=60)
    path = tmp_path / "m.rgl"
    made(name).fit(X, y).save(path)
    description, tensors = read_model(path)
    description["names"] = names
    with pytest.raises(ModelError, match="does not fit together"):
        rebuilt(path, description, tensors)


@EVERY
def test_a_model_that_claims_rounds_without_end_is_not_played_for_ever(tmp_path, name):
    """Rounds that are no whole number of readings are other rounds at once, however many there are said to be."""
    X, y = rows((-1, 1), size=60)
    path = tmp_path / "m.rgl"
    made(name).fit(X, y).save(path)
    description, tensors = read_model(path)
    description["fresh"] = None
    tensors["books"] = tensors["books"].copy()
    tensors["books"][-1, FIELDS.index("rounds")] = 1e15 + 1
    try:
        learner = rebuilt(path, description, tensors)[0]
    except ModelError:
        return
    assert not any(certificate.applies for certificate in learner.certify(X, y))


@EVERY
@CLASSES
def test_threads_may_predict_at_once(name, classes):
    """Scores that several threads ask of one learner at the same time are those that one thread gets."""
    X, y = rows(classes)
    learner = made(name).fit(X, y)
    expected = learner.decision_function(X)
    with ThreadPoolExecutor(4) as pool:
        values = list(pool.map(lambda _: learner.decision_function(X), range(24)))
    assert all(np.array_equal(one, expected) for one in values)


@EVERY
@CLASSES
def test_sparse_rows_are_their_dense_twins_however_many(name, classes):
    """Thousands of sparse rows, which are read in pieces, teach and score the bits of their dense twins."""
    X, y = rows(classes, size=2500)
    dense, sparse = made(name), made(name)
    assert np.array_equal(dense.fit(X, y).decision_function(X), sparse.fit(sp.csr_array(X), y).decision_function(X))
    assert np.array_equal(dense.decision_function(X), sparse.decision_function(sp.csr_array(X)))
    assert dense.ledger_ == sparse.ledger_


@EVERY
def test_a_weight_of_a_class_without_rows_is_warned_of(name):
    """`fit` of every learner warns once of each class in class_weight that no row is of, of no other, and not where
    classes may still come."""
    X, y = np.array([[1.0, 0.5], [0.5, 1.0]] * 4), np.array([0, 1] * 4)
    learner = made(name, class_weight={0: 2.0, 7: 3.0})
    with pytest.warns(UserWarning, match="class_weight: no row is of the class 7, so that its weight") as caught:
        learner.fit(X, y)
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(name, class_weight={0: 2.0, 7: 3.0}).partial_fit(X, y)
        made(name, class_weight={0: 2.0, 1: 3.0}).fit(X, y)
