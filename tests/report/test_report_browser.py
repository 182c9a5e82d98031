"""The report in a real browser: drawn, readable, quiet, in light and dark, wide and narrow."""

from __future__ import annotations

import math
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from regretless.report import Report, page_of_run, write_report

from ..browser import FLAGS, Browser, find_browser, pixels
from .test_report import HOSTILE, certificate, comparator, degenerate, run, sample

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")

WIDTHS = (320, 390, 560, 700, 861, 1280)
VISIBLE = "[...document.querySelectorAll('.plot')].filter(plot => plot.getBoundingClientRect().width)"


def rich() -> Report:
    """A run with long names, several certificates and all sections."""
    report = sample()
    last = report.curve[-1][2]
    sums = dict.fromkeys(("norm", "hinge", "squared_hinge", "loss", "margin"), 1.5)
    against = comparator(name="linear SVM, C = 0.01", **sums)
    more = [
        certificate("posterior", observed=last, bound=last * 1.1, comparator=against),
        certificate("risk", quantity="risk", observed=0.0512, bound=0.0634, kind="probable", confidence=0.95),
    ]
    return replace(
        report,
        title="OnlineGradientDescent on a-rather-long-file-name-without-a-single-space-in-it.svmlight.zst",
        certificates=[*report.certificates, *more],
        weights=[*report.weights, (HOSTILE, 0.75), ("feature=" + "value" * 30, -0.5)],
    )


def show(browser: Browser, folder: Path, report: Report, **window: Any) -> Path:
    """Write the report and open it."""
    path = folder / "report.html"
    write_report(path, page_of_run(report))
    browser.open(path, **window)
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_marks_and_numbers_are_on_the_screen(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    """One drawing of each chart is visible with all its lines, and so are the certificates' numbers."""
    report = rich()
    show(browser, tmp_path, report, width=width, dark=dark)
    lengths = browser.evaluate(
        "[...document.querySelectorAll('.plot')].filter(plot => plot.getBoundingClientRect().width)"
        ".map(plot => [...plot.querySelectorAll('path.line')].map(line => line.getTotalLength()))"
    )
    assert [len(lines) for lines in lengths] == [3, 2]
    assert min(length for lines in lengths for length in lines) > 200
    text = browser.evaluate("document.body.innerText")
    for one in report.certificates:
        if one.bound is not None and one.quantity == "updates":
            assert f"{math.floor(one.bound):,}" in text
            assert f"{one.observed:,}" in text
    for words in ("0.0512", "0.0634", "Does not apply", "no comparator separates", HOSTILE[:22]):
        assert words in text
    assert browser.complaints == []


def test_screenshot_shows_the_chart_in_both_colour_schemes(browser: Browser, tmp_path: Path) -> None:
    """The screen holds the page's background, the curve's and the bound's colours, each of its own scheme."""
    report = sample()
    for dark in (False, True):
        show(browser, tmp_path, report, width=480, height=800, dark=dark)
        colours = browser.evaluate(
            "['--page', '--first', '--bound0', '--ink']"
            ".map(name => getComputedStyle(document.documentElement).getPropertyValue(name))"
        )
        rows = pixels(browser.screenshot())
        assert (len(rows[0]), len(rows)) == (480, 800)
        counts = Counter(pixel[:3] for row in rows for pixel in row)
        page, curve, bound, ink = (tuple(bytes.fromhex(colour.strip()[1:])) for colour in colours)
        assert 0.5 < counts[page] / (480 * 800) < 0.97
        assert counts[curve] > 300
        assert counts[bound] > 100
        assert counts[ink] > 200
        assert (sum(page) < 120) == dark


def test_browser_would_complain(browser: Browser, tmp_path: Path) -> None:
    """A page whose style was changed after its policy was written is complained about."""
    path = show(browser, tmp_path, sample())
    assert browser.complaints == []
    path.write_text(path.read_text(encoding="utf-8").replace("<style>", "<style>/* changed */"), encoding="utf-8")
    browser.open(path)
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)


@pytest.mark.parametrize("name", ["rich", *degenerate()])
def test_no_page_scrolls_sideways_or_complains(browser: Browser, tmp_path: Path, name: str) -> None:
    """From a small phone to a desktop no run makes the page wider than the window, or the console speak."""
    fits(browser, show(browser, tmp_path, rich() if name == "rich" else degenerate()[name]))


def test_a_long_tag_makes_no_page_scroll_sideways(browser: Browser, tmp_path: Path) -> None:
    """Words beside the title of a certificate take several lines on a small phone."""
    alone = certificate("risk", quantity="risk", observed=0.05, bound=0.06, kind="probable", confidence=0.95)
    alone.at_once = False
    path = show(browser, tmp_path, replace(rich(), certificates=[alone]))
    assert "with probability 95% for this number of rounds alone" in path.read_text(encoding="utf-8")
    fits(browser, path)


@pytest.mark.parametrize("name", ["rich", "a trillion rounds", "an enormous bound"])
def test_labels_do_not_overlap(browser: Browser, tmp_path: Path, name: str) -> None:
    """No two labels of a chart touch, and none is on a line or cut off, at any width."""
    path = show(browser, tmp_path, rich() if name == "rich" else degenerate()[name])
    labels_apart(browser, path, least=5)


def fits(browser: Browser, path: Path | str) -> None:
    """From a small phone to a desktop the page is no wider than the window, and the console does not speak."""
    for width in browser.at_widths(path, WIDTHS):
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.complaints == []


def labels_apart(
    browser: Browser, path: Path | str, *, least: int = 0, down: float = 0.0, upright: bool = False
) -> None:
    """No two labels of a picture touch, and none is cut off, at any width.

    Each picture has `least` labels. Neighbouring lines share some pixels of their line height, which no letter reaches:
    `down` of it is left out at each end, of names that stand upright too.
    """
    for width in browser.at_widths(path, WIDTHS):
        plots = browser.evaluate(
            f"{VISIBLE}.map(plot => [...plot.querySelectorAll('text')].map(label => label.getBoundingClientRect())"
            ".map(box => [box.left, box.top, box.right, box.bottom]))"
        )
        assert plots
        for boxes in plots:
            assert len(boxes) >= least
            for k, one in enumerate(boxes):
                assert one[0] >= 0
                assert one[2] <= width
                across = down if upright and one[3] - one[1] > one[2] - one[0] else 0.0
                shrunk = [one[0] + across, one[1] + down, one[2] - across, one[3] - down]
                assert not [other for other in boxes[:k] if touching(shrunk, other)]


def touching(one: list[float], other: list[float]) -> bool:
    """Whether two boxes share more than half a pixel."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > 0.5 and down > 0.5


def test_text_is_large_enough_at_every_width(browser: Browser, tmp_path: Path) -> None:
    """Chart labels are at least nine pixels tall on the screen, on a phone as on a desktop."""
    path = show(browser, tmp_path, sample())
    for _ in browser.at_widths(path, WIDTHS):
        scales = browser.evaluate(
            "[...document.querySelectorAll('.plot')].filter(plot => plot.getBoundingClientRect().width)"
            ".map(plot => plot.getBoundingClientRect().width / plot.viewBox.baseVal.width)"
        )
        assert min(scales) * 12 >= 9


def test_pointing_at_the_curve_tells_its_values(browser: Browser, tmp_path: Path) -> None:
    """The legend says what the ledger held at the round pointed at, in every chart, and rests afterwards."""
    report = sample(curve=run(10_000, points=40))
    show(browser, tmp_path, report, width=1000, height=1400)
    resting = browser.evaluate(LEGENDS)
    left, top, scale = browser.evaluate(
        "(plot => { const box = plot.getBoundingClientRect();"
        " return [box.left, box.top, box.width / 960]; })(document.querySelector('.plot.wide'))"
    )
    t, mistakes, updates = report.curve[20]
    pixel = 64 + (960 - 18 - 64) * math.log(t) / math.log(10_000)
    browser.point(left + pixel * scale, top + 100)
    counts, rates = browser.evaluate(LEGENDS)
    assert report.bound is not None
    bound = math.floor(report.bound[1])
    assert counts == [f"After {t:,} rounds", f"{updates:,}", f"{mistakes:,}", f"{bound:,}"]
    assert rates[0] == f"After {t:,} rounds"
    assert float(rates[1].rstrip("%")) == pytest.approx(100 * mistakes / t, rel=0.01)
    assert browser.evaluate("document.querySelectorAll('.plot.wide .pointer circle').length") == 5
    browser.point(2, 2)
    assert browser.evaluate(LEGENDS) == resting
    assert browser.evaluate("document.querySelectorAll('.pointer *').length") == 0
    assert browser.complaints == []


def test_arrow_keys_walk_along_the_curve(browser: Browser, tmp_path: Path) -> None:
    """Without a mouse, Home and the arrow keys move the read-out from point to point."""
    report = sample(curve=run(10_000, points=40))
    show(browser, tmp_path, report)
    browser.evaluate("document.querySelector('.plot.wide').focus()")
    browser.press("Home")
    assert browser.evaluate(LEGENDS)[0][0] == "After 1 round"
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert browser.evaluate(LEGENDS)[0][0] == f"After {report.curve[2][0]} rounds"
    browser.press("ArrowLeft")
    assert browser.evaluate(LEGENDS)[0][0] == f"After {report.curve[1][0]} rounds"


LEGENDS = (
    "[...document.querySelectorAll('.legend')]"
    ".map(legend => [...legend.querySelectorAll('.at, b')].map(part => part.textContent))"
)


def test_formulas_are_laid_out_as_mathematics(browser: Browser, tmp_path: Path) -> None:
    """A fraction is taller than a line of text, which it is only where MathML is understood."""
    show(browser, tmp_path, sample())
    assert browser.evaluate("document.querySelector('mfrac').getBoundingClientRect().height") > 25


def test_page_prints(browser: Browser, tmp_path: Path) -> None:
    """The page prints to a few sheets, in dark surroundings too."""
    show(browser, tmp_path, rich(), dark=True)
    sheet = browser.pdf()
    assert sheet.startswith(b"%PDF")
    assert 1 <= sheet.count(b"/Type /Page\n") <= 8


def test_page_from_the_command_line(tmp_path: Path) -> None:
    """A browser started by hand finds drawn paths and numbers in the file, and logs nothing about it."""
    executable = find_browser()
    assert executable is not None
    path = tmp_path / "report.html"
    write_report(path, page_of_run(sample()))
    flags = [flag for flag in FLAGS if "debugging" not in flag]
    own = ["--enable-logging=stderr", "--v=0", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [executable, *flags, *own, path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    assert "CONSOLE" not in done.stderr
    assert 'class="line first" d="M' in done.stdout
    assert f"{math.floor(sample().curve[-1][2] * 1.5):,}" in done.stdout
