"""The perceptron from weights that are not 0: its theorems, the textbook's weights, the same bits in pieces."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import regretless
from regretless.batch import leave_one_out
from regretless.comparator import Comparator
from regretless.distributed import mix
from regretless.errors import ParameterError, RegretlessError
from regretless.linear import AveragedPerceptron, Perceptron
from regretless.textbook import linear as book
from regretless.theory.perceptron import FROM_START, posterior, separable, sharp

from ..command_line import CommandLine

reals = st.floats(-8, 8, width=32)


def some(rows: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of three features, labels near a line."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3))
    return X, np.where(X @ [1.0, -2.0, 0.5] + random.normal(size=rows) > 0, 1, -1)


@given(
    X=arrays(float, (20, 3), elements=reals),
    y=arrays(np.int8, 20, elements=st.sampled_from([-1, 1])),
    v=arrays(float, 3, elements=reals),
    start=arrays(float, 3, elements=reals),
    size=st.sampled_from([0.0, 1e-3, 1.0, 1e6]),
    rate=st.sampled_from([0.1, 1.0, 7.0]),
)
def test_no_start_and_no_comparator_break_a_bound(X, y, v, start, size, rate):
    """From any weights, in any rounds, both bounds hold against every vector."""
    learner = Perceptron(initial=size * start, rate=rate).partial_fit(X, y, classes=[-1, 1])
    margins, squares = y * (X @ v), (X**2).sum(1)
    hinge = np.maximum(0, 1 - margins)
    u = Comparator(
        "slow", float(np.linalg.norm(v)), float(hinge.sum()), float((hinge**2).sum()), None, float(margins.min()), 20,
        float(squares.max()), float(squares.sum()), product=float(size * start @ v),
    )  # fmt: skip
    for theorem in FROM_START:
        certificate = theorem.certify(learner.ledger_, [u], learner.target_facts()[0])
        assert certificate.applies or not X.any()
        assert certificate.holds, str(certificate)


def test_from_zero_they_are_the_bounds_of_the_perceptron():
    """From w = 0 the two bounds are the sharp and the posterior one."""
    X, y = some()
    ours = {one.theorem.name: one for one in Perceptron(initial=[0, 0, 0]).fit(X, y).certify(X, y, svm=False)}
    plain = {one.theorem.name: one for one in Perceptron().fit(X, y).certify(X, y, svm=False)}
    assert ours["sharp_from_start"].bound == pytest.approx(plain[sharp.name].bound, rel=1e-9)
    assert ours["posterior_from_start"].bound == pytest.approx(plain[posterior.name].bound, rel=1e-9)


def test_the_separable_bound_is_false_from_another_start():
    """From w = -10, one row x = 1 of the label 1 and its opposite take eleven updates, where (r / rho)^2 is 1; the
    posterior bound from this start says eleven, and no theorem about w = 0 is among the lines."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    learner = Perceptron(initial=[-10.0], until_clean=True).fit(X, y)
    assert (learner.ledger_.updates, learner.coef_.tolist()) == (11, [[1.0]])
    lines = learner.certify(X, y, svm=False)
    assert [one.theorem for one in lines] == list(FROM_START)
    assert lines[1].shown_bound == 11
    assert separable.bound(learner.ledger_, lines[1].comparator, learner.target_facts()[0]) <= 1 + 1e-9


def test_a_start_that_is_right_costs_no_updates_and_a_worse_one_more():
    """From the vector that labels the rows there is no update, and the bound of a start against it counts more."""
    X = np.random.default_rng(3).normal(size=(50, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, -1)
    assert Perceptron(initial=[1.0, -2.0, 0.5]).fit(X, y).ledger_.updates == 0
    worse = Perceptron(initial=[-20.0, 40.0, -10.0]).fit(X, y)
    assert worse.ledger_.updates > Perceptron().fit(X, y).ledger_.updates


@pytest.mark.parametrize("intercept", [0.0, 1.0])
def test_weights_are_those_of_the_textbook_in_one_piece_or_several(intercept, tmp_path):
    """fit, pieces of a stream whose columns come late, and a model that was saved on the way have the textbook's
    weights, updates and mistakes."""
    X, y = some()
    X[:25, 2] = 0
    rows = np.column_stack([X, np.full(len(X), intercept)])
    start = np.array([0.5, -1.0, 2.0])
    w, updates, mistakes = book.perceptron(rows, y, 0.5, 0, 1, np.append(start, 0))
    whole = Perceptron(initial=start, rate=0.5, intercept=intercept).fit(X, y)
    parts = Perceptron(initial=start.tolist(), rate=0.5, intercept=intercept)
    from regretless.data.batch import Batch

    parts.observe(Batch(np.ascontiguousarray(X[:25, :2]), y[:25].astype(float), 2))
    parts.save(tmp_path / "m.rgl")
    parts = regretless.load(tmp_path / "m.rgl")
    parts.observe(Batch(X[25:], y[25:].astype(float), 3))
    for learner in (whole, parts):
        assert np.allclose(learner.coef_[0], w[:3])
        assert (learner.ledger_.updates, learner.ledger_.mistakes) == (updates, mistakes)
    assert whole.state_.same(parts.state_)
    assert [one.bound for one in whole.certify(X, y)] == [one.bound for one in parts.certify(X, y)]


def test_what_has_no_meaning_is_refused():
    """Words, matrices, more than two classes, one class alone, shards, and learners that average are refused."""
    X, y = some()
    for bad in (["a"], [[1.0]], [np.nan], 3.0):
        with pytest.raises(ParameterError, match="initial="):
            Perceptron(initial=bad).fit(X, y)
    with pytest.raises(RegretlessError, match="weights of two classes, and there are more"):
        Perceptron(initial=[1.0]).fit(X, np.arange(60) % 3)
    alone = Perceptron(initial=[1.0]).partial_fit(X[:2], ["a", "a"])
    with pytest.raises(RegretlessError, match="the class of the first rows was taken for it"):
        alone.partial_fit(X[:2], ["b", "b"])
    assert Perceptron(initial=[1.0]).partial_fit(X[:2], ["b", "b"]).partial_fit(X[:2], ["a", "b"]).ledger_.rounds == 4
    with pytest.raises(RegretlessError, match="no meaning over shards"):
        mix(Perceptron(initial=[1.0]), [(X, y)])
    with pytest.raises(TypeError):
        AveragedPerceptron(initial=[1.0])
    assert not leave_one_out(Perceptron(initial=[5.0]), X, y).certificates[1].applies


def test_the_command_line_and_verify_know_the_start(capsys, monkeypatch, tmp_path):
    """--set initial= is the parameter, and verify plays the run again from there to the same numbers."""
    run = CommandLine(capsys, monkeypatch)
    X, y = some()
    np.savetxt(tmp_path / "a.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,label", comments="")
    learn = ("learn", tmp_path / "a.csv", "--target", "label", "--learner", "perceptron", "--set", "initial=2,-1,0")
    command = run(*learn, "--json")
    assert command.json["updates"] == Perceptron(initial=[2, -1, 0]).fit(X, y).ledger_.updates
    assert [one["theorem"] for one in command.json["certificates"]] == [one.name for one in FROM_START]
    (tmp_path / "r.json").write_text(json.dumps(command.json))
    output = run("verify", tmp_path / "r.json", tmp_path / "a.csv").out
    assert (
        "agrees: sharp_from_start: norm, hinge, squared_hinge, rounds, observed" in output
        or "agrees: sharp_from_start" in output
    )
    assert "agrees: posterior_from_start" in output
    refused = run(*learn[:-1], "initial=a")
    assert (refused.code, "numbers with commas between them are expected" in refused.err) == (2, True)
