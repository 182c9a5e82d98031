"""Pulls the arms of public data sets, and prints the tables of docs/bandits.md.

``python docs/pulls.py DATA`` prints them, with ``--write`` it puts them in their place. DATA is a folder with the files
that the document names; a test compares where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import public_tables

from regretless.bandits import Exp3IX, TsallisINF
from regretless.bandits.base import Bandit
from regretless.bandits.off_policy import Evaluation, evaluate_learner, evaluate_policy
from regretless.bandits.simulation import Pulls, simulate
from regretless.data.logged import Log, read_log

PAGE = Path(__file__).resolve().parent / "bandits.md"
RUNS, PASSES = 20, 20
MISSING = -32768
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Example:
    """A table of losses or rewards.

    Attributes
    ----------
    name, what : str
        What the file is called, and what is in it.
    array : str
        Where in the file.
    scale : float
        Of a number there.
    value_range : (float, float)
    rewards : bool
    dense : bool
        Whether to leave out rows in which something is missing.
    """

    name: str
    what: str
    array: str
    scale: float
    value_range: tuple[float, float]
    rewards: bool = False
    dense: bool = False

    def read(self, folder: Path) -> Array:
        """The table, nan where nothing is known."""
        with np.load(folder / f"{self.name}.npz") as file:
            values = file[self.array].astype(np.float64)
        values[values == MISSING] = np.nan
        return values[~np.isnan(values).any(axis=1)] / self.scale if self.dense else values / self.scale

    def pulls(self, learner: type[Bandit], table: Array, **more: Any) -> Pulls:
        """All runs of a learner."""
        made = learner(value_range=self.value_range, rewards=self.rewards, seed=0, **more)
        return simulate(made, table, runs=RUNS)


JESTER = ("ratings_x100", 100.0, (-10.0, 10.0), True)
EXAMPLES = (
    Example("aslib_asp_potassco", "answer set programs, seconds", "cost", 1.0, (0.0, 600.0)),
    Example("aslib_bnsl_2016", "learning Bayesian networks, seconds", "cost", 1.0, (0.0, 7200.0)),
    Example("aslib_maxsat15_pms_indu", "MaxSAT, seconds", "cost", 1.0, (0.0, 1801.0)),
    Example("aslib_mip_2016", "mixed integer programs, penalised seconds", "cost", 1.0, (0.0, 72000.0)),
    Example("aslib_sat11_hand", "crafted SAT problems, seconds", "cost", 1.0, (0.0, 5000.0)),
    Example("jester5k", "jokes, ratings by those who rated all", *JESTER, dense=True),
    Example("jester5k", "jokes, ratings by everybody", *JESTER),
)


def tables(folder: Path) -> str:
    """A row for each table."""
    heads = ("data", "rounds", "arms", "all arms", "exp3-ix", "tsallis-inf", f"exp3-ix, {PASSES} times")
    rows = [(*heads, "best arm", "regret", "bound")]
    for example in EXAMPLES:
        rows.append(_row(example, folder / "bandits"))
    return public_tables.table(rows)


def _row(example: Example, folder: Path) -> tuple[str, ...]:
    table = example.read(folder)
    rounds, arms = table.shape
    means = np.nanmean(table, axis=0)
    often = np.tile(table, (PASSES, 1))
    pulls = [
        example.pulls(Exp3IX, table, horizon=rounds),
        example.pulls(TsallisINF, table, estimator="reduced"),
        example.pulls(Exp3IX, often, horizon=len(often)),
    ]
    certificates = {one.theorem.name: one for one in pulls[2].certificates()}
    certificate = certificates["observable"]
    if not certificate.applies or any(one.violated for one in certificates.values()):
        raise SystemExit(f"{example.name}: {certificate}")
    numbers = [f"{(one.losses if one.rewards is None else one.rewards).mean() / one.rounds:,.4g}" for one in pulls]
    best = means.max() if example.rewards else means.min()
    middle: Any = certificate
    each = float(np.median(pulls[2].regrets)) / len(often), middle.runs["bound"]["q50"] / len(often)
    return (
        f"`{example.name}`: {example.what}",
        f"{rounds:,}",
        str(arms),
        f"{means.mean():,.4g}",
        *numbers,
        f"{best:,.4g}",
        *(f"{one:,.4g}" for one in each),
    )


def logs(folder: Path) -> str:
    """A row for each policy that is evaluated on a log."""
    rows: list[tuple[str, ...]] = [("log and policy", "truth", "replay", "ips", "snips", "dr", "anytime", "worth")]
    for what in ("men", "women"):
        uniform, thompson = (fashion(folder, what, policy) for policy in ("random", "bts"))
        uniform = uniform.declaring(uniform.least)  # all items alike
        evaluation = evaluate_policy(uniform, mean_policy(thompson), runs=100)
        rows.append(_judged(f"`obd_{what}_random`: Thompson sampling", evaluation, f"{thompson.rewards.mean():.4f}"))
        learner = Exp3IX(arms=uniform.names, rewards=True, seed=0)
        rows.append(_judged(f"`obd_{what}_random`: exp3-ix", evaluate_learner(uniform, learner, runs=100), ""))
    log = cookies(folder)
    for place, gate in enumerate(log.names):
        chosen = np.eye(2)[place]
        truth = log.rewards[log.actions == place].mean()
        rows.append(_judged(f"`cookie_cats`: always {gate}", evaluate_policy(log, chosen), f"{truth:.4f}"))
    learner = Exp3IX(arms=log.names, rewards=True, seed=0)
    rows.append(_judged("`cookie_cats`: exp3-ix", evaluate_learner(log, learner, runs=10), ""))
    return public_tables.table(rows)


def _judged(name: str, evaluation: Evaluation, truth: str) -> tuple[str, ...]:
    each = [evaluation.estimates[one] for one in ("replay", "ips", "snips", "dr", "anytime")]
    numbers = (f"{one.value:.4f} ({one.low:.4f} to {one.high:.4f})" for one in each)
    return (name, truth, *numbers, f"{evaluation.effective:,.0f} of {len(evaluation.log):,}")


def fashion(folder: Path, what: str, policy: str) -> Log:
    """A log of Open Bandit."""
    path = folder / "bandits" / f"obd_{what}_{policy}.csv.xz"
    return read_log(path, action="item_id", reward="click", propensity="propensity_score", context="position")


def cookies(folder: Path) -> Log:
    """The experiment of Cookie Cats."""
    path = folder / "bandits" / "cookie_cats.csv.xz"
    return read_log(path, action="version", reward="retention_7", propensity=0.5).declaring(0.5)


def mean_policy(log: Log) -> Array:
    """A policy's mean probabilities over time: harmonic means of propensities, scaled to sum to 1 in each situation."""
    counts, sums = np.zeros((2, len(log.situations), len(log.names)))
    np.add.at(counts, (log.contexts, log.actions), 1)
    np.add.at(sums, (log.contexts, log.actions), 1 / log.propensities)
    means = np.divide(counts, sums, out=np.zeros_like(counts), where=counts > 0)
    return means / means.sum(axis=1, keepdims=True)


MAKERS = {"tables": tables, "logs": logs}


def filled(folder: Path) -> str:
    """The document with its tables as they should be."""
    return public_tables.filled(PAGE, MAKERS, folder)


if __name__ == "__main__":
    public_tables.run(PAGE, MAKERS, __doc__)
