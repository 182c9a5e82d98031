"""The best multiples of directions: the table that the core makes of them, and what is chosen by it."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regretless import _core
from regretless.data.batch import Batch
from regretless.linear import AROW, Perceptron, PNormPerceptron, Winnow
from regretless.linear.comparators import line_search
from regretless.linear.comparators.evaluate import Span
from regretless.linear.comparators.line_search import Multiples, Slack
from regretless.linear.comparators.rays import Direction, edges, look
from regretless.theory.perceptron import sharp

from .test_dual_ascent import rows_of

NUMBERS = ("norm", "hinge", "squared_hinge", "least", "own", "product", "divergence")
SOME = 499  # edges from one that is looked at to the next


def rays_along(X, signs, vectors, intercept=0.0, loss="hinge"):
    """Rays of dense rows along some vectors that have a length."""
    directions = [one for k, v in enumerate(vectors) if (one := Direction.along(str(k), v)) is not None]
    batch, span = Batch(X, None, X.shape[1]), Span.of(len(X), len(X))
    return directions and look([(batch, signs)], directions, intercept=intercept, span=span, loss_name=loss)


def ends_of(rays):
    """v = 0, and the shortest multiple of each ray that separates the rounds."""
    return [(0, 0.0), *((k, 1 / ray.least) for k, ray in enumerate(rays) if ray.separating() is not None)]


def same(one, other):
    """Whether these are the same numbers, or none both."""
    return one == other or (one != one and other != other)


@given(arrays(float, (30, 3), elements=st.floats(-4, 4)), arrays(float, (2, 3), elements=st.floats(-2, 2)))
def test_a_table_of_multiples_is_what_each_ray_says_of_each(X, vectors):
    """A plain loop over spans and edges finds the same comparators in the same places, to the last bit."""
    rays = rays_along(X, np.resize([1, -1], 30).astype(np.int32), vectors)
    if not rays:
        return
    rays = [replace(rays[0], direction=replace(rays[0].direction, own=3.0, product=-2.0, divergence=0.5)), *rays[1:]]
    spans, ends = [(k, 7 + k, len(edges()) - 1) for k in (*range(len(rays)), 0)], ends_of(rays)
    table = Multiples(rays, spans, SOME, ends)
    wanted = [(rays[k], rays[k].at(edge)) for k, first, last in spans for edge in range(first, last + 1, SOME)]
    wanted += [(rays[k], rays[k].separating() if scale else rays[k].zero()) for k, scale in ends]
    assert len(table) == len(wanted)
    for place, (ray, comparator) in enumerate(wanted):
        assert repr(table.one(place)) == repr(comparator)
        assert table.ray(place) is ray
        assert all(same(getattr(table, name)[place], getattr(comparator, name)) for name in NUMBERS)


def test_the_least_of_a_span_is_that_of_a_plain_loop():
    """The first of the least finite numbers of each span is found; none where a span has none, or is empty."""
    numbers, starts = np.array([nan, 2.0, 1.0, 1.0, -inf, 5.0, inf, nan, -3.0]), [0, 2, 2, 6, 8, 9]
    (found,) = _core.least_by_span([numbers], starts)
    for (number, place), begin, end in zip(found, starts, starts[1:], strict=False):
        finite = [k for k in range(begin, end) if np.isfinite(numbers[k])]
        least = min(finite, key=lambda k: numbers[k], default=None)
        assert (number, place) == ((inf, begin) if least is None else (numbers[least], least))


def test_spans_that_do_not_fit_are_refused():
    """A ray that is not there, an edge beyond the last, and numbers that are not those of the spans are errors."""
    (ray,) = rays_along(np.eye(3), np.ones(3, np.int32), [np.ones(3)])
    for spans, ends in ([(1, 0, 5)], []), ([(0, 0, len(edges()))], []), ([(0, -1, 5)], []), ([], [(1, 0.0)]):
        with pytest.raises(ValueError, match=r"no such ray|edges beyond"):
            Multiples([ray], spans, 1, ends)
    with pytest.raises(ValueError, match="a number of each multiple"):
        _core.least_by_span([np.zeros(3)], [0, 4])


LEARNERS = [Perceptron(), AROW(matrix="diagonal"), Winnow(), Winnow(gamma=0.1), PNormPerceptron()]


@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_a_theorem_is_as_far_from_a_ray_as_from_its_edges(learner, separable):
    """What a search reads of many multiples at once is at each the slack that the theorem says."""
    random = np.random.default_rng(0)
    X, v = random.normal(size=(60, 6)), np.arange(1.0, 7.0)
    y = np.where(X @ v + (0 if separable else 9) * random.normal(size=60) > 0, 1, -1)
    learner.fit(X, y)
    codes, ledger = learner.codes(y), learner.ledger_
    question = learner.question([(Batch(X, None, 6), codes)], 60, in_memory=True, svm=False, against=None)
    along = [v, np.abs(learner.coef_[0]) + 0.01]
    rays = rays_along(X, codes, along, learner.played_rules().intercept)
    assert (len(ends_of(rays)) > 1) == separable
    multiples = Multiples(rays, [(k, 0, len(edges()) - 1) for k in range(len(rays))], SOME, ends_of(rays))
    slacks = [Slack(theorem, ledger, question.target_facts[0]) for theorem in question.theorems]
    none = []
    for slack in slacks:
        with np.errstate(all="ignore"):
            read = [number if np.isfinite(number) else inf for number in slack.at(multiples)]
        each = [slack.theorem.slack(ledger, multiples.one(k), question.target_facts[0]) for k in range(len(multiples))]
        assert read == pytest.approx(each, rel=1e-12)
        none.append(min(read) == inf)
    assert not all(none), none
    assert any(none) or separable, none


def test_the_best_scale_is_that_of_all_edges():
    """Of each theorem the search along rays comes within 0.1 % of the best of all edges of all rays."""
    X, y = rows_of(n=80)
    learner = Perceptron().fit(X, y)
    facts, ledger, searched = learner.target_facts()[0], learner.ledger_, 0
    rays = rays_along(X, y, [learner.coef_[0], X.T @ y, learner.coef_[0] + X.T @ y], loss="perceptron")
    all_edges = Multiples(rays, [(k, 4000, 8999) for k in range(3)])
    for theorem, best in zip(learner.proven(), line_search.best_on(rays, learner.proven(), ledger, facts), strict=True):
        if best is None:
            continue
        least = Slack(theorem, ledger, facts).at(all_edges).min()
        assert theorem.slack(ledger, best[0], facts) <= 1.001 * least
        searched += 1
    assert searched > 2


def test_a_theorem_that_applies_to_none_has_no_best():
    """Beside theorems that v = 0 serves best, one that no multiple meets has no comparator."""
    X, signs = rows_of(n=80)[0], np.where(np.arange(80) % 2, 1, -1).astype(np.int32)
    learner = Perceptron().fit(X, signs)
    rays = rays_along(X, signs, [np.ones(9)], loss="perceptron")
    best = line_search.best_on(rays, learner.proven(), learner.ledger_, learner.target_facts()[0])
    assert best[0] is None
    assert any(one is not None and one[0].norm == 0 for one in best)


def test_formulas_of_single_numbers_have_the_best_edge_of_each_ray():
    """A formula that reads single numbers, or overflows on them, comes within 0.1 % of the best of all edges of each
    ray, and not near the best of all rays alone."""
    X, y = rows_of(n=80)
    learner = Perceptron().fit(X, y)
    facts = learner.target_facts()[0]
    rays = rays_along(X, y, [learner.coef_[0], X.T @ y, y @ X**3], loss="perceptron")
    coarse = Multiples(rays, [(k, *ray.range()) for k, ray in enumerate(rays)], line_search.COARSE)
    for error in (TypeError, OverflowError):

        def alone(ledger, comparator, learner, error=error):
            if isinstance(comparator, Multiples):
                raise error
            return sharp.bound(ledger, comparator, learner)

        slacks = [Slack(one, learner.ledger_, facts) for one in (replace(sharp, bound=alone), sharp)]
        single, many = line_search.least_of(slacks, coarse)
        for (one, _), (other, _) in zip(single, many, strict=True):
            assert one <= 1.001 * other
