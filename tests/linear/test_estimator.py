"""The manners of a scikit-learn classifier, tried on a perceptron in plain numpy."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import warnings
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.exceptions import DataConversionWarning
from sklearn.exceptions import NotFittedError as TheirNotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from regretless.data.batch import Batch
from regretless.errors import NotFittedError, RegretlessError
from regretless.linear.classifier import Classifier
from regretless.linear.labels import read_labels
from regretless.rows.faults import explain_nonfinite
from regretless.rows.sample_weights import read_weights
from regretless.rows.validation import ascending, read_rows


class PlainPerceptron(Classifier):
    """One against the rest, row by row: slow, short, and a learner in every manner that is tested here."""

    def __init__(self, passes: int = 5, intercept: float = 1.0) -> None:
        self.passes = passes
        self.intercept = intercept

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PlainPerceptron:
        self._forget()
        batch = read_rows(X, learner=self, reset=True)
        labels, weights = read_labels(y, len(batch)), read_weights(sample_weight, len(batch))
        rows = self._dense(batch)
        classes = np.unique(labels)
        if len(classes) < 2:
            raise RegretlessError(f"y holds {len(classes)} class; a classifier needs at least two.")
        self._begin(classes)
        for _ in range(self.passes):
            self._play(rows, labels, weights)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> PlainPerceptron:
        first = not self.__sklearn_is_fitted__()
        batch = read_rows(X, learner=self, reset=first)
        labels = read_labels(y, len(batch))
        weights = read_weights(sample_weight, len(batch), all_zero=True)
        rows = self._dense(batch)
        if first:
            self._begin(np.unique(read_labels(classes, len(classes))))
        self._play(rows, labels, weights)
        return self

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        self._require_fitted()
        rows = self._dense(read_rows(X, learner=self, reset=False))
        scores = np.stack([row @ self.coef_ for row in rows])
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def _begin(self, classes: np.ndarray[Any, Any]) -> None:
        targets = 1 if len(classes) == 2 else len(classes)
        self.coef_ = np.zeros((self.n_features_in_ + 1, targets))
        self.classes_ = classes

    def _play(self, rows: Any, labels: Any, weights: Any) -> None:
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        signs = np.where(labels[:, None] == positive, 1.0, -1.0)
        for t, row in enumerate(rows):
            wrong = signs[t] * (row @ self.coef_) <= 0
            self.coef_ += np.outer(row, wrong * signs[t] * (1.0 if weights is None else weights[t]))

    def _dense(self, batch: Batch) -> np.ndarray[Any, Any]:
        rows = np.zeros((len(batch), batch.columns + 1))
        if batch.starts is None:
            rows[:, :-1] = batch.values
        else:
            rows[np.repeat(np.arange(len(batch)), np.diff(batch.starts)), batch.indices] = batch.values
        unfit = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if unfit.size:
            raise RegretlessError(explain_nonfinite(batch, int(unfit[0])))
        rows[:, -1] = self.intercept
        return rows


class Twin(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """The same methods upon scikit-learn's own base class: what it says is what ours should say."""

    def __init__(self, passes: int = 5, intercept: float = 1.0) -> None:
        self.passes = passes
        self.intercept = intercept

    fit, partial_fit = PlainPerceptron.fit, PlainPerceptron.partial_fit
    decision_function, predict = PlainPerceptron.decision_function, PlainPerceptron.predict


class Sized:
    """A bare learner: what `read_rows` needs of one."""


def rows_of(X: Any, **manner: Any) -> Batch:
    return read_rows(X, learner=Sized(), reset=True, **manner)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def blobs() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = np.array([[0, 3], [3, -2], [-3, -2]])[y] + generator.normal(size=(120, 2))
    order = generator.permutation(120)
    return X[order], y[order]


# ---- scikit-learn's own checks

WHY = "a row that weighs two moves the weights once, by twice as much; two rows are two rounds"
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": WHY,
    "check_sample_weight_equivalence_on_sparse_data": WHY,
}
with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message=".*does not inherit from")
    every_check = parametrize_with_checks(
        [PlainPerceptron()], expected_failed_checks=lambda estimator: EXPECTED_FAILURES
    )


@every_check
def test_scikit_learn_accepts_the_estimator(estimator: Any, check: Any) -> None:
    """Every estimator check of scikit-learn passes, save the two that are declared by name."""
    check(estimator)


def test_column_names_are_compared_as_scikit_learn_does() -> None:
    """The check of column names, which scikit-learn runs on its own estimators only, passes too."""
    check_dataframe_column_names_consistency("PlainPerceptron", PlainPerceptron())


# ---- without scikit-learn

WITHOUT_SCIKIT_LEARN = """
from __future__ import annotations
import pickle, sys
from typing import Any
import numpy as np
from regretless.data.batch import Batch
from regretless.errors import NotFittedError, RegretlessError
from regretless.linear.classifier import Classifier
from regretless.linear.labels import read_labels
from regretless.rows.faults import explain_nonfinite
from regretless.rows.validation import read_rows
from regretless.rows.sample_weights import read_weights
{learner}
X, y = np.array([[1.0, 2.0], [-1.0, -2.0]]), ["ham", "spam"]
learner = PlainPerceptron(passes=2).fit(X, y, sample_weight=[1, 2])
learner.partial_fit(X[:1], ["ham"]).set_params(passes=3)
assert learner.predict(X).tolist() == y and learner.score(X, y) == 1.0
assert repr(learner) == "PlainPerceptron(passes=3)", learner
learner = pickle.loads(pickle.dumps(learner))
try:
    PlainPerceptron().predict(X)
except NotFittedError as error:
    assert type(error) is NotFittedError
heavy = {{"sklearn", "scipy", "pandas", "pyarrow"}} & set(sys.modules)
assert not heavy, heavy
"""


def test_learning_imports_nothing_heavy() -> None:
    """Fitting, predicting, scoring and pickling import neither scikit-learn, scipy, pandas nor pyarrow."""
    code = WITHOUT_SCIKIT_LEARN.format(learner=inspect.getsource(PlainPerceptron))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr


# ---- parameters, fitted or not


def test_only_parameters_that_were_changed_are_printed() -> None:
    """The printed form names the parameters that differ from their defaults and no others."""
    assert repr(PlainPerceptron()) == "PlainPerceptron()"
    assert repr(PlainPerceptron(intercept=2.0, passes=5)) == "PlainPerceptron(intercept=2.0)"


def test_a_wrong_parameter_is_refused_in_scikit_learns_words() -> None:
    """Setting a parameter that does not exist says what scikit-learn would say and changes nothing."""
    ours, theirs = PlainPerceptron(passes=2), Twin(passes=2)
    with pytest.raises(ValueError, match="Invalid parameter 'eta'") as error:
        ours.set_params(passes=7, eta=1)
    with pytest.raises(ValueError, match="Invalid parameter 'eta'") as expected:
        theirs.set_params(eta=1)
    assert str(error.value) == str(expected.value).replace("Twin", "PlainPerceptron")
    assert ours.get_params() == {"intercept": 1.0, "passes": 2}


def test_not_fitted_is_both_libraries_error() -> None:
    """An unfitted learner raises an error that both libraries' NotFittedError catch, even from a pickle."""
    with pytest.raises(TheirNotFittedError) as caught:
        PlainPerceptron().predict([[1.0]])
    copy = pickle.loads(pickle.dumps(caught.value))
    for error in (caught.value, copy):
        assert isinstance(error, NotFittedError)
        assert isinstance(error, TheirNotFittedError)
        assert str(error).startswith("This PlainPerceptron instance is not fitted yet.")


def test_a_fit_that_fails_leaves_no_model(blobs: Any) -> None:
    """After a second fit on bad rows the learner is unfitted, not half of one model and half of another."""
    learner = PlainPerceptron().fit(*blobs)
    with pytest.raises(RegretlessError, match="NaN"):
        learner.fit([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]], [0, 1])
    with pytest.raises(NotFittedError):
        learner.predict([[1.0, 2.0, 3.0]])


def test_score_is_scikit_learns_accuracy(blobs: Any) -> None:
    """The score, weighted or not, equals accuracy_score of the predictions."""
    X, y = blobs
    learner, weight = PlainPerceptron(passes=1).fit(X, y), np.arange(len(y))
    for weights in (None, weight):
        expected = accuracy_score(y, learner.predict(X), sample_weight=weights)
        assert learner.score(X, y, sample_weight=weights) == pytest.approx(expected, abs=1e-15)
    assert 0.7 < learner.score(X, y) < 1
    with pytest.raises(RegretlessError, match="strings and numbers never agree"):
        learner.score(X, y.astype(str))


# ---- metadata routing


def test_default_requests_are_those_of_a_scikit_learn_estimator() -> None:
    """The routing of a new learner equals what scikit-learn derives for a class with the same methods."""
    assert str(PlainPerceptron().get_metadata_routing()) == str(Twin().get_metadata_routing())


def test_requests_survive_cloning_and_pickling(routing: None) -> None:
    """A request that was set is still there in clones and pickled copies; new learners have the default."""
    ours = PlainPerceptron().set_fit_request(sample_weight="cost").set_score_request(sample_weight=False)
    ours.set_partial_fit_request(classes=True)
    theirs = Twin().set_fit_request(sample_weight="cost").set_score_request(sample_weight=False)
    theirs.set_partial_fit_request(classes=True)
    for copy in (ours, clone(ours), pickle.loads(pickle.dumps(ours))):
        assert str(copy.get_metadata_routing()) == str(theirs.get_metadata_routing())
    assert str(PlainPerceptron().get_metadata_routing()) == str(Twin().get_metadata_routing())


def test_requests_need_routing_to_be_enabled() -> None:
    """Setting a request while routing is off is an error, as it is in scikit-learn."""
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        PlainPerceptron().set_fit_request(sample_weight=True)


class Witness(PlainPerceptron):
    """A perceptron that remembers which weights it was given."""

    calls: ClassVar[list[tuple[str, Any]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PlainPerceptron:
        self.calls.append(("fit", sample_weight))
        return super().fit(X, y, sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        self.calls.append(("score", sample_weight))
        return super().score(X, y, sample_weight)


def test_weights_reach_fit_and_score_through_a_grid_search(blobs: Any, routing: None) -> None:
    """With routing on, a grid search hands the weights of each fold's two parts to fit and to score."""
    X, y = blobs
    weight = np.arange(1.0, len(y) + 1)
    learner = Witness().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    Witness.calls.clear()
    search = GridSearchCV(learner, {"passes": [1, 3]}, cv=2).fit(X, y, sample_weight=weight)
    assert search.best_score_ > 0.7
    fits = [calls for method, calls in Witness.calls if method == "fit"]
    scores = [calls for method, calls in Witness.calls if method == "score"]
    assert [len(calls) for calls in fits] == [60, 60, 60, 60, 120]
    assert len(scores) == 4
    for fit, score in zip(fits, scores, strict=False):
        assert sorted([*fit, *score]) == list(weight)


def test_weights_reach_fit_and_score_through_a_pipeline(blobs: Any, routing: None) -> None:
    """With routing on, a pipeline hands weights to the learner's score and, by another name, to its fit."""
    X, y = blobs
    weight, cost = np.arange(1.0, 121), np.arange(120.0, 0, -1)
    learner = Witness().set_fit_request(sample_weight="cost").set_score_request(sample_weight=True)
    pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), learner)
    Witness.calls.clear()
    pipeline.fit(X, y, cost=cost).score(X, y, sample_weight=weight)
    calls = [(method, weights.tolist()) for method, weights in Witness.calls]
    assert calls == [("fit", cost.tolist()), ("score", weight.tolist())]


def test_weights_that_nobody_asked_for_are_refused(blobs: Any, routing: None) -> None:
    """With routing on, passing weights that fit or score has not asked for is an error that names them."""
    X, y = blobs
    weights = {"sample_weight": np.ones(len(y))}
    asking = PlainPerceptron().set_fit_request(sample_weight=True)
    for learner in (PlainPerceptron(), asking):
        with pytest.raises(ValueError, match=r"sample_weight.* are not explicitly set"):
            cross_val_score(learner, X, y, params=weights, error_score="raise")
    asking.set_score_request(sample_weight=True)
    assert cross_val_score(asking, X, y, params=weights, error_score="raise").min() > 0.7


def test_scikit_learn_sees_a_classifier(blobs: Any) -> None:
    """The tags are those of scikit-learn's own classifiers plus sparse input: cross-validation stratifies."""
    X, y = blobs
    expected = Twin().__sklearn_tags__()
    expected.input_tags.sparse = True
    assert PlainPerceptron().__sklearn_tags__() == expected
    assert is_classifier(PlainPerceptron())
    assert cross_val_score(PlainPerceptron(), X[y.argsort()], np.sort(y), cv=3).min() > 0.7


# ---- dense rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_contiguous_floats_are_not_copied(dtype: Any, tmp_path: Any) -> None:
    """A C-contiguous array, writable, read-only or mapped from a file, is read where it lies."""
    X = np.arange(6, dtype=dtype).reshape(2, 3)
    assert rows_of(X).values is X
    X.flags.writeable = False
    assert rows_of(X).values is X
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.shares_memory(rows_of(mapped).values, mapped)


@pytest.mark.parametrize(
    "X",
    [
        [[1, 2], [3, 4]],
        [[True, 2.0], [Decimal(3), "4"]],
        np.array([[1, 2], [3, 4]], order="F", dtype=np.float32),
        np.array([[1, 2], [3, 4]], dtype=">f8"),
        np.array([[1, 2], [3, 4]], dtype=np.float16),
        np.array([[1, 2], [3, 4]], dtype=np.uint8),
        np.array([[1, 2], [3, 4]], dtype=object),
        np.array([[1, 0, 2], [3, 0, 4]], dtype=np.float64)[:, ::2],
        np.frombuffer(b"\0" + np.array([1.0, 2, 3, 4]).tobytes(), np.float64, 4, 1).reshape(2, 2),
    ],
    ids=["ints", "mixed", "fortran", "foreign", "half", "bytes", "objects", "strided", "unaligned"],
)
def test_whatever_is_a_number_becomes_one(X: Any) -> None:
    """Rows of any numeric kind and layout arrive contiguous, aligned and with the same values."""
    X = np.array(X, dtype=object) if isinstance(X, list) else X
    values = rows_of(X).values
    assert values.tolist() == [[1, 2], [3, 4]]
    assert values.flags.c_contiguous
    assert values.flags.aligned
    assert values.dtype == (np.float32 if X.dtype == np.float32 else np.float64)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "Reshape your data"),
        (3.0, "Expected 2D array, got scalar array"),
        (np.zeros((1, 1, 1)), "Found array with dim 3"),
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (np.ones((2, 2), complex), "Complex data not supported"),
        ([["a", "b"]], "not compatible with arrays of bytes/strings"),
        (np.array([["a"]], object), "could not convert string to float: 'a'"),
        (np.array([[10**400]], object), "too large"),
        (np.array([["2020-01-01"]], "M8[D]"), "not a kind of number"),
        (np.ma.masked_equal([[1.0, 2.0]], 2.0), "NaN.*masked"),
        (sp.csr_array((0, 3)), r"0 sample\(s\)"),
        (sp.csr_array((3, 0)), r"0 feature\(s\)"),
        (sp.coo_array([1.0, 2.0]), "Reshape your data"),
        (sp.csr_array(np.ones((2, 2), complex)), "Complex data not supported"),
        (pd.Series([1.0]), "Reshape|2-dimensional"),
        (pl.Series([1.0]), "2-dimensional"),
        (pa.chunked_array([[1.0]]), "2-dimensional"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), "'when' of X holds datetime64"),
        (pl.DataFrame({"who": ["me"]}), "'who' of X holds .*string"),
        (pd.DataFrame({"x": [1.0, 2.0], "who": ["1", "me"]}), "'who' of X holds text, such as 'me'"),
        (pd.DataFrame({"who": pd.Categorical(["me"])}), "'who' of X holds text, such as 'me'"),
    ],
)
def test_what_are_no_rows_is_refused(X: Any, message: str) -> None:
    """Whatever is not a table of numbers is refused in words that say what was found."""
    with pytest.raises(RegretlessError, match=message):
        rows_of(X)


# ---- sparse rows

DENSE = np.array([[0, 1.5, 0, -2], [0, 0, 0, 0], [3, 0, 0.25, 0]])


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_every_sparse_format_arrives_as_the_same_rows(container: Any, form: str) -> None:
    """Each of scipy's formats gives the rows of the dense matrix, ascending in each row."""
    batch = rows_of(container(DENSE).asformat(form))
    assert PlainPerceptron(intercept=9.0)._dense(batch)[:, :-1].tolist() == DENSE.tolist()
    assert ascending(batch).indices.tolist() == batch.indices.tolist()
    assert batch.columns == 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("starts", [np.int32, np.int64])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
def test_compressed_rows_are_stored_by_identity(dtype: Any, indices: Any, starts: Any) -> None:
    """Values, indices and starts of a CSR matrix are borrowed by a loop that copies them piece by piece, whichever of
    the widths they have; where they are looked at first, only the values are."""
    X = sp.csr_array(DENSE.astype(dtype))
    X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(starts)
    batch = rows_of(X, in_order=False)
    assert batch.values is X.data
    assert batch.indices is X.indices
    assert batch.starts is X.indptr
    looked_at = rows_of(X)
    assert looked_at.values is X.data
    assert (looked_at.indices.dtype, looked_at.starts.dtype) == (indices, starts)
    assert not np.shares_memory(looked_at.indices, X.indices)
    assert not np.shares_memory(looked_at.starts, X.indptr)


def test_whole_numbers_in_a_sparse_matrix_keep_their_indices() -> None:
    """Only the values of a sparse matrix of integers are converted; its indices stay where they are."""
    X = sp.csr_array(DENSE.astype(np.int8))
    batch = rows_of(X, in_order=False)
    assert batch.values.dtype == np.float64
    assert np.shares_memory(batch.indices, X.indices)


@pytest.mark.parametrize(
    "starts", [[0, 5, 3], [1, 2, 3], [0, 2, 2_000_000_000]], ids=["descending", "not from 0", "too many"]
)
def test_row_starts_that_make_no_sense_are_refused_before_they_are_used(starts: Any) -> None:
    """Where sparse rows are looked at before the loop reads them, starts that lead out of the entries are an error."""
    X = sp.csr_array(np.ones((2, 3)))
    X.indptr = np.array(starts, dtype=np.int32)
    with pytest.raises(RegretlessError, match="not a valid sparse matrix: its row starts do not ascend"):
        rows_of(X)


def untidy() -> Any:
    """Row 0 descends, row 1 names column 2 twice and stores a zero, and the arrays outlast the rows."""
    data, indices = np.array([1.0, 2, 3, 4, 0]), np.array([3, 0, 2, 2, 1])
    X = sp.csr_array((data, indices, np.array([0, 2, 5])), shape=(2, 4))
    X.data, X.indices = np.append(data, 99), np.append(indices, 0)
    return X


@pytest.mark.parametrize("repaired_by", ["read_rows", "ascending"])
def test_untidy_rows_are_tidied_on_a_copy(repaired_by: str) -> None:
    """Unsorted and repeated columns come out sorted and summed, and the user's matrix is as it was."""
    X, before = untidy(), untidy()
    batch = rows_of(X) if repaired_by == "read_rows" else ascending(rows_of(X, in_order=False))
    assert batch.values.tolist() == [2, 1, 0, 7]
    assert batch.indices.tolist() == [0, 3, 1, 2]
    assert batch.starts.tolist() == [0, 2, 4]
    for array in ("data", "indices", "indptr"):
        assert getattr(X, array).tolist() == getattr(before, array).tolist()


def test_order_can_be_left_to_the_loop() -> None:
    """Asked not to look, the intake borrows even untidy rows, cut to the entries that the rows use."""
    X = untidy()
    batch = rows_of(X, in_order=False)
    assert batch.indices.tolist() == [3, 0, 2, 2, 1]
    assert batch.entries == 5
    assert np.shares_memory(batch.indices, X.indices)


def test_columns_that_do_not_exist_are_refused_before_they_are_sorted() -> None:
    """Tidying a batch whose columns lie outside the matrix is an error, not a stray memory access."""
    batch = Batch(np.ones(2), None, 3, np.array([7, 0]), np.array([0, 2]))
    with pytest.raises(RegretlessError, match="not a valid sparse matrix"):
        ascending(batch)


# ---- tables


class Stream:
    """Nothing but an Arrow stream, as a query of duckdb is."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


COLUMNS = {"size": [1.5, 2.5, 3.5], "count": [1, 2, 3], "spam": [True, False, True]}


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=[7, 8, 9]),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
        pd.DataFrame(COLUMNS).astype({"count": "category"}),
        pd.DataFrame(COLUMNS).astype(pd.SparseDtype(float, 0.0)),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        pa.Table.from_batches([pa.table(COLUMNS).slice(i, 1).to_batches()[0] for i in range(3)]),
        pa.table(COLUMNS).to_batches()[0],
        Stream(pa.table(COLUMNS)),
    ],
    ids=[
        *("pandas", "indexed", "nullable", "pandas-arrow", "category", "pandas-sparse"),
        *("polars", "pyarrow", "chunks", "record-batch", "stream"),
    ],
)
def test_tables_of_every_make_give_the_same_model(table: Any) -> None:
    """A table gives the rows its columns hold and lends its names to the learner."""
    learner = PlainPerceptron().fit(table, ["a", "b", "b"])
    expected = PlainPerceptron().fit(pd.DataFrame(COLUMNS).astype(float).to_numpy(), ["a", "b", "b"])
    assert learner.coef_.tolist() == expected.coef_.tolist()
    assert learner.feature_names_in_.tolist() == list(COLUMNS)
    assert learner.feature_names_in_.dtype == object
    with pytest.raises(RegretlessError, match="Feature names seen at fit time, yet now missing:\n- count\n"):
        learner.predict(pa.table({"size": [1.5], "spam": [1]}))


def test_a_long_table_is_laid_down_slab_by_slab() -> None:
    """Rows beyond the first slab, in chunks of odd lengths, land where they belong."""
    column = np.arange(5000.0)
    parts = np.split(column, [7, 2500])
    table = pa.concat_tables([pa.table({"up": part, "down": -part}) for part in parts])
    assert np.array_equal(rows_of(table).values, np.stack([column, -column], axis=1))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": pd.array([1, 2], "float32")}),
        pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Float32)}),
    ],
)
def test_single_precision_columns_stay_single(table: Any) -> None:
    """A table of float32 columns is read as float32."""
    assert rows_of(table).values.dtype == np.float32


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [1.0, np.nan]}),
        pd.DataFrame({"a": pd.array([1, None], "Int64")}),
        pl.DataFrame({"a": [1, None]}),
        pa.table({"a": [1.0, float("nan")]}),
        pa.table({"a": pa.array([None, None])}),
    ],
)
def test_missing_entries_of_a_table_are_refused(table: Any) -> None:
    """A null or a NaN in a table stops the fit with a message that says NaN."""
    with pytest.raises(RegretlessError, match="Input X contains NaN"):
        PlainPerceptron().fit(table, [0, 1])


def test_names_that_come_or_go_are_warned_about() -> None:
    """Names in only one of fit and predict give scikit-learn's warnings; a new fit forgets the old names."""
    named, bare = pd.DataFrame({"a": [1.0, -1.0]}), np.array([[1.0], [-1.0]])
    learner = PlainPerceptron().fit(named, [1, 0])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but PlainPerceptron was fit"):
        learner.predict(bare)
    learner.fit(bare, [1, 0])
    assert not hasattr(learner, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names, but PlainPerceptron was fitted without"):
        learner.predict(named)


def test_names_of_two_kinds_are_refused_and_numbers_are_no_names() -> None:
    """Column labels that mix strings and numbers are an error; numbers alone are not kept as names."""
    with pytest.raises(TypeError, match="all input features have string names"):
        rows_of(pd.DataFrame({"a": [1.0], 0: [2.0]}))
    learner = Sized()
    read_rows(pd.DataFrame([[1.0, 2.0]]), learner=learner, reset=True)
    assert vars(learner) == {"n_features_in_": 2}


# ---- what is not finite


def test_the_first_unfit_entry_is_named() -> None:
    """The explanation gives the kind, the row and the column, dense and sparse, by number or by name."""
    X = np.array([[0.0, 1.0], [np.nan, np.inf]])
    message = "Input X contains NaN. It stands in row 1, column 0 (counted from 0)."
    assert explain_nonfinite(rows_of(X), 1) == message
    X[1, 0] = 0
    for batch in (rows_of(X), rows_of(sp.csr_array(X))):
        message = explain_nonfinite(batch, 1, ["a", "b"])
        assert message.startswith("Input X contains infinity or a value too large for dtype('float64').")
        assert "row 1, column 'b'" in message
    assert "squares in row 0" in explain_nonfinite(rows_of([[1e200]]), 0)


# ---- labels


@pytest.mark.parametrize(
    ("y", "expected", "kind"),
    [
        ([3, 1], [3, 1], "i"),
        ((True, False), [True, False], "b"),
        ([2.0, -1.0], [2.0, -1.0], "f"),
        ([1e300] * 9, [1e300] * 9, "f"),
        (["spam", "ham"], ["spam", "ham"], "U"),
        (np.array(["spam", "ham"], object), ["spam", "ham"], "U"),
        (np.array([1, 2], object), [1, 2], "i"),
        (np.array([1, 2.0], object), [1.0, 2.0], "f"),
        (np.array([True, False], object), [True, False], "b"),
        (pd.Series(["a", "b"]), ["a", "b"], "U"),
        (pd.Series(["a", "b"], dtype="category"), ["a", "b"], "U"),
        (pd.Series([1, 2], dtype="Int64"), [1, 2], "i"),
        (pl.Series(["a", "b"]), ["a", "b"], "U"),
        (pl.Series([1, 2]), [1, 2], "i"),
        (pa.chunked_array([["a"], ["b"]]), ["a", "b"], "U"),
    ],
)
def test_labels_keep_their_values_and_their_kind(y: Any, expected: list[Any], kind: str) -> None:
    """Labels of every supported kind come out one-dimensional with the values they had."""
    labels = read_labels(y, len(expected))
    assert labels.tolist() == expected
    assert labels.dtype.kind == kind


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy 2 brings strings of any length")
def test_strings_of_any_length_become_strings_of_one() -> None:
    """Labels in numpy's variable-length string type arrive in the fixed-length one."""
    labels = read_labels(np.array(["ham", "a much longer label"], np.dtypes.StringDType()), 2)
    assert labels.tolist() == ["ham", "a much longer label"]
    assert labels.dtype.kind == "U"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0.5, 1.0], "Unknown label type: continuous"),
        (np.linspace(0, 1, 20), "Unknown label type: continuous"),
        ([np.nan, 1.0], "Input y contains NaN"),
        (np.full(20, np.inf), "Input y contains infinity"),
        ([1.0, np.inf], "Input y contains infinity"),
        ([1 + 1j, 2], "Complex data not supported"),
        ([[0, 1], [1, 0]], r"y should be a 1d array, got an array of shape \(2, 2\)"),
        (3, r"y should be a 1d array, got an array of shape \(\)"),
        (sp.csr_array(np.eye(2)), "sparse"),
        ([1, 2, 3], r"inconsistent numbers of samples: \[2, 3\]"),
        ([b"a", b"b"], "Unknown label type: bytes"),
        (np.array([b"a", b"b"]), "labels represented as bytes is not supported"),
        (np.array([0.5, 2], object), "Unknown label type: continuous"),
        (["a", 1], "Unknown label type: int, str"),
        (["a", np.nan], "Input y contains NaN"),
        (pd.Series([1, None], dtype="Int64"), "Input y contains NaN"),
        (pl.Series([1, None]), "Input y contains NaN"),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "Unknown label type: datetime64"),
        ([{}, {}], "Unknown label type: dict"),
        ([2**70, 1], "Unknown label type: int"),
    ],
)
def test_what_are_no_labels_is_refused(y: Any, message: str) -> None:
    """Missing, continuous, multiple, mixed or miscounted labels are refused in scikit-learn's words."""
    with pytest.raises(RegretlessError, match=message):
        read_labels(y, 2)


def test_a_column_of_labels_is_flattened_with_a_warning() -> None:
    """A column vector y warns with scikit-learn's own category and counts as its one column."""
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        assert read_labels(np.array([[1], [2]]), 2).tolist() == [1, 2]


# ---- weights


def test_weights_become_doubles_and_are_not_copied_without_need() -> None:
    """Weights arrive as float64, one for each row; a fitting array is borrowed, and none stays none."""
    weights = np.array([0.0, 2.0])
    assert read_weights(weights, 2) is weights
    assert read_weights(None, 2) is None
    assert read_weights(3, 2).tolist() == [3.0, 3.0]
    assert read_weights(pd.Series([1, 2]), 2).tolist() == [1.0, 2.0]
    assert read_weights(np.float32([1, 2]), 2).dtype == np.float64
    assert read_weights([0, 0], 2, all_zero=True).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "Negative values"),
        ([1, np.nan], "Input sample_weight contains NaN"),
        ([1, np.inf], "Input sample_weight contains infinity"),
        ([1], r"sample_weight.shape == \(1,\), expected \(2,\)"),
        ([[1, 1]], "must be 1D array or scalar, got 2D array"),
        ([0, 0], "at least one non-zero"),
        (["a", "b"], "strings"),
        ([1j, 1], "Complex"),
    ],
)
def test_what_are_no_weights_is_refused(weights: Any, message: str) -> None:
    """Negative, missing, infinite, miscounted or useless weights are refused."""
    with pytest.raises(RegretlessError, match=message):
        read_weights(weights, 2)
