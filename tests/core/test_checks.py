"""Parameters that have no meaning."""

from __future__ import annotations

import pytest

from regretless import checks
from regretless.alarms import Watch
from regretless.data import CostTable, CrossedStream, LogColumns, open_stream, read_losses
from regretless.data.forecasts import open_forecasts
from regretless.data.losses import Wanted
from regretless.errors import ParameterError, RegretlessError

REFUSED = [
    (lambda: checks.positive("rate", -1), "rate", "-1", "it must be a finite number > 0"),
    (lambda: checks.positive("rate", -1, or_zero=True), "rate", "-1", "it must be a finite number >= 0"),
    (lambda: checks.share("delta", 1.5), "delta", "1.5", "it must lie between 0 and 1"),
    (lambda: checks.whole("passes", "3"), "passes", "'3'", "it must be a whole number >= 1"),
    (lambda: checks.one_of("ties", 0, ("update", 1)), "ties", "0", "it must be one of 'update', 1"),
    (lambda: checks.drawn_seed(-1), "random_state", "-1", "it must be a whole number >= 0, a generator or None"),
]


@pytest.mark.parametrize(("check", "name", "value", "expected"), REFUSED)
def test_an_error_tells_name_value_and_what_is_expected(check, name, value, expected):
    """What is refused is raised in parts, and the message is made of them."""
    with pytest.raises(ParameterError) as refused:
        check()
    error = refused.value
    assert (error.name, error.value, error.expected) == (name, value, expected)
    assert (str(error), error.fault) == (f"{name}={value}; {expected}", f"{value}; {expected}")
    assert isinstance(error, RegretlessError)


def test_an_error_without_a_value_has_a_colon_behind_the_name():
    """Where a value is not shown, name and fault have a colon between them."""
    error = ParameterError("start", None, "two strategies are expected")
    assert (str(error), error.fault) == ("start: two strategies are expected", "two strategies are expected")


@pytest.mark.parametrize(
    ("name", "call"),
    [
        *((one, lambda one=one: open_stream("t.csv", **{one: "ab"})) for one in ("text", "ignore", "categorical")),
        ("interactions", lambda: open_stream("t.csv", interactions="ab")),
        ("interactions", lambda: CrossedStream(open_stream("t.svm"), interactions="ab")),
        *((one, lambda one=one: open_forecasts("t.csv", **{one: "ab"})) for one in ("experts", "names", "ignore")),
        ("arms", lambda: read_losses("t.csv", Wanted("ab"))),
        ("costs", lambda: CostTable("t.csv", "ab")),
        ("rewards", lambda: CostTable("t.csv", rewards="ab")),
        ("probabilities", lambda: LogColumns(action="a", cost="c", probabilities="ab")),
        ("columns", lambda: Watch("ab", reference=0.1)),
    ],
)
def test_a_string_is_no_list_of_names(name, call):
    """A string where names are expected is refused by its parameter before a file is opened."""
    with pytest.raises(ParameterError) as refused:
        call()
    assert str(refused.value) == f"{name}: a list of names is expected, not the string 'ab'"
