"""The report on losses that were watched in a real browser: as wide as the window, readable, quiet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from regretless.alarms import Watch
from regretless.report import WatchReport, page_of_watch, write_report

from ..browser import Browser, find_browser
from .test_report import HOSTILE
from .test_report_browser import fits, labels_apart

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")


MANY = [f"{HOSTILE} {k} of a long name" for k in range(14)]


@pytest.mark.parametrize(("names", "rounds"), [(["wrong"], 900), (MANY, 400)])
def test_pages_fit_and_their_labels_are_apart(browser: Browser, tmp_path: Path, names: list[str], rounds: int) -> None:
    """At no width does one column, or do many with long names, widen the page or make labels touch."""
    watch = Watch(names, 0.2)
    means = np.where(np.arange(rounds)[:, None] < rounds / 2, 0.1, 0.7)
    watch.add((np.random.default_rng(0).random((rounds, len(names))) < means).astype(float))
    path = tmp_path / "r.html"
    write_report(path, page_of_watch(WatchReport(HOSTILE, watch, {"path": HOSTILE}, 1.0)))
    fits(browser, path)
    labels_apart(browser, path, least=5)
