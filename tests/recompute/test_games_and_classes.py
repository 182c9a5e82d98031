"""`solve` and `dimension`: values by linear programs, dimensions by brute force."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..command_line import CommandLine
from . import plain_games as plain
from .tally import Tally

LISTED = {
    "complementary": "its bound is what the solver claims of itself",
    "regret_identity": "its regrets are sums over rounds that the report does not hold",
    "squares": "its sums are over rounds that the report does not hold",
    "final_regrets": "it is what regret matchers keep at the end, which the report does not hold",
    "changes": "its sums are over rounds that the report does not hold",
    "sequence_squares": "its sums are over rounds that the report does not hold",
    "sequence_final_regrets": "it is what regret matchers keep at the end, which the report does not hold",
    "counterfactual": "its reaches are of the information sets of the file",
    "coarse": "its regrets are sums over rounds that the report does not hold",
    "coarse_final_regrets": "it is what regret matchers keep at the end, which the report does not hold",
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def payoffs(shape: tuple[int, int] = (5, 4), seed: int = 3) -> Any:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(float)


def written(path: Path, A: Any) -> Path:
    path.write_text("\n".join(",".join(map(repr, row)) for row in A.tolist()) + "\n")
    return path


def chances(strategy: dict[str, float], count: int) -> Any:
    """The probability of each strategy; those that are never played are not in the report."""
    return np.array([strategy.get(str(place + 1), 0.0) for place in range(count)])


def bound(one: Any, A: Any, result: Any) -> float:
    """The printed formula of a theorem on a matrix game."""
    (m, n), t, spread = A.shape, result["iterations"], A.max() - A.min()
    learner = one["constants"]["learner"]
    match one["theorem"]:
        case "weak_duality":
            return float(result["upper"] - result["lower"])
        case "basic_support":
            return float(min(m, n))
        case "von_neumann":
            if "row_rate" in learner and isinstance(learner["row_rate"], float):
                rates = learner["row_rate"], learner["column_rate"]
                return (log(m) / rates[0] + log(n) / rates[1]) / t + sum(rates) * spread**2 / 8
            return spread * (sqrt(log(m)) + sqrt(log(n))) / sqrt(t)
        case "optimistic":
            rates = learner["row_rate"], learner["column_rate"]
            turns = rates[0] * spread**2 / 2 if learner["alternate"] else 0.0
            return (log(m) / rates[0] + log(n) / rates[1] + sum(rates) * spread**2 / 4 + turns) / t
        case "matching":
            share = (1 / t, 2 / (t + 1), 6 * t / ((t + 1) * (2 * t + 1)))[learner["power"]]
            predictive = sqrt(4 - 3 / t) if learner["method"] == "prm+" else 1.0
            return predictive * share * sqrt(t) * spread * (sqrt(m - 1) + sqrt(n - 1))
    raise KeyError(one["theorem"])


METHODS = {
    "simplex": (),
    "interior-point": (),
    "linear-programming": (),
    "hedge": ("--rounds", 300),
    "optimistic-hedge": ("--rounds", 300),
    "rm": ("--rounds", 300),
    "rm+": ("--rounds", 300, "--average", "linear"),
    "prm+": ("--rounds", 300),
}


@pytest.mark.parametrize("method", METHODS)
def test_every_number_of_solve(run, tmp_path, method):
    """Value, guarantees, gains and bounds of a matrix game are those of a linear program and of its strategies."""
    A, tally = payoffs(), Tally()
    words = ("--tolerance", 1e-6 if "programming" in method or method in ("simplex", "interior-point") else 1e-12)
    command = run("solve", written(tmp_path / "g.csv", A), "--method", method, *METHODS[method], *words, "--json")
    outcome = command.json if command.code == 0 else None
    if outcome is None:  # a gap was asked for that so few rounds do not reach: ask for none
        words = ("--tolerance", 10)
        outcome = run(
            "solve", written(tmp_path / "g.csv", A), "--method", method, *METHODS[method], *words, "--json"
        ).json
    p, q = (chances(outcome[f"{who}_strategy"], count) for who, count in zip(("row", "column"), A.shape, strict=True))
    scale, exact = float(np.abs(A).max()), plain.value(A)
    tally.same("sum of p", p.sum(), 1.0)
    tally.same("sum of q", q.sum(), 1.0)
    tally.same("lower", outcome["lower"], (p @ A).min(), scale=scale)
    tally.same("upper", outcome["upper"], (A @ q).max(), scale=scale)
    tally.same("gap", outcome["gap"], (A @ q).max() - (p @ A).min(), scale=scale)
    assert outcome["lower"] - 1e-9 <= exact <= outcome["upper"] + 1e-9
    assert abs(outcome["value"] - exact) <= outcome["gap"] + 1e-9
    gains = {
        "gain by deviating": max((A @ q).max() - p @ A @ q, p @ A @ q - (p @ A).min()),
        "duality gap": (A @ q).max() - (p @ A).min(),
        "strategies in a support": max((p > 0).sum(), (q > 0).sum()),
    }
    for one in outcome["certificates"]:
        if not one["applies"]:
            continue
        tally.same(f"{one['theorem']} observed", one["observed"], gains[one["quantity"]], scale=scale)
        if one["theorem"] in LISTED:
            continue
        turns = max(0.0, one["constants"]["ledger"].get("turn", 0.0)) / one["constants"]["ledger"].get("weight", 1.0)
        tally.same(f"{one['theorem']} bound", one["bound"], bound(one, A, outcome) + turns, scale=scale)
    print(f"{method}: {tally.count} numbers")
    assert tally.count >= 7


def bimatrix(folder: Path) -> tuple[Path, Any, Any]:
    """A game of two matrices, as Gambit writes it: payoffs by columns, then rows."""
    A, B = payoffs((3, 3), 7), payoffs((3, 3), 8)
    cells = " ".join(f"{A[i, j]:g} {B[i, j]:g}" for j in range(3) for i in range(3))
    path = folder / "g.nfg"
    path.write_text(f'NFG 1 R "g" {{ "one" "two" }} {{ 3 3 }}\n\n{cells}\n')
    return path, A, B


def test_no_player_gains_at_an_equilibrium(run, tmp_path):
    """At each listed equilibrium of two matrices no player gains by deviating, and payoffs are those of the cells."""
    path, A, B = bimatrix(tmp_path)
    report, tally = run("solve", path, "--equilibria", "auto", "--json").json, Tally()
    assert report["equilibria"]
    for one in report["equilibria"]:
        p, q = (chances(one[f"{who}_strategy"], 3) for who in ("row", "column"))
        tally.same("row's payoff", one["row_payoff"], p @ A @ q, scale=9)
        tally.same("column's payoff", one["column_payoff"], p @ B @ q, scale=9)
        tally.same("row's gain", 0.0, (A @ q).max() - p @ A @ q, scale=9)
        tally.same("column's gain", 0.0, (p @ B).max() - p @ B @ q, scale=9)


@pytest.mark.parametrize("kind", ["--correlated", "--coarse"])
def test_the_best_correlated_equilibrium_is_the_best(run, tmp_path, kind):
    """Its welfare is the optimum of a linear program over joint distributions."""
    path, A, B = bimatrix(tmp_path)
    correlated, tally = run("solve", path, kind, "--json").json["correlated"], Tally()
    best = plain.best_correlated(A, B, A + B, kind == "--coarse")
    tally.same("welfare", correlated["row_payoff"] + correlated["column_payoff"], best, scale=9)


CLASSES = {
    "singletons": np.eye(6, dtype=int),
    "thresholds": np.tri(8, 7, -1, dtype=int),
    "random": (np.random.default_rng(1).random((14, 6)) < 0.5).astype(int),
    "cube": np.array(list(np.ndindex(2, 2, 2))),
}


@pytest.mark.parametrize("name", CLASSES)
def test_dimensions_by_brute_force(run, tmp_path, name):
    """VC and Littlestone dimension of a table of hypotheses are those of all subsets and all trees."""
    H, tally = CLASSES[name], Tally()
    path = tmp_path / "h.csv"
    path.write_text(",".join(f"x{i}" for i in range(H.shape[1])) + "\n" + "\n".join(",".join(map(str, r)) for r in H))
    report = run("dimension", path, "--json").json
    tally.same("distinct", report["distinct"], len(np.unique(H, axis=0)))
    tally.same("points", report["points"], H.shape[1])
    tally.same("vc_dimension", report["vc_dimension"], plain.vc_dimension(H))
    tally.same("littlestone_dimension", report["littlestone_dimension"], plain.littlestone_dimension(H))
    tally.same("floor_log2", report["floor_log2"], int(np.log2(len(np.unique(H, axis=0)))))
    assert tally.count == 5
