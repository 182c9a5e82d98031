"""Every theorem has a second formula, or a reason why not."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import regretless.theory
from regretless.theorem import Theorem
from regretless.verify.formulas import FORMULAS

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


def theorems() -> dict[str, str]:
    """The name of each theorem, and the module that it stands in."""
    found = {}
    for module in iter_modules(regretless.theory.__path__):
        for one in vars(import_module(f"regretless.theory.{module.name}")).values():
            for part in one if isinstance(one, tuple) else (one,):
                if isinstance(part, Theorem):
                    found[part.name] = part.bound.__module__.rpartition(".")[2]
    return found


def test_every_theorem_is_known_or_listed():
    """A theorem that a verb prints has a formula of its own in `verify`, unless it is about shards."""
    known = {name for name, module in theorems().items() if not module.startswith("mixing")}
    assert known - set(FORMULAS) == set(WITHOUT)
    assert set(FORMULAS) <= known
