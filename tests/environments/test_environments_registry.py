"""The table of environments: names, parameters as text, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regretless.environments
from regretless.environments import Labels, ObliviousLabels, make
from regretless.environments.registry import parameters
from regretless.errors import RegretlessError
from regretless.finite_classes import FiniteClass

THRESHOLDS = FiniteClass.named("thresholds:7")


@pytest.mark.parametrize("name", regretless.environments.ENVIRONMENTS)
def test_every_name_makes_a_environment(name: str, tmp_path: Path) -> None:
    """Each entry can be made with its defaults, as text too, calls itself so and gives what it says."""
    entry = regretless.environments.ENVIRONMENTS[name]
    needed = {}
    if name == "written":
        (tmp_path / "labels.csv").write_text("3,1\n" * 50)
        needed = {"file": str(tmp_path / "labels.csv")}
    for settings in (needed, parameters(name) | needed):
        environment = make(name, settings, rounds=50, seed=7, finite_class=THRESHOLDS)
        if entry.gives == "arms":
            assert environment.begin().losses(np.full(environment.arms, 1 / environment.arms)).shape == (
                environment.arms,
            )
            continue
        assert isinstance(environment, Labels)
        assert environment.name == name
        assert environment.rounds == 50
        assert environment.votes == (entry.gives in ("points", "votes"))
        assert (environment.finite_class is not None) == (entry.gives == "points")
        assert isinstance(environment, ObliviousLabels) == environment.oblivious
        assert environment.begin().row().shape == (environment.columns,)
    assert entry.summary


def test_parameters_are_read_from_text() -> None:
    """Numbers, lists, tables and names are read as the environment's own parameters want them."""
    assert make("sparse-target", {"columns": "11", "relevant": "3", "noise": "0.1"}).relevant == 3
    assert make("bernoulli", {"means": "0.1,0.2,0.3"}).means.tolist() == [0.1, 0.2, 0.3]
    changing = make("switching", {"means": "0.1,0.2;0.3,0.4", "starts": "0,7"}, rounds=10)
    assert changing.starts.tolist() == [0, 7]
    assert make("switching", {}, rounds=10).starts.tolist() == [0, 5]
    assert make("bernoulli", {"rewards": "yes"}).rewards is True
    assert make("one-better-arm", {"gap": "none", "arms": "3"}, rounds=9).arms == 3
    named = FiniteClass([[0, 1], [1, 1]], hypotheses=["some", "all"])
    assert make("random-target", {"target": "all"}, finite_class=named).target == 1
    assert make("random-target", {"target": "0"}, finite_class=named).target == 0


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("bandit", {}, "no environment called 'bandit'; there are: shattered-tree"),
        ("Shatered_Tree", {}, "did you mean shattered-tree"),
        ("separable", {"margins": "1"}, "margins=1: separable has no such parameter; it has columns=10, margin=0.1"),
        ("label-flipping", {"columns": "2"}, "columns=2: label-flipping has no parameters"),
        ("separable", {"columns": "many"}, "columns=many: a whole number is expected"),
        ("separable", {"margin": "wide"}, "margin=wide: a number is expected"),
        ("separable", {"margin": "1.5"}, "margin=1.5; it must lie between 0 and 1"),
        ("bernoulli", {"means": "a,b"}, "means=a,b: numbers with commas between them are expected"),
        ("bernoulli", {"rewards": "maybe"}, "rewards=maybe: true or false is expected"),
        ("one-better-arm", {}, "rounds: one-better-arm cannot do without it"),
        ("random-target", {}, "random-target asks for the points of a finite class"),
        ("written", {}, "written asks for the points of a finite class"),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(name: str, settings: dict[str, str], message: str) -> None:
    """Unknown environments, parameters and values are named, with what is possible."""
    with pytest.raises(RegretlessError) as error:
        make(name, settings)
    assert message in str(error.value)


def test_what_a_class_lacks_is_refused_by_the_parameters_name() -> None:
    """A target that is no hypothesis, a file that is missing and rounds that are not said begin with their names."""
    for name, settings, message in (
        ("random-target", {"target": "zzz"}, "target=zzz: there is no hypothesis called 'zzz'"),
        ("random-target", {"target": "8"}, "target=8: "),
        ("written", {}, "file: written cannot do without it"),
        ("agnostic-tree", {}, "rounds: agnostic-tree cannot do without it"),
    ):
        with pytest.raises(RegretlessError) as error:
            make(name, settings, finite_class=THRESHOLDS)
        assert str(error.value).startswith(message)


def test_parameters_without_a_default_are_in_capitals() -> None:
    """The file of `written` has no default, and its place is shown."""
    assert parameters("written") == {"file": "FILE"}


def test_the_table_of_environments_loads_nothing_heavy() -> None:
    """Names and summaries can be listed without numpy."""
    code = "import sys, regretless.environments.registry; print('numpy' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "False"


def test_all_names_of_the_package_can_be_had() -> None:
    """Every name in __all__ is an attribute, and nothing else is."""
    for name in regretless.environments.__all__:
        assert getattr(regretless.environments, name) is not None
    with pytest.raises(AttributeError, match="Weather"):
        regretless.environments.Weather  # noqa: B018
