"""The bar that says how far something has come."""

from __future__ import annotations

import io
import sys

import pytest

from regretless.bandits import Exp3, simulate
from regretless.environments import Bernoulli
from regretless.games import MatrixGame
from regretless.progress import Bar


def test_a_bar_ends_full_and_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    """What is drawn last is the last that was done, over what was drawn before, and then the line is over; between two
    looks a tenth of a second goes by."""
    now = 5.0
    with Bar(40, "rows", _clock=lambda: now) as bar:
        for done in range(1, 41):
            now += 1 / 32
            bar(done)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.rstrip("\n").split("\r")
    assert lines[-1] == "█" * 30 + " 100% of 40 rows, 32 a second"
    assert err.endswith("\n")
    assert len(lines) == 1 + 10 + 1  # nothing, every fourth call, and the end


def test_a_bar_that_was_never_called_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing done, nothing drawn; and without a total it counts."""
    with Bar(5):
        pass
    assert capsys.readouterr().err == ""
    with Bar() as bar:
        bar(1234, 0.5)
    assert capsys.readouterr().err.startswith("\r1,234 rounds")


def test_simulations_and_solvers_call_it(capsys: pytest.CaptureFixture[str]) -> None:
    """It is what `on_rounds` of a simulation and `on_progress` of a solver expect."""
    with Bar(2 * 500) as bar:
        simulate(Exp3(2, seed=0), Bernoulli([0.3, 0.6]), rounds=500, runs=2, on_rounds=bar)
    assert "of 1,000 rounds" in capsys.readouterr().err
    with Bar(unit="rounds") as bar:
        MatrixGame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).solve("hedge", rounds=2000, on_progress=bar)
    assert " rounds" in capsys.readouterr().err


def test_work_goes_on_where_stderr_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody to draw for is no error, and neither is a stream without the letters of a bar."""
    closed = io.StringIO()
    closed.close()
    for stream in (closed, None, io.TextIOWrapper(io.BytesIO(), "ascii")):
        monkeypatch.setattr(sys, "stderr", stream)
        with Bar(2) as bar:
            bar(1)
