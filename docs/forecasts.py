"""Combines the forecasts of public data sets, and prints the tables of docs/experts.md.

``python docs/forecasts.py DATA`` prints them, with ``--write`` it puts them in their place. DATA is a folder with the
files that the document names; a test compares where there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import public_tables

from regretless.experts import EG, AggregatingAlgorithm, MLPoly
from regretless.experts.base import ExpertLearner

PAGE = Path(__file__).resolve().parent / "experts.md"
Table = tuple[Any, Any]


@dataclass(frozen=True)
class Example:
    """A data set and how it is combined.

    Attributes
    ----------
    name, what : str
        What the file is called, and what is in it.
    read : callable
        From the folder to forecasts (a data frame) and outcomes.
    learner : ExpertLearner
    arrivals : callable or None
        From the folder to the rows before which outcomes are known.
    """

    name: str
    what: str
    read: Callable[[Path], Table]
    learner: ExpertLearner
    arrivals: Callable[[Path], Any] | None = None


def _csv(name: str, target: str, *apart: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        frame = pd.read_csv(folder / f"{name}.csv.xz")
        return frame.drop(columns=[target, *apart]), frame[target]

    return read


def _baseball(folder: Path) -> Table:
    frame = pd.read_csv(folder / "mlb_2010_2019.csv.xz")
    names = ["fivethirtyeight", "fivethirtyeight_old", "laplace", "k29", "vegas_open", "vegas", "constant"]
    return frame[names], frame["win"]


def _load(folder: Path) -> Table:
    with np.load(folder / "opera_regional.npz") as file:
        return pd.DataFrame(file["experts"], columns=file["names"]), file["load"]


def _rain(city: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        with np.load(folder / f"ecmwf_precip_{city}.npz") as file:
            members = pd.DataFrame(file["ens_mm_1"] / 1000).add_prefix("member ")
            return members, file["obs_1"]

    return read


def _stocks(name: str) -> Callable[[Path], Table]:
    def read(folder: Path) -> Table:
        with np.load(folder / f"portfolio_{name}.npz") as file:
            return pd.DataFrame(file["relatives"]).add_prefix("stock "), None

    return read


def of_one(name: str, column: str, letters: int | None = None) -> Callable[[Path], list[int]]:
    """The row before which each outcome is known, where rows of one time are known together: the first of a later one.

    The time is a column, of which so many letters count: the first ten of a moment are its day.
    """

    def arrivals(folder: Path) -> list[int]:
        times = pd.read_csv(folder / f"{name}.csv.xz")[column].astype(str).str[:letters]
        after = np.append(np.flatnonzero(times.to_numpy()[1:] != times.to_numpy()[:-1]) + 1, len(times))
        return after[np.searchsorted(after, np.arange(len(times)), side="right")].tolist()

    return arrivals


def weeks_later(folder: Path) -> list[int]:
    """The row before which each outcome of the influenza forecasts is known: the first one, k weeks later."""
    frame = pd.read_csv(folder / "flusight_2015.csv.xz")
    weeks = frame["ew"].drop_duplicates()
    first = [*weeks.index, *[len(frame)] * 4]
    place = {week: k for k, week in enumerate(weeks)}
    return [first[place[week] + k] for week, k in zip(frame["ew"], frame["k"], strict=True)]


_PRICE = ("Real price", "time")
_APPROVAL = _csv("trump_approval", "five_thirty_eight", "ordinal_date")
_STATIONS = _csv("uw_precip_dj", "observations", "dates", "latitude")
_RECESSION = _csv("recession_probability", "recession", "dt")
_FLU = _csv("flusight_2015", "obs", "ew", "loc", "k")
EXAMPLES = (
    *(
        Example(
            f"epf_{code}", f"electricity prices of {where}, {known}", _csv(f"epf_{code}", *_PRICE), MLPoly(), arrivals
        )
        for code, where in (("BE", "Belgium"), ("FR", "France"))
        for known, arrivals in (
            ("as if each hour's came at once", None),
            ("a day's known together", of_one(f"epf_{code}", "time", 10)),
        )
    ),
    Example("opera_regional", "daily electricity load of France", _load, MLPoly()),
    Example("mlb_2010_2019", "baseball games, probabilities; log loss", _baseball, AggregatingAlgorithm(loss="log")),
    Example(
        "mlb_2010_2019",
        "the same, a day's games known together",
        _baseball,
        AggregatingAlgorithm(loss="log"),
        of_one("mlb_2010_2019", "date"),
    ),
    Example("uw_precip_dj", "rain at some seventy stations a day, as if at once", _STATIONS, MLPoly()),
    Example("uw_precip_dj", "the same, a day's known together", _STATIONS, MLPoly(), of_one("uw_precip_dj", "dates")),
    Example("recession_probability", "quarterly probabilities of recession", _RECESSION, MLPoly()),
    Example(
        "ecmwf_precip_Brussels",
        "rain, 90 % quantile of an ensemble",
        _rain("Brussels"),
        MLPoly(loss="pinball", tau=0.9),
    ),
    Example(
        "ecmwf_precip_Frankfurt",
        "rain, 90 % quantile of an ensemble",
        _rain("Frankfurt"),
        MLPoly(loss="pinball", tau=0.9),
    ),
    Example(
        "trump_approval", "approval ratings", _csv("trump_approval", "five_thirty_eight", "ordinal_date"), MLPoly()
    ),
    Example("flusight_2015", "influenza, as if outcomes came at once", _FLU, MLPoly()),
    Example("flusight_2015", "influenza, outcomes 1 to 4 weeks later", _FLU, MLPoly(), weeks_later),
    Example("portfolio_djia", "Dow Jones, two years", _stocks("djia"), EG(0.05)),
    Example("portfolio_nyse_o", "New York Stock Exchange, 22 years", _stocks("nyse_o"), EG(0.05)),
    Example("portfolio_tse", "Toronto Stock Exchange, five years", _stocks("tse"), EG(0.05)),
)


def examples(folder: Path) -> str:
    """A row for each example."""
    heads = ("data", "rounds", "experts", "mean loss", "best expert", "average", "best convex", "regret", "bound")
    rows = [heads]
    for example in EXAMPLES:
        rows.append(_row(example, folder))
    return public_tables.table(rows)


def weights(folder: Path) -> str:
    """The largest final weights of each example."""
    rows: list[tuple[str, ...]] = [("data", "largest weights at the end")]
    for example in EXAMPLES:
        if example.arrivals is None:
            learner, _, _ = _played(example, folder)
            order = np.argsort(-learner.weights, kind="stable")[:4]
            weights = ", ".join(f"{learner.names()[k]} {learner.weights[k]:.3f}" for k in order)
            rows.append((f"`{example.name}`", weights))
    return public_tables.table(rows)


def _played(example: Example, folder: Path) -> tuple[ExpertLearner, Any, Any]:
    advice, outcomes = example.read(folder / "experts")
    learner = example.learner.clone()
    arrivals = None if example.arrivals is None else example.arrivals(folder / "experts")
    learner.play(advice, outcomes, arrivals=arrivals)
    return learner, advice, outcomes


def _row(example: Example, folder: Path) -> tuple[str, ...]:
    learner, advice, outcomes = _played(example, folder)
    ledger, best = learner.ledger_, {one.name: one for one in learner.comparators(advice, outcomes)}
    expected = [best[name] for name in ("best_convex", "best_expert") if name in best]
    certificates = [one for against in expected for one in learner.certify(comparators=[against]) if one.applies]
    if not certificates or any(one.violated for one in certificates):
        raise SystemExit(f"{example.name}: {', '.join(map(str, certificates))}")
    bound = certificates[0]
    if learner.loss == "wealth":
        numbers = [f"wealth {exp(-ledger.loss):,.2f}"]
        numbers += [f"{exp(-best[name].loss):,.2f}" for name in ("best_expert", "uniform", "best_convex")]
    else:
        numbers = [f"{ledger.loss / ledger.rounds:,.4g}"]
        each = [best.get(name) for name in ("best_expert", "uniform", "best_convex")]
        numbers += ["none always spoke" if one is None else f"{one.loss / one.rounds:,.4g}" for one in each]
    head = (f"`{example.name}`: {example.what}", f"{ledger.rounds:,.0f}", f"{learner.n_experts_}")
    return (*head, *numbers, f"{bound.observed:,.4g}", f"{bound.bound:,.4g}")


MAKERS = {"examples": examples, "weights": weights}


def filled(folder: Path) -> str:
    """The document with its tables as they should be."""
    return public_tables.filled(PAGE, MAKERS, folder)


if __name__ == "__main__":
    public_tables.run(PAGE, MAKERS, __doc__)
