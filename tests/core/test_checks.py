"""Parameters that have no meaning."""

from __future__ import annotations

import pytest

from regretless import checks
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
