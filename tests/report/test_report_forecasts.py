"""The report on combined forecasts: true numbers, honest axes, harmless text, one file that needs no other."""

from __future__ import annotations

import datetime
import json
import math
import os
import random
import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.experts.result import History
from regretless.plot import figure
from regretless.report import ForecastReport, formatting, page_of_forecasts, render, write_report
from regretless.report.axes import value_axis
from regretless.report.curves import Panel
from regretless.report.forecast_page import lead
from regretless.report.svg import FRAMES, _apart_by, axes, drawing

from .test_report import HOSTILE, Page, certificate, contrast, learner


def play(
    experts: int,
    rounds: int,
    seed: int = 3,
    level: float = 60.0,
    eta: float | None = None,
    prefix: str = "expert",
    common: float = 0.0,
) -> dict[str, Any]:
    """A small game of square losses, played by Hedge in plain Python."""
    chance = random.Random(seed)
    names = [f"{prefix}{k}" for k in range(experts)]
    biases = [chance.gauss(0, 3) for _ in names]
    noises = [chance.uniform(0.5, 4.0) for _ in names]
    eta = eta or 2.0 / (1 + rounds**0.5)
    sums, total, log = [0.0] * experts, 0.0, []
    residuals = []
    for t in range(1, rounds + 1):
        shared = chance.gauss(0, common)
        y = level + 8 * math.sin(t / 11) + 4 * math.sin(t / 3) + chance.gauss(0, 1)
        shift = 2.5 * math.sin(2 * math.pi * t / rounds)
        advice = [
            y + shared + b * (common == 0) + (shift if k % 2 else -shift) + chance.gauss(0, s)
            for k, (b, s) in enumerate(zip(biases, noises, strict=True))
        ]
        least = min(sums)
        raw = [math.exp(-eta * (s - least) / 40) for s in sums]
        whole = math.fsum(raw)
        weights = [w / whole for w in raw]
        forecast = math.fsum(w * a for w, a in zip(weights, advice, strict=True))
        total += (forecast - y) ** 2
        sums = [s + (a - y) ** 2 for s, a in zip(sums, advice, strict=True)]
        residuals.append((t, forecast, y))
        log.append((t, total, list(sums), weights))
    return {"names": names, "log": log, "residuals": residuals, "eta": eta}


def rows(*columns: Any) -> list[Any]:
    """A table of a history from the columns of its experts."""
    return list(np.array(columns, dtype=np.float32).T)


def history(game: dict[str, Any], **changes: Any) -> History:
    """What the game was like at each round."""
    names, log = game["names"], game["log"]
    made = History(
        names,
        rounds=[row[0] for row in log],
        learner_loss=[row[1] for row in log],
        regret=[row[1] - min(row[2]) for row in log],
        bound=[None if row[0] < 3 else 14 * math.sqrt(row[0] * math.log(len(names))) for row in log],
        rate=[2 * math.sqrt(math.log(len(names)) / row[0]) / 30 for row in log],
        expert_losses=rows(*zip(*(row[2] for row in log), strict=True)),
        faced=rows(*[[row[1] for row in log]] * len(names)),
        weights=rows(*zip(*(row[3] for row in log), strict=True)),
        residuals=game["residuals"],
    )
    return replace(made, **changes)


def comparator(name: str, label: str, loss: float, regret: float, **detail: Any) -> SimpleNamespace:
    """A comparator as the page reads it."""
    return SimpleNamespace(name=name, label=label, loss=loss, regret=regret, detail=detail)


def forecasts(
    game: dict[str, Any] | None = None,
    ledger: dict[str, Any] | None = None,
    weights: Any = None,
    **changes: Any,
) -> ForecastReport:
    """A report with something in every part of it, with changes of the learner's ledger and weights or of itself."""
    game = game or play(8, 60)
    names, (rounds, loss, sums, shares) = game["names"], game["log"][-1]
    best = min(sums)
    combiner = learner("Hedge", eta=game["eta"], linearize=True, prior=None)
    combiner.names = lambda: names
    combiner.weights = np.array(shares if weights is None else weights)
    book = {"rounds": float(rounds), "loss": loss, "losses": sums, "faced": [loss] * len(names), "absent": 0.0}
    combiner.ledger_ = SimpleNamespace(**book | {"delay": 0.0} | (ledger or {}))
    values: dict[str, Any] = {
        "title": "Hedge on forecasts.csv",
        "learner": combiner,
        "loss_name": "square",
        "source": {
            "path": "forecasts.csv", "rows": rounds, "target": "load", "time": "date", "experts": len(names),
        },
        "history": history(game),
        "comparators": [
            comparator(
                "best_expert", f"best expert {names[sums.index(best)]}", best, loss - best,
                expert=names[sums.index(best)],
            ),
            comparator("best_convex", "best convex combination", 0.8 * best, loss - 0.8 * best, **{"experts used": 5}),
            comparator("uniform", "uniform average", 1.3 * best, loss - 1.3 * best),
        ],
        "certificates": [
            certificate("hedge_posterior", quantity="regret", observed=loss - best, bound=abs(loss - best) * 1.7 + 3),
            certificate("anytime", quantity="regret", observed=loss - best, bound=abs(loss - best) * 4 + 3),
            certificate("sleeping", why="no expert was ever silent"),
        ],
        "forecast": 63.25,
        "lower_bound": [3 * math.sqrt(row[0] / 8) for row in game["log"]],
        "seconds": 0.0123,
    }  # fmt: skip
    return ForecastReport(**values | changes)


def bare(game: dict[str, Any]) -> ForecastReport:
    """A run of which nothing is known but its ledger."""
    combiner = forecasts(game).learner
    return ForecastReport("t", combiner, "square", {}, History(game["names"]))


def odd() -> dict[str, ForecastReport]:
    """Runs in which something is missing, zero, infinite, negative or enormous."""
    game = play(3, 80)
    known = history(game)
    times = [(f"2019-01-01T{k % 24:02d}:00", f, y) for k, (_, f, y) in enumerate(game["residuals"])]
    nothing = {"rounds": 0.0, "loss": 0.0, "losses": [0.0] * 3, "faced": [0.0] * 3}
    zeros, nans, infs = ([value] * 80 for value in (0.0, math.nan, math.inf))
    return {
        "no rounds": forecasts(game, nothing, history=History(game["names"]), comparators=[], lower_bound=[]),
        "one round": forecasts(play(5, 1)),
        "one expert": forecasts(play(1, 40)),
        "no history": forecasts(game, history=History(game["names"])),
        "negative regret": forecasts(game, history=replace(known, regret=[-0.5 * t for t in known.rounds])),
        "an infinite bound": forecasts(game, history=replace(known, bound=[math.inf] * 80)),
        "a bound that is missing": forecasts(game, history=replace(known, bound=[None] * 80)),
        "an enormous bound": forecasts(game, history=replace(known, bound=[1e300] * 80)),
        "a rate that is no number": forecasts(
            game, history=replace(known, rate=[math.nan, math.inf, 0.0, math.nan] * 20)
        ),
        "weights that are no shares": forecasts(
            game, weights=[-0.5, 1.25, 0.25],
            history=replace(known, weights=rows([-0.5] * 80, [1.25] * 80, [0.25] * 80)),
        ),
        "losses that are no numbers": forecasts(
            game, {"losses": [math.nan, math.inf, 1.0]}, history=replace(known, expert_losses=rows(nans, infs, infs)),
        ),
        "losses below zero": forecasts(
            game, {"loss": -5.0}, history=replace(known, learner_loss=[-t for t in known.rounds])
        ),
        "losses of zero": forecasts(
            game,
            history=replace(
                known, learner_loss=zeros, expert_losses=rows(zeros, zeros, zeros), faced=rows(zeros, zeros, zeros),
                regret=zeros,
            ),
        ),
        "outcomes that are missing": forecasts(
            game, history=replace(known, residuals=[(1, 2.0, None), (2, None, 3.0), (3, math.nan, 1.0)])
        ),
        "equal outcomes": forecasts(game, history=replace(known, residuals=[(t, 7.0, 7.0) for t in range(1, 81)])),
        "outcomes far from zero": forecasts(
            game, history=replace(known, residuals=[(t, 1e6 + t / 100, 1e6 + t / 101) for t in range(1, 81)])
        ),
        "times as text": forecasts(game, history=replace(known, residuals=times)),
        "times without order": forecasts(game, history=replace(known, residuals=[(3, 1.0, 2.0), (1, 2.0, 1.5)])),
        "late and missing": forecasts(game, {"delay": 12.5, "absent": 7.0}, late=True),
        "a bare run": bare(game),
    }  # fmt: skip


# --- the page -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", odd())
def test_odd_runs_make_a_sound_page(name: str) -> None:
    """Whatever is missing, zero or infinite, the page is well formed and no drawing holds a non-number."""
    text = render(page_of_forecasts(odd()[name]))
    page = Page(text)
    assert not page.open
    for tag, attributes in page.elements:
        for key in ("d", "x", "y", "width", "viewbox", "data-x", "data-y"):
            assert not re.search("nan|inf", attributes.get(key) or "", re.I), (tag, attributes)
    curves(text)


def curves(text: str) -> dict[str, Any]:
    """What the page's script is given."""
    record: dict[str, Any] = json.loads(re.findall(r'id="curves">(.*?)</script>', text)[0])
    return record


def test_page_refers_to_nothing_outside() -> None:
    """The page holds no address, no reference, no style attribute and no event handler."""
    text = render(page_of_forecasts(forecasts()))
    names = {name for _, attributes in Page(text).elements for name in attributes}
    assert not names & {"src", "href", "style", "srcset", "action", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in text
    assert "default-src 'none'" in text


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    """Markup in an expert's name, a time or any other text is shown as text, wherever it stands."""
    game = play(14, 30, prefix=HOSTILE)
    spoilt = history(game, residuals=[(HOSTILE, f, y) for _, f, y in game["residuals"]])
    report = forecasts(
        game,
        history=spoilt,
        title=HOSTILE,
        loss_name=HOSTILE,
        forecast=HOSTILE,
        source={HOSTILE: HOSTILE},
        comparators=[comparator(HOSTILE, HOSTILE, 1.0, 2.0, **{HOSTILE: HOSTILE})],
    )
    combiner: Any = report.learner
    combiner.name, combiner.get_params = HOSTILE, lambda: {HOSTILE: HOSTILE}
    page = Page(render(page_of_forecasts(report)))
    tags = [tag for tag, _ in page.elements]
    assert "xss" not in tags
    assert tags.count("script") == 2
    assert "onload" not in {name for _, attributes in page.elements for name in attributes}
    assert HOSTILE in page.text


def test_numbers_of_the_run_are_in_the_page() -> None:
    """Losses, regrets, the forecast, parameters and what was missing are all in the text."""
    report = forecasts(ledger={"absent": 7.0, "delay": 12.5}, late=True)
    text = Page(render(page_of_forecasts(report))).text
    expected = [formatting.number(report.loss), formatting.number(min(report.expert_losses.values())), "63.25", "12.5"]
    expected += ["Forecasts missing 7", "forecasts.csv", "no expert was ever silent", *report.expert_losses]
    assert not [words for words in expected if words not in text]


def test_page_is_the_same_for_the_same_run(tmp_path: Path) -> None:
    """What is written is what is rendered, and both are the same each time."""
    write_report(tmp_path / "r.html", page_of_forecasts(forecasts()))
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == render(page_of_forecasts(forecasts()))
    assert os.listdir(tmp_path) == ["r.html"]


def test_many_experts_stay_under_half_a_megabyte() -> None:
    """A page on 65 experts and 2,000 recorded rounds holds twelve of them in each picture, in less than 600 kB."""
    report = forecasts(play(65, 2000))
    text = render(page_of_forecasts(report))
    assert len(text.encode()) < 600_000
    drawn = curves(text)
    assert len(drawn["weights"]["lines"]) == len(drawn["losses"]["lines"]) == 13
    assert "The 12 leading experts of 65 are drawn." in text
    assert "35 experts that did worse are not listed." in text


def test_lead_says_more_and_less_as_they_are() -> None:
    """A positive regret reads as more than the comparator's loss, a negative one as less, in per cent of it."""
    compared = [comparator("best_expert", "b", 80.0, 20.0), comparator("uniform", "u", 125.0, -25.0)]
    text = lead(forecasts(ledger={"loss": 100.0, "rounds": 10.0}, comparators=compared))
    assert text.endswith("25% more than the best expert in hindsight, 20% less than their uniform average.")


def test_comparators_tell_the_heaviest_of_their_weights() -> None:
    """Of a combination of many experts the page names the few that weigh most, and says nothing twice."""
    game = play(20, 40)
    detail = {"expert": 3, "rounds": 40, "weights": [0.0] * 17 + [0.25, 0.5, 0.25]}
    best = comparator("best_convex", "best convex combination", 1.0, 2.0, **detail)
    text = Page(render(page_of_forecasts(forecasts(game, comparators=[best])))).text
    assert "Best convex combination 1.000 2.000 weights expert18 0.5, expert17 0.25, expert19 0.25 Experts" in text


def test_bound_on_another_quantity_is_the_header_s() -> None:
    """Where theorems speak of mistakes, the header shows the bound on mistakes."""
    report = forecasts(certificates=[certificate("majority", quantity="mistakes", observed=5, bound=9.5)])
    assert "Tightest bound on mistakes" in render(page_of_forecasts(report))


def test_the_tile_has_the_bound_that_the_chart_ends_at() -> None:
    """A tighter bound, against another comparator, stands among the certificates and not in the header."""
    convex = certificate("sharp", quantity="regret", observed=10.0, bound=20.0)
    report = forecasts(certificates=[convex])
    chart = panel(report, "regret")
    (bound,) = [line for line in chart.series if line.bound and not line.floor]
    text = Page(render(page_of_forecasts(report))).text
    assert f"Tightest bound on regret {bound.final} against the best expert" in text
    assert float(bound.final.replace(",", "")) > 20


# --- the pictures -------------------------------------------------------------------------------------------


def panels(report: ForecastReport) -> list[Panel]:
    """Every picture of the page."""
    return list(page_of_forecasts(report).panels)


def panel(report: ForecastReport, key: str) -> Panel:
    """One of the pictures."""
    return next(one for one in panels(report) if one.key == key)


def test_every_picture_is_drawn() -> None:
    """A complete history gives regret, weights, losses, forecasts, residuals and rate, in this order."""
    keys = ["regret", "weights", "losses", "forecasts", "residuals", "rate"]
    assert [one.key for one in panels(forecasts())] == keys
    assert list(curves(render(page_of_forecasts(forecasts())))) == keys
    assert panels(odd()["no history"]) == []


def test_regret_has_linear_axes_with_zero_on_them() -> None:
    """Regret and its bounds stand on linear axes, below zero too, however many decades they span."""
    regret = [-1000.0 if k == 40 else 0.001 * k for k in range(60)]
    one = panel(forecasts(history=replace(history(play(8, 60)), regret=regret)), "regret")
    across, up = axes(one, FRAMES["regret"][0])
    assert (across.log, up.log) == (False, False)
    assert up.low < -1000 < 0 < up.high


def test_regret_title_does_not_claim_what_the_curve_denies() -> None:
    """The title says that the regret is under its bound where it is, at every round drawn."""
    known = history(play(8, 60))
    above = replace(known, bound=[abs(value) + 1 for value in known.regret if value is not None])
    assert panel(forecasts(history=above), "regret").title.endswith("under its bound")
    crossed = replace(above, regret=[*above.regret[:30], 1e6, *above.regret[31:]])
    assert panel(forecasts(history=crossed), "regret").title.endswith("and its bound")


def test_far_bound_is_reported_and_not_drawn() -> None:
    """A bound that would flatten the regret has its number in the legend, no line, and a note that says so."""
    one = panel(odd()["an enormous bound"], "regret")
    bound = next(line for line in one.series if line.style == "bound0")
    assert not bound.drawn
    assert bound.final == "1 × 10³⁰⁰"
    assert "Bound lies far above this chart." in one.notes
    assert axes(one, FRAMES["regret"][0])[1].high < 1e6


def test_lower_bound_shades_nothing() -> None:
    """What is shaded is the land under the upper bound: a lower bound alone shades none."""
    known = history(play(8, 60), bound=[])
    assert "allowed" not in drawing(panel(forecasts(history=known), "regret"), FRAMES["regret"][0])
    both = drawing(panel(forecasts(), "regret"), FRAMES["regret"][0])
    assert both.count('class="allowed"') == 1


def test_stacked_weights_fill_the_axis() -> None:
    """Shares lie on each other up to the whole, and the reader sees each share, not where it ends."""
    one = panel(forecasts(play(20, 60)), "weights")
    assert [value for _, value in one.series[-1].points] == pytest.approx([1.0] * 60)
    for below, line in pairwise(one.series):
        for (_, low), (_, high), (_, share) in zip(below.points, line.points, line.values, strict=True):
            assert high - low == pytest.approx(share, abs=1e-7)  # a history has single precision
    assert one.series[-1].name == "Others"
    assert axes(one, FRAMES["weights"][0])[1].high == 1.0


def test_tags_point_at_the_middle_of_their_areas() -> None:
    """The tag of a stacked area is joined to the middle of what is seen of it at its end."""
    text = drawing(panel(forecasts(play(3, 40)), "weights"), FRAMES["weights"][0])
    joined = sorted(float(y) for y in re.findall(r'class="leader [^"]+" d="M[\d.]+ ([\d.]+)L', text))
    tops = [float(y) for y in re.findall(r'class="area [^"]+" d="M[^V]+ ([\d.]+)V', text)]
    ends = [*sorted(tops), 336.0]
    assert joined == pytest.approx([(a + b) / 2 for a, b in pairwise(ends)], abs=0.2)


def test_weights_that_are_no_shares_are_lines() -> None:
    """Negative weights are not stacked."""
    one = panel(odd()["weights that are no shares"], "weights")
    assert {line.mark for line in one.series} == {"line"}
    assert axes(one, FRAMES["weights"][0])[1].low < -0.5


def test_an_expert_has_one_number_and_one_colour() -> None:
    """An expert is called and drawn alike among the weights and among the losses."""
    report = forecasts(play(30, 90))
    styles = [{line.name: line.style for line in panel(report, key).series} for key in ("weights", "losses")]
    shared = set(styles[0]) & set(styles[1])
    assert len(shared) > 3
    assert all(styles[0][name] == styles[1][name] for name in shared)
    assert [len(set(one.values())) for one in styles] == [len(one) for one in styles]


def test_losses_alike_are_drawn_as_differences() -> None:
    """Sums that would look like one line are drawn less the learner's, and the axis says so; others are not."""
    apart, alike = panel(forecasts(play(8, 200)), "losses"), panel(forecasts(play(8, 200, common=30.0)), "losses")
    assert apart.unit == "Sum of square losses"
    assert alike.unit == "Loss above the learner’s"
    assert {value for _, value in alike.series[0].points} == {0.0}


def test_silent_experts_are_mentioned_with_their_losses() -> None:
    """Where forecasts were missing, the picture of the losses warns of it."""
    assert any("silence" in note for note in panel(forecasts(ledger={"absent": 3.0}), "losses").notes)
    assert not any("silence" in note for note in panel(forecasts(), "losses").notes)


def test_silent_experts_are_compared_over_the_rounds_they_spoke_in() -> None:
    """Where it is known what the learner lost while an expert spoke, picture, order and table go by that."""
    game = play(2, 40)
    game["names"] = ["often", "seldom"]
    losses = [[2.0 * t for t in range(1, 41)], [0.5 * t for t in range(1, 41)]]
    faced = [[3.0 * t for t in range(1, 41)], [0.125 * t for t in range(1, 41)]]
    known = history(game, expert_losses=rows(*losses), faced=rows(*faced))
    ends = {"losses": [80.0, 20.0], "faced": [120.0, 5.0], "absent": 9.0}
    report = forecasts(game, ends, history=known)
    _, first, second = panel(report, "losses").series
    assert (first.name, second.name) == ("1 often", "2 seldom")
    assert (first.points[-1][1], second.points[-1][1]) == (-40.0, 15.0)
    assert "often 80.00 −40.00" in Page(render(page_of_forecasts(report))).text
    assert "seldom 20.00 +15.00" in Page(render(page_of_forecasts(report))).text


def test_long_runs_are_drawn_in_stretches_that_hide_nothing() -> None:
    """Of thousands of rounds the bars reach to the largest and the least residual, and the line has their means."""
    played = [(t, 10.0, 10.0 + (50.0 if t == 777 else math.sin(t))) for t in range(1, 3001)]
    one = panel(
        forecasts(ledger={"rounds": 3000.0}, history=replace(history(play(8, 60)), residuals=played)), "residuals"
    )
    (line,) = one.series
    assert len(line.points) == 200
    assert max(high for _, _, high in line.spans) == pytest.approx(50.0)
    assert sum(value for _, value in line.points) / 200 == pytest.approx(sum(y - f for _, f, y in played) / 3000)
    assert one.captions[-1] == "Rounds 2,986 to 3,000"


def test_the_end_of_a_run_stands_at_its_rounds() -> None:
    """Residuals of the last rounds alone are drawn at those rounds, on an axis that begins there, with a note."""
    played = [(f"day {k}", 1.0, 2.0) for k in range(100)]
    one = panel(
        forecasts(ledger={"rounds": 1000.0}, history=replace(history(play(8, 60)), residuals=played)), "forecasts"
    )
    assert one.series[0].points[0][0] == 901
    assert axes(one, FRAMES["forecasts"][0])[0].low == 901
    assert any("the last 100 rounds" in note for note in one.notes)


def test_times_are_reported_as_they_are_spaced() -> None:
    """Days are shown as days, hours with their minutes, and other text as it stands."""
    game = play(3, 40)
    for texts, shown in (
        ([f"2019-03-{k + 1:02d} 00:00" for k in range(30)], "2019-03-01"),
        ([f"2019-03-01T{k % 24:02d}:00" for k in range(30)], "2019-03-01 00:00"),
        ([f"2019-03-{k + 1:02d}T00:00:00.000000000" for k in range(30)], "2019-03-01"),
        ([datetime.date(2019, 3, k + 1) for k in range(30)], "2019-03-01"),
        ([f"week {k}" for k in range(30)], "week 0"),
    ):
        report = forecasts(game, history=history(game, residuals=[(text, 1.0, 2.0) for text in texts]))
        assert panel(report, "residuals").moments[0] == shown


def test_levels_far_from_zero_have_an_axis_of_their_own() -> None:
    """Outcomes far from zero for their spread leave it off the axis; others, and nearly constant ones, do not."""
    for values, low in (([50.0, 60.0], 49.0), ([5.0, 60.0], 0.0), ([1e6, 1e6 + 1], 0.0)):
        axis = value_axis(values, [], 200, 0, "real", "snug")
        assert (axis.low > low) == (low > 0)
    below = value_axis([-60.0, -50.0], [], 200, 0, "real", "snug")
    assert below.low < -60 < -50 < below.high < 0


def test_low_charts_have_three_ticks() -> None:
    """Where the usual room between ticks would leave fewer than three, they stand closer."""
    axis = value_axis([-4900.0, 4100.0], [], 186, 26, "real", "linear")
    assert len(axis.ticks(horizontal=False)) >= 3


def test_learning_rate_stands_on_a_log_axis() -> None:
    """Rates are on a log axis even when they hardly move, and rates that are none are left out."""
    steady = forecasts(history=replace(history(play(8, 60)), rate=[0.5] * 60))
    assert axes(panel(steady, "rate"), FRAMES["rate"][0])[1].log
    assert not [one for one in panels(odd()["a rate that is no number"]) if one.key == "rate"]


@pytest.mark.parametrize("name", ["sample", *odd()])
def test_marks_stay_inside_the_plot(name: str) -> None:
    """No drawn coordinate of any line, area or bar lies outside the axes, at any size."""
    report = forecasts(play(20, 90)) if name == "sample" else odd()[name]
    for one in panels(report):
        for frame in FRAMES[one.key]:
            for path_data in re.findall(r'class="(?:line|area|spans) [^>]*d="([^"]+)"', drawing(one, frame)):
                for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path_data):
                    assert frame.left - 0.1 <= float(x) <= frame.width - frame.right + 0.1
                    assert frame.top - 0.1 <= float(y) <= frame.height - frame.bottom + 0.1


@given(st.lists(st.floats(0, 300), max_size=12), st.sampled_from([5.0, 14.0, 40.0]))
def test_tags_are_apart_and_in_their_order(places: list[float], wanted: float) -> None:
    """Tags keep the order of their lines and stay inside; they are apart as far as there is room."""
    placed = _apart_by(sorted(places), wanted, 0.0, 300.0)
    least = min(wanted, 300.0 / max(len(places) - 1, 1))
    assert all(-1e-6 <= place <= 300 + 1e-6 for place in placed)
    assert all(b - a >= least - 1e-6 for a, b in pairwise(placed))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0%"), (1e-7, "<0.1%"), (0.2564, "25.6%"), (0.03, "3.0%"), (0.9999, ">99.9%"), (1.0, "100%")],
)
def test_shares_are_never_shown_as_nothing_or_all(value: float, text: str) -> None:
    """A small share is not shown as none and a large one not as all."""
    assert formatting.share(value) == text


@pytest.mark.parametrize("theme", [0, 1])
def test_expert_colours_have_contrast(theme: int) -> None:
    """In light and in dark every expert's line has a contrast of 3 at least against the page."""
    blocks = re.findall(r":root \{([^}]*--page[^}]*)\}", render(page_of_forecasts(forecasts())))
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", blocks[theme]))
    for k in range(6):
        assert contrast(colours[f"expert{k}"], colours["page"]) >= 3


# --- the figure ---------------------------------------------------------------------------------------------


def test_figure_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where matplotlib is missing, the error names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(RegretlessError, match=r"pip install matplotlib"):
        figure(page_of_forecasts(forecasts()))


def test_figure_shows_the_six_pictures() -> None:
    """The figure has the page's charts: stacked weights, a line for each loss, and a logarithmic rate."""
    pytest.importorskip("matplotlib")
    made = figure(page_of_forecasts(forecasts(history=history(play(5, 50)))))
    titles = {one.get_title(): one for one in made.axes}
    assert len(titles) == 6
    assert titles["Learning rate"].get_yscale() == "log"
    assert len(titles["Weights"].collections) == 5
    losses = next(one for title, one in titles.items() if "loss" in title)
    assert len(losses.get_legend_handles_labels()[0]) == 6


@pytest.mark.parametrize("name", [name for name in odd() if name not in ("no rounds", "no history", "a bare run")])
def test_figure_of_an_odd_run_is_made(name: str) -> None:
    """Whatever is missing or infinite, the figure is made."""
    pytest.importorskip("matplotlib")
    assert figure(page_of_forecasts(odd()[name])).axes


def test_a_figure_can_be_drawn() -> None:
    """Ticks, texts and lines of a figure with an infinite bound are laid out without an error."""
    pytest.importorskip("matplotlib")
    figure(page_of_forecasts(odd()["an infinite bound"])).draw_without_rendering()
