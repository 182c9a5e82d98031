"""Checkpoints of mixed runs: a run that was stopped, killed or finished goes on as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless
from regretless.distributed import Epoch, Mixture, average_once, files, mix
from regretless.distributed import mixing as loop
from regretless.errors import Interrupted, ModelError, RegretlessError
from regretless.linear import (
    AveragedPerceptron,
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    Winnow,
)
from regretless.persist.format import read_model, write_model

from ..data.mixed_data import pairs, write_svm

LEARNERS: list[Callable[[], Any]] = [
    lambda: Perceptron(intercept=1.0),
    lambda: AveragedPerceptron(average="after"),
    lambda: OnlineGradientDescent(schedule="self-tuned", radius=2.0),
    lambda: OnlineGradientDescent(schedule="inverse-sqrt", radius=2.0),
    lambda: PassiveAggressive(),
    lambda: PNormPerceptron(p=3.0),
    lambda: Winnow(),
]


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    folder = tmp_path / "data"
    folder.mkdir()
    return write_svm(folder, pairs(5))


def stop_after(epochs: int) -> dict[str, Any]:
    """What makes a run stop in the middle of the epoch after so many."""
    done: list[int] = [0]
    shards: list[int] = [0]

    def on_epoch(epoch: Epoch) -> None:
        done[0], shards[0] = epoch.number, 0

    def on_shard(number: int, place: int) -> None:
        shards[0] += 1

    return {"on_epoch": on_epoch, "on_shard": on_shard, "stop": lambda: done[0] == epochs and shards[0] == 2}


# ---- going on


@pytest.mark.parametrize("together", [None, 1, 2])
@pytest.mark.parametrize("make", LEARNERS)
def test_a_stopped_run_goes_on_to_the_same_bytes(
    make: Callable[[], Any], together: int | None, paths: list[str], tmp_path: Path
) -> None:
    """A run that is stopped in its second and again in its fourth epoch leaves the file of one that was not."""
    undisturbed, stopped = tmp_path / "undisturbed.rgl", tmp_path / "stopped.rgl"
    mix(make(), paths, epochs=5, together=together, checkpoint=undisturbed)
    for epochs in (1, 3):
        with pytest.raises(Interrupted):
            mix(make(), paths, epochs=5, together=together, checkpoint=stopped, **stop_after(epochs))
    mixture = mix(make(), paths, epochs=5, together=together, checkpoint=stopped)
    assert stopped.read_bytes() == undisturbed.read_bytes()
    assert [epoch.seconds is None for epoch in mixture.history] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("learner", [Perceptron(), MulticlassPerceptron()])
def test_several_classes_go_on_to_the_same_bytes(learner: Any, tmp_path: Path) -> None:
    """Runs of several classes, found on the way and of arrays, go on from a file to the bits of an undisturbed run."""
    parts = [(X, y * (1 + np.arange(len(y)) % 3)) for X, y in pairs(3)]
    with pytest.raises(Interrupted):
        mix(learner, parts, epochs=4, checkpoint=tmp_path / "a.rgl", **stop_after(2))
    mix(learner, parts, epochs=4, checkpoint=tmp_path / "a.rgl")
    mix(learner, parts, epochs=4, checkpoint=tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


KILLED = """
import os, signal, sys
from regretless.distributed import mix
from regretless.linear import AveragedPerceptron

def die(number, place):
    if (number, place) == (3, 1):
        os.kill(os.getpid(), signal.SIGKILL)

mix(AveragedPerceptron(), sys.argv[2:], epochs=4, checkpoint=sys.argv[1], on_shard=die)
"""


def test_a_killed_driver_goes_on_to_the_same_bytes(paths: list[str], tmp_path: Path) -> None:
    """A process that is killed in the middle of its third epoch leaves the second whole, and going on from it gives the
    file of an undisturbed run."""
    model, undisturbed = tmp_path / "model.rgl", tmp_path / "undisturbed.rgl"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(model), *paths], check=False, timeout=120)
    assert ended.returncode == -signal.SIGKILL
    assert len(Mixture.read(model).history) == 2
    mix(AveragedPerceptron(), paths, epochs=4, checkpoint=model)
    mix(AveragedPerceptron(), paths, epochs=4, checkpoint=undisturbed)
    assert model.read_bytes() == undisturbed.read_bytes()


def test_tables_go_on_with_the_columns_that_were_found(tmp_path: Path) -> None:
    """A run over tables whose categories were found on the way goes on with them, and to the same bytes."""
    (tmp_path / "1.csv").write_text("city,y\nParis,1\nRome,-1\n")
    (tmp_path / "2.csv").write_text("city,y\nOslo,1\nRome,-1\n")
    pattern = str(tmp_path / "*.csv")
    mix(Perceptron(), pattern, epochs=1, checkpoint=tmp_path / "a.rgl")
    mix(Perceptron(), pattern, epochs=2, checkpoint=tmp_path / "a.rgl")
    mix(Perceptron(), pattern, epochs=2, checkpoint=tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


def test_a_finished_run_goes_on_only_for_more(paths: list[str], tmp_path: Path) -> None:
    """The same call again plays nothing; more epochs are played on; fewer are refused."""
    model = tmp_path / "model.rgl"
    played: list[Epoch] = []
    mix(Perceptron(), paths, epochs=2, checkpoint=model)
    before = model.read_bytes()
    again = mix(Perceptron(), paths, epochs=2, checkpoint=model, on_epoch=played.append)
    assert (played, len(again.history), model.read_bytes() == before) == ([], 2, True)
    mix(Perceptron(), paths, epochs=3, checkpoint=model, on_epoch=played.append)
    assert [epoch.number for epoch in played] == [3]
    with pytest.raises(RegretlessError, match="3 epochs behind it, and 1 are asked for"):
        mix(Perceptron(), paths, epochs=1, checkpoint=model)


def test_a_run_that_ended_clean_stays_so(paths: list[str], tmp_path: Path) -> None:
    """A run until clean that was clean plays nothing more, however many epochs are allowed."""
    parts = write_svm(tmp_path, pairs(3, noise=0))
    first = mix(Perceptron(until_clean=True), parts, checkpoint=tmp_path / "model.rgl")
    again = mix(Perceptron(until_clean=True, max_passes=5000), parts, checkpoint=tmp_path / "model.rgl")
    assert len(first.history) == len(again.history)


def test_passes_alone_make_no_other_run(paths: list[str], tmp_path: Path) -> None:
    """A learner that differs in how many passes it makes goes on with the run, and has its own number in the end."""
    mix(Perceptron(passes=2), paths, checkpoint=tmp_path / "a.rgl")
    assert mix(Perceptron(passes=3), paths, checkpoint=tmp_path / "a.rgl").learner.passes == 3
    mix(Perceptron(passes=3), paths, checkpoint=tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


def test_resume_says_where_from(paths: list[str], tmp_path: Path) -> None:
    """With resume=PATH the run goes on from there and that file stays; with resume=False it begins anew."""
    first, second = tmp_path / "first.rgl", tmp_path / "second.rgl"
    mix(Perceptron(), paths, epochs=1, checkpoint=first)
    before = first.read_bytes()
    played: list[int] = []
    mix(
        Perceptron(),
        paths,
        epochs=3,
        checkpoint=second,
        resume=first,
        on_epoch=lambda epoch: played.append(epoch.number),
    )
    assert (played, first.read_bytes() == before) == ([2, 3], True)
    mix(Perceptron(), paths, epochs=1, checkpoint=second, resume=False)
    assert second.read_bytes() == before
    with pytest.raises(FileNotFoundError):
        mix(Perceptron(), paths, resume=tmp_path / "nowhere.rgl")


def test_resume_without_anything_left_still_writes(paths: list[str], tmp_path: Path) -> None:
    """Going on from a finished model into another file writes it there."""
    mix(Perceptron(), paths, epochs=2, checkpoint=tmp_path / "a.rgl")
    mix(Perceptron(), paths, epochs=2, checkpoint=tmp_path / "b.rgl", resume=tmp_path / "a.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


def test_data_may_move_to_another_folder(paths: list[str], tmp_path: Path) -> None:
    """A run goes on when its files have moved all together, and no path of a machine is in the model."""
    model = tmp_path / "model.rgl"
    mix(Perceptron(), paths, epochs=1, checkpoint=model)
    assert str(tmp_path).encode() not in model.read_bytes()
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    assert len(mix(Perceptron(), str(tmp_path / "elsewhere/*.svm"), epochs=2, checkpoint=model).history) == 2


# ---- other runs


@pytest.mark.parametrize(
    ("learner", "how", "words"),
    [
        (Perceptron(rate=0.5), {}, r"rate was 1\.0 and is 0\.5"),
        (AveragedPerceptron(), {}, "the learner was perceptron and is averaged-perceptron"),
        (Perceptron(), {"weights": "rows"}, "weights was 'uniform' and is 'rows'"),
        (Perceptron(), {"together": 2}, "together was 5 and is 2"),
    ],
)
def test_another_run_is_refused_with_what_differs(
    learner: Any, how: dict[str, Any], words: str, paths: list[str], tmp_path: Path
) -> None:
    """A checkpoint of another learner, rate, weighting or grouping is refused, says what differs, and stays."""
    model = tmp_path / "model.rgl"
    mix(Perceptron(), paths, checkpoint=model)
    before = model.read_bytes()
    with pytest.raises(RegretlessError, match=words):
        mix(learner, paths, epochs=2, checkpoint=model, **how)
    assert model.read_bytes() == before


def test_other_shards_are_refused(paths: list[str], tmp_path: Path) -> None:
    """Fewer shards, other names and other ways of reading are refused, each with what was and what is."""
    model = tmp_path / "model.rgl"
    mix(Perceptron(), paths, checkpoint=model)
    with pytest.raises(RegretlessError, match="there were 5 shards and are 4"):
        mix(Perceptron(), paths[:4], epochs=2, checkpoint=model)
    with pytest.raises(RegretlessError, match="files were read with no options and now with on_error='skip'"):
        mix(Perceptron(), files(paths, on_error="skip"), epochs=2, checkpoint=model)
    Path(paths[2]).rename(Path(paths[2]).with_name("part-7.svm"))
    with pytest.raises(RegretlessError, match=r"shard part-3\.svm is now part-4\.svm"):
        mix(Perceptron(), str(Path(paths[0]).with_name("*.svm")), epochs=2, checkpoint=model)


@pytest.mark.parametrize("epochs", [2, 4])
def test_other_rows_are_refused_by_the_name_of_their_shard(epochs: int, tmp_path: Path) -> None:
    """A checkpoint is of its rows: arrays with other labels, or other rows at an end, are refused, be it finished or
    not, and the same rows in another form are not."""
    parts, model = pairs(3), tmp_path / "model.rgl"
    mix(Perceptron(), parts, epochs=2, checkpoint=model)
    for place, changed in [(0, (parts[0][0], -parts[0][1])), (2, (parts[2][0][::-1], parts[2][1]))]:
        others = [changed if number == place else part for number, part in enumerate(parts)]
        with pytest.raises(RegretlessError, match=f"shard {place} has other rows than those that were learned from"):
            mix(Perceptron(), others, epochs=epochs, checkpoint=model)
    mix(Perceptron(), [(X.tolist(), y.astype(float)) for X, y in parts], epochs=epochs, checkpoint=model)


def test_a_file_of_another_size_is_refused(paths: list[str], tmp_path: Path) -> None:
    """A file that has grown since is named with both sizes; one that was only written anew, elsewhere, is the same."""
    model = tmp_path / "model.rgl"
    mix(Perceptron(), paths, epochs=1, checkpoint=model)
    (tmp_path / "copied").mkdir()
    copies = [tmp_path / "copied" / Path(path).name for path in paths]
    for path, copied in zip(paths, copies, strict=True):
        copied.write_bytes(Path(path).read_bytes())
    mix(Perceptron(), copies, epochs=2, checkpoint=model)
    with copies[2].open("a") as file:
        file.write("1 1:1\n")
    with pytest.raises(RegretlessError, match=r"part-3\.svm has other rows .*was \d+ bytes, and is \d+ bytes"):
        mix(Perceptron(), copies, epochs=2, checkpoint=model)


def test_what_shards_are_called_is_asked_once_a_run(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, options and fingerprints of shards are the same in all epochs and are looked up before the first."""
    queries: list[Any] = []
    for name in ("names_of", "reading_of", "prints_of"):
        original = getattr(loop, name)
        monkeypatch.setattr(loop, name, lambda shards, one=original: queries.append(one) or one(shards))
    mix(Perceptron(), paths, epochs=3)
    assert len(queries) == 3


def test_one_shot_and_mixing_are_different_runs(paths: list[str], tmp_path: Path) -> None:
    """A one-shot average is no epoch of a mixed run."""
    average_once(Perceptron(), paths, checkpoint=tmp_path / "model.rgl")
    with pytest.raises(RegretlessError, match="one_shot was True and is False"):
        mix(Perceptron(), paths, epochs=2, checkpoint=tmp_path / "model.rgl")


def test_a_model_of_one_stream_is_no_checkpoint(paths: list[str], tmp_path: Path) -> None:
    """A model that was not mixed is refused as a checkpoint, and stays."""
    X, y = pairs(1)[0]
    Perceptron().fit(X, y).save(tmp_path / "model.rgl")
    with pytest.raises(ModelError, match="not over shards"):
        mix(Perceptron(), paths, checkpoint=tmp_path / "model.rgl")


def test_places_that_cannot_be_written_are_refused_first(paths: list[str], tmp_path: Path) -> None:
    """A checkpoint that is a shard, a folder or in no folder is refused before anything is played."""
    before = Path(paths[1]).read_bytes()
    for place, words in [
        (paths[1], "one of the shards"),
        (tmp_path, "is a folder"),
        (tmp_path / "no/m.rgl", "no folder"),
    ]:
        with pytest.raises(RegretlessError, match=words):
            mix(Perceptron(), [*paths, "missing.svm"], checkpoint=place)
    assert Path(paths[1]).read_bytes() == before


# ---- what is in the file


def test_the_file_is_a_model_like_any_other(paths: list[str], tmp_path: Path) -> None:
    """regretless.load reads a checkpoint, and the model predicts as the mixed learner does."""
    mixture = mix(AveragedPerceptron(), paths, epochs=2, checkpoint=tmp_path / "model.rgl")
    X, _ = pairs(1)[0]
    assert np.array_equal(regretless.load(tmp_path / "model.rgl").predict(X), mixture.learner.predict(X))


def test_a_mixture_comes_back_from_its_file(paths: list[str], tmp_path: Path) -> None:
    """A mixture that is read has all that it had but times and bytes."""
    mixture = mix(Perceptron(), paths, epochs=3, weights="updates", together=2)
    mixture.save(tmp_path / "model.rgl")
    again = Mixture.read(tmp_path / "model.rgl", paths)
    assert (again.weighted, again.totals, again.mixed_whole) == (mixture.weighted, mixture.totals, mixture.mixed_whole)
    assert np.array_equal(again.shares, mixture.shares)
    ours, theirs = mixture.describe(), again.describe()
    measured = ("seconds", "cpu", "reading", "bytes_down", "bytes_up")
    for described in (ours, theirs):
        for epoch in described["history"]:
            for name in measured:
                del epoch[name]
    assert ours == theirs
    with pytest.raises(RegretlessError, match="was learned from the shards part-1"):
        Mixture.read(tmp_path / "model.rgl", paths[1:])


def test_certificates_need_the_shards(paths: list[str], tmp_path: Path) -> None:
    """A mixture that was read without its shards cannot be certified, and says how it can."""
    mix(Perceptron(), paths, checkpoint=tmp_path / "model.rgl")
    with pytest.raises(RegretlessError, match="give them"):
        Mixture.read(tmp_path / "model.rgl").certify()


@pytest.mark.parametrize("spoil", ["names", "books", "clock", "history", "shares", "together"])
def test_a_file_that_contradicts_itself_is_refused(spoil: str, paths: list[str], tmp_path: Path) -> None:
    """If what a model says of its shards does not fit together, it is no model."""
    model = tmp_path / "model.rgl"
    mix(Perceptron(), paths, checkpoint=model)
    description, tensors = read_model(model)
    mixing = description["extra"]["mixing"]
    if spoil == "together":
        del mixing[spoil]
    else:
        mixing[spoil] = mixing[spoil][:-1]
    write_model(model, {key: value for key, value in description.items() if key != "format"}, tensors)
    with pytest.raises(ModelError):
        Mixture.read(model)
