"""The report: true numbers, harmless text, charts that stay on their axes, one file that needs no other."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.certificate import Certificate
from regretless.report import Report, formatting, page_of_run, render, write_report
from regretless.report.axes import Axis, round_axis, value_axis
from regretless.report.curves import Panel, Series, at_round, thin
from regretless.report.run_page import count_panel, rate_panel, recent_rates
from regretless.report.summary import bare, tightest, verdict
from regretless.report.svg import FRAMES, axes, drawing, path
from regretless.report.template import mathml
from regretless.theorem import theorem

HOSTILE = '</script><xss onload="alert(1)">&\'{{ 7 * 7 }}'
VOID = {"meta", "path", "rect", "line", "circle", "br", "link"}


def stand_in(name: str, kind: str = "sure", formula: str = r"M \le \frac{r^2}{\rho^2}") -> SimpleNamespace:
    """A theorem without its mathematics."""
    return SimpleNamespace(
        name=name,
        title=name.replace("_", " ").capitalize(),
        statement=f"What {name} says.",
        formula=formula,
        source="Someone 1962",
        kind=kind,
        assumes=(),
    )


def certificate(name: str = "sharp_root", **changes: Any) -> SimpleNamespace:
    """A certificate as the page reads it; it does not apply when `why` is given."""
    values: dict[str, Any] = {"observed": 540, "bound": 812.7, "kind": "sure", "why": None, **changes}
    observed, bound, why = values["observed"], values["bound"], values["why"]
    quantity = values.get("quantity", "updates")
    theorem = stand_in(name, values["kind"])
    theorem.whole = bare(quantity) in ("mistakes", "updates")
    return SimpleNamespace(
        theorem=theorem,
        quantity=quantity,
        observed=None if why else observed,
        bound=None if why else bound,
        shown_bound=None if why else bound,
        applies=why is None,
        why=why,
        holds=why is not None or observed <= bound * (1 + 1e-9),
        confidence=values.get("confidence"),
        comparator=values.get("comparator"),
    )


def comparator(**sums: Any) -> SimpleNamespace:
    """A comparator of which so much is known."""
    return SimpleNamespace(describe=lambda: sums)


def run(rounds: int, points: int = 420) -> list[tuple[int, int, int]]:
    """A ledger at log-spaced rounds: mistakes get rarer, and some updates are ties."""
    chance = random.Random(5)
    times = sorted({round(rounds ** (k / (points - 1))) for k in range(points)})
    curve, mistakes, before = [], 0.0, 0
    for t in times:
        mistakes += (t - before) * min(1.0, (0.05 + 0.5 / math.sqrt(t)) * chance.uniform(0.7, 1.2))
        before = t
        curve.append((t, int(mistakes), int(mistakes) + min(t, 2)))
    return curve


def learner(name: str, **parameters: Any) -> SimpleNamespace:
    """A learner of that name with these parameters."""
    return SimpleNamespace(name=name, get_params=lambda: parameters)


def sample(**changes: Any) -> Report:
    """A report with something in every part of it."""
    curve = run(10_000)
    last = curve[-1][2]
    against = comparator(name="averaged weights", norm=12.5, hinge=301.25, loss=None)
    certificates = [
        certificate("separable", why="no comparator separates the rounds"),
        certificate("sharp_root", observed=last, bound=last * 1.5, comparator=against),
    ]
    report = Report(
        title="Perceptron on mail.svm",
        learner=learner("Perceptron", ties="update", shuffle=False, radius=None, rate=0.1),
        source={"path": "mail.svm", "rows": 10_000, "features": 500, "skipped": 0, "passes": 1},
        curve=curve,
        certificates=certificates,
        weights=[("free", 2.5), ("result", -1.25), ("prize", 0.5)],
        seconds=0.25,
    )
    return replace(report, **changes)


def degenerate() -> dict[str, Report]:
    """Runs in which something is missing, zero, infinite or enormous."""
    zero = [(t, 0, 0) for t in (1, 2, 4, 8, 16, 32, 64)]
    trillion = run(10**12, points=200)
    bare: dict[str, Any] = {"certificates": [], "weights": []}
    return {
        "no mistakes": sample(curve=zero, certificates=[certificate(observed=0, bound=25.0)]),
        "one round": sample(curve=[(1, 0, 1)], seconds=None, **bare),
        "one mistake in one round": sample(curve=[(1, 1, 1)], **bare),
        "no rounds": sample(curve=[], **bare),
        "round zero alone": sample(curve=[(0, 0, 0)], **bare),
        "nothing applies": sample(certificates=[certificate(why="labels are not two")]),
        "a trillion rounds": sample(curve=trillion, certificates=[certificate("b", bound=6.0e11)]),
        "an infinite bound": sample(certificates=[certificate(bound=math.inf)]),
        "an enormous bound": sample(certificates=[certificate("b", bound=1e200)]),
        "a bound of zero": sample(curve=zero, certificates=[certificate(observed=0, bound=0.0)]),
        "mistakes of each class": sample(certificates=[certificate(quantity="mistakes (sum of 3 classes)")]),
        "zero weights": sample(weights=[("a", 0.0), ("b", 0.0)]),
        "weights that are no numbers": sample(weights=[("a", math.nan), ("b", math.inf), ("c", 1.0)]),
        "tiny weights": sample(weights=[("a", 1e-12), ("b", 3.0)]),
        "classes": sample(certificates=[certificate(quantity="updates (sum of 3 classes)")]),
    }


class Page(HTMLParser):
    """A page taken apart: its elements, and whether every one that opens also closes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be this one."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text that a reader sees."""
        if not self.open or self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        """All that a reader sees, with single spaces."""
        return " ".join(" ".join(self.words).split())


# --- the page -----------------------------------------------------------------------------------------------


def test_page_refers_to_nothing_outside() -> None:
    """The page holds no address, no reference, no style attribute and no event handler."""
    text = render(page_of_run(sample()))
    page = Page(text)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not names & {"src", "href", "style", "srcset", "action", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert "@import" not in text
    assert "url(" not in text
    assert set(re.findall(r"https?://[^\"')\s]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_policy_names_the_page_s_own_style_and_script() -> None:
    """The content policy's hashes are those of the one style and the one script that run."""
    text = render(page_of_run(sample()))
    policy = next(a["content"] for tag, a in Page(text).elements if tag == "meta" and "http-equiv" in a)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for directive, content in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_page_is_the_same_for_the_same_run() -> None:
    """Two renderings of one run are equal byte for byte."""
    assert render(page_of_run(sample())) == render(page_of_run(sample()))


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    """Markup in any text that a user supplies is shown as text, wherever it stands."""
    spoilt = certificate(comparator=comparator(name=HOSTILE), bound=700.0)
    idle = certificate(why=HOSTILE)
    for one in (spoilt, idle):
        for field in ("title", "statement", "source", "formula", "kind"):
            setattr(one.theorem, field, HOSTILE)
    report = sample(
        title=HOSTILE,
        learner=learner(HOSTILE, **{HOSTILE: HOSTILE, "list": [HOSTILE]}),
        source={"path": HOSTILE, HOSTILE: HOSTILE},
        certificates=[spoilt, idle],
        weights=[(HOSTILE, 1.0), (HOSTILE * 100, 2.0)],
    )
    for quantity in ("updates", HOSTILE):
        spoilt.quantity = idle.quantity = quantity
        page = Page(render(page_of_run(report)))
        tags = [tag for tag, _ in page.elements]
        assert "xss" not in tags
        assert tags.count("script") == 2
        assert "onload" not in {name for _, attributes in page.elements for name in attributes}
        assert HOSTILE in page.text


@pytest.mark.parametrize("name", ["a\x00b", "\udcff\udc80", "\x1b[31m", "\u202ereversed", "x" * 100_000, "", "\r\n"])
def test_strange_names_make_a_page(name: str) -> None:
    """Any string can be a feature's name: the page is valid UTF-8 without control characters."""
    text = render(page_of_run(sample(weights=[(name, 1.0)], title=name)))
    assert not [character for character in text if ord(character) < 32 and character not in "\n"]
    assert len(text.encode("utf-8")) < 200_000


def test_long_names_are_shortened_with_the_full_name_in_the_title() -> None:
    """A long feature name keeps its beginning and end in sight, and its whole in the bar's title."""
    name = "country=Liechtenstein × device=tablet × hour=23 × weekday=Sunday"
    text = render(page_of_run(sample(weights=[(name, 1.0)])))
    assert f"<title>{name}: +1.000</title>" in text
    assert "<bdi>" + formatting.shorten(name, 36) + "</bdi>" in text
    assert name not in Page(re.sub("<title>.*?</title>", "", text)).text


@pytest.mark.parametrize("name", degenerate())
def test_degenerate_runs_make_a_sound_page(name: str) -> None:
    """Whatever is missing, zero or infinite, the page is well formed and no drawing holds a non-number."""
    report = degenerate()[name]
    text = render(page_of_run(report))
    page = Page(text)
    assert not page.open
    for tag, attributes in page.elements:
        for key in ("d", "x", "y", "width", "viewbox", "data-x", "data-y"):
            assert not re.search("nan|inf", attributes.get(key) or "", re.I), (tag, attributes)
    curves = json.loads(re.findall(r'id="curves">(.*?)</script>', text)[0])
    assert set(curves) <= {"counts", "rates"}


def test_million_rounds_stay_under_200_kilobytes() -> None:
    """A million-round run with many weights, and many comparators of many theorems, fits in 200 kB."""
    curve = run(10**6)
    weights = [(f"feature {k} " * 20, math.sin(k)) for k in range(1000)]
    comparators = [comparator(name=f"linear SVM {k}", norm=1.5 * k, hinge=7.25 * k) for k in range(100)]
    certificates = [certificate(f"theorem_{k % 10}", comparator=one) for k, one in enumerate(comparators)]
    report = sample(curve=curve, weights=weights, certificates=certificates)
    assert len(render(page_of_run(report)).encode()) < 200_000


def test_every_point_of_a_long_curve_is_thinned_to_420() -> None:
    """However many points a run recorded, the page's script gets no more than 420."""
    curve = [(t, t // 3, t // 2) for t in range(1, 5000)]
    text = render(page_of_run(sample(curve=curve)))
    curves = json.loads(re.findall(r'id="curves">(.*?)</script>', text)[0])
    assert 200 < len(curves["counts"]["rounds"]) <= 420
    assert curves["counts"]["rounds"][-1] == 4999


def test_numbers_of_the_run_are_in_the_page() -> None:
    """Totals, the numbers of certificates and comparators, parameters and reasons are all in the text."""
    report = sample()
    rounds, mistakes, updates = report.curve[-1]
    text = Page(render(page_of_run(report))).text
    expected = [rounds, mistakes, updates, math.floor(updates * 1.5)]
    assert not [value for value in expected if f"{value:,}" not in text]
    for words in (
        "no comparator separates the rounds",
        "averaged weights",
        "12.5",
        "301.2",
        "mail.svm",
        "0.25 s",
    ):
        assert words in text


def test_real_certificates_are_shown() -> None:
    """A certificate of the library itself, not only a stand-in, finds its way onto the page."""

    @theorem(title="Trial", quantity="updates", counts=lambda ledger, u: 3.0, formula="M<3", source="none")
    def trial(ledger: object, comparator: object, learner: object) -> float:
        """All runs make few updates."""
        return 7.9

    shown = Certificate(trial, 3.0, 7.9, None, None)
    idle = Certificate(trial, None, None, None, "the moon is full")
    deep = Certificate(trial, 3.0, 7.9, None, None, quick_bound=12.0)
    text = Page(render(page_of_run(sample(certificates=[shown, idle, deep])))).text
    for words in ("Trial", "All runs make few updates.", "42.9%", "the moon is full"):
        assert words in text
    assert text.count("41.7 % below the 12 of the quick search") == 1


def test_nothing_heavy_is_imported_before_a_report_is_written() -> None:
    """Importing the report imports neither jinja2 nor latex2mathml nor numpy."""
    heavy = "{'jinja2', 'latex2mathml', 'numpy'}"
    code = f"import sys, regretless.report; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- writing ------------------------------------------------------------------------------------------------


def test_writing_leaves_the_page_and_nothing_else(tmp_path: Path) -> None:
    """After writing, the folder holds the page alone, readable as any new file is."""
    target = tmp_path / "r.html"
    target.write_text("old")
    write_report(target, page_of_run(sample()))
    assert target.read_text(encoding="utf-8") == render(page_of_run(sample()))
    assert os.listdir(tmp_path) == ["r.html"]
    (tmp_path / "other").touch()
    assert target.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_failed_write_keeps_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the last step fails the old page is still there and the temporary file is not."""
    target = tmp_path / "r.html"
    target.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no"):
        write_report(target, page_of_run(sample()))
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.html"]


def test_a_link_is_followed_and_a_device_is_left_in_place(tmp_path: Path) -> None:
    """Writing through a link renews its target; writing to the null device does not replace the device."""
    (tmp_path / "real.html").write_text("old")
    link = tmp_path / "link.html"
    link.symlink_to("real.html")
    write_report(link, page_of_run(sample()))
    assert link.is_symlink()
    assert (tmp_path / "real.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    write_report(os.devnull, page_of_run(sample()))
    assert not Path(os.devnull).is_file()


# --- verdict ------------------------------------------------------------------------------------------------


def test_verdict_tells_held_from_violated_from_idle() -> None:
    """One exceeded sure bound breaks the verdict; an exceeded bound in expectation does not."""
    held, over = certificate(), certificate(observed=900)
    unlucky = certificate(kind="probable", observed=900, confidence=0.95)
    idle = certificate(why="no")
    assert verdict([held, idle]).state == "held"
    assert verdict([held, over, idle]).state == "broken"
    assert verdict([held, unlucky]).state == "held"
    assert "1 bound that chance may exceed" in verdict([held, unlucky]).detail
    assert verdict([unlucky, idle]).state == "idle"
    assert verdict([idle]).state == verdict([]).state == "idle"


def test_tightest_is_the_sure_bound_with_the_least_room() -> None:
    """Bounds on other quantities, bounds that do not apply and lucky bounds are not the tightest."""
    wide, narrow = certificate("wide", bound=1000.0), certificate("narrow", bound=700.0)
    others = [
        certificate("lucky", kind="probable", bound=550.0),
        certificate("risk", quantity="risk", observed=0.1, bound=0.2),
        certificate("idle", why="no"),
    ]
    best = tightest(sample(certificates=[*others, wide, narrow]))
    assert best is narrow
    best = tightest(sample(certificates=others))
    assert best is others[0]
    assert tightest(sample(certificates=others[1:])) is None


def test_room_and_not_size_decides_between_regrets() -> None:
    """A larger bound against a better comparator is tighter when it leaves less room."""
    small = certificate("small", quantity="regret", observed=-50.0, bound=10.0)
    large = certificate("large", quantity="regret", observed=30.0, bound=40.0)
    assert tightest(SimpleNamespace(quantity="regret", certificates=[small, large])) is large


# --- numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (25.0, "25"),
        (1234567, "1,234,567"),
        (12345.67, "12,346"),
        (0.123456, "0.1235"),
        (-3.14159, "−3.142"),
        (9.99996, "10"),
        (1.5e-7, "1.5 × 10⁻⁷"),
        (3.25e20, "3.25 × 10²⁰"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "not a number"),
        (10**12, "1,000,000,000,000"),
        (10**30, "1 × 10³⁰"),
    ],
)
def test_numbers_read_well(value: float, text: str) -> None:
    """Whole numbers are grouped and complete; others have four significant digits and no idle zeros."""
    assert formatting.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.04321, "4.32%"), (0.99999, "99.9%"), (1.0, "100%"), (1e-9, "1 × 10⁻⁷%")],
)
def test_shares_never_round_to_all(share: float, text: str) -> None:
    """Less than all is never shown as 100%."""
    assert formatting.percent(share) == text


@pytest.mark.parametrize(
    ("observed", "bound", "whole", "holds", "shown"),
    [
        (5, 5.99, True, True, ("5", "5")),
        (5, 5 - 1e-12, True, True, ("5", "5")),
        (4, 5 - 1e-12, True, True, ("4", "5")),
        (5, 5 - 1e-6, True, False, ("5", "4")),
        (12.34501, 12.34499, False, True, ("12.35", "12.35")),
        (12.3462, 12.3461, False, False, ("12.3462", "12.3461")),
        (3, math.inf, True, True, ("3", "∞")),
        (0, 0.0, True, True, ("0", "0")),
        (-4.5, 2.25, False, True, ("−4.5", "2.25")),
    ],
)
def test_bounds_are_never_shown_on_the_wrong_side(
    observed: float, bound: float, whole: bool, holds: bool, shown: tuple[str, str]
) -> None:
    """A bound that holds is not shown below what was observed, one that does not hold never above it."""
    assert formatting.observed_and_bound(observed, bound, whole, holds) == shown


def parsed(text: str) -> float:
    """The number that a reader reads."""
    text = text.replace(",", "").replace("−", "-")
    mantissa, _, power = text.partition(" × 10")
    exponent = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(mantissa) * 10.0 ** int(exponent or 0)


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12), st.booleans())
def test_shown_numbers_compare_as_the_true_ones(observed: float, bound: float, whole: bool) -> None:
    """Read back from the page, observed and bound stand on the sides on which they truly stand."""
    observed = float(round(observed)) if whole else observed
    shown = [parsed(text) for text in formatting.observed_and_bound(observed, bound, whole, observed <= bound)]
    assert (shown[0] <= shown[1]) == (observed <= bound)


def test_typed_mathematics_is_typeset() -> None:
    """Signs and Greek letters are set as such, and the same letters inside a word are left alone."""
    assert formatting.typeset("(r / rho)^2 >= sqrt(M), eta_1 <= 2") == "(r / ρ)² ≥ √(M), η_1 ≤ 2"
    assert formatting.typeset("Theta, beta, x^23, rhombus") == "Theta, beta, x^23, rhombus"


def test_columns_share_their_decimals() -> None:
    """Values of one column have equally many decimals, unless a small one would read as zero."""
    assert formatting.aligned([2.5, -1.25, 0.0]) == ["2.500", "−1.250", "0.000"]
    assert formatting.aligned([123.0, 1e-7]) == ["123", "1 × 10⁻⁷"]


# --- axes and curves ----------------------------------------------------------------------------------------


def test_value_axis_is_logarithmic_only_where_that_helps() -> None:
    """Less than a decade and a half of values, or mostly zero and negative ones, stand on a linear axis."""
    assert value_axis([1, 10], [40], 300, 0, "count").log
    assert not value_axis([1, 10], [30], 300, 0, "count").log
    assert not value_axis([0, 0, 0], [1e6, 1], 300, 0, "count").log
    assert not value_axis([-5, -7, 9], [900], 300, 0, "real").log
    assert value_axis([1e-17, 5], [900], 300, 0, "real").low > 1e-12


def test_long_runs_have_a_log_axis_of_rounds() -> None:
    """Rounds stand on a log axis from 1 once they span a decade and a half."""
    assert round_axis(1000, 0, 900).log
    assert round_axis(1000, 0, 900).low == 1
    assert not round_axis(20, 0, 900).log


@given(
    low=st.floats(1e-9, 1e9),
    span=st.floats(1.01, 1e14),
    log=st.booleans(),
    room=st.sampled_from([150.0, 280.0, 900.0]),
    horizontal=st.booleans(),
)
def test_ticks_are_round_and_their_labels_apart(
    low: float, span: float, log: bool, room: float, horizontal: bool
) -> None:
    """Every tick is 1, 2 or 5 times a power of ten, lies on the axis, and has a label of its own."""
    axis = Axis(low if log else 0.0, low * span, log and span > 12, 0.0, room)
    ticks = axis.ticks(horizontal)
    assert ticks
    assert len({label for _, label in ticks}) == len(ticks)
    steps = [value for value, _ in ticks] if axis.log else [b - a for (a, _), (b, _) in pairwise(ticks)]
    for value in steps:
        lead = float(f"{value:.6e}".partition("e")[0])
        assert round(lead, 4) in (1, 2, 5, 10)
    for (a, left), (b, right) in pairwise(ticks):
        apart = axis(b) - axis(a)
        assert apart >= ((len(left) + len(right)) / 2 * 7 if horizontal else 20)
    assert all(-1e-6 <= axis(value) <= room + 1e-6 for value, _ in ticks)


@given(st.lists(st.tuples(st.integers(1, 10**9), st.integers(0, 10**9)), min_size=1, max_size=900))
def test_thinning_keeps_both_ends(points: list[tuple[int, int]]) -> None:
    """At most 420 points are left, in their order, with the first and the last among them."""
    whole = sorted((float(a), float(b)) for a, b in points)
    thinned = thin(whole)
    assert len(thinned) <= 420
    assert (thinned[0], thinned[-1]) == (whole[0], whole[-1])
    assert thinned == sorted(thinned)
    assert set(thinned) <= set(whole)


def test_thinning_is_even_on_a_log_axis() -> None:
    """Of a long dense run every decade of rounds keeps about as many points."""
    points = thin([(float(t), 0.0) for t in range(1, 100_001)], 200)
    decades = [sum(10**k <= t < 10 ** (k + 1) for t, _ in points) for k in range(1, 5)]
    assert min(decades[1:]) > 30
    assert max(decades) < 60


def test_path_has_a_gap_where_a_log_axis_has_no_place() -> None:
    """A value at or below zero interrupts the path, and a lone value is a dot."""
    across, up = Axis(1, 1000, True, 0, 300), Axis(1, 100, True, 100, 0)
    drawn = path([(1, 10.0), (10, -4.0), (100, 100.0), (1000, 0.0)], across, up)
    assert drawn == "M0.0 50.0h0M200.0 0.0h0"
    drawn = path([(1, 10.0), (10, 10.0), (100, math.inf), (1000, 1.0)], across, up)
    assert drawn == "M0.0 50.0L100.0 50.0M300.0 100.0h0"


def regret_panel(observed: Sequence[tuple[float, float]], *bounds: Series) -> Panel:
    """A chart of a regret, on the axis of values that fits it."""
    return Panel("counts", "Regret", "Regret", "real", [Series("Regret", "first", thin(observed)), *bounds], [])


def test_negative_regret_leaves_gaps_and_ticks() -> None:
    """Where regret is negative on a log axis the curve is interrupted and the axis is ticked."""
    observed = [(float(t), 30.0 * math.sin(t) + t**0.5) for t in range(1, 300)]
    panel = regret_panel(observed, Series("b", "bound0", [(1.0, 5e3), (299.0, 5e3)], bound=True))
    text = drawing(panel, FRAMES["counts"][0])
    curve = re.findall(r'class="line first" d="([^"]+)"', text)[0]
    assert curve.count("M") > 5
    assert len(re.findall(r'class="rug first" d="(M[^"]+)"', text)) == 1
    assert "at or below zero" in render(replace(page_of_run(sample()), panels=[panel]))


def test_regret_that_is_mostly_negative_crosses_zero_on_a_linear_axis() -> None:
    """A learner that beats its comparator is drawn whole, below a zero line inside the plot."""
    panel = regret_panel([(float(t), 5.0 - t) for t in range(1, 200)])
    _, up = axes(panel, FRAMES["counts"][0])
    assert not up.log
    assert up.low < -194
    assert drawing(panel, FRAMES["counts"][0]).count("rug") == 0


@pytest.mark.parametrize("name", ["sample", *degenerate()])
def test_curves_stay_inside_the_plot(name: str) -> None:
    """No drawn coordinate of any line lies outside the axes, at any size."""
    report = sample() if name == "sample" else degenerate()[name]
    for panel in (count_panel(report), rate_panel(report)):
        for frame in FRAMES[panel.key]:
            for path_data in re.findall(r'class="line [^"]+" d="([^"]+)"', drawing(panel, frame)):
                for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path_data):
                    assert frame.left - 0.1 <= float(x) <= frame.width - frame.right + 0.1
                    assert frame.top - 0.1 <= float(y) <= frame.height - frame.bottom + 0.1


def test_curve_and_bound_share_one_axis() -> None:
    """At every round the bound's line is drawn above the curve that it bounds."""
    panel = count_panel(sample())
    text = drawing(panel, FRAMES["counts"][0])
    lowest_bound = max(float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", line_data(text, "bound0")))
    highest_curve = min(float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", line_data(text, "first")))
    assert lowest_bound < highest_curve


def line_data(text: str, style: str) -> str:
    """The path of one line of a drawing."""
    matches: list[str] = re.findall(rf'class="line {style}" d="([^"]+)"', text)
    return matches[0]


def test_titles_do_not_claim_what_the_curve_denies() -> None:
    """A chart whose curve crosses its bound does not say that it lies under it."""
    assert count_panel(sample()).title.endswith("under the certified bound")
    crossed = sample(certificates=[certificate("b", bound=20.0)])
    assert count_panel(crossed).title.endswith("against the certified bound")
    assert "bound" not in count_panel(sample(certificates=[])).title


def test_recent_rate_looks_at_the_latest_half() -> None:
    """A learner that stops erring has a recent rate of zero one doubling later, and not before."""
    mistakes = [(float(t), float(min(t, 64))) for t in range(1, 257)]
    rates = dict(recent_rates(mistakes))
    assert rates[64.0] == 1.0
    assert 0 < rates[127.0] < 0.05
    assert rates[128.0] == 0.0


def test_values_between_points_lie_on_the_line() -> None:
    """A bound known at two rounds is read off the straight line between them, and not beyond."""
    points = [(10.0, 100.0), (20.0, 200.0), (30.0, math.inf)]
    assert at_round(points, 15.0) == 150.0
    assert at_round(points, 20.0) == 200.0
    assert at_round(points, 25.0) is None
    assert at_round(points, 5.0) is None


# --- formulas -----------------------------------------------------------------------------------------------


def test_formulas_are_mathml() -> None:
    """A fraction with a root becomes a MathML fraction with a root."""
    text = mathml(r"M \le \left(\frac{a+\sqrt{a^2+4H}}{2}\right)^2")
    assert text.startswith("<math")
    for element in ("<mfrac>", "<msqrt>", "<msup>", "≤"):
        assert element in text


def test_formulas_may_be_broken_at_a_quad() -> None:
    """Clauses apart by a quad are elements of their own, unless the quad stands inside a group."""
    assert mathml(r"a \le b,\quad c = d").count("<math") == 2
    assert mathml(r"\frac{a \quad b}{c}").count("<math") == 1


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\href{javascript:alert(1)}{x}",
        r"\text{<b onclick='x'>}",
        r"\style{color:red}{x}",
        r"\left(x",
        "</math><script>",
        "\x00",
        "",
    ],
)
def test_formulas_carry_nothing_but_mathematics(tex: str) -> None:
    """No element, link, style or handler gets through a formula, and none makes the report fail."""
    page = Page(mathml(tex))
    assert not page.open
    assert all(tag == "code" or tag.startswith("m") for tag, _ in page.elements)
    names = {name for _, attributes in page.elements for name in attributes}
    assert not [name for name in names if name in ("style", "href") or name.startswith("on")]


# --- colours ------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio as WCAG defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_colours_have_contrast(theme: int) -> None:
    """In light and in dark, text has a contrast of 4.5 at least and every line one of 3."""
    blocks = re.findall(r":root \{([^}]*--page[^}]*)\}", render(page_of_run(sample())))
    assert len(blocks) == 2
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", blocks[theme]))
    for name in ("ink", "soft", "held", "broken", "idle"):
        assert contrast(colours[name], colours["page"]) >= 4.5, name
    for name in ("first", "second", "recent", "bound0", "bound1", "bound2", "bound3"):
        assert contrast(colours[name], colours["page"]) >= 3, name
