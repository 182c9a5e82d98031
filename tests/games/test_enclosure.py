"""Intervals that contain the value of a game: rounding never makes them wrong, and hardly makes them wide."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from regretless import _core
from regretless.errors import RegretlessError
from regretless.games.payoffs import Payoffs, enclose

pytestmark = pytest.mark.kernel

Array = np.ndarray[Any, Any]
SCALES = {
    "plain": lambda A, rng: A,
    "far from zero": lambda A, rng: A + 1e6,
    "tiny": lambda A, rng: A * 1e-300,
    "below all normal floats": lambda A, rng: A * 1e-310,
    "huge": lambda A, rng: A * 1.7e308,
    "of all sizes": lambda A, rng: A * 10.0 ** rng.uniform(-300, 300, A.shape),
    "whole": lambda A, rng: np.round(4 * A),
    "singles": lambda A, rng: A.astype(np.float32),
    "sparse": lambda A, rng: np.where(rng.random(A.shape) < 0.3, A, 0.0),
}


def whole(numbers: Array) -> tuple[Array, int]:
    """Floats as whole numbers of parts of 1, and of how many parts: these are summed far sooner than fractions."""
    ratios = [number.as_integer_ratio() for number in numbers.ravel().tolist()]
    parts = max(bottom for _, bottom in ratios)
    return np.array([top * (parts // bottom) for top, bottom in ratios], dtype=object).reshape(numbers.shape), parts


def exact_ends(A: Array, p: Array, q: Array) -> tuple[Fraction, Fraction]:
    """What both strategies guarantee, in fractions."""
    (payoffs, parts), (row, _), (column, _) = whole(A), whole(p), whole(q)
    lower, upper = (row @ payoffs).min(), (payoffs @ column).max()
    return Fraction(lower, row.sum() * parts), Fraction(upper, column.sum() * parts)


def drawn(rows: int, columns: int, scale: str, seed: int) -> tuple[Array, Array, Array]:
    """A game and two strategies: some with zeros, some pure, some that do not sum to 1, some of many sizes."""
    rng = np.random.default_rng(seed)
    A = SCALES[scale](rng.uniform(-1, 1, (rows, columns)), rng)
    p, q = rng.random(rows), rng.random(columns)
    if seed % 4 == 1:
        p, q = np.where(rng.random(rows) < 0.5, p, 0), np.round(q * 8) / 8
    if seed % 4 == 2:
        p, q = np.eye(rows)[rng.integers(rows)], np.eye(columns)[rng.integers(columns)]
    if seed % 4 == 3:
        p, q = p * 10.0 ** rng.uniform(-300, 0, rows), q / q.sum()
    p[0] += p.sum() < 1e-9
    q[0] += q.sum() < 1e-9
    return A, p, q


games = st.builds(drawn, st.integers(1, 20), st.integers(1, 20), st.sampled_from(list(SCALES)), st.integers(0, 10**6))


@given(game=games)
def test_the_interval_contains_what_exact_arithmetic_finds(game):
    """Neither end crosses its exact value, and both are within two units in the last place of it."""
    A, p, q = game
    lower, upper = enclose(Payoffs(A), p, q)
    exact = exact_ends(A, p, q)
    assert Fraction(lower) <= exact[0] <= exact[1] <= Fraction(upper)
    size = float(np.abs(A).max())
    for end, true in zip((lower, upper), exact, strict=True):
        spare = Fraction(size) / 2**100 + Fraction(2) * Fraction(float(np.spacing(max(abs(end), abs(float(true))))))
        assert abs(Fraction(end) - true) <= spare


@given(game=games)
def test_every_layout_and_instruction_set_gives_the_same_bits(game):
    """Dense on all instruction sets gives one interval, sparse another that is as good."""
    A, p, q = game
    before, dense, sparse = _core.isa(), set(), set()
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            dense.add(enclose(Payoffs(A), p, q))
            sparse.add(enclose(Payoffs(csr_array(A)), p, q))
    finally:
        _core.use_isa(before)
    assert len(dense) == len(sparse) == 1
    exact, (lower, upper) = exact_ends(A, p, q), sparse.pop()
    assert Fraction(lower) <= exact[0] <= exact[1] <= Fraction(upper)


@pytest.mark.parametrize(("rows", "columns"), [(7, 1025), (1025, 7), (40, 2051), (3, 1024)])
def test_columns_beyond_one_block_are_summed_alike(rows, columns):
    """Games with more than 1024 columns, which are taken in blocks, are enclosed as tightly as others."""
    rng = np.random.default_rng(0)
    A, p, q = rng.uniform(-1, 1, (rows, columns)), rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
    lower, upper = enclose(Payoffs(A), p, q)
    exact = exact_ends(A, p, q)
    assert 0 <= exact[0] - Fraction(lower) < 2**-52
    assert 0 <= Fraction(upper) - exact[1] < 2**-52


def test_a_saddle_point_has_no_gap():
    """Where nothing is rounded both ends are the value itself."""
    assert enclose(Payoffs([[3.0, 1.0, 4.0], [1.0, 0.0, 2.0]]), np.eye(2)[0], np.eye(3)[1]) == (1.0, 1.0)
    halves = np.array([0.5, 0.5])
    assert enclose(Payoffs([[0.1, -0.1], [-0.1, 0.1]]), halves, halves) == (0.0, 0.0)
    thirds = np.ones(3)
    assert enclose(Payoffs([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]), thirds, thirds) == (0.0, 0.0)


def test_a_product_that_underflows_does_not_pass_for_exact():
    """Payoffs so small that their products vanish widen the interval instead of being taken for zero."""
    p = np.array([2.0**-600, 1.0])
    lower, upper = enclose(Payoffs([[-(2.0**-500), 1.0], [0.0, 1.0]]), p, np.array([1.0, 0.0]))
    assert lower < 0
    assert Fraction(lower) <= Fraction(-1, 2**1100) / (1 + Fraction(1, 2**600))
    assert upper >= 0


def test_weights_need_not_sum_to_one():
    """Strategies count as divided by their sums, at any scale, and exactly so."""
    rng = np.random.default_rng(1)
    A, p, q = rng.uniform(-1, 1, (5, 6)), rng.random(5), rng.random(6)
    once = enclose(Payoffs(A), p, q)
    assert enclose(Payoffs(A), p * 2.0**60, q * 2.0**-60) == once


def test_numbers_that_floats_cannot_hold_widen_the_interval():
    """The value of a game of thirds lies in the interval, though no third is a float."""
    third = Fraction(1, 3)
    lower, upper = enclose(Payoffs([[third, 1], [1, third]]), np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    assert Fraction(lower) <= Fraction(2, 3) <= Fraction(upper)
    assert upper - lower < 1e-14
    least = Fraction(1, 10**400)
    lower, upper = enclose(Payoffs([[least]]), np.ones(1), np.ones(1))
    assert Fraction(lower) <= least <= Fraction(upper)
    big = 2**60
    lower, upper = enclose(Payoffs([[big + 1]]), np.ones(1), np.ones(1))
    assert Fraction(lower) <= big + 1 <= Fraction(upper)


def test_products_alone_are_trusted_to_rounding():
    """A linear operator's interval contains that of its matrix, and is as narrow as plain sums allow."""
    rng = np.random.default_rng(2)
    A, p, q = rng.uniform(-1, 1, (30, 20)), rng.dirichlet(np.ones(30)), rng.dirichlet(np.ones(20))
    wide, narrow = enclose(Payoffs(aslinearoperator(A)), p, q), enclose(Payoffs(A), p, q)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert narrow[0] - wide[0] < 1e-14


def test_an_operator_whose_products_contradict_each_other_is_refused():
    """A rmatvec that is not the transpose of matvec is noticed where it promises more than the other allows."""
    wrong = LinearOperator((2, 2), matvec=lambda q: np.zeros(2), rmatvec=lambda p: np.ones(2), dtype=float)
    with pytest.raises(RegretlessError, match="transpose"):
        enclose(Payoffs(wrong), np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    endless = LinearOperator((1, 1), matvec=lambda q: q * np.inf, rmatvec=lambda p: p, dtype=float)
    with pytest.raises(RegretlessError, match="not finite"):
        enclose(Payoffs(endless), np.ones(1), np.ones(1))


@pytest.mark.parametrize("weights", [[-1e-9, 1.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_what_is_no_strategy_is_refused(weights):
    """Weights that are negative, not finite, or all zero enclose nothing."""
    with pytest.raises(ValueError, match="weights"):
        enclose(Payoffs([[1.0, 2.0], [3.0, 1.0]]), np.array(weights), np.array([0.5, 0.5]))


def test_the_core_refuses_what_does_not_fit():
    """Strategies of the wrong length, other types, and cells outside of the matrix are refused, not read."""
    A, p = np.zeros((2, 2)), np.ones(2)
    with pytest.raises(ValueError, match="one weight per strategy"):
        _core.enclose(A, 1.0, np.ones(3), p)
    with pytest.raises(ValueError, match="finite"):
        _core.enclose(A, np.nan, p, p)
    with pytest.raises(ValueError, match="float32 or float64"):
        _core.enclose(A.astype(int), 1.0, p, p)
    starts = np.array([0, 1, 1], np.int32)
    with pytest.raises(ValueError, match="outside"):
        _core.enclose(np.ones(1), 1.0, p, p, np.array([2], np.int32), starts)
    with pytest.raises(ValueError, match="outside"):
        _core.enclose(np.ones(1), 1.0, p, p, np.array([0], np.int32), np.array([0, 2, 1], np.int32))
    with pytest.raises(ValueError, match="one type"):
        _core.enclose(np.ones(1), 1.0, p, p, np.array([0], np.int64), starts)


@given(count=st.integers(1, 40), seed=st.integers(0, 1000), single=st.booleans())
def test_the_range_is_that_of_all_numbers(count, seed, single):
    """The least and the largest of any number of floats, and nothing where one of them is none."""
    numbers = np.random.default_rng(seed).normal(size=count).astype(np.float32 if single else np.float64)
    assert _core.payoff_range(numbers) == (numbers.min(), numbers.max())
    for odd in (np.nan, np.inf, -np.inf):
        spoiled = numbers.copy()
        spoiled[seed % count] = odd
        assert np.isnan(_core.payoff_range(spoiled)).all()
