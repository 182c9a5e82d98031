"""Every theorem has a second formula, or a reason why not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace as Namespace

import pytest

import regretless.theory
import regretless.verify
from regretless.catalogue import TABLES
from regretless.textbook.linear import IN_WORDS
from regretless.theorem import Theorem
from regretless.verify.certificates import RELATIVE
from regretless.verify.formulas import FORMULAS, same

PYTHON = "no verb prints it"
WITHOUT = {
    "adaboost": PYTHON,
    "boosting_by_hedge": PYTHON,
    "doubling_posterior": PYTHON,
    "doubling_printed": PYTHON,
    "doubling_sharp": PYTHON,
    "longest_survivor": PYTHON,
    "margins_and_edges": PYTHON,
    "mean_excess": PYTHON,
    "mean_risk": PYTHON,
    "mean_small_loss": PYTHON,
    "risk_by_margin": PYTHON,
    "risk_by_support": PYTHON,
    "support_by_margin": PYTHON,
    "support_rows": PYTHON,
}


def every_theorem() -> dict[str, Theorem]:
    """Each theorem by its name."""
    by_name = {}
    for module in iter_modules(regretless.theory.__path__):
        for one in vars(import_module(f"regretless.theory.{module.name}")).values():
            for part in one if isinstance(one, tuple) else (one,):
                if isinstance(part, Theorem):
                    by_name[part.name] = part
    return by_name


def theorems() -> dict[str, str]:
    """The name of each theorem, and the module that it stands in."""
    return {name: one.bound.__module__.rpartition(".")[2] for name, one in every_theorem().items()}


def constants(path: Path) -> Iterator[str]:
    """The words of a module, but for those that it says."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_check_knows_a_learner_or_a_theorem_by_its_name():
    """A theorem's name stands at its second formula alone, and a learner's nowhere in `verify`."""
    # Keys and parameters of a report, and the name of a loss.
    own = {"observable", "squared_hinge", "mean_loss", "rank", "perceptron", "halvings"}
    names = {*theorems(), *(name for table in TABLES.values() for name in table)} - own
    for path in Path(regretless.verify.__file__).parent.glob("*.py"):
        assert not names & set(constants(path)), path.name


def test_every_charge_that_is_read_in_words_is_a_learners():
    """The words by which a check knows what a learner charges are those of a learner's info."""
    assert set(IN_WORDS) <= {entry.info.charged for entry in TABLES["linear"].values()}


def test_every_second_formula_claims_what_its_theorem_does():
    """Kind and event of a formula are those of the theorem."""
    for name, one in every_theorem().items():
        if name in FORMULAS:
            assert (FORMULAS[name].kind, FORMULAS[name].event) == (one.kind, one.event), name
            assert (FORMULAS[name].at_once == "always") or one.at_once is not None, name


def test_every_theorem_is_known_or_listed():
    """A theorem that a verb prints has a formula of its own in `verify`, unless it is about shards."""
    known = {name for name, module in theorems().items() if not module.startswith("mixing")}
    assert known - set(FORMULAS) == set(WITHOUT)
    assert set(FORMULAS) <= known


def test_a_second_formula_of_a_name_is_refused():
    """A new theorem with the name of another would take the formula of that one away."""
    with pytest.raises(ValueError, match="a theorem called sharp has a formula already"):
        same("no-other sharp", lambda ell, v, w: 0.0)
    assert "no-other" not in FORMULAS


ROUNDED = (
    "lengths squared_lengths posterior classes_posterior winnow_posterior p_norm_posterior limited_posterior "
    "winnow_hinge winnow_textbook second_order_data second_order_posterior arow_mistakes arow_posterior "
    "sharp_from_start posterior_from_start"
)


@pytest.mark.parametrize("name", ROUNDED.split())
def test_a_second_formula_is_rounded_up_as_its_theorem_is(name):
    """After many rounds, when the errors of sums are more than verify allows, both formulas still say one number."""
    rounds = 50_000_000
    ledger = Namespace(
        rounds=rounds, updates=rounds // 5, update_norm2=3.0 * rounds, mistakes=rounds // 6, max_norm2=1.0
    )
    comparator = Namespace(
        norm=1.2,
        hinge=0.4 * rounds,
        squared_hinge=0.4 * rounds,
        rounds=rounds,
        total_norm2=15.0 * rounds,
        product=30.0,
        own=1.1,
        divergence=0.5,
    )
    learner = Namespace(
        norm=35.0,
        rate=0.1,
        width=124.0,
        limit=2.0,
        reach=1.0,
        weights=9,
        volume=80.0,
        energy=90.0,
        start=3.0,
        moved=4.0,
    )
    facts = vars(ledger), vars(comparator), vars(learner)
    few = facts[0] | {"updates": ledger.updates - ledger.mistakes, "mistakes": 0}
    exact = FORMULAS[name](few, facts[1] | {"rounds": 0}, facts[2] | {"width": 0.0})
    bound = every_theorem()[name].bound(ledger, comparator, learner)
    assert bound > exact * (1 + RELATIVE)
    assert FORMULAS[name](*facts) == pytest.approx(bound, rel=1e-12)
