"""`pull` and `play`: what the table, the runs' own numbers and the trace give, again."""

from __future__ import annotations

from math import comb, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.catalogue import BANDITS

from ..command_line import CommandLine
from . import plain_experts, plain_games
from .tally import Tally

LISTED = {
    "observable": "its estimates are of draws that the report does not hold",
    "exp3_p_observable": "its estimates are of draws that the report does not hold",
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def written(path: Path, losses: Any) -> Path:
    lines = [",".join(map(repr, row)) for row in losses.tolist()]
    path.write_text(",".join(f"arm{i}" for i in range(losses.shape[1])) + "\n" + "\n".join(lines) + "\n")
    return path


def bound(theorem: str, k: int, t: int, delta: float, switches: int) -> float:
    """What is known of the learners' regret before the run, at rates that are tuned for its rounds."""
    kt, ln = k * t, log(k)
    match theorem:
        case "exp3_pseudo_regret":
            return sqrt(2 * kt * ln)
        case "exp3_ix":
            eta = sqrt(2 * ln / kt)
            return ln / eta + eta * kt + (1 + 1 / eta) * log(k / delta)
        case "exp3_ix_book":
            return 2 * sqrt(2 * kt * ln) + (sqrt(2 * kt / ln) + 1) * log(2 / delta)
        case "exp3_ix_expected":
            eta = sqrt(2 * ln / kt)
            return ln / eta + eta * kt
        case "exp3_p_book":
            return 5.15 * sqrt(kt * log(k / delta))
        case "exp3_p":
            beta, eta = sqrt(log(k / delta) / kt), 0.95 * sqrt(ln / kt)
            gamma = min(0.5, 1.05 * sqrt(k * ln / t))
            return beta * kt + (gamma + (1 + beta) * eta * k) * t + log(k / delta) / beta + ln / eta
        case "tsallis":
            return 4 * sqrt(kt) - 2 * sqrt(t) - k
        case "tsallis_book":
            return 4 * sqrt(kt) + 1
        case "hedge_mixed" | "hedge_expected":
            return sqrt(t * ln / 2)
        case "hedge_sampled":
            return sqrt(t * ln / 2) + sqrt(t * log(1 / delta) / 2)
    raise KeyError(theorem)


def exp3_s(one: Any, k: int, t: int, m: int) -> float:
    """I_m / eta + eta K T / 2, at the report's own rate; the share was tuned for m switches."""
    constants = one["constants"]
    share, eta = constants["learner"]["share"], constants["ledger"]["last_rate"]
    stays = (t - m - 1) * log(1 / (1 - share * (1 - 1 / k)))
    return (log(k) + m * log(k / share) + stays) / eta + eta * k * t / 2


LEARNERS = ("exp3-ix", "exp3", "exp3-p", "tsallis-inf", "hedge", "exp3-s")


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_number_of_pull(run, tmp_path, learner):
    """Best arm, regrets, quantiles and bounds are those of the table's columns and the printed formulas."""
    losses = (np.random.default_rng(4).random((400, 3)) * [0.6, 0.9, 1.0]).round(4)
    t, k = losses.shape
    path, tally = written(tmp_path / "t.csv", losses), Tally()
    runs = 1 if learner == "exp3-s" else 12
    report = run("pull", path, "--learner", learner, "--runs", runs, "--json").json
    best = losses.sum(axis=0)
    tally.same("best_arm_loss", report["best_arm_loss"], best.min())
    assert report["best_arm"] == f"arm{int(best.argmin())}"
    tally.same("pseudo_regret", report["pseudo_regret"], report["loss"]["mean"] - best.min(), scale=best.min())
    regrets = np.array(report["observable"]["regret"])
    if learner != "exp3-s":
        tally.same("mean regret", report["regret"]["mean"], regrets.mean(), scale=best.min())
        for share in (5, 50, 95):
            tally.same(
                "quantile", report["regret"][f"q{share:02}"], np.quantile(regrets, share / 100), scale=best.min()
            )
    if runs > 1:
        tally.same("sd", report["loss"]["sd"], regrets.std(ddof=1), scale=best.min())
    tally.same("draws", sum(report["draws"].values()), 1.0)
    for one in report["certificates"]:
        name = one["theorem"]
        if not one["applies"]:
            continue
        if one["comparator"]["switches"]:
            least = plain_experts.best_sequence(losses, one["comparator"]["switches"])
        else:
            least = best.min()
        tally.same(f"{name} comparator", one["comparator"]["loss"], least)
        if name in LISTED:
            continue
        if name == "exp3_s":
            tally.same(name, one["bound"], exp3_s(one, k, t, one["comparator"]["switches"]))
            continue
        tally.same(name, one["bound"], bound(name, k, t, report["parameters"]["delta"], 0))
        if one["kind"] == "expected":
            tally.same(f"{name} observed", one["observed"], regrets.mean(), scale=best.min())
            if runs > 1:
                error = regrets.std(ddof=1) / sqrt(runs)
                tally.same(f"{name} error", one["standard_error"], error, scale=best.min())
        if one["runs"]:
            assert one["runs"]["of"] == runs
    print(f"{learner}: {tally.count} numbers")
    assert tally.count >= 6


@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("learner", [name for name, one in BANDITS.items() if not one.info.draws])
def test_draws_by_an_index_are_drawn_again(run, tmp_path, learner, runs):
    """The textbook draws what the report says, for as many rounds as it has, and all that can be checked agrees."""
    table = np.random.default_rng(5).random((120, 3)).round(3)
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,c", comments="")
    report = run("pull", tmp_path / "t.csv", "--learner", learner, "--runs", runs, "--json")
    (tmp_path / "r.json").write_text(report.out)
    command = run("verify", tmp_path / "r.json", tmp_path / "t.csv")
    assert command.code == 0, command.out
    assert "agrees: the run: rounds, arms, best_arm_loss, best_arm, loss/mean" in command.out
    assert (f"agrees: {learner.replace('-', '_')}: " in command.out) == (runs == 1)  # means are in no report


def test_real_losses_of_solvers(run, data, tmp_path):
    """The best arm of a real table, and the regrets of the runs, are those of its columns."""
    found_arrays = np.load(data / "bandits" / "aslib_mip_2016.npz", allow_pickle=False)
    tables = [found_arrays[name] for name in found_arrays.files if found_arrays[name].ndim == 2]
    tables = [one for one in tables if one.dtype.kind == "f" and one.shape[0] > one.shape[1] > 1]
    if not tables:
        pytest.skip("the archive holds no table of losses")
    table = np.nan_to_num(tables[0].astype(float), nan=1.0)
    table = (table / max(1.0, table.max())).clip(0, 1)
    path, tally = written(tmp_path / "t.csv", table), Tally()
    command = run("pull", path, "--learner", "exp3-ix", "--runs", 5, "--json")
    assert command.code == 0, command.err
    tally.same("best_arm_loss", command.json["best_arm_loss"], table.sum(axis=0).min())
    for one in command.json["certificates"]:
        if one["applies"] and one["theorem"] not in LISTED:
            tally.same(one["theorem"], one["bound"], bound(one["theorem"], table.shape[1], len(table), 0.05, 0))
    assert tally.count >= 4


def test_fair_coins_force_what_counting_says(run):
    """Promise, loss, regret and the bounds of Hedge against fair coins are those of the labels in the trace."""
    tally, t = Tally(), 40
    words = ("--learner", "hedge", "--environment", "fair-coins", "--rounds", t, "--trace", "--json")
    report = run("play", *words).json
    labels = np.array([one["label"] for one in report["trace"]], float)
    advice = np.tile([0.0, 1.0], (t, 1))
    mine = plain_experts.Run("hedge", report["parameters"], advice, labels, "absolute")
    best = min(labels.sum(), t - labels.sum())
    tally.same("loss", report["total"]["mean"], mine.facts["loss"])
    tally.same("best", report["best"], best)
    tally.same("regret", report["regret"], mine.facts["loss"] - best)
    tally.same("mistakes", report["observed"]["mistakes"]["mean"], sum(one["wrong"] for one in report["trace"]))
    promised = {"mistakes": t / 2, "regret in mistakes": t * comb(t - 1, (t - 1) // 2) / 2**t}
    for one in report["lower_bounds"]:
        tally.same(one["quantity"], one["least"], promised[one["quantity"]])
    w, u = mine.settings("hedge"), np.eye(2)[int(labels.sum() > t / 2)]
    for one in report["certificates"]:
        if one["applies"]:
            tally.same(one["theorem"], one["bound"], plain_experts.bound(one["theorem"], mine.facts, u, 0, best, w))
            tally.same("observed", one["observed"], mine.facts["loss"] - best)
    assert tally.count >= 10


@pytest.mark.parametrize("learner", ["halving", "standard-optimal", "consistent"])
def test_a_shattered_tree_forces_its_depth(run, learner):
    """Mistakes on a shattered tree, and the bounds on them, are those of the thresholds that agree with the trace."""
    tally, H = Tally(), 1 - np.tri(8, 7, -1, dtype=int)
    words = ("--learner", learner, "--environment", "shattered-tree", "--named", "thresholds:7", "--trace", "--json")
    report = run("play", *words).json
    alive = H
    for one in report["trace"]:
        alive = alive[alive[:, int(one["point"])] == one["label"]]
        tally.same("alive", one["alive"], len(alive))
    wrong = sum(one["wrong"] for one in report["trace"])
    depth = plain_games.littlestone_dimension(H)
    tally.same("mistakes", report["total"]["mean"], wrong)
    tally.same("promise", report["lower_bounds"][0]["least"], depth)
    bounds = {
        "halving": float(int(np.log2(len(H)))),
        "optimal_by_size": float(int(np.log2(len(H)))),
        "halvings": float(int(np.log2(len(H) // len(alive)))),
        "dimension": float(depth),
        "dimension_spent": float(depth - plain_games.littlestone_dimension(alive)),
        "consistent": float(len(H) - 1),
        "left": float(len(H) - len(alive)),
    }
    for one in report["certificates"]:
        if one["applies"] and one["theorem"] in ("first_in_order", "rank"):
            continue  # they go by the order of the hypotheses, and by the rank of their table
        if one["applies"]:
            tally.same(one["theorem"], one["bound"], bounds[one["theorem"]])
            tally.same("observed", one["observed"], wrong)
    assert tally.count >= 8
