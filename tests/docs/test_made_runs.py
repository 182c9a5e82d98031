"""The runs from which pictures of learners and theorems are drawn, and the page of printed forms that err."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from .documents import examples, page, script

CHEAP = (("linear", "arow"), ("experts", "ml-poly"), ("class", "halving"), ("contextual", "square-cb"))


@pytest.mark.parametrize(("kind", "name"), CHEAP)
def test_what_is_drawn_is_below_its_bounds(kind, name):
    """In the run of a learner each theorem has its points, none above its bound, and the picture a line for each."""
    made, drawn, names = script("made_runs"), script("run_pictures"), script("theorem_pages")
    run = made.run_of(kind, name, {}, names.theorem_page)
    for points in run.points.values():
        assert len(points) > 5
        assert all(observed <= bound + 1e-9 for _, observed, bound in points)
    known = [names.theorem_page(one) for one in made.class_of(kind, name).theorems]
    shown = drawn.best(run, known)
    assert set(shown) <= set(run.points) & set(known)
    picture = ElementTree.fromstring(drawn.picture(run, shown))
    keys = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text") if one.get("class") == "key"]
    assert len(keys) == 1 + len(shown)


def test_a_sure_bound_that_is_exceeded_stops_the_build():
    """A line of a sure theorem whose bound is exceeded is an error, which names the learner and the line."""
    made, names = script("made_runs"), script("theorem_pages")
    ((_, lines),) = list(made.hypotheses("halving", {}))[-1:]
    wrong = replace(lines[0], observed=lines[0].bound + 1)
    with pytest.raises(RuntimeError, match="halving, rounds 60: Halvings: mistakes 6"):
        made.Run("halving", "").read(60, [wrong], names.theorem_page)


def test_theorems_of_one_picture_are_of_one_quantity():
    """A learner's picture has the least bounds of the first quantity, without those that are many times the least."""
    made, drawn, names = script("made_runs"), script("run_pictures"), script("theorem_pages")
    run = made.run_of("regression", "vovk-azoury-warmuth", {}, names.theorem_page)
    assert drawn.best(run, list(run.points)) == ["regression-against_all", "regression-against_best_constant"]
    run.points["regression-against_best_constant"][-1] = (600, 0.0, 1e9)
    assert drawn.best(run, list(run.points)) == ["regression-against_all"]
    assert drawn.best(run, ["regression-no_theorem"]) == []


def test_each_printed_form_that_errs_is_of_a_theorem():
    """Each part of docs/errata.md names theorems that there are, and stands on their pages."""
    errata, names = script("errata"), script("theorem_pages")
    assert page("errata").count("\n## ") == len(set(errata.errata().values())) > 7
    assert set(errata.errata()) <= set(names.theorems())
    text = dict(names.theorem_pages({}, {}))["theorems/perceptron-separable.md"]
    assert "## Where a printed form errs" in text


def test_printed_forms_err_as_they_are_said_to():
    """Every line of Python in docs/errata.md gives the answer that stands below it."""
    doctests = examples("errata")
    assert doctests.attempted > 10
    assert doctests.failed == 0
