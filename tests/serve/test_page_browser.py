"""The page of a running server in a real browser: it follows the model, and fits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regretless.client import Client
from regretless.linear import AggregatedClassifier

from ..browser import Browser, find_browser
from ..report.test_report import HOSTILE
from ..report.test_report_browser import WIDTHS, labels_apart
from .asking import COLUMNS, Process, begun, rows

pytestmark = pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path to look with")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    """A server of a model that has learned nothing, and whose classes have names to be escaped."""
    process = Process(begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": [HOSTILE, "yes"]}))
    yield process
    begin = time.monotonic()
    assert process.stop() == 0
    assert time.monotonic() - begin < 25  # though a page still follows


def learn(server: Process, name: str) -> None:
    """Forty rows, of which the last is not labelled."""
    with Client(server.url) as client:
        ids = [f"{name}{place}" for place in range(40)]
        client.predict(rows(40), ids)
        client.label((id, "yes" if row[0] > 0 else HOSTILE) for id, row in zip(ids[:-1], rows(40), strict=False))


def until(browser: Browser, expression: str, expected: Any) -> None:
    """Wait until it has this value."""
    deadline = time.monotonic() + 30
    while browser.evaluate(expression) != expected:
        assert time.monotonic() < deadline, browser.evaluate(expression)
        time.sleep(0.1)


def test_page_follows_and_fits(browser: Browser, server: Process) -> None:
    """What is learned appears without the page being loaded again; hostile names do nothing; it fits at all widths."""
    labels = "document.querySelector('.card dd').childNodes[0].textContent.trim()"
    browser.open(server.url + "/")
    until(browser, labels, "0")
    until(browser, "document.getElementById('alive').textContent.slice(0, 9)", "Connected")
    browser.evaluate("window.same = true")
    learn(server, HOSTILE[:100])
    until(browser, labels, "39")
    assert browser.evaluate("window.same")
    assert browser.evaluate("document.querySelectorAll('figure[data-panel] svg.plot').length") >= 6
    learn(server, "b")
    until(browser, labels, "78")
    assert [one for one in browser.complaints if not one.startswith(f"asked for {server.url}")] == []
    for width in browser.at_widths(server.url + "/", WIDTHS):
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
    labels_apart(browser, server.url + "/", least=3)
    browser.open(server.url + "/", dark=True)
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 26)"
