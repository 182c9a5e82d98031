"""Nothing that was learned is lost: what is saved can be read, whatever rows had to be refused before."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless import load
from regretless.errors import RegretlessError
from regretless.experts.registry import EXPERT_LEARNERS, expert_class
from regretless.linear import Perceptron
from regretless.linear.registry import LEARNERS, learner_class
from regretless.modelfile import read_model, write_model

from .cli import BARE, CommandLine, noisy_lines, write
from .kills import forecast_lines

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "perceptron": [{}, {"intercept": 1.0}],
    "margin-perceptron": [{"gamma": 0.05, "max_passes": 3}],
    "passive-aggressive": [{"variant": variant} for variant in ("PA", "PA-I", "PA-II")],
    "online-gradient-descent": [
        {},
        {"radius": 1.0, "loss": "logistic"},
        {"loss": "square", "schedule": "constant"},
        {"radius": 1e150, "loss": "squared-hinge", "schedule": "scale-free", "rate": 1e60},
    ],
    "winnow": [{"balanced": True}, {"rate": 0.5, "intercept": 1.0}, {"rate": 1e290}],
    "p-norm-perceptron": [{}, {"p": 3}],
    "second-order-perceptron": [{"matrix": "full"}, {"matrix": "diagonal"}],
    "arow": [{"matrix": "full"}, {"matrix": "diagonal"}, {"r": 1e-200}],
    "kernel-perceptron": [{"kernel": "linear"}, {"kernel": "poly", "gamma": 1.0}, {"kernel": "rbf", "gamma": 1.0}],
}
CASES = [(name, settings) for name in LEARNERS for settings in SETTINGS.get(name, [{}])]
EVERY = pytest.mark.parametrize(("name", "settings"), CASES, ids=[f"{n}-{list(s.values())}" for n, s in CASES])
OF_BOUNDED_LOSS = ("weighted-majority", "randomized-weighted-majority", "aggregating")
SIZES = [1e-300, 1e-160, 1e-80, 1e-10, 1.0, 1e10, 1e50, 1e76, 1e100, 9e153, 1e160, 1e300]
NUMBERS = st.builds(lambda size, sign: size * sign, st.sampled_from(SIZES), st.sampled_from([-1.0, 0.0, 1.0, 0.7]))
ROUNDS = st.lists(
    st.tuples(
        st.tuples(NUMBERS, NUMBERS, NUMBERS), st.integers(0, 2), st.sampled_from([1.0, 1.0, 0.0, 1e-300, 1e150, 1e300])
    ),
    min_size=1,
    max_size=12,
)


@EVERY
@given(rounds=ROUNDS, classes=st.integers(2, 3))
def test_a_learner_can_be_saved_after_any_rounds(tmp_path_factory, name, settings, rounds, classes):
    """However large its rows were, what a learner has learned is saved, read, and saved as the same bytes; a round that
    is refused changes nothing of it."""
    first, second = (tmp_path_factory.mktemp("saved") / f"{one}.rgl" for one in "ab")
    learner = learner_class(name)(**settings)
    learner.partial_fit([[1.0, 0.0, -1.0]], [0], classes=range(classes))
    for row, label, weight in rounds:
        learner.save(first)
        try:
            learner.partial_fit([row], [label % classes], sample_weight=[weight])
        except RegretlessError:
            learner.save(second)
            assert second.read_bytes() == first.read_bytes()
    learner.save(first)
    load(first).save(second)
    assert second.read_bytes() == first.read_bytes()


# ---- what is said to be saved is


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def full_disk(monkeypatch):
    """Have the disk full once so many files were written."""

    def arrange(written: int) -> None:
        fsync, left = os.fsync, [written]

        def full(descriptor: int) -> None:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                if not left[0]:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                left[0] -= 1
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", full)

    return arrange


def test_rows_that_would_spoil_the_model_are_refused_and_the_model_stays_good(run, tmp_path):
    """Rows whose squares add up beyond the floats end a run with what is kept, and that is a model which goes on."""
    good = write(tmp_path / "good.svm", noisy_lines(200))
    huge = write(tmp_path / "huge.svm", [f"{1 - 2 * (k % 2)} 1:9e153 2:{k}\n" for k in range(12)])
    model = tmp_path / "m.rgl"
    assert run("learn", good, *BARE, "--save", model).code == 0
    stopped = run("learn", huge, "--resume", model, "--no-certify", "--quiet")
    assert stopped.code == 1
    assert "Row 0 is so long" in stopped.err
    assert run("inspect", model, "--json").json["rounds"] == 200
    assert run("learn", good, "--resume", model, "--no-certify", "--quiet").code == 0


def test_a_full_disk_is_not_said_to_hold_an_epoch(run, tmp_path, full_disk):
    """A run over shards whose first epoch cannot be saved says why, claims nothing, and leaves nothing."""
    shards = [write(tmp_path / f"part-{k}.svm", noisy_lines(50, seed=k)) for k in range(2)]
    full_disk(0)
    stopped = run("learn", *shards, *BARE, "--workers", 1, "--passes", 3, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert "No space left on device" in stopped.err
    assert "kept" not in stopped.err
    assert sorted(tmp_path.iterdir()) == shards


def test_a_disk_that_fills_up_keeps_the_epoch_before(run, tmp_path, full_disk):
    """A run over shards claims the last epoch that was written, and goes on from there to the same bytes."""
    shards = [write(tmp_path / f"part-{k}.svm", noisy_lines(50, seed=k)) for k in range(2)]
    words = ("learn", *shards, *BARE, "--workers", 1, "--passes", 3)
    run(*words, "--save", tmp_path / "whole.rgl")
    full_disk(2)
    stopped = run(*words, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert f"2 epochs of 3 are kept in {tmp_path / 'm.rgl'}" in stopped.err
    assert run("inspect", tmp_path / "m.rgl", "--json").json["mixing"]["epochs"] == 2


@pytest.mark.parametrize("written", [0, 2])
@pytest.mark.parametrize("verb", ["learn", "combine"])
def test_a_checkpoint_that_is_claimed_exists(run, tmp_path, full_disk, verb, written):
    """On a disk that fills up the rounds are claimed that the file has, if any; a temporary file is not left."""
    if verb == "learn":
        rows = write(tmp_path / "rows.svm", noisy_lines(1000))
        words = ("learn", rows, *BARE)
    else:
        rows = write(tmp_path / "rows.csv", forecast_lines(1000))
        words = ("combine", rows, "--target", "y", "--quiet")
    model = tmp_path / "m.rgl"
    full_disk(written)
    stopped = run(*words, "--save", model, "--checkpoint-every", 100)
    assert stopped.code == 1
    assert f"{model}: No space left on device" in stopped.err
    assert ("200 rounds are kept" in stopped.err) == model.exists() == (written > 0)
    assert {path.name for path in tmp_path.iterdir()} == {rows.name, *(["m.rgl"] if written else [])}
    if written:
        assert run("inspect", model, "--json").json["rounds"] == 200


def test_a_full_disk_does_not_hide_the_row_that_is_wrong(run, tmp_path, full_disk):
    """When a row cannot be used and the rows before it cannot be saved, both are said."""
    rows = write(tmp_path / "rows.svm", [*noisy_lines(100), "oops\n"])
    full_disk(0)
    stopped = run("learn", rows, *BARE, "--save", tmp_path / "m.rgl")
    assert stopped.code == 1
    assert "rows.svm:101:1" in stopped.err
    assert "nothing is kept; " in stopped.err
    assert "No space left on device" in stopped.err


def test_a_finished_model_knows_its_rows(run, tmp_path):
    """Going on with the file that a finished model has learned from is told; with other rows nothing is said."""
    rows, others = (write(tmp_path / f"{seed}.svm", noisy_lines(300, seed=seed)) for seed in range(2))
    model = tmp_path / "m.rgl"
    run("learn", rows, *BARE, "--passes", 2, "--save", model)
    words = ("--resume", model, "--no-certify", "--quiet")
    assert run("learn", others, *words, "--save", tmp_path / "other.rgl").err == ""
    again = run("learn", rows, *words)
    assert again.code == 0
    assert f"{rows} is, as it seems, what the model had learned from" in again.err


# ---- temporary files, and two who write


def test_what_a_killed_process_left_over_is_removed(tmp_path):
    """The next who writes a file removes the temporary ones of it that nobody holds, and no others."""
    learner = Perceptron().fit([[1.0], [-1.0]], [1, -1])
    stray, other = tmp_path / f".m.rgl.123.{'a' * 16}.tmp", tmp_path / f".n.rgl.123.{'a' * 16}.tmp"
    alive, foreign = tmp_path / f".m.rgl.456.{'b' * 16}.tmp", tmp_path / ".m.rgl.mine.tmp"
    for path in (stray, other, alive, foreign):
        path.write_bytes(b"half")
    fcntl = pytest.importorskip("fcntl")
    with alive.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        learner.save(tmp_path / "m.rgl")
    assert set(tmp_path.iterdir()) == {tmp_path / "m.rgl", other, alive, foreign}


def test_of_two_who_write_a_model_the_last_wins(tmp_path):
    """Models that are written under one name at once replace each other whole, and nobody's is torn or refused."""
    path = tmp_path / "m.rgl"
    models = [({"writer": k}, {"w": np.full(20_000, float(k))}) for k in range(2)]

    def write_often(k: int) -> None:
        for _ in range(50):
            write_model(path, *models[k])

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(write_often, k) for k in range(2)]:
            done.result()
    meta, arrays = read_model(path)
    assert (arrays["w"] == meta["writer"]).all()
    assert list(tmp_path.iterdir()) == [path]
    write_model(path, *models[0])
    assert read_model(path)[0] == {"writer": 0}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in EXPERT_LEARNERS if name not in OF_BOUNDED_LOSS])
def test_a_combiner_can_be_saved_after_any_rounds(tmp_path, name):
    """However large forecasts and outcomes were, what a combiner has learned is saved, read, and saved as the same
    bytes."""
    first, second = tmp_path / "a.rgl", tmp_path / "b.rgl"
    rng = np.random.default_rng(0)
    for _ in range(5):
        learner = expert_class(name)(n_experts=3, loss="square")
        learner.play([[0.0, 1.0, 2.0]], [1.0])
        for _ in range(5):
            advice = rng.choice(SIZES, 3) * rng.choice([-1.0, 0.0, 1.0], 3)
            with suppress(RegretlessError):
                learner.play(advice[None], [float(rng.choice(SIZES))])
            learner.save(first)
            load(first).save(second)
            assert second.read_bytes() == first.read_bytes()
