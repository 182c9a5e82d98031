"""The report on solved games: true numbers, honest axes, harmless text, and pictures that agree with the game."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import RegretlessError
from regretless.games import MatrixGame, Trajectory
from regretless.plot import figure
from regretless.report import BimatrixReport, GameReport, bimatrix_page, formatting, game_page, render, write_report
from regretless.report.curves import Panel, Still, at_round
from regretless.report.formatting import above, valued
from regretless.report.game_charts import bimatrix_stills, panels
from regretless.report.game_charts import stills as stills_of_game
from regretless.report.game_pictures import DEEPEST, Cells, heat, regions
from regretless.report.svg import FRAMES, axes

from .game_reports import (
    HANDS,
    bimatrix,
    changed,
    equilibria,
    gap_bound,
    in_turns,
    matrix,
    odd,
    page_of,
    pair,
    solved_at_once,
)
from .test_report import HOSTILE, Page
from .test_report_pulls import sound


def panel(report: GameReport, key: str) -> Panel:
    """One of the pictures over the rounds."""
    return next(one for one in panels(report) if one.key == key)


def stills(report: GameReport | BimatrixReport) -> list[Still]:
    """The other pictures."""
    return stills_of_game(report) if isinstance(report, GameReport) else bimatrix_stills(report)


def still(report: GameReport | BimatrixReport, key: str) -> Still:
    """One of them."""
    return next(one for one in stills(report) if one.key == key)


# --- the page -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", odd())
def test_odd_games_make_a_sound_page(name: str) -> None:
    """Whatever is missing, zero or infinite, the page is well formed and no drawing holds a non-number."""
    text = render(page_of(odd()[name]))
    sound(text)
    keys = set(json.loads(re.findall(r'id="curves">(.*?)</script>', text)[0]))
    assert keys <= {"gap", "row_strategy", "column_strategy"}


@pytest.mark.parametrize("report", [matrix(), bimatrix(), in_turns()], ids=["matrix", "bimatrix", "sequence"])
def test_page_refers_to_nothing_outside(report: GameReport) -> None:
    """The page holds no address, no reference, no style attribute and no event handler."""
    text = render(page_of(report))
    names = {name for _, attributes in Page(text).elements for name in attributes}
    assert not names & {"src", "href", "style", "srcset", "action", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in text
    assert "default-src 'none'" in text


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    """Markup in the name of a player, a strategy, a theorem, an information set or an action is shown as text."""
    names = [f"{HOSTILE}{k}" for k in range(3)]
    one = bimatrix(rows=names[:2], columns=names[:2], kind=HOSTILE, players=(HOSTILE, HOSTILE))
    reports = [
        matrix(
            title=HOSTILE, method=HOSTILE, players=(HOSTILE, HOSTILE), rows=names, columns=names, note=HOSTILE,
            beside={HOSTILE: ([1, 10], [1.0, 0.5])}, source={HOSTILE: HOSTILE}, **gap_bound(HOSTILE, float),
        ),
        one,
        replace(one, equilibria=None, note=HOSTILE),
        in_turns(behaviour=[replace(one, name=HOSTILE, actions={HOSTILE: 1.0}) for one in in_turns().behaviour]),
    ]  # fmt: skip
    for report in reports:
        page = sound(render(page_of(report)))
        tags = [tag for tag, _ in page.elements]
        assert "xss" not in tags
        assert tags.count("script") == 2
        assert "onload" not in {name for _, attributes in page.elements for name in attributes}
        assert '</script><xss onload="' in page.text


def test_numbers_of_the_game_are_in_the_page() -> None:
    """Value, gap, whose payoffs, both strategies, exact fractions, bounds, method and source are all in the text."""
    report = solved_at_once()
    text = Page(render(page_of(report))).text
    shares = [share for side in report.sides for share in side.shares.values()]
    expected = [above(report.solution.gap), "payoff of the row player", "exactly 1/12", "5/12", "simplex", "game.csv"]
    expected += [*HANDS, *map(formatting.share, shares), "optimal basis"]
    expected += ["the strategies were not found by a basis", "Neither player can gain more than that by deviating"]
    assert not [words for words in expected if words not in text]


def test_equilibria_and_joint_plays_are_in_the_page() -> None:
    """Each equilibrium has a row with its fractions, payoffs and gain; a mediator's distribution is a picture."""
    text = Page(render(page_of(bimatrix()))).text
    assert "1 opera opera 3.000 2.000 0 pure" in text
    assert "2 opera: 3/5 football: 2/5 football: 3/5 opera: 2/5 1.200 1.200 0 –" in text
    rounded = Page(render(page_of(bimatrix(equilibria=equilibria(is_exact=False))))).text
    assert "2 opera: 60.0% football: 40.0% football: 60.0% opera: 40.0% 1.200 1.200 1.2 × 10⁻¹⁶ –" in rounded
    assert "3 Nash equilibria were found, 2 of them pure; there are no others." in text
    assert "; all others are mixtures of these." in bimatrix_page.lead(bimatrix(equilibria=equilibria(degenerate=True)))
    assert "; there may be others." in bimatrix_page.lead(bimatrix(equilibria=equilibria(complete=False)))
    assert "The row player expects 2.5, the column player 2.5." in text
    assert "Certificates" not in text


def test_a_distribution_alone_is_what_the_page_is_about() -> None:
    """Where no Nash equilibrium was looked for, lead, verdict and cards are about what someone draws."""
    report = bimatrix(equilibria=None)
    assert "Correlated equilibrium of the greatest welfare: the row player expects 2.5" in bimatrix_page.lead(report)
    assert bimatrix_page.verdict(report).headline == "Equilibrium"
    text = Page(render(page_of(report))).text
    assert "Nash equilibria – not looked for" in text
    assert "Greatest welfare 5" in text


def test_behaviour_is_reported_in_order_of_reach() -> None:
    """Each information set has its actions with their probabilities, those first that are reached most often."""
    text = Page(render(page_of(in_turns()))).text
    assert "jack first pass 66.7% bet 33.3%" in text
    assert text.index("queen first") < text.index("jack after a bet")
    assert text.index("Alice Information set") < text.index("Bob Information set")
    assert "90 more information sets are reached more rarely" in Page(render(page_of(odd()["in many turns"]))).text


def test_pages_are_the_same_for_the_same_game(tmp_path: Path) -> None:
    """What is written is what is rendered, and both are the same each time."""
    write_report(tmp_path / "game.html", page_of(matrix()))
    assert (tmp_path / "game.html").read_text(encoding="utf-8") == render(page_of(matrix()))
    assert os.listdir(tmp_path) == ["game.html"]


def test_pages_stay_small() -> None:
    """The largest game of which every cell is drawn takes less than 600 kB, one without a picture less than 200 kB."""
    assert len(render(page_of(odd()["large"])).encode()) < 600_000
    assert len(render(page_of(odd()["too large for pictures"])).encode()) < 200_000


def test_lead_says_who_wins_what() -> None:
    """Payoffs are worth something and are paid; losses cost something and are taken; a plan is no list of rows."""
    assert "is worth 0.0835 to the row player" in game_page.lead(matrix())
    assert "the row player wins at least 0.0817 on average, whatever the column player does" in game_page.lead(matrix())
    assert "never pays more than 0.0854" in game_page.lead(matrix())
    losses = game_page.lead(matrix(losses=True))
    assert "costs the row player 0.0835" in losses
    assert "loses at most 0.0854" in losses
    assert "wins at least 0.0817" in losses
    turns = game_page.lead(in_turns())
    assert "to Alice. By its plan Alice wins at least −0.05555596" in turns
    assert "whatever Bob does; Bob never pays" in turns
    assert game_page.lead(matrix(stopped="Ctrl-C")).endswith("This was interrupted: Ctrl-C.")


def test_traces_of_the_first_rounds_are_not_called_played() -> None:
    """Of averages the lead counts what is played at least a hundredth as often as the likeliest; of answers, all."""
    row = np.array([0.6, 0.399, 0.001])
    assert "Playing mostly 2 of 3 rows" in game_page.lead(matrix(row=row))
    assert "Playing 3 of 3 rows" in game_page.lead(solved_at_once(row=row))
    assert "one strategy played less has 0.1% together" in Page(render(page_of(matrix(row=row)))).text


def test_verdict_is_about_the_gap() -> None:
    """It is held where the gap is within the tolerance, idle where it is not or was interrupted."""
    held = game_page.verdict(matrix())
    assert (held.state, held.headline) == ("held", "Equilibrium within 0.00358")
    assert game_page.verdict(matrix(tolerance=1e-6)).state == "idle"
    assert game_page.verdict(matrix(stopped="Ctrl-C")).state == "idle"
    assert game_page.verdict(odd()["broken"]).state == "broken"
    assert game_page.verdict(odd()["gap of zero"]).headline == "Equilibrium"
    rounded = bimatrix(equilibria=equilibria(is_exact=False))
    assert bimatrix_page.verdict(rounded).headline == "Equilibrium within 1.11 × 10⁻¹⁶"
    assert bimatrix_page.verdict(odd()["battle, nothing known"]).state == "idle"


@given(st.floats(-1e6, 1e6), st.floats(1e-15, 1e3))
def test_intervals_are_rounded_outwards(middle: float, gap: float) -> None:
    """No end of an interval is shown inside it, and no gap is shown smaller than it is."""
    lower, upper = middle - gap / 2, middle + gap / 2
    shown = [valued(end, gap, rounding) for end, rounding in ((lower, "ROUND_FLOOR"), (upper, "ROUND_CEILING"))]
    low, high, width = (_read(text) for text in (*shown, above(gap)))
    assert low <= lower
    assert upper <= high
    assert gap <= width * (1 + 1e-15) <= gap * 1.02


def _read(text: str) -> float:
    """A number as it is shown."""
    plain = text.replace("−", "-").replace(",", "").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    return float(re.sub(r" × 10(-?\d+)", r"e\1", plain))


def test_strategies_without_names_are_called_rows_and_columns() -> None:
    """A strategy that has a number only is not mistaken for that number."""
    one = MatrixGame([[1, 0], [0, 1]]).solve()
    text = Page(render(page_of(GameReport("game.csv", one, payoffs=[[1, 0], [0, 1]])))).text
    assert "row 1 0.5000 50.0%" in text
    assert "column 2 0.5000 50.0%" in text


@pytest.mark.parametrize("exact", [False, True])
def test_a_real_solution_makes_a_page(exact: bool) -> None:
    """A solved game is shown with its own numbers and certificates, and with its fractions where they are known."""
    game = MatrixGame([[0, -1, 2], [1, 0, -1], [-1, 1, 0]], HANDS, HANDS)
    solution = game.solve(exact=exact)
    report = GameReport("game.csv", solution, {"path": "game.csv"}, payoffs=game.payoffs.dense().tolist())
    page = sound(render(page_of(report)))
    assert ("exactly 1/12" in page.text) == exact
    assert not [one for one in solution.certificates if one.theorem.title not in page.text]
    assert [one.key for one in stills(report)] == ["simplex", "payoffs"]


def test_a_course_and_its_theorem_are_read_off_a_solution() -> None:
    """A solution with a course gives averages by name, and the theorem's bound at the recorded rounds."""
    rows = np.array([[1.0, 0.0], [0.5, 0.5]])
    course = Trajectory(np.array([1, 10]), np.array([1.0, 0.5]), np.zeros(2), np.ones(2), rows)
    solution = replace(MatrixGame([[1, 0], [0, 1]], ["a", "b"]).solve(), course=course)
    gap, strategy = panels(changed(GameReport("game", solution), **gap_bound("Square root", lambda t: t**-0.5)))
    assert gap.series[-1].points == [(1, 1.0), (10, 10**-0.5)]
    assert [(line.name, list(line.values)) for line in strategy.series] == [
        ("1 a", [(1.0, 1.0), (10.0, 0.5)]),
        ("2 b", [(1.0, 0.0), (10.0, 0.5)]),
    ]


# --- the pictures over the rounds ---------------------------------------------------------------------------


def test_every_picture_is_drawn() -> None:
    """Self-play gives the gap and both strategies over the rounds, three strategies a triangle, any matrix cells."""
    assert [one.key for one in panels(matrix())] == ["gap", "row_strategy", "column_strategy"]
    assert [one.key for one in stills(matrix())] == ["simplex", "payoffs"]
    assert panels(solved_at_once()) == []
    assert [one.key for one in stills(bimatrix())] == ["payoffs", "column_payoffs", "joint0"]
    assert [one.key for one in panels(in_turns())] == ["gap"]
    assert (panels(odd()["too large for pictures"]), stills(odd()["too large for pictures"])) == ([], [])


def test_gap_is_drawn_on_logarithmic_axes_under_its_bound() -> None:
    """The gap falls on log-log axes, and the title claims that it is under the theorem's line only where it is."""
    one = panel(matrix(), "gap")
    across, up = axes(one, FRAMES["gap"][0])
    assert (across.log, up.log) == (True, True)
    assert one.title == "Duality gap of the average strategies under its bound"
    course = matrix().solution.course
    below = dict(zip(course.rounds.tolist(), 0.9 * course.gap, strict=True))
    crossed = panel(matrix(**gap_bound("Wrong", below.__getitem__)), "gap")
    assert crossed.title == "Duality gap of the average strategies and its bound"
    assert [line.bound for line in one.series] == [False, False, True]


def test_gaps_of_zero_are_marked_where_a_log_axis_has_no_place() -> None:
    """A gap of zero after some rounds leaves the line and is marked at the axis."""
    course = matrix().solution.course
    report = matrix(course=replace(course, gap=np.r_[course.gap[:-3], 0.0, 0.0, 0.0]))
    text = render(page_of(report))
    assert "Ticks on the axis mark where a line was at or below zero" in Page(text).text


def test_other_methods_may_go_on_longer() -> None:
    """Beside a method that was done early, another's curve goes on to its own end, and its rounds can be pointed at."""
    report = matrix()
    one = panel(report, "gap")
    own, beside = one.series[0], one.series[1]
    assert beside.points[-1][0] == 10 * own.points[-1][0] == one.rounds
    assert one.rest == "Where each line ends"
    curve = json.loads(re.findall(r'id="curves">(.*?)</script>', render(page_of(report)))[0])["gap"]
    assert curve["rounds"] == sorted({int(t) for line in (own, beside) for t, _ in line.points})
    last = curve["lines"][0]["values"]
    assert last[-1] is None
    assert last[curve["rounds"].index(int(own.points[-1][0]))] == pytest.approx(own.points[-1][1], rel=1e-6)
    assert curve["lines"][1]["values"][-1] == pytest.approx(beside.points[-1][1], rel=1e-6)


def test_endless_bounds_are_reported_and_not_drawn() -> None:
    """A bound that is infinite or far above the gap has a note that says so, and does not stretch the axis."""
    for name in ("an endless bound", "a bound that is far"):
        one = panel(odd()[name], "gap")
        assert len(one.notes) == 1
        assert axes(one, FRAMES["gap"][0])[1].high < 1e4


def test_strategies_fill_the_axis_and_the_rest_is_others() -> None:
    """At every round the areas reach one, and what ends below a hundredth of the likeliest is among the others."""
    report = odd()["wide"]
    one = panel(report, "column_strategy")
    assert one.series[-1].name == "Others"
    assert [top for _, top in one.series[-1].points] == pytest.approx([1.0] * len(one.series[-1].points))
    largest = report.solution.course.columns[-1].max()
    shown = [line for line in one.series if line.name != "Others"]
    assert all((at_round(line.values, one.rounds) or 0.0) > 0.01 * largest for line in shown)


def test_table_beside_the_gap_has_its_interval_and_its_bound() -> None:
    """The table has the gap, both ends of the interval and the theorem's bound, at the first and the last round."""
    report = matrix()
    head, first, *_, last = panel(report, "gap").table
    assert head == ["Rounds", "Gap", "Lower end", "Upper end", "Regret matching plus"]
    assert (first[0], last[0]) == ("1", "1,000")
    assert last[1] == formatting.number(report.solution.course.gap[-1])


# --- the game -----------------------------------------------------------------------------------------------


def test_cells_are_shaded_by_how_far_they_are_from_the_value() -> None:
    """A cell above the value has one colour and one below it the other, and the farthest of all is the deepest."""
    cells = Cells([[2.0, 0.5], [1.0, -1.0]], ["a", "b"], ["c", "d"], {"a": 1.0}, {"d": 1.0}, 0.5)
    text = heat("payoffs", "Game", cells, []).drawings[0]
    matches = re.findall(r'<rect class="band (\w+)" fill-opacity="([\d.]+)"', text)
    shades = [(side, float(opacity)) for side, opacity in matches]
    assert shades[0] == ("above", DEEPEST)
    assert shades[3] == ("below", DEEPEST)
    assert shades[1][1] == 0
    assert 0 < shades[2][1] < DEEPEST
    assert text.count('class="support"') == 1
    assert text.split('class="support" d="')[1].split('"')[0].count("M") == 1
    assert "<title>a against c: 2</title>" in text


def test_every_cell_is_in_the_table() -> None:
    """What the picture of the payoffs shows in colours stands beside it in numbers."""
    table = still(matrix(), "payoffs").table
    assert table[0] == ["", *HANDS]
    assert table[1] == ["rock", "0", "−1", "2"]


@given(st.lists(st.tuples(*[st.integers(-5, 5).map(float)] * 3), min_size=1, max_size=6), st.integers(0, 10**6))
def test_every_strategy_lies_in_the_part_of_its_best_answer(answers: list[Any], seed: int) -> None:
    """A strategy inside a shaded part is answered best by the answer that is named there, and the parts cover all."""
    named = [(f"a{k}", answer) for k, answer in enumerate(answers)]
    result = regions(named)
    chance = np.random.default_rng(seed)
    total = 0.0
    for name, points in result:
        corners = np.array(points)
        inner = chance.dirichlet(np.ones(len(points))) @ corners
        yields = np.array(answers) @ inner
        assert dict(named)[name] @ inner >= yields.max() - 1e-9
        x, y = corners[:, 0], corners[:, 1]
        total += abs(x @ np.roll(y, 1) - y @ np.roll(x, 1))
    assert total == pytest.approx(1.0, abs=1e-5)


def test_shaded_parts_meet_at_the_equilibrium() -> None:
    """In the triangle of each player of a game with a full mix, all three parts have a corner where the strategy is."""
    game = MatrixGame([[0, -1, 2], [1, 0, -1], [-1, 1, 0]], HANDS, HANDS)
    solution = game.solve()
    answers = [(name, tuple(map(float, line))) for name, line in zip(HANDS, game.payoffs.dense(), strict=True)]
    for _, points in regions(answers):
        assert min(np.abs(np.array(point) - solution.column).max() for point in points) < 1e-9


def test_triangles_are_for_those_who_have_three_strategies() -> None:
    """Of a game of 40 rows and 3 columns the column player's triangle alone is drawn."""
    one = still(odd()["tall"], "simplex")
    assert one.title == "Strategies of the column player as points of a triangle"
    assert "Average strategy, from round to round" in [key.name for key in one.legend]
    assert "Average strategy, from round to round" not in [
        key.name for key in still(solved_at_once(), "simplex").legend
    ]
    assert not [one for one in stills(odd()["large"]) if one.key == "simplex"]


def test_every_equilibrium_is_a_point() -> None:
    """Of a game with several equilibria the triangle has a dot for each strategy that is played at one of them."""
    corner, middle = [1.0, 0.0, 0.0], [0.5, 0.5, 0.0]
    listed = equilibria([pair(corner, corner, 1.0, 1.0), pair(middle, corner, 1.0, 1.0)])
    payoffs = ([[1.0, 1.0, 0.0]] * 3, [[1.0, 0.0, 0.0]] * 3)
    report = bimatrix(rows=HANDS, columns=HANDS, equilibria=listed, correlated=None, payoffs=payoffs)
    assert still(report, "simplex").drawings[0].count('class="estimate"') == 3


def test_losses_turn_the_best_answers_about() -> None:
    """Of a game of losses the column player answers with what costs the row player most."""
    losses = still(matrix(losses=True, payoffs=[[0.0, 9.0], [0.0, 9.0], [0.0, 9.0]], columns=("mild", "harsh"),
                          column=np.array([1.0, 0.0]), course=None), "simplex")  # fmt: skip
    assert ">harsh</text>" in losses.drawings[0]
    assert ">mild</text>" not in losses.drawings[0]


def test_drawings_say_what_they_show_to_those_who_cannot_see() -> None:
    """Every drawing has the role of an image and a label with its title and its numbers."""
    for report in (matrix(), bimatrix(), in_turns()):
        page = Page(render(page_of(report)))
        drawings = [
            attributes
            for tag, attributes in page.elements
            if tag == "svg" and "plot" in (attributes.get("class") or "")
        ]
        assert drawings
        assert all(one["role"] == "img" and len(one["aria-label"] or "") > 40 for one in drawings)


# --- the figure ---------------------------------------------------------------------------------------------


def test_figure_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where matplotlib is missing, the error names the extra."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(RegretlessError, match=r"pip install matplotlib"):
        figure(page_of(matrix()))


def test_figure_shows_the_pictures_of_the_page() -> None:
    """The gap with another method and its bound, two stacks, two triangles, the cells and two charts of bars."""
    pytest.importorskip("matplotlib")
    gap, row, column, first, second, cells, *bars = figure(page_of(matrix())).axes
    assert (gap.get_xscale(), gap.get_yscale(), len(gap.get_lines())) == ("log", "log", 3)
    assert (len(row.collections), len(column.collections)) == (3, 3)
    assert (len(first.patches), len(second.patches)) == (3, 3)
    assert cells.get_images()[0].get_array().shape == (3, 3)
    assert [len(one.patches) for one in bars[:2]] == [3, 3]


@pytest.mark.parametrize("name", odd())
def test_figure_of_odd_games_is_made(name: str) -> None:
    """Whatever is missing or infinite, the figure is made."""
    pytest.importorskip("matplotlib")
    figure(page_of(odd()[name]))


def test_a_figure_can_be_drawn() -> None:
    """Ticks, texts and lines of a figure with a gap of zero are laid out without an error."""
    pytest.importorskip("matplotlib")
    figure(page_of(odd()["gap of zero"])).draw_without_rendering()


def test_figure_of_a_solution_takes_its_payoffs() -> None:
    """A solution alone gives bars; with the matrix the cells are there too."""
    pytest.importorskip("matplotlib")
    payoffs = np.array([[1, 0], [0, 1]])
    solution = MatrixGame(payoffs).solve()

    def titles(**known: Any) -> list[str]:
        return [one.get_title() for one in figure(page_of(GameReport("game", solution, **known))).axes]

    assert titles() == ["Row player", "Column player"]
    assert "The game: payoff of the row player" in titles(payoffs=payoffs.tolist())


def test_payoffs_at_the_end_of_the_floats_have_a_page():
    """Numbers of 1e308, and a value that is not finite, give a page whose cells are shaded about the middle."""
    huge = [[1.7e308, 1.1e308], [1.2e308, 1.6e308]]
    strategies = {"row": np.array([0.4, 0.6]), "column": np.array([0.5, 0.5]), "course": None}
    report = matrix(rows=["x", "y"], columns=["1", "2"], lower=-np.inf, upper=np.inf, payoffs=huge, **strategies)
    page = render(page_of(report))
    assert "Above the middle, up to" in page
    assert "nan" not in Page(page).text.lower().split()


def test_a_gap_of_nothing_has_no_chart():
    """Learners who begin at the solution have no curve of gaps, which would be a line at zero."""
    played = MatrixGame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).solve("rm+", rounds=20)
    assert all(gap == 0 for gap in played.course.gap)
    assert "gap" not in [panel.key for panel in panels(GameReport("", played))]
    assert "gap" in [
        panel.key for panel in panels(GameReport("", MatrixGame([[3, -1], [-2, 1]]).solve("rm+", rounds=20)))
    ]


def test_the_textbooks_hedge_is_drawn_where_nothing_else_was_played():
    """The page of a game that an exact method solved shows how Hedge would have come near, on a log scale."""
    solution = MatrixGame([[3, -1], [-2, 1]]).solve()
    (alone,) = [
        one
        for one in panels(GameReport("", solution, beside={"textbook Hedge": ([1, 10], [1.0, 0.5])}))
        if one.key == "gap"
    ]
    assert alone.scale == "log"
    assert [line.points[-1] for line in alone.series] == [(10, 0.5)]
    assert not [one for one in panels(GameReport("", solution)) if one.key == "gap"]


def test_prose_tells_intervals_as_fine_as_the_gap():
    """The ends that sentences name are no further apart than the gap but for rounding to fifteen digits."""
    assert valued(0.7957560583207637, 7.8e-16, ROUND_FLOOR) == "0.795756058320763"
    assert valued(0.7957560583207644, 7.8e-16, ROUND_CEILING) == "0.795756058320765"
