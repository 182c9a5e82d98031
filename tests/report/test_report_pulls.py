"""The reports on pulled arms and on logged draws: true numbers, honest axes, harmless text, one file for each."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import bandits
from regretless.bandits.simulation import simulate
from regretless.environments import LikeliestLoses, Table
from regretless.errors import RegretlessError
from regretless.plot import figure
from regretless.report import (
    PoliciesReport,
    PullCurves,
    formatting,
    logged_page,
    page_of_log,
    page_of_policies,
    page_of_pulls,
    pull_page,
    render,
    write_report,
)
from regretless.report.curves import Panel
from regretless.report.histogram import bins, quantile
from regretless.report.intervals import writer
from regretless.report.pull_page import OBSERVABLE, panels, stills
from regretless.report.svg import FRAMES, axes, drawing

from ..bandits.pull_reports import StandInLog, course, estimate, game, logged, odd, odd_logs, pulls
from .test_report import HOSTILE, Page, certificate


def sound(text: str) -> Page:
    """The page taken apart, all whose elements close and whose drawings hold numbers alone."""
    page = Page(text)
    assert not page.open
    for tag, attributes in page.elements:
        for key in ("d", "x", "y", "cx", "cy", "r", "height", "width", "viewbox", "data-x", "data-y"):
            assert not re.search("nan|inf", attributes.get(key) or "", re.I), (tag, attributes)
            assert not (key in ("width", "height", "r") and (attributes.get(key) or "").startswith("-"))
    return page


def panel(report: Any, key: str) -> Panel:
    """One of the pictures over the rounds."""
    return next(one for one in panels(report) if one.key == key)


# --- the pages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", odd())
def test_odd_runs_make_a_sound_page(name: str) -> None:
    """Whatever is missing, zero or infinite, the page is well formed and no drawing holds a non-number."""
    text = render(page_of_pulls(odd()[name]))
    sound(text)
    assert set(json.loads(re.findall(r'id="curves">(.*?)</script>', text)[0])) <= {"regret", "probabilities"}


@pytest.mark.parametrize("name", odd_logs())
def test_odd_logs_make_a_sound_page(name: str) -> None:
    """Whatever is missing or infinite, the page on a log is well formed and no drawing holds a non-number."""
    sound(render(page_of_log(odd_logs()[name])))


@pytest.mark.parametrize("text", [render(page_of_pulls(pulls())), render(page_of_log(logged()))], ids=["pulls", "log"])
def test_page_refers_to_nothing_outside(text: str) -> None:
    """The page holds no address, no reference, no style attribute and no event handler."""
    names = {name for _, attributes in Page(text).elements for name in attributes}
    assert not names & {"src", "href", "style", "srcset", "action", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in text
    assert "default-src 'none'" in text


@pytest.mark.parametrize("name", odd_logs())
def test_odd_policies_make_a_sound_page_together(name: str) -> None:
    """Whatever is missing or infinite of one of eight policies, with names of markup that are alike where they are
    shown, the page on all of them is well formed, and says that six are in the chart, or which are refused."""
    report = odd_logs()[name]
    each = {f"{HOSTILE}{HOSTILE}{k}": (report if k else logged()).evaluation for k in range(8)}
    page = sound(render(page_of_policies(PoliciesReport("policies", each, report.source, report.certificates))))
    assert "xss" not in [tag for tag, _ in page.elements]
    refused = "anytime" not in report.evaluation.estimates
    assert ("Of 8 policies the first 6 are shown here." in page.text) is not refused
    assert ("refused" in page.text) is refused
    assert "probability 99.375%" in page.text


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    """Markup in the name of an arm, a bound, a parameter or an estimator is shown as text, wherever it stands."""
    known = course(game())
    shares = {f"{HOSTILE}{k}": values for k, values in enumerate(known.probabilities.values())}
    runs = pulls(
        title=HOSTILE, best_arm=HOSTILE, parameters={HOSTILE: HOSTILE}, source={HOSTILE: HOSTILE}, against=HOSTILE,
        arms=[HOSTILE], draws=[1.0], arm_losses=[1.0],
        course=replace(known, probabilities=shares, bounds={HOSTILE: known.certificate}),
    )  # fmt: skip
    arm, shares_of_one = StandInLog((HOSTILE,)), np.ones(1)
    log = logged(
        title=HOSTILE, log=arm, estimates={HOSTILE: estimate(1.0, 0.5, 2.0, 9)}, draws=shares_of_one,
        logged_draws=shares_of_one,
    )  # fmt: skip
    for text in (render(page_of_pulls(runs)), render(page_of_log(log))):
        page = sound(text)
        tags = [tag for tag, _ in page.elements]
        assert "xss" not in tags
        assert tags.count("script") == 2
        assert "onload" not in {name for _, attributes in page.elements for name in attributes}
        assert HOSTILE in page.text


def test_numbers_of_the_runs_are_in_the_page() -> None:
    """Loss, regret, best arm, bounds, how often they were exceeded, draws and parameters are all in the text."""
    report = pulls()
    text = Page(render(page_of_pulls(report))).text
    assert report.pseudo_regret is not None
    best = report.pulls.best_arm_loss
    assert best is not None
    expected = [formatting.number(value) for value in (report.pulls.loss, report.pseudo_regret, best)]
    expected += [formatting.number(one.bound) for one in report.certificates if one.bound is not None]
    expected += [
        "Exceeded in none of 100 runs",
        "Exceeded in 1 of 100 runs",
        "× 100 runs",
        "the rule is not that of Exp3.P",
    ]
    expected += [*report.draws, *map(formatting.share, report.draws.values()), "losses.csv", "arm0"]
    assert not [words for words in expected if words not in text]


def test_numbers_of_the_log_are_in_the_page() -> None:
    """Every estimate with its interval and its rounds is in the text, and so are both shares of each arm's draws."""
    text = Page(render(page_of_log(logged()))).text
    for words in ("0.0057 0.0031 0.0091 1,012", "Self-normalised", "0.0080", "95%", "item0 2.9% 5.7%", "10,000"):
        assert words in text
    assert "Certificates" not in text
    text = Page(render(page_of_log(odd_logs()["all that can be known"]))).text
    for words in (
        "0.0011 to 0.0123",
        "The log is thin.",
        "Largest weight 34",
        "× 10 runs",
        "not observed regret 812.5",
    ):
        assert words in text


def test_pages_are_the_same_for_the_same_runs(tmp_path: Path) -> None:
    """What is written is what is rendered, and both are the same each time."""
    write_report(tmp_path / "runs.html", page_of_pulls(pulls()))
    write_report(tmp_path / "log.html", page_of_log(logged()))
    assert (tmp_path / "runs.html").read_text(encoding="utf-8") == render(page_of_pulls(pulls()))
    assert (tmp_path / "log.html").read_text(encoding="utf-8") == render(page_of_log(logged()))
    assert sorted(os.listdir(tmp_path)) == ["log.html", "runs.html"]


def test_ten_thousand_runs_stay_under_200_kilobytes() -> None:
    """A page on ten thousand runs among a hundred thousand arms holds bars for ranges of runs, and the leading arms."""
    chance = np.random.default_rng(3)
    regrets = chance.normal(300, 40, 10_000).tolist()
    arms, draws = [f"arm{k}" for k in range(100_000)], [1e-5] * 100_000
    report = pulls(
        game(60, 500, 30), runs=10_000, arms=arms, regrets=regrets, draws=draws, arm_losses=np.arange(100_000)
    )
    text = render(page_of_pulls(report))
    assert len(text.encode()) < 200_000
    assert "99,970 arms drawn less have >99.9% together." in Page(text).text


def test_lead_says_more_and_less_as_they_are() -> None:
    """A positive regret reads as losing more than the best arm, a negative one as less; rewards turn that about."""
    assert "lost 100 on average: 20 more than the best arm" in pull_page.lead(pulls(loss=100.0, pseudo_regret=20.0))
    assert "20 less than the best arm" in pull_page.lead(pulls(pseudo_regret=-20.0))
    assert "earned 80 on average: 20 less than" in pull_page.lead(pulls(reward=80.0, pseudo_regret=20.0))
    assert "as much as the best arm" in pull_page.lead(pulls(pseudo_regret=0.0))
    assert "20 more than the best expert." in pull_page.lead(pulls(pseudo_regret=20.0, against="the best expert"))


def test_verdict_is_held_where_chance_alone_exceeded() -> None:
    """Bounds that a few runs exceeded, as their probability allows, still held; a sure one that broke is broken."""
    fine = pull_page.verdict(pulls().certificates)
    assert (fine.state, fine.headline) == ("held", "Every bound held")
    assert "chance exceeded one of them in 1 of 100 runs" in fine.detail
    over = certificate("ix", quantity="regret", kind="probable", observed=2.0, bound=1.0)
    assert pull_page.verdict([over]).state == "idle"
    sure = certificate("hedge", quantity="regret", kind="sure", observed=2.0, bound=1.0)
    assert pull_page.verdict([sure, *pulls().certificates]).state == "broken"


def test_bounds_of_what_was_not_observed_are_shown() -> None:
    """Where nobody knows the regret, the page says so, and the least bound is in the header all the same."""
    text = Page(render(page_of_pulls(odd()["unobserved"]))).text
    assert "The regret was not observed" in text
    assert "not observed regret 812.5" in text
    assert "Tightest bound on regret 812.5" in text
    assert pull_page.verdict(odd()["unobserved"].certificates).state == "idle"


def test_arms_that_slept_are_compared_by_round() -> None:
    """Where arms slept the page has what each lost in a round awake, and says against which rounds the regret is."""
    report = odd()["sleeping arms"]
    text = Page(render(page_of_pulls(report))).text
    mean = f"{report.arm_losses['arm0'] / 1900:.4f}"
    assert f"arm0 1,900 {mean}" in text
    assert re.search(r"arm1 0 – [\d.]+%", text)
    assert "the best arm in hindsight, arm0, over the rounds in which it could be drawn." in text
    assert "Above the best" not in text


def test_bounds_that_do_not_apply_are_not_drawn() -> None:
    """A bound whose theorem does not apply to the runs is neither drawn nor in a table."""
    idle = certificate("ix", why="some arms were asleep")
    idle.theorem.title = "Regret of Exp3-IX"
    report = pulls(certificates=[idle])
    one = panel(report, "regret")
    assert [line.name for line in one.series if line.bound] == ["Pseudo-regret of Exp3", OBSERVABLE]
    assert "Regret of Exp3-IX" not in one.table[0]
    assert "Regret of Exp3-IX" not in [key.name for key in stills(report)[0].legend]


def test_lead_of_a_log_tells_where_the_log_s_own_mean_lies() -> None:
    """The log's own mean is said to be below, within or above the headline's interval, as it is."""
    assert "0.0026 to 0.0078" not in logged_page.lead(logged(estimates={"snips": estimate(0.1, 0.0, 0.2, 9)}))
    for value, words in ((0.001, "0.0010, is below"), (0.005, "0.0050, is within"), (0.01, "0.0100, is above")):
        text = logged_page.lead(logged(logged=estimate(value, value, value, 9)))
        assert ": 0.0026 to 0.0078 (doubly robust, which" in text
        assert f"the log’s own mean, {words} that interval." in text


@pytest.mark.parametrize("name", ["Exp3", "Exp3IX", "Exp3P", "TsallisINF", "EXP3S", "Hedge"])
def test_runs_of_each_bandit_make_a_page(name: str) -> None:
    """Real runs of each bandit are shown with their own numbers, and with a certificate for each of its theorems."""
    tuned = {"Exp3P": {"horizon": 500}, "EXP3S": {"horizon": 500, "switches": 2}}
    learner = getattr(bandits, name)(4, seed=3, **tuned.get(name, {}))
    chance = np.random.default_rng(5)
    ran = simulate(learner, chance.random((500, 4)) * [1.0, 0.9, 0.8, 0.7], runs=20)
    report = ran.report(f"{name} on random numbers", {"path": "none"})
    page = sound(render(page_of_pulls(report)))
    assert formatting.number(float(ran.losses.mean())) in page.text
    assert formatting.number(ran.pseudo_regret) in page.text
    assert "Every bound held" in page.text
    assert not [one for one in report.certificates if one.theorem.title not in page.text]
    assert [one.key for one in panels(report)] == ["regret", "probabilities"]


# --- the pictures over the rounds ---------------------------------------------------------------------------


def test_every_picture_is_drawn() -> None:
    """A complete report gives the regret, the probabilities and how the runs ended; an empty one gives none."""
    assert [one.key for one in panels(pulls())] == ["regret", "probabilities"]
    assert [one.key for one in stills(pulls())] == ["spread"]
    bare = pulls(course=PullCurves(), regrets=())
    assert (panels(bare), stills(bare)) == ([], [])


def test_bands_hold_their_share_of_the_runs() -> None:
    """At each round half of the runs lie in the inner band, and nine tenths in the outer, which holds the inner one."""
    played = game()
    one = panel(pulls(), "regret")
    inner, outer = (line for line in one.series if line.mark == "band")
    for k, ((t, low, high), (_, least, most)) in enumerate(zip(inner.spans, outer.spans, strict=True)):
        regrets = played["regret"][k]
        assert t == played["marks"][k]
        assert np.mean((low <= regrets) & (regrets <= high)) >= 0.5
        assert np.mean((least <= regrets) & (regrets <= most)) >= 0.9
        assert least <= low <= high <= most


def test_rising_regret_is_drawn_on_logarithmic_axes_and_falling_on_linear() -> None:
    """Regret that all runs have stands on log axes, beside bounds many times larger; one below zero on linear ones."""
    across, up = axes(panel(pulls(), "regret"), FRAMES["regret"][0])
    assert (across.log, up.log) == (True, True)
    across, up = axes(panel(odd()["negative regret"], "regret"), FRAMES["regret"][0])
    assert (across.log, up.log) == (False, False)
    assert up.low <= -800 < 0 < up.high


@pytest.mark.parametrize("name", ["sample", "negative regret"])
def test_a_round_stands_at_the_same_place_in_both_pictures(name: str) -> None:
    """The probabilities have the rounds on a logarithmic axis if and only if the regret has, on paper too."""
    report = pulls() if name == "sample" else odd()[name]
    regret, shares = panels(report)
    assert (regret.key, shares.key) == ("regret", "probabilities")
    assert regret.even == shares.even == (name != "sample")
    pytest.importorskip("matplotlib")
    drawn = {one.get_title(): one.get_xscale() for one in figure(page_of_pulls(report)).axes}
    scale = "log" if name == "sample" else "linear"
    assert [drawn[title] for title in drawn if title.startswith(("Regret of 1", "Probability"))] == [scale, scale]


def test_tiny_regrets_at_first_do_not_stretch_the_axis() -> None:
    """A regret of a millionth at some early round is left off the axis, which the page says."""
    known = course(game())
    regret = {name: [1e-6, *values[1:]] for name, values in known.regret.items()}
    report = pulls(course=replace(known, regret=regret))
    _, up = axes(panel(report, "regret"), FRAMES["regret"][0])
    assert up.low > 1e-2
    assert f"at or below {formatting.number(up.low)}" in render(page_of_pulls(report))


def test_title_does_not_claim_what_the_runs_deny() -> None:
    """The title says that the regret is under its bounds only where 95% of the runs are, at every round drawn."""
    known = course(game())
    assert panel(pulls(), "regret").title == "Regret of 100 runs under its bounds"
    crossed = replace(known, bounds={"Tight": [(value or 0.0) + 0.5 for value in known.regret["q75"]]}, certificate=())
    assert panel(pulls(course=crossed), "regret").title == "Regret of 100 runs and its bound"
    alone = replace(known, bounds={}, certificate=())
    assert panel(pulls(course=alone), "regret").title == "Regret of 100 runs"


@pytest.mark.parametrize("name", ["an enormous bound", "an infinite bound"])
def test_far_bounds_are_reported_and_not_drawn(name: str) -> None:
    """A bound that would flatten the regret has its number in the legend, no line, and a note that says so."""
    one = panel(odd()[name], "regret")
    title = next(iter(odd()[name].course.bounds))
    line = next(line for line in one.series if line.name == title)
    assert not line.drawn
    assert line.final in ("1 × 10³⁰⁰", "∞")
    assert [note for note in one.notes if note.startswith(f"{title}: the bound ")]
    assert axes(one, FRAMES["regret"][0])[1].high < 1e4


def test_bounds_are_ranked_and_few() -> None:
    """The four lowest bounds are drawn, the lowest first, each in a style of its own, the observable one among them."""
    lines = [line for line in panel(pulls(), "regret").series if line.bound]
    assert [line.name for line in lines] == ["Pseudo-regret of Exp3", OBSERVABLE, "Regret of Exp3-IX"]
    many = [line for line in panel(odd()["many bounds"], "regret").series if line.bound]
    assert [line.style for line in many] == ["bound0", "bound1", "bound2", "bound3"]
    assert all(a.points[-1][1] <= b.points[-1][1] for a, b in pairwise(many))


def test_bound_known_at_the_end_alone_is_a_dot() -> None:
    """A bound for one number of rounds is drawn there, and not as a line through rounds of which it says nothing."""
    text = drawing(panel(odd()["a bound at the end alone"], "regret"), FRAMES["regret"][0])
    assert re.search(r'class="line bound\d dot" d="M942\.0 [\d.]+h0"', text)


def test_probabilities_fill_the_axis() -> None:
    """Probabilities lie on each other up to one, for a few arms or many, and the reader sees each of them."""
    for report, many in ((pulls(), 5), (odd()["many arms"], 13)):
        one = panel(report, "probabilities")
        assert len(one.series) == many
        assert [value for _, value in one.series[-1].points] == pytest.approx([1.0] * len(report.course.rounds))
        for k, t in enumerate(report.course.rounds):
            assert sum(line.values[k][1] for line in one.series) == pytest.approx(1.0), t


def test_arms_that_have_numbers_are_called_arms() -> None:
    """An arm whose name is a number is called an arm wherever another number stands beside it."""
    known = course(game())
    shares = {str(k): values for k, values in enumerate(known.probabilities.values())}
    report = pulls(best_arm="0", course=replace(known, probabilities=shares))
    names = {line.name.partition(" ")[2] for line in panel(report, "probabilities").series}
    assert names == {f"arm {k}" for k in range(5)}
    assert "the best arm in hindsight, arm 0." in pull_page.lead(report)


def test_tables_say_what_the_pictures_show() -> None:
    """Beside the regret is a table of its quantiles and bounds, beside the runs one that counts each of them once."""
    head, *rows = panel(pulls(), "regret").table
    assert head[:6] == ["Rounds", "5%", "25%", "Median", "75%", "95%"]
    last = [formatting.number(values[-1] or 0.0) for values in pulls().course.regret.values()]
    assert [rows[-1][0], *rows[-1][1:6]] == ["2,000", *last]
    head, *rows = stills(pulls())[0].table
    assert sum(int(row[2]) for row in rows) == 100


@pytest.mark.parametrize("name", ["sample", *odd()])
def test_marks_stay_inside_the_plot(name: str) -> None:
    """No drawn coordinate of any line, band or area lies outside the axes, at any size."""
    report = pulls() if name == "sample" else odd()[name]
    for one in panels(report) if report.pulls.rounds else []:
        for frame in FRAMES[one.key]:
            for path_data in re.findall(r'class="(?:line|area|band|edge) [^>]*d="([^"]+)"', drawing(one, frame)):
                for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path_data):
                    assert frame.left - 0.1 <= float(x) <= frame.width - frame.right + 0.1
                    assert frame.top - 0.1 <= float(y) <= frame.height - frame.bottom + 0.1


# --- how the runs ended -------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=300))
def test_bins_hold_each_run_once(values: list[float]) -> None:
    """Every run is in one of few ranges, which touch and are of one width."""
    counts = bins(sorted(values))
    assert sum(many for *_, many in counts) == len(values)
    assert len(counts) <= 28
    width = counts[0][1] - counts[0][0]
    slack = 1e-9 * (width + max(map(abs, values)))
    assert counts[0][0] - slack <= min(values) <= max(values) <= counts[-1][1] + slack
    for (_, end, _), (begin, *_) in pairwise(counts):
        assert end == pytest.approx(begin, abs=slack)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50), st.floats(0, 1))
def test_quantiles_are_numpy_s(values: list[float], share: float) -> None:
    """Between two runs the quantile lies on the straight line, as numpy has it."""
    assert quantile(sorted(values), share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-6)


def test_few_runs_are_dots_and_many_are_bars() -> None:
    """A dozen runs are a dozen dots; a hundred are bars, as high as their runs."""
    (few,), (many,) = stills(odd()["few runs"]), stills(pulls())
    assert few.drawings[0].count("<circle") == 12
    assert many.drawings[0].count("<circle") == 0
    heights = [float(h) for h in re.findall(r'<g class="bin">.*?<rect x[^>]*height="([\d.]+)"/></g>', many.drawings[0])]
    counts = [int(row[2]) for row in many.table[1:] if row[2] != "0"]
    assert len(heights) == len(counts)
    assert [h / heights[0] for h in heights] == pytest.approx([n / counts[0] for n in counts], rel=0.01)


def test_bound_far_from_the_runs_is_reported_in_words() -> None:
    """A bound that would press the runs into a corner is off the chart, by how many times the note says."""
    far = replace(course(game()), bounds={"Far": [9000.0] * 60}, certificate=())
    (one,) = stills(pulls(course=far, regrets=[100.0 + k for k in range(100)]))
    assert [key.name for key in one.legend] == ["Median", "90% of the runs"]
    assert list(one.notes) == ["Off this chart: Far at 9,000, 45 times the largest regret."]


def test_bars_and_bounds_stand_at_their_regrets() -> None:
    """The line of a bound stands as far from that of the median as their numbers say, measured by the axis."""
    (one,) = stills(pulls())
    text = one.drawings[0]
    at = {style: float(x) for style, x in re.findall(r'class="line (\w+)" d="M([\d.]+) ', text)}
    ticks = {float(v): float(x) for x, v in re.findall(r'tick mid" x="([\d.]+)" y="\d+">([\d.]+)<', text)}
    (a, left), (b, right) = min(ticks.items()), max(ticks.items())
    value = {key.style: float(key.value) for key in one.legend if key.mark == "line"}
    for style, x in at.items():
        assert a + (b - a) * (x - left) / (right - left) == pytest.approx(value[style], abs=1.0)


# --- estimates from a log -----------------------------------------------------------------------------------


def test_whiskers_stand_at_their_numbers() -> None:
    """Dots and the ends of whiskers lie on one straight map from their numbers."""
    report = logged()
    picture = logged_page.estimate_still(report)
    assert picture is not None
    known = [*report.evaluation.estimates.values(), report.evaluation.logged]
    for text in picture.drawings:
        places, values = [], []
        for one, row in zip(known, re.findall(r"<g>.*?</g>", text), strict=True):
            low, high = re.findall(r'class="whisker[^"]*" d="M([\d.]+) [\d.]+H([\d.]+)', row)[0]
            places += [float(low), float(re.findall(r'cx="([\d.]+)"', row)[0]), float(high)]
            values += [float(value) for value in (one.low, one.value, one.high)]
        slope, level = np.polyfit(values, places, 1)
        assert places == pytest.approx([slope * value + level for value in values], abs=0.2)
        assert slope > 0


def test_enormous_interval_is_cut_off_and_reported() -> None:
    """An interval far wider than the others ends in arrows at the sides, and a note has its numbers."""
    picture = logged_page.estimate_still(odd_logs()["an enormous interval"])
    assert picture is not None
    assert list(picture.notes) == ["Inverse propensity: the interval is −3.5000 to 4.0000, too wide for this chart."]
    labels = [float(v) for v in re.findall(r'tick mid"[^>]*>([\d.]+)<', picture.drawings[0])]
    assert max(labels) < 0.05


@given(st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_estimates_are_written_with_the_digits_of_their_interval(width: float, value: float) -> None:
    """Written numbers are off by at most a tenth of the narrowest interval's width."""
    write = writer([estimate(value, value, value + width, 9)])
    shown = float(write(value).replace(",", "").replace("−", "-"))
    assert abs(shown - value) <= 0.06 * width or width > 10


# --- the figure ---------------------------------------------------------------------------------------------


def test_figure_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where matplotlib is missing, the error names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(RegretlessError, match=r"pip install matplotlib"):
        figure(page_of_pulls(pulls()))


def test_figure_shows_the_four_pictures() -> None:
    """Two bands with a median under three bounds, five areas, five bars, and a bin for every range of regrets."""
    rectangle = pytest.importorskip("matplotlib.patches").Rectangle
    places = {one.get_title(): one for one in figure(page_of_pulls(pulls())).axes}
    regret, areas, ends, bars = places.values()
    assert list(places)[::2] == ["Regret of 100 runs under its bounds", "Regret of each of the 100 runs"]
    assert (len(regret.collections), len(regret.get_lines()), regret.get_yscale()) == (2, 4, "log")
    assert (len(areas.collections), len(bars.patches)) == (5, 5)
    heights = [bar.get_height() for bar in ends.patches if isinstance(bar, rectangle)]
    assert sum(heights) == 100


@pytest.mark.parametrize("name", [name for name in odd() if name not in ("no rounds", "a bare report")])
def test_figure_of_odd_runs_is_made(name: str) -> None:
    """Whatever is missing or infinite, the figure is made."""
    pytest.importorskip("matplotlib")
    assert figure(page_of_pulls(odd()[name])).axes


def test_a_figure_can_be_drawn() -> None:
    """Ticks, texts and lines of a figure with an infinite bound are laid out without an error."""
    pytest.importorskip("matplotlib")
    figure(page_of_pulls(odd()["an infinite bound"])).draw_without_rendering()


def test_a_band_reaches_down_to_the_end_of_a_logarithmic_axis() -> None:
    """Where the lowest runs have no regret above 0, the band of the figure has no gap on a logarithmic axis."""
    pytest.importorskip("matplotlib")
    made = pulls()
    low = [-5.0] * (len(made.course.rounds) - 1) + [1.0]
    report = replace(made, course=replace(made.course, regret={**made.course.regret, "q05": low}))
    regret = figure(page_of_pulls(report)).axes[0]
    assert regret.get_yscale() == "log"
    lowest = min(path.vertices[:, 1].min() for path in regret.collections[0].get_paths())
    assert lowest == pytest.approx(regret.get_ylim()[0])


def test_a_curve_about_another_regret_than_its_certificate_is_called_so() -> None:
    """Against losses that answer to the draws the chart is about the best arm of each run, the certificate is not."""
    title = "Expected regret of Exp3-IX"
    learner = bandits.Exp3IX(3, horizon=300)
    adaptive = simulate(learner, LikeliestLoses(3, 300), runs=12)
    report = adaptive.report("", {})
    assert title not in report.bounds
    assert f"{title}, against the best arm of each run" in report.bounds
    assert f"arm {adaptive.best_arm}, the best on average." in pull_page.lead(report)
    assert "in hindsight" not in pull_page.lead(report)
    assert title in simulate(learner, Table(np.zeros((300, 3))), runs=2).report("", {}).bounds
    idle = certificate("ix", why="they answer")
    idle.theorem.title = title
    assert not [name for name in replace(report, certificates=[idle]).bounds if name.startswith(title)]
