"""The reports on pulled arms and logged draws in a real browser: drawn, readable, quiet, wide and narrow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from regretless.report import (
    LoggedReport,
    PoliciesReport,
    PullReport,
    page_of_log,
    page_of_policies,
    page_of_pulls,
    write_report,
)

from ..bandits.pull_reports import course, game, logged, odd, odd_logs, pulls
from ..browser import Browser, find_browser
from .test_report import HOSTILE
from .test_report_browser import LEGENDS, VISIBLE, WIDTHS, fits, labels_apart

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")


def crowded() -> PullReport:
    """Many arms and bounds with long names."""
    long = HOSTILE + " of a rather long name "
    known = course(game(60, 500, 30))
    shares = {f"{long}{name}": values for name, values in known.probabilities.items()}
    bounds = {f"{long}{title}": values for title, values in known.bounds.items()}
    return pulls(
        game(60, 500, 30), title=long * 3, best_arm=long, arms=[f"{long}arm{k}" for k in range(60)],
        course=replace(known, probabilities=shares, bounds=bounds),
    )  # fmt: skip


Shown = PullReport | LoggedReport | PoliciesReport


def everything() -> dict[str, Shown]:
    """All pages by name."""
    logs = {f"log: {name}": report for name, report in odd_logs().items()}
    one = logged()
    each = {f"{HOSTILE} of a rather long name {k}": one.evaluation for k in range(8)}
    policies = PoliciesReport("policies on log.csv", each, one.source)
    none = logged(estimates={}).evaluation
    refused = PoliciesReport("refused on log.csv", dict.fromkeys(each, none), one.source)
    return {
        "sample": pulls(), "crowded": crowded(), "log": one, "policies": policies, "refused": refused, **odd(), **logs,
    }  # fmt: skip


def written(folder: Path, report: Shown) -> Path:
    """The report in a file."""
    path = folder / "report.html"
    if isinstance(report, PoliciesReport):
        write_report(path, page_of_policies(report))
    elif isinstance(report, LoggedReport):
        write_report(path, page_of_log(report))
    else:
        write_report(path, page_of_pulls(report))
    return path


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_marks_and_numbers_are_on_the_screen(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    """One drawing of each picture is visible with all its marks, in colours that differ from the page's."""
    browser.open(written(tmp_path, pulls()), width=width, dark=dark)
    marks = browser.evaluate(f"{VISIBLE}.map(plot => plot.querySelectorAll('.line, .area, .band, .bin').length)")
    assert marks[:2] == [6, 5]
    assert marks[2] > 10
    assert len(marks) == 3
    fills = browser.evaluate(
        f"{VISIBLE}.flatMap(plot => [...plot.querySelectorAll('.area, .band, .bin rect:last-child')])"
        ".map(mark => getComputedStyle(mark).fill)"
    )
    assert len(set(fills)) == 8
    assert "rgba(0, 0, 0, 0)" not in fills
    assert "Exceeded in 1 of 100 runs" in browser.evaluate("document.body.innerText")
    bars = browser.evaluate(
        "[...document.querySelectorAll('.arms .fill')].map(bar => bar.getBoundingClientRect().width)"
    )
    assert len(bars) == 5
    assert bars == sorted(bars, reverse=True)
    assert bars[0] > 40
    assert browser.complaints == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1000])
def test_estimates_are_on_the_screen(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    """Below the course six dots with their whiskers are seen, the log's in a colour of its own."""
    browser.open(written(tmp_path, logged()), width=width, dark=dark)
    dots = browser.evaluate(f"[...{VISIBLE}[1].querySelectorAll('.estimate')].map(dot => getComputedStyle(dot).fill)")
    assert len(dots) == 6
    assert len(set(dots)) == 2
    assert browser.evaluate(f"{VISIBLE}[1].querySelectorAll('.whisker').length") == 6
    assert browser.complaints == []


@pytest.mark.parametrize("name", everything())
def test_no_page_scrolls_sideways_or_complains(browser: Browser, tmp_path: Path, name: str) -> None:
    """From a small phone to a desktop no page is wider than the window, and the console does not speak."""
    fits(browser, written(tmp_path, everything()[name]))


@pytest.mark.parametrize(
    "name",
    [
        "sample",
        "crowded",
        "log",
        "policies",
        "negative regret",
        "few runs",
        "regrets far from zero",
        "log: an enormous interval",
        "log: long numbers",
    ],
)
def test_labels_do_not_overlap(browser: Browser, tmp_path: Path, name: str) -> None:
    """No two labels of a picture touch, and none is cut off, at any width."""
    labels_apart(browser, written(tmp_path, everything()[name]), down=1.5)


def test_pointing_tells_the_same_round_in_both_pictures(browser: Browser, tmp_path: Path) -> None:
    """Pointed at, the pictures say the median, both bands, the bounds and the probabilities of one round."""
    report = pulls()
    browser.open(written(tmp_path, report), width=1000, height=2400)
    resting = browser.evaluate(LEGENDS)
    left, top, scale = browser.evaluate(
        "(box => [box.left, box.top, box.width / 960])"
        "(document.querySelector('[data-panel=regret] .wide').getBoundingClientRect())"
    )
    browser.point(left + scale * (64 + (960 - 18 - 64) * 0.8), top + 90)
    regret, shares, *_ = browser.evaluate(LEGENDS)
    t = int(regret[0].split()[1].replace(",", ""))
    k = list(report.course.rounds).index(t)
    assert t == pytest.approx(2000**0.8, rel=0.1)
    assert regret[0] == shares[0] == f"After {t:,} rounds"
    assert float(regret[1]) == pytest.approx(report.course.regret["q50"][k] or 0.0, rel=1e-3)
    inner = [float(end) for end in regret[2].split(" to ")]
    assert inner == pytest.approx([report.course.regret[key][k] or 0.0 for key in ("q25", "q75")], rel=1e-3)
    assert float(regret[4]) == pytest.approx(report.course.bounds["Pseudo-regret of Exp3"][k] or 0.0, rel=1e-3)
    assert sum(float(share.strip("<>%")) for share in shares[1:]) == pytest.approx(100, abs=0.5)
    browser.point(2, 2)
    assert browser.evaluate(LEGENDS) == resting
    assert browser.complaints == []


def test_tables_open_and_hold_the_numbers(browser: Browser, tmp_path: Path) -> None:
    """Beside the regret and beside the runs a table opens, without making the page wider."""
    browser.open(written(tmp_path, pulls()), width=390)
    closed = browser.evaluate("document.documentElement.scrollHeight")
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert browser.evaluate("document.documentElement.scrollHeight") > closed + 300
    assert browser.evaluate("document.querySelectorAll('details[open] table').length") == 2
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", ["crowded", "log"])
def test_page_prints(browser: Browser, tmp_path: Path, name: str) -> None:
    """The page prints to a few sheets, in dark surroundings too."""
    browser.open(written(tmp_path, everything()[name]), dark=True)
    sheet = browser.pdf()
    assert sheet.startswith(b"%PDF")
    assert 1 <= sheet.count(b"/Type /Page\n") <= 8


def test_numbers_of_cards_are_not_broken(browser: Browser, tmp_path: Path) -> None:
    """A sum of eight digits stands in one line at every width, and no card makes the page wider."""
    path = written(tmp_path, pulls(reward=12_029_208.0, best_arm_reward=18_384_721.0, pseudo_regret=6_355_513.0))
    lines = (
        "[...document.querySelectorAll('.card dd')].map(card => { const number = document.createRange();"
        " number.selectNodeContents(card.firstChild); return number.getClientRects().length; })"
    )
    for width in browser.at_widths(path, WIDTHS):
        assert set(browser.evaluate(lines)) == {1}
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
