"""What every learner of the catalogue promises, of whatever kind it is. A new one is tried here without being named."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless
from regretless.errors import ModelError

from ..catalogue import EVERY, ROUNDS, TABLES, Entry
from ..certificates import assert_sentence_says_all, speak_of_some_rows


def saved(learner: Any, path: Path) -> bytes:
    """The model file."""
    learner.save(path)
    return path.read_bytes()


@EVERY
def test_a_class_is_found_by_the_name_that_it_says(entry: Entry):
    """The catalogue's words on a learner are those of its class."""
    info = entry.cls.info
    assert info.name == entry.name
    assert TABLES[entry.kind][entry.name].info == info
    assert entry.cls.__name__ in repr(entry.made())


@EVERY
def test_a_clone_has_the_same_parameters_and_learns_alike(entry: Entry, tmp_path: Path):
    """A learner made anew of `get_params` writes the same file after the same rounds, and knows nothing before."""
    learner = entry.learn(entry.made())
    twin = type(learner)(**learner.get_params())
    assert repr(twin) == repr(entry.made())
    assert saved(entry.learn(twin), tmp_path / "a") == saved(learner, tmp_path / "b")


@EVERY
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copy", "pickle"])
def test_a_copy_goes_on_alike(entry: Entry, copied: Any, tmp_path: Path):
    """A learner that is copied, or pickled, half way goes on to the same file, and leaves the other as it was."""
    learner = entry.learn(entry.made(), 0, 50)
    before = saved(learner, tmp_path / "before")
    twin = entry.learn(copied(learner), 50, ROUNDS)
    assert saved(learner, tmp_path / "after") == before
    assert saved(entry.learn(learner, 50, ROUNDS), tmp_path / "a") == saved(twin, tmp_path / "b")


@EVERY
def test_a_model_is_read_to_the_bit_and_goes_on_alike(entry: Entry, tmp_path: Path):
    """What is read writes the same file again; both go on to the same one."""
    learner = entry.learn(entry.made(), 0, 50)
    first = saved(learner, tmp_path / "m.rgl")
    twin = regretless.load(tmp_path / "m.rgl")
    assert type(twin) is type(learner)
    assert saved(twin, tmp_path / "again.rgl") == first
    both = [saved(entry.learn(one, 50, ROUNDS), tmp_path / "end.rgl") for one in (learner, twin)]
    assert both[0] == both[1]


@EVERY
def test_rounds_may_come_in_parts(entry: Entry, tmp_path: Path):
    """The rounds in three parts leave the file of all at once."""
    whole, parts = entry.learn(entry.made()), entry.made()
    for begin, end in ((0, 1), (1, 70), (70, ROUNDS)):
        entry.learn(parts, begin, end)
    assert saved(parts, tmp_path / "a") == saved(whole, tmp_path / "b")


@EVERY
def test_a_file_with_a_byte_changed_is_refused(entry: Entry, tmp_path: Path):
    """No byte of a model can be another one without an error that says so."""
    content = saved(entry.learn(entry.made()), tmp_path / "m.rgl")
    for place in np.linspace(0, len(content) - 1, 12).astype(int).tolist():
        (tmp_path / "bad.rgl").write_bytes(content[:place] + bytes([content[place] ^ 64]) + content[place + 1 :])
        with pytest.raises(ModelError):
            regretless.load(tmp_path / "bad.rgl")


@EVERY
def test_certificates_hold_and_are_json(entry: Entry):
    """Some theorem applies if one is of any rows, no sure bound is exceeded, each line is one of text and of JSON."""
    learner = entry.learn(entry.made())
    certificates = learner.certify(*known_rounds(entry))
    assert any(one.applies for one in certificates) or speak_of_some_rows(one.theorem for one in certificates)
    assert not any(one.violated for one in certificates)
    for one in certificates:
        assert json.loads(json.dumps(one.describe(), allow_nan=False))["theorem"] == one.theorem.name
        assert one.theorem.title in str(one)
        assert_sentence_says_all(one)


def known_rounds(entry: Entry) -> tuple[Any, ...]:
    """What `certify` asks for besides the run."""
    from ..catalogue import numbers, rows

    return rows() if entry.kind == "linear" else numbers() if entry.kind == "regression" else ()


@EVERY
def test_an_unknown_parameter_is_refused(entry: Entry):
    """A keyword that a learner does not have is an error that names it, and makes nothing."""
    with pytest.raises(TypeError, match="nonsense"):
        entry.made(nonsense=1)


@EVERY
def test_reading_changes_nothing(entry: Entry, tmp_path: Path):
    """Certificates, ledger and representation leave the model as it was."""
    learner = entry.learn(entry.made())
    before = saved(learner, tmp_path / "before")
    learner.certify(*known_rounds(entry))
    _ = learner.ledger_, repr(learner)
    assert saved(learner, tmp_path / "after") == before
