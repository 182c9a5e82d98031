"""The report on a run over shards: true numbers, harmless text, one file."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest

from regretless.report import (
    BoundCurve,
    EpochRow,
    MixReport,
    ShardRow,
    formatting,
    page_of_mix,
    render,
    write_report,
)
from regretless.report.mix_page import MOST_SHARDS, lead, panels
from regretless.report.mixtures import WEIGHTED

from .test_report import HOSTILE, Page, certificate
from .test_report_pulls import sound

SEPARABLE = "Updates of mixed perceptrons"


def epochs(count: int = 3, shards: int = 8) -> list[EpochRow]:
    """Epochs that get better, their updates weighted as if all shards counted the same."""
    updates = [30_000 // (k + 1) for k in range(count)]
    return [EpochRow(320_000, 9 * n // 10, n, n / shards, 0.5) for n in updates]


def mixed(**changes: Any) -> MixReport:
    """A report with something in every part of it."""
    report = MixReport(
        title="AveragedPerceptron on part-*.svm",
        learner="averaged-perceptron",
        parameters={"rate": 1.0},
        source={"path": "part-*.svm", "shards": 8, "rows": 320_000, "features": 2000, "nonzeros": 10**7, "skipped": 0},
        how={"Epochs": 3, "A shard counts": "as much as any other", "Processes": 2},
        epochs=epochs(),
        shards=[ShardRow(f"part-{k}.svm", 40_000, 1 / 8) for k in range(1, 9)],
        bounds=[BoundCurve(SEPARABLE, [(1.0, 30_000.5)])],
        certificates=[
            certificate("mixed", quantity=WEIGHTED, observed=6875.0, bound=30_000.5),
            certificate("clean", quantity=WEIGHTED, why="no weights separate the rows"),
        ],
        weights=[("17", 1.25), ("4", -2.5)],
        comparators=[{"name": "last weights", "norm": 3.5}],
        seconds=1.75,
    )
    return replace(report, **changes)


ODD = {
    "nothing": mixed(epochs=[], shards=[], bounds=[], certificates=[], weights=[], comparators=[], seconds=None),
    "one epoch": mixed(epochs=epochs(1)),
    "an empty epoch": mixed(epochs=[EpochRow(0, 0, 0, 0.0), *epochs(1)]),
    "no updates": mixed(epochs=[EpochRow(10, 0, 0, 0.0)] * 2),
    "one shot": mixed(epochs=epochs(1), once=True, bounds=[], certificates=[]),
    "infinite bound": mixed(bounds=[BoundCurve(SEPARABLE, [(1.0, math.inf)])]),
    "far bound": mixed(bounds=[BoundCurve(SEPARABLE, [(1.0, 1e18)])]),
    "no number": mixed(bounds=[BoundCurve(SEPARABLE, [(1.0, math.nan)])]),
    "rising bound": mixed(bounds=[BoundCurve(SEPARABLE, [(1.0, 9e3), (3.0, 4e4)])]),
    "unknown shares": mixed(shards=[ShardRow("a", 3, math.nan)]),
    "very many": mixed(epochs=epochs(1000), shards=[ShardRow(f"part-{k}", 1, 1e-4) for k in range(10_000)]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_runs_make_a_sound_page(name: str) -> None:
    """Whatever is missing, zero or infinite, the page is well formed and no drawing holds a non-number."""
    text = render(page_of_mix(ODD[name]))
    sound(text)
    assert set(json.loads(re.findall(r'id="curves">(.*?)</script>', text)[0])) <= {"counts", "rates"}
    assert len(text) < 300_000


def test_page_refers_to_nothing_outside() -> None:
    """The page holds no address, no reference, no style attribute and no event handler."""
    text = render(page_of_mix(mixed()))
    names = {name for _, attributes in Page(text).elements for name in attributes}
    assert not names & {"src", "href", "style", "srcset", "action", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in text
    assert "default-src 'none'" in text


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    """Markup in the name of a shard, a bound, a parameter or a feature is shown as text, wherever it stands."""
    said = {HOSTILE: HOSTILE}
    report = mixed(
        title=HOSTILE, learner=HOSTILE, parameters=said, source=said, how=said, shards=[ShardRow(HOSTILE, 1, 1.0)],
        bounds=[BoundCurve(HOSTILE, [(1.0, 3e4)])], weights=[(HOSTILE, 1.0)],
    )  # fmt: skip
    page = sound(render(page_of_mix(report)))
    tags = [tag for tag, _ in page.elements]
    assert "xss" not in tags
    assert tags.count("script") == 2
    assert "onload" not in {name for _, attributes in page.elements for name in attributes}
    assert HOSTILE in page.text


def test_numbers_of_the_run_are_in_the_page() -> None:
    """Weighted and plain counts of each epoch, shards, bounds, parameters and how it was run are all in the text."""
    report = mixed()
    text = Page(render(page_of_mix(report))).text
    wanted = [report.mistakes, report.updates, report.weighted, *(one.weighted for one in report.epochs)]
    assert report.weighted == sum(report.epochs[k].updates for k in range(3)) / 8 == 6875
    for words in map(formatting.number, wanted):
        assert words in text
    for words in ("part-8.svm", "12.5%", SEPARABLE, "30,000", "Processes", "Does not apply", "no weights separate"):
        assert words in text
    assert "In 3 epochs over 8 shards, 960,000 rounds in all" in text


def test_the_first_line_is_what_theorems_bound() -> None:
    """The thick line is the weighted count, under its bound as the title says; the plain counts are no bounds on it."""
    (counts, rates) = panels(mixed())
    assert counts.series[0].name == "Weighted updates"
    assert counts.title == "Weighted updates under their bound"
    assert [value for _, value in counts.series[0].points] == [3750.0, 5625.0, 6875.0]
    assert [value for _, value in counts.series[1].points] == [30_000.0, 45_000.0, 55_000.0]
    assert [value for _, value in rates.series[0].points] == [0.9 * 30 / 320 / k for k in (1, 2, 3)]
    exceeded = panels(mixed(bounds=[BoundCurve(SEPARABLE, [(1.0, 5000.0)])]))[0]
    assert "under" not in exceeded.title


def test_a_bound_far_above_is_told_and_not_drawn() -> None:
    """A bound that would flatten the rest is in the legend, and a note says why there is no line."""
    (counts, _) = panels(ODD["far bound"])
    (bound,) = [line for line in counts.series if line.bound]
    assert not bound.drawn
    assert any("far above" in note for note in counts.notes)


def test_averaging_once_is_said_to_have_no_guarantee() -> None:
    """The page of a one-shot average does not speak of epochs, and says that theorems do not hold of the average."""
    report = mixed(epochs=epochs(1), once=True, certificates=[certificate("mixed", why="averaged once")])
    assert lead(report).startswith("8 shards were learned apart")
    assert "learned apart" in Page(render(page_of_mix(report))).text
    assert "they do not say of the average" in Page(render(page_of_mix(report))).text.replace("\n", " ")


def test_a_long_list_of_shards_is_cut_and_says_so() -> None:
    """Of many shards the first are listed, and how many there are is told."""
    text = Page(render(page_of_mix(ODD["very many"]))).text
    assert f"the first {MOST_SHARDS} of 10,000 shards" in text
    assert f"part-{MOST_SHARDS - 1}" in text
    assert f"part-{MOST_SHARDS}\n" not in text


def test_the_page_is_written_whole(tmp_path) -> None:
    """`write_report` leaves the page that `render` gives."""
    write_report(tmp_path / "r.html", page_of_mix(mixed()))
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == render(page_of_mix(mixed()))
