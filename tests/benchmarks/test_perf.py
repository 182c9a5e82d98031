"""Whether `make perf` believes that a commit is slower."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from benchmarks.perf.verdict import AGAIN, LIMIT, Pair, settled
from benchmarks.perf.worker import answer


@pytest.mark.parametrize(
    ("base", "new", "worse"),
    [
        ([1.0, 1.2, 1.1], [1.0, 1.2, 1.1], False),
        ([1.0, 1.2, 1.1], [1.1, 1.4, 1.2], True),
        ([1.0, 1.0, 1.0], [1.04, 1.04, 1.04], False),
        ([1.0, 1.5, 1.5], [1.4, 1.4, 1.4], False),  # the base was lucky once
        ([1.0, 1.0, 1.0], [1.0, 2.0, 2.0], False),  # the new one was unlucky twice
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], False),
    ],
)
def test_a_row_is_worse_only_if_the_best_and_the_median_say_so(base, new, worse):
    """More than 5 % longer by the best turn of each and by the median of the turns is worse, and nothing else is."""
    assert Pair(base, new).worse() is worse


class Clock:
    """Measures rows that take so many times as long in the first, second, ... time that they are measured."""

    def __init__(self, **ratios: Sequence[float]) -> None:
        self.ratios = ratios
        self.requests: list[list[str]] = []

    def __call__(self, rows: Sequence[str]) -> dict[str, Pair]:
        time = len(self.requests)
        self.requests.append(list(rows))
        return {name: Pair([1.0] * 3, [self.ratios[name][time]] * 3) for name in rows if name in self.ratios}


def test_only_rows_that_look_worse_are_measured_again():
    """A row that looks worse once is measured again, alone, and is cleared by turns that are as fast as before."""
    clock = Clock(steady=[1.0], noisy=[1.3, 1.0])
    pairs = settled(["steady", "noisy"], clock)
    assert clock.requests == [["steady", "noisy"], ["noisy"]]
    assert not pairs["noisy"].worse()
    assert len(pairs["noisy"].new) == 6


def test_a_row_that_stays_slower_is_worse():
    """A row that is slower each time stays so, after three more times, with all its turns."""
    clock = Clock(slow=[LIMIT + 0.01] * (AGAIN + 1))
    pairs = settled(["slow"], clock)
    assert pairs["slow"].worse()
    assert len(pairs["slow"].new) == 3 * (AGAIN + 1)


def test_a_row_that_one_commit_lacks_is_left_out():
    """What could not be measured is neither worse nor better."""
    assert settled(["absent"], Clock()) == {}


def test_a_process_of_a_commit_says_what_it_lacks_and_goes_on():
    """A row that the package does not have is reported in a line, and the next row is timed."""
    answers = io.StringIO()
    queries = "One call from Python\tno such row\nOne call from Python\tExp3IX, the same without tickets\n\n"
    answer(io.StringIO(queries), answers)
    lacking, ready, seconds = answers.getvalue().splitlines()
    assert lacking.startswith("StopIteration")
    assert ready == ""
    assert float(seconds) > 0
