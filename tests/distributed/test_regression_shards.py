"""Vovk, Azoury and Warmuth's forecaster over shards is one pass over all rows, and its bound holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import regretless
from regretless.distributed import regress
from regretless.errors import RegretlessError
from regretless.linear import Perceptron
from regretless.regression import VovkAzouryWarmuth

from ..examples import at_most

TOLERANCE = {"rtol": 1e-8, "atol": 1e-9}


def problem(seed: int, rows: int = 60, columns: int = 6, far: float = 100.0) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns of different sizes, one of which is 0 for a long time, and outcomes far from 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns)) @ random.normal(size=(columns, columns))
    X *= 10.0 ** random.integers(-2, 3, columns)
    X[: rows // 2, -1] = 0
    return X, far + X @ (random.normal(size=columns) / np.abs(X).max(axis=0)) + 0.3 * random.normal(size=rows)


def split(X, y, cuts):
    """Neighbouring shards."""
    return [(X[a:b], y[a:b]) for a, b in zip([0, *cuts], [*cuts, len(y)], strict=True)]


def bits(learner: VovkAzouryWarmuth) -> list[bytes]:
    """All that a learner knows."""
    return [array.tobytes() for array in learner.state_.tensors().values()]


@pytest.mark.parametrize("cuts", [[], [30], [1, 2, 59], [20, 20, 40], [0, 7, 60], [7, 15, 22, 31, 44]])
@pytest.mark.parametrize("intercept", [1.0, 0.0, 3.0])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_shards_are_one_pass_over_all_rows(cuts, intercept, kind):
    """Weights, forecasts, and those after more rows are as of one pass, up to 1e-8, for any split: also with an empty
    shard and shards of one row."""
    X, y = problem(1)
    whole = VovkAzouryWarmuth(intercept=intercept).fit(X, y)
    regression = regress(VovkAzouryWarmuth(intercept=intercept), split(kind(X), y, cuts))
    merged = regression.learner
    more, after = problem(2, 25)
    for _ in range(2):
        assert np.allclose(merged.coef_ * np.abs(X).max(axis=0), whole.coef_ * np.abs(X).max(axis=0), **TOLERANCE)
        assert np.allclose(merged.predict(more), whole.predict(more), **TOLERANCE)
        assert merged.range_ == pytest.approx(whole.range_)
        assert merged.best_constant_loss_ == pytest.approx(whole.best_constant_loss_)
        assert merged.facts().least == pytest.approx(whole.facts().least, rel=1e-6)
        assert merged.ledger_.rounds == whole.ledger_.rounds
        merged.partial_fit(more, after)
        whole.partial_fit(more, after)
    assert not any(one.violated for one in merged.declined(""))


def test_columns_that_come_late_begin_at_zero():
    """A column that only the second sparse shard has counts as 0 in the first."""
    X, y = problem(3)
    X[:40, 4:] = 0
    shards = [(csr_array(X[:40, :4]), y[:40]), (csr_array(X[40:]), y[40:])]
    assert np.allclose(
        regress(VovkAzouryWarmuth(), shards).learner.predict(X), VovkAzouryWarmuth().fit(X, y).predict(X), **TOLERANCE
    )


def test_columns_with_names_belong_together(tmp_path):
    """Tables whose columns stand in another order, and one of which the first lacks, are read by names."""
    (tmp_path / "a.csv").write_text("y,p,q\n1.5,1,2\n2.5,3,1\n0.5,1,1\n")
    (tmp_path / "b.csv").write_text("q,y,r,p\n2,3.5,1,1\n5,1.25,2,2\n")
    X = [[1, 2, 0], [3, 1, 0], [1, 1, 0], [1, 2, 1], [2, 5, 2]]
    learner = regress(VovkAzouryWarmuth(), str(tmp_path / "*.csv")).learner
    assert list(learner.feature_names_in_) == ["p", "q", "r"]
    whole = VovkAzouryWarmuth().fit(np.array(X, float), [1.5, 2.5, 0.5, 3.5, 1.25])
    assert np.allclose(learner.coef_, whole.coef_, **TOLERANCE)


def test_engines_give_the_same_bits(tmp_path):
    """Threads and this process give the same model, which a file keeps."""
    X, y = problem(4)
    shards = split(X, y, [11, 12, 40])
    with ThreadPoolExecutor(2) as pool:
        there = regress(VovkAzouryWarmuth(), shards, pool).learner
    here = regress(VovkAzouryWarmuth(), shards).learner
    assert bits(there) == bits(here)
    here.save(tmp_path / "m.rgl")
    assert bits(regretless.load(tmp_path / "m.rgl")) == bits(here)


def least(X, y, cuts, prior, size):
    """The least sum of the shards' penalised losses of one vector, from their rows."""
    rows, outcomes = [], []
    for part, z in split(np.c_[np.full(len(y), size), X], y, cuts):
        if len(z) < 2:
            continue
        most = np.abs(part[1:]).max(axis=0)
        shift = np.eye(len(most))[0] * ((y[0] - z[0]) / size if size else 0.0)
        rows += [part[1:], np.sqrt(prior) * np.diag(most)]
        outcomes += [z[1:] - z[0] - part[1:] @ shift, -np.sqrt(prior) * most * shift]
    A, b = np.vstack(rows), np.concatenate(outcomes)
    u = np.linalg.lstsq(A, b, rcond=None)[0]
    return float(((A @ u - b) ** 2).sum())


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 2.5]), st.floats(-1e3, 1e3), st.data())
@at_most(40)
def test_no_run_breaks_the_bound_over_shards(seed, size, far, data):
    """The summed loss is within the sum of energies and the least sum of penalised losses, which rows give as well."""
    X, y = problem(seed, 24, 3, far)
    X += data.draw(st.sampled_from([0.0, 5.0]))
    cuts = sorted(data.draw(st.lists(st.integers(0, 24), max_size=4)))
    regression = regress(VovkAzouryWarmuth(prior=0.1, intercept=size), split(X, y, cuts))
    alone = [VovkAzouryWarmuth(prior=0.1, intercept=size).fit(*one) for one in split(X, y, cuts) if len(one[1])]
    assert regression.ledger.loss == pytest.approx(sum(one.ledger_.loss for one in alone))
    assert regression.facts.energy == pytest.approx(sum(one.facts().energy for one in alone))
    assert regression.facts.least == pytest.approx(least(X, y, cuts, 0.1, size), rel=1e-6, abs=1e-6)
    (certificate,) = regression.certify()
    assert certificate.holds
    assert not regression.violated
    facts = regression.learner.facts()
    assert facts.least + facts.energy >= regression.ledger.loss * (1 - 1e-9)


def test_what_does_not_add_up_is_refused():
    """A diagonal, another learner, one that has played, and shards without any row are refused, and it is said why."""
    X, y = problem(5)
    with pytest.raises(RegretlessError, match=r"diagonal.*order of the rows"):
        regress(VovkAzouryWarmuth(matrix="diagonal"), [(X, y)])
    with pytest.raises(RegretlessError, match="Perceptron: what it knows is no sum"):
        regress(Perceptron(), [(X, y)])
    with pytest.raises(RegretlessError, match="has played already"):
        regress(VovkAzouryWarmuth().fit(X, y), [(X, y)])
    with pytest.raises(RegretlessError, match=r"shard 1.*of 6 columns before, and of 5 here"):
        regress(VovkAzouryWarmuth(), [(X, y), (X[:, :5], y)])
    with pytest.raises(RegretlessError, match="no shard has a row"):
        regress(VovkAzouryWarmuth(), [(X[:0], y[:0])])


def test_a_shard_with_a_fault_is_named():
    """An outcome that is no number is reported with its shard."""
    X, y = problem(6)
    with pytest.raises(RegretlessError, match=r"^shard 1"):
        regress(VovkAzouryWarmuth(), [(X, y), (X, np.where(y == y[7], np.nan, y))])


def test_shards_of_one_row_have_no_certificate():
    """Where every round is the first of its shard nothing was charged, and nothing is claimed."""
    X, y = problem(7, 3)
    regression = regress(VovkAzouryWarmuth(), split(X, y, [1, 2]))
    assert [one.applies for one in regression.certify()] == [False]
    assert np.allclose(regression.learner.predict(X), VovkAzouryWarmuth().fit(X, y).predict(X), **TOLERANCE)
