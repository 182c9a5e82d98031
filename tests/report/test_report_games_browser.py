"""The report on solved games in a real browser: drawn, readable, quiet, wide and narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from regretless.report import BimatrixReport, GameReport, write_report

from ..browser import Browser, find_browser
from .game_reports import bimatrix, gap_bound, in_turns, matrix, odd, page_of, playing
from .test_report import HOSTILE
from .test_report_browser import LEGENDS, VISIBLE, fits, labels_apart

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")


def crowded() -> GameReport:
    """Many strategies with long names, and a long theorem."""
    long = HOSTILE + " of a rather long name "
    game = playing(5, 24, 18, 300)
    names = [[f"{long}{noun}{k}" for k in range(many)] for noun, many in (("row", 24), ("col", 18))]
    bound = gap_bound(long, dict(zip(game[1]["rounds"], game[1]["gap"], strict=True)).__getitem__)
    return matrix(
        game, title=long * 3, method=long, rows=names[0], columns=names[1], players=(long, long), note=long, **bound
    )


def everything() -> dict[str, GameReport | BimatrixReport]:
    """All pages by name."""
    return {"sample": matrix(), "crowded": crowded(), **odd()}


def written(folder: Path, report: GameReport | BimatrixReport) -> Path:
    """The report in a file."""
    path = folder / "report.html"
    write_report(path, page_of(report))
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_marks_and_numbers_are_on_the_screen(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    """One drawing of each picture is visible with its lines, areas, triangles and cells, in colours of their own."""
    browser.open(written(tmp_path, matrix()), width=width, dark=dark)
    marks = browser.evaluate(f"{VISIBLE}.map(plot => plot.querySelectorAll('.line, .area, .band, .support').length)")
    assert marks == [3, 3, 3, 8, 10]
    fills = browser.evaluate(
        f"{VISIBLE}.flatMap(plot => [...plot.querySelectorAll('.area, .band')])"
        ".map(mark => getComputedStyle(mark).fill)"
    )
    assert "rgba(0, 0, 0, 0)" not in fills
    assert "none" not in fills
    assert len(set(fills)) >= 7
    assert "Equilibrium within 0.00358" in browser.evaluate("document.body.innerText")
    bars = browser.evaluate(
        "[...document.querySelectorAll('.arms .fill')].map(bar => bar.getBoundingClientRect().width)"
    )
    assert len(bars) == 6
    assert min(bars) > 15
    assert browser.complaints == []


@pytest.mark.parametrize("name", everything())
def test_no_page_scrolls_sideways_or_complains(browser: Browser, tmp_path: Path, name: str) -> None:
    """From a small phone to a desktop no page is wider than the window, and the console does not speak."""
    fits(browser, written(tmp_path, everything()[name]))


@pytest.mark.parametrize(
    "name", ["sample", "crowded", "wide", "tall", "large", "losses", "one strategy each", "battle", "huge payoffs"]
)
def test_labels_do_not_overlap(browser: Browser, tmp_path: Path, name: str) -> None:
    """No two labels of a picture touch, and none is cut off, at any width."""
    labels_apart(browser, written(tmp_path, everything()[name]), down=1.5, upright=True)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_numbers_in_cells_can_be_read(browser: Browser, tmp_path: Path, dark: bool) -> None:
    """The number in the deepest cell has a contrast of at least 4.5 to 1 against its shade."""
    browser.open(written(tmp_path, matrix()), dark=dark)
    colours = browser.evaluate(
        "(cell => [cell.querySelector('text'), cell.querySelector('rect'), document.body]"
        ".map(one => getComputedStyle(one)).map(style => [style.fill, style.fillOpacity, style.backgroundColor]))"
        "([...document.querySelectorAll('.heat.wide g')].find(cell => cell.querySelector('[fill-opacity=\"0.500\"]')))"
    )
    (ink, *_), (shade, opacity, _), (*_, page) = colours
    mixed = [float(opacity) * a + (1 - float(opacity)) * b for a, b in zip(_rgb(shade), _rgb(page), strict=True)]
    dim, bright = sorted([_luminance(mixed), _luminance(_rgb(ink))])
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


def _rgb(colour: str) -> list[float]:
    return [float(part) for part in colour.partition("(")[2].strip(")").split(",")[:3]]


def _luminance(colour: list[float]) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_pointing_tells_the_same_round_in_all_pictures(browser: Browser, tmp_path: Path) -> None:
    """Pointed at, the pictures say the gap, its bound and the strategies of one round; later only what went on."""
    report = matrix()
    browser.open(written(tmp_path, report), width=1000, height=2400)
    resting = browser.evaluate(LEGENDS)
    assert resting[0][0] == "Where each line ends"
    box = "(box => [box.left, box.top, box.width / 960])"
    left, top, scale = browser.evaluate(
        f"{box}(document.querySelector('[data-panel=gap] .wide').getBoundingClientRect())"
    )
    browser.point(left + scale * (64 + (960 - 18 - 64) * 0.5), top + 90)
    gap, row, *_ = browser.evaluate(LEGENDS)
    t = int(gap[0].split()[1].replace(",", ""))
    assert t == pytest.approx(100, rel=0.2)
    course = report.solution.course
    own = dict(zip(course.rounds.tolist(), course.gap.tolist(), strict=True))
    assert t in own or t in report.beside["textbook Hedge"][0]
    assert float(gap[1]) == pytest.approx(own.get(t, 0.0) or float(gap[1]), rel=1e-3)
    assert sum(float(share.strip("<>%")) for share in row[1:]) == pytest.approx(100, abs=0.5)
    browser.point(left + scale * (960 - 19), top + 90)
    gap, *_ = browser.evaluate(LEGENDS)
    assert (gap[0], gap[1], gap[3]) == ("After 10,000 rounds", "–", "–")
    assert float(gap[2]) == pytest.approx(report.beside["textbook Hedge"][1][-1] or 0.0, rel=1e-3)
    browser.point(2, 2)
    assert browser.evaluate(LEGENDS) == resting
    assert browser.complaints == []


def test_tables_open_and_hold_the_numbers(browser: Browser, tmp_path: Path) -> None:
    """Beside the gap and beside the cells a table opens, without making the page wider."""
    browser.open(written(tmp_path, matrix()), width=390)
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert browser.evaluate("document.querySelectorAll('details[open] table').length") == 2
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", ["crowded", "large", "battle", "in turns"])
def test_page_prints(browser: Browser, tmp_path: Path, name: str) -> None:
    """The page prints to a few sheets, in dark surroundings too."""
    browser.open(written(tmp_path, everything()[name]), dark=True)
    sheet = browser.pdf()
    assert sheet.startswith(b"%PDF")
    assert 1 <= sheet.count(b"/Type /Page\n") <= 9


@pytest.mark.parametrize("report", [matrix(), bimatrix(), in_turns()], ids=["matrix", "bimatrix", "sequence"])
def test_keys_move_through_the_rounds(browser: Browser, tmp_path: Path, report: GameReport | BimatrixReport) -> None:
    """Without a mouse every round can be reached where there are rounds; other pictures stand in a table too."""
    browser.open(written(tmp_path, report))
    if isinstance(report, BimatrixReport):
        assert browser.evaluate("document.querySelectorAll('figure details').length") == 3
        return
    browser.evaluate("document.querySelector('[data-panel=gap] .wide').focus()")
    browser.press("Home")
    assert browser.evaluate(LEGENDS)[0][0] == "After 1 round"
