"""The report on a run over shards: true numbers, harmless text, one file."""

from __future__ import annotations

import json
import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regretless.distributed.history import Epoch
from regretless.report import MixReport, formatting, page_of_mix, render, write_report
from regretless.report.mix_page import MOST_SHARDS, WEIGHTED, lead, panels

from .test_report import HOSTILE, Page, certificate, comparator, learner
from .test_report_pulls import sound

SEPARABLE = "Updates of mixed perceptrons"


def epoch(rounds: int, mistakes: int, updates: int, weighted: float, seconds: float | None = None) -> Epoch:
    """An epoch in which all shards counted the same."""
    return Epoch(1, rounds, mistakes, updates, weighted, 1 / 8, 1 / 8, seconds=seconds)


def epochs(count: int = 3, shards: int = 8) -> list[Epoch]:
    """Epochs that get better, their updates weighted as if all shards counted the same."""
    updates = [30_000 // (k + 1) for k in range(count)]
    return [epoch(320_000, 9 * n // 10, n, n / shards, 0.5) for n in updates]


def certified(title: str = SEPARABLE, bound: float = 30_000.5) -> list[SimpleNamespace]:
    """A bound on the weighted updates under that title, and one that does not apply."""
    made = certificate("mixed", quantity=WEIGHTED, observed=6875.0, bound=bound, comparator=comparator(norm=3.5))
    made.theorem.title = title
    return [made, certificate("clean", quantity=WEIGHTED, why="no weights separate the rows")]


def mixed(
    history: list[Epoch] | None = None, shards: int = 8, names: list[str] | None = None, **changes: Any
) -> MixReport:
    """A report with something in every part of it; changes are of the report."""
    history = epochs() if history is None else history
    mixture = SimpleNamespace(
        learner=learner("averaged-perceptron", rate=1.0),
        history=history,
        names=[f"part-{k}.svm" for k in range(1, shards + 1)] if names is None else names,
        rounds=np.full(shards, 40_000),
        shares=np.full(shards, len(history) / 8),
    )
    values: dict[str, Any] = {
        "title": "AveragedPerceptron on part-*.svm",
        "mixture": mixture,
        "source": {"path": "part-*.svm", "shards": 8, "rows": 320_000, "features": 2000, "skipped": 0},
        "how": {"Epochs": 3, "A shard counts": "as much as any other", "Processes": 2},
        "certificates": certified(),
        "weights": [("17", 1.25), ("4", -2.5)],
        "seconds": 1.75,
    }
    return MixReport(**values | changes)


def unknown_shares() -> MixReport:
    """A run whose shards' shares are no numbers."""
    report = mixed(shards=1)
    report.mixture.shares = np.array([math.nan])
    return report


ODD = {
    "nothing": mixed([], shards=0, certificates=[], weights=[], seconds=None),
    "one epoch": mixed(epochs(1)),
    "an empty epoch": mixed([epoch(0, 0, 0, 0.0), *epochs(1)]),
    "no updates": mixed([epoch(10, 0, 0, 0.0)] * 2),
    "one shot": mixed(epochs(1), once="weights averaged", certificates=[]),
    "infinite bound": mixed(certificates=certified(bound=math.inf)),
    "far bound": mixed(certificates=certified(bound=1e18)),
    "unknown shares": unknown_shares(),
    "very many": mixed(epochs(1000), shards=10_000),
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
    reasons = {HOSTILE: HOSTILE}
    report = mixed(
        title=HOSTILE, source=reasons, how=reasons, shards=1, names=[HOSTILE], certificates=certified(HOSTILE),
        weights=[(HOSTILE, 1.0)],
    )  # fmt: skip
    report.mixture.learner = learner(HOSTILE, **reasons)
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
    expected = [
        report.mistakes,
        report.updates,
        report.weighted,
        *(one.weighted_updates for one in report.mixture.history),
    ]
    assert report.weighted == sum(one.updates for one in report.mixture.history) / 8 == 6875
    for words in map(formatting.number, expected):
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
    exceeded = panels(mixed(certificates=certified(bound=5000.0)))[0]
    assert "under" not in exceeded.title


def test_a_bound_far_above_is_reported_and_not_drawn() -> None:
    """A bound that would flatten the rest is in the legend, and a note says why there is no line."""
    (counts, _) = panels(ODD["far bound"])
    (bound,) = [line for line in counts.series if line.bound]
    assert not bound.drawn
    assert any("far above" in note for note in counts.notes)


def test_averaging_once_is_reported_to_have_no_guarantee() -> None:
    """The page of a one-shot average does not speak of epochs, and says that theorems do not hold of the union."""
    report = mixed(epochs(1), once="weights averaged", certificates=[certificate("mixed", why="averaged once")])
    assert lead(report).startswith("8 shards were learned apart")
    assert "learned apart" in Page(render(page_of_mix(report))).text
    assert "they do not say of the union" in Page(render(page_of_mix(report))).text.replace("\n", " ")


def test_a_long_list_of_shards_is_cut_and_says_so() -> None:
    """Of many shards the first are listed, and their number is stated."""
    text = Page(render(page_of_mix(ODD["very many"]))).text
    assert f"the first {MOST_SHARDS} of 10,000 shards" in text
    assert f"part-{MOST_SHARDS}.svm" in text
    assert f"part-{MOST_SHARDS + 1}.svm" not in text


def test_the_page_is_written_whole(tmp_path) -> None:
    """`write_report` leaves the page that `render` gives."""
    write_report(tmp_path / "r.html", page_of_mix(mixed()))
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == render(page_of_mix(mixed()))
