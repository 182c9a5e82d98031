"""What is given to mixing and cannot be used is said, by its name; what can be is taken."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.bandits import Exp3IX
from regretless.distributed import average_once, certify_shards, mix
from regretless.errors import DataError, MissingError, NotFittedError, RegretlessError
from regretless.experts import MLPoly
from regretless.linear import Perceptron

from ..data.mixed_data import pairs, write_svm


class Foreign:
    """No learner of ours."""


@pytest.mark.parametrize("run", [mix, average_once])
@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("no-such", "there is no learner called 'no-such'"),
        (Perceptron, "the class Perceptron cannot be mixed over shards.*Perceptron\\(\\.\\.\\.\\)"),
        (MLPoly(), "MLPoly cannot be mixed.*regretless.distributed.combine"),
        (Exp3IX(2), "Exp3IX cannot be mixed.*regretless.distributed.simulate"),
        (Foreign(), "Foreign cannot be mixed.*regretless.linear"),
        (None, "NoneType cannot be mixed"),
    ],
)
def test_what_is_no_learner_is_reported(run, learner, message):
    """What is no learner of weights is refused before anything is asked of it, with what to take instead."""
    with pytest.raises(RegretlessError, match=message):
        run(learner, pairs(2))


def test_a_learner_may_be_named():
    """A name stands for a learner with its parameters as they come."""
    mixture, expected = mix("perceptron", pairs(2)), mix(Perceptron(), pairs(2))
    assert mixture.learner.state_.same(expected.learner.state_)


def test_nothing_is_certified_of_a_learner_that_has_not_learned():
    """Certificates over shards before anything is learned raise NotFittedError, of no learner RegretlessError."""
    with pytest.raises(NotFittedError):
        certify_shards(Perceptron(), pairs(2))
    with pytest.raises(RegretlessError, match="the class Perceptron"):
        certify_shards(Perceptron, pairs(2))


def test_pairs_may_be_lists():
    """A list of lists [X, y] is taken like one of tuples."""
    listed = [[X, y] for X, y in pairs(2)]
    assert mix(Perceptron(), listed).learner.state_.same(mix(Perceptron(), pairs(2)).learner.state_)


def test_classes_that_were_not_announced_are_learned_too():
    """A label that is not among `classes=` is learned as well."""
    parts = [(X, np.where(y > 0, "yes", "no")) for X, y in pairs(2)]
    assert mix(Perceptron(), parts, classes=["yes"]).learner.classes_.tolist() == ["no", "yes"]


def test_a_package_that_is_missing_is_an_import_error():
    """A missing package raises what is an ImportError and a RegretlessError."""
    assert issubclass(MissingError, ImportError)
    assert issubclass(MissingError, RegretlessError)
    assert str(MissingError("Dask is not installed")) == "Dask is not installed"


def table(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def test_formats_that_do_not_go_together_are_named(tmp_path):
    """Of files with columns of different sorts the first shard and the one that differs are named."""
    svm = write_svm(tmp_path, pairs(1))[0]
    csv = table(tmp_path / "a.csv", "f,label", ["1,yes", "2,no"])
    X, y = pairs(1)[0]
    np.savez(tmp_path / "z.npz", X=X, y=y)
    for paths, first, other in [
        ([csv, svm], "a.csv, the first shard, is csv", "part-1.svm: this is svmlight"),
        ([svm, str(tmp_path / "z.npz")], "part-1.svm, the first shard, is svmlight", "z.npz: this is npz"),
    ]:
        with pytest.raises(DataError) as caught:
            mix(Perceptron(), paths)
        assert first in str(caught.value)
        assert other in str(caught.value)


def test_a_column_that_is_missing_is_reported_with_the_shard_that_has_it(tmp_path):
    """A table that lacks a column of the first shard is named, and so is that one."""
    first = table(tmp_path / "a.csv", "f,g,label", ["1,2,yes", "2,1,no"])
    other = table(tmp_path / "b.csv", "f,h,label", ["1,2,yes", "2,1,no"])
    with pytest.raises(DataError, match=r"b\.csv: there is no column 'g'.*a\.csv, the first shard, has it"):
        mix(Perceptron(), [other, first])


def test_a_column_that_only_a_later_table_has_is_passed_over(tmp_path):
    """Columns that the first table does not have are none of the features."""
    first = table(tmp_path / "a.csv", "f,label", ["1,yes", "2,no"])
    other = table(tmp_path / "b.csv", "f,more,label", ["1,2,yes", "2,1,no"])
    assert mix(Perceptron(), [first, other]).learner.n_features_in_ == 1


@pytest.mark.parametrize("numbers_first", [False, True])
def test_labels_that_never_agree_are_an_error_that_names_both(tmp_path, numbers_first):
    """Words for labels in one table and numbers in another are refused, and both tables are named."""
    words, numbers = ["1,yes", "2,no"], ["1,0", "2,1"]
    one = table(tmp_path / "a.csv", "f,label", numbers if numbers_first else words)
    two = table(tmp_path / "b.csv", "f,label", words if numbers_first else numbers)
    with pytest.raises(DataError, match=r"b\.csv.*a\.csv, the first shard"):
        mix(Perceptron(), [one, two])
    if not numbers_first:
        from regretless.distributed import files

        mixture = mix(Perceptron(), files([one, two], categorical=["label"]))
        assert mixture.learner.classes_.tolist() == ["0", "1", "no", "yes"]


def test_numbers_beside_numbers_among_words_are_labels(tmp_path):
    """A table with some of the numbers that are labels among words of the first one is none that never agrees."""
    one = table(tmp_path / "a.csv", "f,label", ["1,other", "2,1", "3,other"])
    two = table(tmp_path / "b.csv", "f,label", ["1,2", "2,1"])
    assert mix(Perceptron(), [one, two]).learner.classes_.tolist() == ["1", "2", "other"]
