"""A learner with scikit-learn's manners on Dask collections, on threads as Dask has them without a cluster."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("dask")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from scipy.sparse import csr_matrix

from regretless.distributed import arrays, mix
from regretless.distributed import dask as on_dask
from regretless.distributed.dask import DaskClassifier
from regretless.errors import DataError, Interrupted, NotFittedError, RegretlessError
from regretless.linear import AveragedPerceptron, KernelPerceptron, Perceptron

GENERATOR = np.random.default_rng(5)
X = GENERATOR.normal(size=(300, 4))
Y = np.array(["blue", "green", "red"])[np.clip(np.round(X[:, 0] + 1).astype(int), 0, 2)]
NAMES = ["a", "b", "c", "d"]
BLOCKS, LABELS = da.from_array(X, chunks=(100, 4)), da.from_array(Y, chunks=100)
FRAME = dd.from_pandas(pd.DataFrame(X, columns=NAMES, index=range(1000, 1300)), npartitions=3)
SERIES = dd.from_pandas(pd.Series(Y, index=range(1000, 1300)), npartitions=3)


@pytest.fixture(scope="module")
def fitted() -> DaskClassifier:
    return DaskClassifier(AveragedPerceptron(), epochs=3).fit(BLOCKS, LABELS)


@pytest.fixture(scope="module")
def framed() -> DaskClassifier:
    return DaskClassifier(AveragedPerceptron(), epochs=3).fit(FRAME, SERIES)


def test_a_fit_is_a_mix_of_the_partitions(fitted: DaskClassifier, framed: DaskClassifier) -> None:
    """Arrays and frames are fitted to the weights that their rows in memory are mixed to."""
    local = mix(AveragedPerceptron(), arrays([(X[i : i + 100], Y[i : i + 100]) for i in (0, 100, 200)]), epochs=3)
    for one in (fitted, framed):
        assert one.to_local().state_.same(local.learner.state_)
        assert one.classes_.tolist() == ["blue", "green", "red"]
        assert one.n_features_in_ == 4
    assert framed.feature_names_in_.tolist() == NAMES
    assert not hasattr(fitted, "feature_names_in_")


def test_predictions_are_lazy_and_those_of_the_local_learner(fitted: DaskClassifier) -> None:
    """Labels and scores of arrays are arrays of as many blocks, equal to what the learner by itself gives."""
    local = fitted.to_local()
    labels, scores = fitted.predict(BLOCKS), fitted.decision_function(BLOCKS)
    assert isinstance(labels, da.Array)
    assert labels.chunks == ((100, 100, 100),)
    assert scores.chunks == ((100, 100, 100), (3,))
    assert labels.compute().tolist() == local.predict(X).tolist()
    assert np.array_equal(scores.compute(), local.decision_function(X))
    sparse = BLOCKS.map_blocks(csr_matrix)
    assert fitted.predict(sparse).compute().tolist() == local.predict(X).tolist()
    assert fitted.predict(BLOCKS.rechunk((50, 2))).compute().tolist() == local.predict(X).tolist()


def test_predictions_of_frames_keep_their_index(framed: DaskClassifier) -> None:
    """Labels of a frame are a series, its scores a frame with the classes for columns, both with its index."""
    local, rows = framed.to_local(), FRAME.compute()
    labels, scores = framed.predict(FRAME).compute(), framed.decision_function(FRAME).compute()
    assert labels.tolist() == local.predict(rows).tolist()
    assert labels.index.equals(rows.index)
    assert np.array_equal(scores.to_numpy(), local.decision_function(rows))
    assert scores.columns.tolist() == ["blue", "green", "red"]
    few = FRAME[FRAME["a"] > 2]
    assert len(framed.predict(few).compute()) == (X[:, 0] > 2).sum()


def test_two_classes_have_one_column_of_scores() -> None:
    """With two classes the scores have one dimension, of arrays and of frames."""
    two = np.where(X[:, 0] > 0, 1, -1)
    one = DaskClassifier(Perceptron()).fit(BLOCKS, da.from_array(two, chunks=100))
    assert one.decision_function(BLOCKS).compute().shape == (300,)
    assert one.predict(BLOCKS).dtype == two.dtype
    assert set(one.predict(BLOCKS).compute().tolist()) <= {-1, 1}
    plain = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    other = DaskClassifier(Perceptron()).fit(plain, da.from_array(two, chunks=150))
    assert other.decision_function(plain).compute().shape == (300,)


def test_the_score_is_that_of_the_local_learner(fitted: DaskClassifier, framed: DaskClassifier) -> None:
    """The share of right labels is counted where the rows are, and comes as a plain number."""
    assert fitted.score(BLOCKS, LABELS) == fitted.to_local().score(X, Y)
    assert framed.score(FRAME, SERIES) == fitted.score(BLOCKS, LABELS)
    with pytest.raises(RegretlessError, match=r"partition 0: X has 2 features; 4 features are expected"):
        fitted.score(BLOCKS[:, :2], LABELS)


def test_columns_in_another_order_are_refused(framed: DaskClassifier) -> None:
    """A frame whose columns are others, or come in another order, has no score, as it has no predictions."""
    for names, result in ((NAMES[::-1], "must be in the same order"), (["a", "b", "c"], "now missing:\n- d")):
        for compute in (lambda rows: framed.score(rows, SERIES), lambda rows: framed.predict(rows).compute()):
            with pytest.raises(RegretlessError, match=result):
                compute(FRAME[names])


@pytest.mark.parametrize("categorised", [False, True])
def test_a_column_of_text_is_named(categorised: bool) -> None:
    """Text in a frame is an error of the data that names partition, column and cure; coded as numbers it serves."""
    text = FRAME.assign(colour=SERIES)
    text = text.categorize(["colour"]) if categorised else text
    expected = r"^partition 0: column 'colour' holds text, such as '(blue|green|red)'; .*get_dummies"
    with pytest.raises(DataError, match=expected):
        DaskClassifier(Perceptron()).fit(text, SERIES)
    coded = dd.get_dummies(text.categorize(["colour"]))
    assert DaskClassifier(Perceptron(), epochs=9).fit(coded, SERIES).score(coded, SERIES) > 0.9


def test_certificates_are_those_of_the_mixture(fitted: DaskClassifier) -> None:
    """What theorems say is what they say of the mixture of the same rows in memory."""
    local = mix(AveragedPerceptron(), arrays([(X[i : i + 100], Y[i : i + 100]) for i in (0, 100, 200)]), epochs=3)
    assert list(map(str, fitted.certify())) == list(map(str, local.certify()))


def test_parameters_are_scikit_learns(fitted: DaskClassifier) -> None:
    """Parameters of the learner are reached through its name, and a clone is a classifier that is not fitted."""
    clone = pytest.importorskip("sklearn.base").clone
    learner = DaskClassifier(Perceptron(intercept=1.0), epochs=2, weights="updates", client="a client")
    assert learner.get_params()["learner__intercept"] == 1
    other = clone(learner)
    assert other.get_params(deep=False).keys() == {"learner", "epochs", "weights", "together", "client", "checkpoint"}
    assert other.client == "a client"
    assert other.learner is not learner.learner
    other.set_params(epochs=5, learner__intercept=2.0)
    assert (other.epochs, other.learner.intercept, learner.learner.intercept) == (5, 2, 1)
    with pytest.raises(RegretlessError, match="Invalid parameter 'epoch'"):
        other.set_params(epoch=3)
    assert not hasattr(clone(fitted), "classes_")
    assert "learner=Perceptron(intercept=1.0)" in repr(learner)


def test_what_is_fitted_travels_without_dask(fitted: DaskClassifier, tmp_path: Path) -> None:
    """The local learner is unpickled and loaded where there is no Dask; the classifier is pickled without rows."""
    local = fitted.to_local()
    local.save(tmp_path / "model.rgl")
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(local))
    np.save(tmp_path / "rows.npy", X)
    code = f"""
import sys
for name in ("dask", "distributed"):
    sys.modules[name] = None
import pickle, numpy as np, regretless
rows = np.load({str(tmp_path / "rows.npy")!r})
loaded = regretless.load({str(tmp_path / "model.rgl")!r})
with open({str(tmp_path / "model.pickle")!r}, "rb") as file:
    unpickled = pickle.load(file)
assert (loaded.predict(rows) == unpickled.predict(rows)).all()
print(*loaded.predict(rows)[:5])
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert process.stdout.split() == local.predict(X)[:5].tolist()
    sent = pickle.loads(pickle.dumps(fitted))
    assert sent.mixture_.shards == []
    assert sent.predict(BLOCKS).compute().tolist() == local.predict(X).tolist()


def test_a_checkpoint_is_gone_on_from(tmp_path: Path, fitted: DaskClassifier) -> None:
    """A fit of two epochs, gone on with to three from its checkpoint, has the bits of three."""
    for epochs in (2, 3):
        one = DaskClassifier(AveragedPerceptron(), epochs=epochs, checkpoint=tmp_path / "fit.rgl").fit(BLOCKS, LABELS)
    assert one.to_local().state_.same(fitted.to_local().state_)


@pytest.mark.parametrize("rows", ["arrays", "frames"])
def test_a_finished_or_another_fit_is_not_gone_on_from(rows: str, tmp_path: Path) -> None:
    """A fit with a finished checkpoint would be the old one and is refused; other keys than before are warned of; one
    that was interrupted goes on with the same collections, made anew."""
    path, frames = tmp_path / "fit.rgl", rows == "frames"

    def made(labels: Any) -> tuple[Any, Any]:
        if not frames:
            return da.from_array(X, chunks=(100, 4)), da.from_array(labels, chunks=100)
        return dd.from_pandas(pd.DataFrame(X), npartitions=3), dd.from_pandas(pd.Series(labels), npartitions=3)

    done: list[Any] = []
    with pytest.raises(Interrupted):
        on_dask.mix(Perceptron(), made(Y), epochs=3, checkpoint=path, on_epoch=done.append, stop=lambda: len(done) == 1)
    one = DaskClassifier(Perceptron(), epochs=3, checkpoint=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one.fit(*made(Y))
    assert one.to_local().state_.same(DaskClassifier(Perceptron(), epochs=3).fit(*made(Y)).to_local().state_)
    with pytest.raises(RegretlessError, match=r"fit\.rgl is finished: load it, or give another name"):
        one.fit(*made(Y))
    with pytest.warns(UserWarning, match="perhaps partition 0 has other rows than those that were learned from"):
        on_dask.mix(Perceptron(), made(Y[::-1].copy()), epochs=3, checkpoint=path)


def test_delayed_readers_are_alike_whatever_their_keys(tmp_path: Path) -> None:
    """Readers that Dask gives other keys each time go on from a checkpoint."""
    for epochs in (1, 2):
        readers = [dask.delayed(lambda: (X, Y))(), dask.delayed(lambda: (X, Y))()]
        mixture = on_dask.mix(Perceptron(), readers, epochs=epochs, checkpoint=tmp_path / "fit.rgl")
    assert len(mixture.history) == 2


def test_epochs_are_those_of_the_learner() -> None:
    """Unless epochs are given, as many are played as the learner makes passes, or until one is clean."""
    assert len(DaskClassifier(Perceptron(passes=3)).fit(BLOCKS, LABELS).mixture_.history) == 3
    two = da.from_array(np.where(X @ [1.0, 2.0, 0.0, 0.0] > 0, 1, -1), chunks=100)
    clean = DaskClassifier(Perceptron(until_clean=True)).fit(BLOCKS, two).mixture_
    assert clean.clean
    assert len(clean.history) > 1
    assert len(DaskClassifier(Perceptron(passes=3), epochs=1).fit(BLOCKS, LABELS).mixture_.history) == 1


def test_what_cannot_be_is_reported() -> None:
    """Rows in memory, learners that cannot be mixed, and what is not fitted are refused."""
    with pytest.raises(RegretlessError, match="X is a ndarray; a Dask collection is expected"):
        DaskClassifier(Perceptron()).fit(X, Y)
    with pytest.raises(RegretlessError, match="y is a ndarray"):
        DaskClassifier(Perceptron()).fit(BLOCKS, Y)
    with pytest.raises(RegretlessError, match="kernel-perceptron cannot be mixed"):
        DaskClassifier(KernelPerceptron()).fit(BLOCKS, LABELS)
    with pytest.raises(NotFittedError):
        DaskClassifier(Perceptron()).predict(BLOCKS)
    with pytest.raises(RegretlessError, match="X is a ndarray"):
        DaskClassifier(Perceptron()).fit(BLOCKS, LABELS).predict(X)


def test_a_value_that_is_not_finite_is_named() -> None:
    """A NaN is named with its partition, row and column."""
    rows = X.copy()
    rows[123, 2] = np.nan
    frame = dd.from_pandas(pd.DataFrame(rows, columns=NAMES), npartitions=3)
    with pytest.raises(RegretlessError, match=r"^partition 1: .*NaN.* row 23, column"):
        DaskClassifier(Perceptron()).fit(frame, dd.from_pandas(pd.Series(Y), npartitions=3))


def test_a_fit_that_fails_leaves_nothing(fitted: Any) -> None:
    """After a fit that failed, the classifier is not fitted, whatever it was before."""
    one = DaskClassifier(Perceptron()).fit(BLOCKS, LABELS)
    with pytest.raises(RegretlessError):
        one.fit(BLOCKS, da.from_array(Y[:200], chunks=100))
    assert not hasattr(one, "classes_")
    with dask.config.set(scheduler="sync"), pytest.raises(RegretlessError, match="of one class"):
        one.fit(BLOCKS, da.from_array(np.ones(300), chunks=100))
