"""The report on combined forecasts in a real browser: drawn, readable, quiet, wide and narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from regretless.report import ForecastReport, page_of_forecasts, write_report

from ..browser import Browser, find_browser
from .test_report import HOSTILE
from .test_report_browser import LEGENDS, VISIBLE, WIDTHS, fits, touching
from .test_report_forecasts import forecasts, odd, play

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")


def crowded() -> ForecastReport:
    """Many experts with long names."""
    return forecasts(play(20, 90, prefix=HOSTILE + " of a rather long name "))


def written(folder: Path, report: ForecastReport) -> Path:
    """The report in a file."""
    path = folder / "report.html"
    write_report(path, page_of_forecasts(report))
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_marks_and_numbers_are_on_the_screen(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    """One drawing of each picture is visible with all its marks, in colours that differ from the page's."""
    browser.open(written(tmp_path, forecasts(play(20, 90))), width=width, dark=dark)
    marks = browser.evaluate(f"{VISIBLE}.map(plot => plot.querySelectorAll('path.line, path.area, path.spans').length)")
    assert marks == [3, 13, 13, 2, 1, 1]
    fills = browser.evaluate(
        f"[...{VISIBLE}[1].querySelectorAll('path.area')].map(area => getComputedStyle(area).fill)"
    )
    assert len(set(fills)) == 13
    assert "rgba(0, 0, 0, 0)" not in fills
    assert "63.25" in browser.evaluate("document.body.innerText")
    assert browser.complaints == []


@pytest.mark.parametrize("name", ["crowded", *odd()])
def test_no_page_scrolls_sideways_or_complains(browser: Browser, tmp_path: Path, name: str) -> None:
    """From a small phone to a desktop no run makes the page wider than the window, or the console speak."""
    fits(browser, written(tmp_path, crowded() if name == "crowded" else odd()[name]))


@pytest.mark.parametrize("name", ["crowded", "times as text", "negative regret", "outcomes far from zero"])
def test_labels_do_not_overlap(browser: Browser, tmp_path: Path, name: str) -> None:
    """No two labels of a picture touch, and none is cut off, at any width."""
    path = written(tmp_path, crowded() if name == "crowded" else odd()[name])
    for width in browser.at_widths(path, WIDTHS):
        plots = browser.evaluate(
            f"{VISIBLE}.map(plot => [...plot.querySelectorAll('text')].map(label => label.getBoundingClientRect())"
            ".map(box => [box.left, box.top, box.right, box.bottom]))"
        )
        for boxes in plots:
            for k, one in enumerate(boxes):
                assert one[0] >= 0
                assert one[2] <= width
                # Tags of neighbouring lines share a pixel of their line height, which no letter reaches.
                shrunk = [one[0], one[1] + 1.5, one[2], one[3] - 1.5]
                assert not [other for other in boxes[:k] if touching(shrunk, other)]


def test_pointing_tells_shares_and_times(browser: Browser, tmp_path: Path) -> None:
    """Pointed at, the pictures say the same round: its weights, which sum to one, and its time."""
    browser.open(written(tmp_path, odd()["times as text"]), width=1000, height=3200)
    resting = browser.evaluate(LEGENDS)
    left, top, scale = browser.evaluate(
        "(box => [box.left, box.top, box.width / 960])"
        "(document.querySelector('[data-panel=weights] .wide').getBoundingClientRect())"
    )
    browser.point(left + scale * (64 + (960 - 178 - 64) * 40 / 80), top + 90)
    _, weights, _, levels, *_ = browser.evaluate(LEGENDS)
    assert weights[0] == "After 40 rounds"
    assert sum(float(share.strip("<>%")) for share in weights[1:]) == pytest.approx(100, abs=0.5)
    assert levels[0] == "2019-01-01 15:00"
    browser.point(2, 2)
    assert browser.evaluate(LEGENDS) == resting
    assert browser.complaints == []


def test_page_prints(browser: Browser, tmp_path: Path) -> None:
    """The page prints to a few sheets, in dark surroundings too."""
    browser.open(written(tmp_path, crowded()), dark=True)
    sheet = browser.pdf()
    assert sheet.startswith(b"%PDF")
    assert 1 <= sheet.count(b"/Type /Page\n") <= 9
