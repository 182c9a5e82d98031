"""Iterative parameter mixing: the loop over epochs, what it counts, and what shards reveal on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.data import open_stream
from regretless.distributed import Epoch, arrays, average_once, files, mix
from regretless.distributed.engine import Here
from regretless.distributed.mixing import Mixing
from regretless.distributed.sources import shards_of
from regretless.errors import DataError, Interrupted, RegretlessError
from regretless.linear import AveragedPerceptron, MarginPerceptron, OnlineGradientDescent, Perceptron

from ..data.mixed_data import Pair, joined, pairs, write_svm


@pytest.fixture
def parts() -> list[Pair]:
    return pairs()


# ---- the loop


@pytest.mark.parametrize("learner", [Perceptron(passes=3), AveragedPerceptron(passes=3, intercept=1.0)])
def test_one_shard_is_the_learner_by_itself(learner: Any, parts: list[Pair]) -> None:
    """Over one shard the mixed learner has the bits of `fit`; only sums in its books are added up by epochs."""
    mixture = mix(learner, parts[:1])
    alone = type(learner)(**learner.get_params()).fit(*parts[0])
    ours, theirs = mixture.learner.state_.tensors(), alone.state_.tensors()
    assert ours.pop("books") == pytest.approx(theirs.pop("books"), rel=1e-14)
    assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)
    assert mixture.learner.first_pass_ == alone.first_pass_
    assert len(mixture.history) == 3


def test_one_shard_at_a_time_is_one_learner_over_all(parts: list[Pair]) -> None:
    """With together=1 the weights are those of one learner that goes over the shards in turn."""
    mixture = mix(AveragedPerceptron(), parts, epochs=3, together=1)
    alone = AveragedPerceptron(passes=3).fit(*joined(parts))
    assert np.array_equal(mixture.learner.coef_, alone.coef_)
    assert np.array_equal(mixture.learner.last_coef_, alone.last_coef_)
    assert mixture.ledger.updates == alone.ledger_.updates
    assert [epoch.mixings for epoch in mixture.history] == [4, 4, 4]


def test_groups_are_runs_one_after_the_other(parts: list[Pair]) -> None:
    """An epoch with together=2 is an epoch over the first two shards, then one over the others from its weights."""
    mixture = mix(Perceptron(), parts, epochs=1, together=2)
    weights = np.zeros(5)
    for group in (parts[:2], parts[2:]):
        ends = []
        for X, y in group:
            ours = weights.copy()
            for x, label in zip(X, y, strict=True):
                if label * float(x @ ours) <= 0:
                    ours = ours + label * x
            ends.append(ours)
        weights = ends[0] + (ends[1] - ends[0]) * 0.5
    assert np.allclose(mixture.learner.coef_[0], weights, rtol=1e-12, atol=1e-12)
    assert mixture.together == 2


def test_a_clean_epoch_is_the_last_if_the_learner_wants_one() -> None:
    """A run until clean stops at the first epoch without an update, and its weights separate all shards."""
    parts = pairs(noise=0)
    mixture = mix(Perceptron(until_clean=True), parts)
    assert mixture.clean
    assert not any(epoch.clean for epoch in mixture.history[:-1])
    assert mixture.learner.score(*joined(parts)) == 1


def test_epochs_are_the_learners_passes_unless_given(parts: list[Pair]) -> None:
    """Without `epochs` there are as many as the learner makes passes, with it as many as it says."""
    assert len(mix(Perceptron(passes=4), parts).history) == 4
    assert len(mix(Perceptron(passes=4), parts, epochs=2).history) == 2


def test_the_given_learner_is_left_as_it_is(parts: list[Pair]) -> None:
    """Mixing fits a clone, and the learner that was given stays unfitted."""
    learner = Perceptron()
    assert mix(learner, parts).learner is not learner
    assert not hasattr(learner, "classes_")


def test_labels_keep_their_type(parts: list[Pair]) -> None:
    """Whole labels of arrays are whole classes, and strings are strings."""
    assert mix(Perceptron(), parts).learner.classes_.dtype.kind == "i"
    named = [(X, np.where(y > 0, "spam", "ham")) for X, y in parts]
    assert mix(Perceptron(), named).learner.classes_.tolist() == ["ham", "spam"]


def test_stop_keeps_the_last_whole_epoch(parts: list[Pair]) -> None:
    """A run that is stopped in its third epoch raises Interrupted and has the mixture of the second."""
    events: list[Epoch] = []
    run = Mixing(Perceptron(), arrays(parts), Here(), epochs=5, on_epoch=events.append, stop=lambda: len(events) == 2)
    with pytest.raises(Interrupted):
        run.play()
    assert run.mixture is not None
    two = mix(Perceptron(), parts, epochs=2)
    assert run.mixture.learner.state_.same(two.learner.state_)
    assert run.mixture.history[-1].number == 2


def test_callbacks_tell_every_shard_and_every_epoch(parts: list[Pair]) -> None:
    """on_shard gets each place of each epoch once, on_epoch each epoch in its turn."""
    places: list[tuple[int, int]] = []
    epochs: list[int] = []
    mix(
        Perceptron(),
        parts,
        epochs=2,
        together=3,
        on_shard=lambda number, place: places.append((number, place)),
        on_epoch=lambda epoch: epochs.append(epoch.number),
    )
    assert places == [(number, place) for number in (1, 2) for place in range(4)]
    assert epochs == [1, 2]


# ---- what is counted


def test_uniform_shares_divide_the_plain_totals(parts: list[Pair]) -> None:
    """With uniform mu the weighted counts are the plain ones over the number of shards."""
    mixture = mix(Perceptron(), parts, epochs=3)
    assert mixture.weighted[0].updates == pytest.approx(mixture.totals[0].updates / 4)
    assert mixture.shares.tolist() == [0.75] * 4
    assert mixture.totals[0].updates == mixture.ledger.updates == sum(epoch.updates for epoch in mixture.history)
    assert sum(epoch.weighted_updates for epoch in mixture.history) == pytest.approx(mixture.weighted[0].updates)


@pytest.mark.parametrize("weights", ["updates", "rows"])
def test_shares_are_in_proportion_to_what_is_asked(weights: Any, parts: list[Pair]) -> None:
    """In one epoch mu is what each shard has of the updates, or of the rows."""
    mixture = mix(Perceptron(), parts, weights=weights)
    alone = [Perceptron().fit(X, y).ledger_ for X, y in parts]
    counts = np.array([one.updates if weights == "updates" else one.rounds for one in alone])
    assert mixture.shares == pytest.approx(counts / counts.sum())
    assert mixture.weighted[0].updates == pytest.approx(sum(mixture.shares * [one.updates for one in alone]))


def test_an_epoch_in_which_nothing_moves_gives_no_shares() -> None:
    """By updates, a clean epoch adds nothing to the shares: there is nothing to be in proportion to."""
    mixture = mix(Perceptron(until_clean=True), pairs(noise=0), weights="updates")
    assert mixture.clean
    assert mixture.history[-1].most == 0
    assert mixture.shares.sum() == pytest.approx(len(mixture.history) - 1)


def test_rows_of_each_shard_are_known(parts: list[Pair]) -> None:
    """The mixture knows the rows, the values and the squared lengths of each shard, as of one epoch."""
    mixture = mix(Perceptron(), parts, epochs=2)
    assert mixture.rounds.tolist() == [len(X) for X, _ in parts]
    assert mixture.nonzeros.tolist() == [np.count_nonzero(X) for X, _ in parts]
    assert mixture.norms2 == pytest.approx([float((X * X).sum()) for X, _ in parts])


def test_the_first_pass_is_that_of_the_first_epoch(parts: list[Pair]) -> None:
    """The message about new rounds rests on the first epoch alone, whose rounds were new to each shard."""
    mixture = mix(Perceptron(), parts, epochs=3)
    first = mixture.history[0]
    assert mixture.learner.first_pass_ == (first.rounds, first.mistakes)


def test_it_describes_itself(parts: list[Pair]) -> None:
    """describe() is JSON that tells epochs and shards, and print shows the weighted updates of each epoch."""
    mixture = mix(Perceptron(), parts, epochs=2)
    described = json.loads(json.dumps(mixture.describe()))
    assert [shard["rows"] for shard in described["shards"]] == mixture.rounds.tolist()
    assert described["history"][1]["updates"] == mixture.history[1].updates
    assert described["guarantee"] is None
    assert f"{mixture.history[1].weighted_updates:.1f}" in str(mixture).splitlines()[3]


# ---- one-shot averaging


def test_one_shot_is_the_mean_of_learners_apart(parts: list[Pair]) -> None:
    """One-shot averaging gives the mean of the weights that each shard would learn by itself."""
    mixture = average_once(Perceptron(), parts, passes=3)
    apart = [Perceptron(passes=3).fit(X, y).coef_ for X, y in parts]
    assert np.allclose(mixture.learner.coef_, np.mean(apart, axis=0))
    assert mixture.one_shot
    assert mixture.rounds.tolist() == [len(X) for X, _ in parts]
    assert mixture.ledger.rounds == 3 * mixture.rounds.sum()


def test_one_shot_says_that_nothing_is_guaranteed(parts: list[Pair]) -> None:
    """describe() and print of a one-shot average both say that no theorem bounds it, unless it is one epoch of mixing
    because shards went over their rows once."""
    mixture, single = (average_once(Perceptron(), parts, passes=passes) for passes in (2, 1))
    assert "no theorem" in mixture.describe()["guarantee"]
    assert "no theorem" in str(mixture)
    assert single.describe()["guarantee"] is None
    assert "no theorem" not in str(single)


# ---- what shards reveal


def test_a_late_label_begins_the_epoch_anew() -> None:
    """A class that only the last shard has gives the same bits as one that was announced, and one more beginning."""
    parts = [(X, np.where(y > 0, "a", "b")) for X, y in pairs(3)]
    X, y = parts[2]
    parts[2] = X, np.where(np.arange(len(y)) % 5 == 4, "c", y)
    begun: list[tuple[int, int]] = []
    mixture = mix(Perceptron(), parts, epochs=2, on_shard=lambda number, place: begun.append((number, place)))
    announced = mix(Perceptron(), parts, epochs=2, classes=["a", "b", "c"])
    assert mixture.learner.classes_.tolist() == ["a", "b", "c"]
    assert mixture.learner.state_.same(announced.learner.state_)
    assert begun.count((1, 0)) == 2
    assert (mixture.learner.unannounced_, announced.learner.unannounced_) == (9, 0)


@pytest.mark.parametrize("inputs", [["a"], ["a", "b"], ["a", "b", "d"]])
def test_classes_that_were_not_announced_with_the_others_count_as_mistakes(inputs: list[str]) -> None:
    """Of classes of which some were announced, each of the others counts as a mistake once a shard that plays together
    with others, and those that never come do not."""
    parts = [(X, np.where(y > 0, "a", "b")) for X, y in pairs(4)]
    parts[3] = parts[3][0], np.where(np.arange(len(parts[3][1])) % 5 == 4, "c", parts[3][1])
    for together in (1, 2, 4):
        missing = len({"a", "b", "c"}.difference(inputs))
        assert mix(Perceptron(), parts, classes=inputs, together=together).learner.unannounced_ == missing * together


def test_the_risk_of_classes_that_each_come_once_is_not_said_to_be_small() -> None:
    """Where every row is of another class and two of a hundred are announced, all but these two rounds count as
    mistakes, as they do in `partial_fit`."""
    X, y = np.eye(100) - 0.01, np.arange(100)
    shards = [(X[place : place + 1], y[place : place + 1]) for place in range(100)]
    learner = mix(Perceptron(), shards, classes=[0, 1], together=1).learner
    assert learner.certify_risk()[0].observed >= 0.98


def test_labels_that_somebody_looked_up_are_not_announced() -> None:
    """A run that knows what labels the rows have begins once, and counts each class as a mistake all the same."""
    parts = [(X, np.where(y > 0, "a", "b")) for X, y in pairs(3)]
    parts[2] = parts[2][0], np.where(np.arange(len(parts[2][1])) % 5 == 4, "c", parts[2][1])
    begun: list[tuple[int, int]] = []
    run = Mixing(Perceptron(), shards_of(parts), Here(), known_labels=np.array(["a", "b", "c"]))
    run.on_shard = lambda number, place: begun.append((number, place))
    predictions, plain = run.play(), mix(Perceptron(), parts)
    assert begun.count((1, 0)) == 1
    assert (predictions.learner.unannounced_, plain.learner.unannounced_) == (9, 9)
    assert predictions.learner.state_.same(plain.learner.state_)


def test_each_group_may_reveal_something_and_the_epoch_begins_anew_once() -> None:
    """Where every group of shards has a class of its own, the first epoch begins twice and no more."""
    parts = [(X, np.where(y > 0, "common", f"class {place}")) for place, (X, y) in enumerate(pairs(4))]
    begun: list[tuple[int, int]] = []
    mixture = mix(Perceptron(), parts, together=1, on_shard=lambda number, place: begun.append((number, place)))
    assert len(mixture.learner.classes_) == 5
    assert begun == [(1, 0), (1, 1), (1, 0), (1, 1), (1, 2), (1, 3)]


def test_shards_of_one_class_each_are_two_classes() -> None:
    """Files that are sorted by their label are learned as well as others."""
    X, y = joined(pairs(2, noise=0))
    sorted_parts = [(X[y == 1], y[y == 1]), (X[y == -1], y[y == -1])]
    assert mix(Perceptron(until_clean=True), sorted_parts).learner.score(X, y) == 1


def test_a_single_class_in_all_shards_is_an_error(parts: list[Pair]) -> None:
    """Rows of one class only are refused, and the class is named."""
    with pytest.raises(RegretlessError, match=r"one class \(7\)"):
        mix(Perceptron(), [(X, np.full(len(X), 7)) for X, _ in parts])


def test_strings_and_numbers_do_not_mix() -> None:
    """Labels that are strings in one shard and numbers in another are refused."""
    (X, y), (Z, z) = pairs(2)
    with pytest.raises(RegretlessError, match="strings"):
        mix(Perceptron(), [(X, y), (Z, np.where(z > 0, "a", "b"))])


def test_numbered_columns_grow(tmp_path: Path) -> None:
    """Shards whose last columns are empty give the bits of arrays in which all columns stand."""
    parts = pairs(3)
    parts[0][0][:, 3:] = 0
    parts[1][0][:, 4:] = 0
    mixture = mix(AveragedPerceptron(), files(write_svm(tmp_path, parts)), epochs=2)
    dense = mix(AveragedPerceptron(), parts, epochs=2)
    assert mixture.learner.n_features_in_ == 5
    assert np.array_equal(mixture.learner.coef_, dense.learner.coef_)


def test_a_late_id_zero_begins_anew(tmp_path: Path) -> None:
    """If only the second file has an id 0, all files are read with ids from 0."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "b.svm").write_text("1 1:1\n-1 0:1 2:1\n")
    mixture = mix(Perceptron(), str(tmp_path / "*.svm"))
    mean = mix(Perceptron(), files(str(tmp_path / "*.svm"), ids_from=0))
    assert mixture.learner.n_features_in_ == 3
    assert mixture.learner.state_.same(mean.learner.state_)


TABLES = {
    "part-1.csv": "city,size,y\nParis,1,1\nRome,2,-1\nParis,0.5,1\n",
    "part-2.csv": "city,size,y\nOslo,1,-1\nRome,3,1\nLima,0.25,-1\n",
    "part-10.csv": "city,size,y\nLima,2,1\nKyiv,1,-1\n",
}


@pytest.fixture
def tables(tmp_path: Path) -> str:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    whole = "".join(text if not place else text.split("\n", 1)[1] for place, text in enumerate(TABLES.values()))
    (tmp_path / "whole.csv").write_text(whole)
    return str(tmp_path / "part-*.csv")


def one_hot(texts: list[str], names: list[str]) -> list[Pair]:
    results = []
    for text in texts:
        rows = [line.split(",") for line in text.splitlines()[1:]]
        X = [
            [float(size) if name == "size" else float(name == f"city={city}") for name in names]
            for city, size, _ in rows
        ]
        results.append((np.array(X), np.array([float(y) for *_, y in rows])))
    return results


def test_categories_of_all_tables_become_columns(tables: str, tmp_path: Path) -> None:
    """Tables whose categories differ are learned as if their one-hot columns had been known from the start."""
    mixture = mix(Perceptron(), files(tables), epochs=3)
    stream = open_stream(str(tmp_path / "part-1.csv"), schema=mixture.schema)
    names = stream.feature_names()
    assert names is not None
    dense = mix(Perceptron(), one_hot(list(TABLES.values()), names), epochs=3)
    assert np.array_equal(mixture.learner.coef_, dense.learner.coef_)


@pytest.mark.parametrize("options", [{}, {"interactions": ("city*size",)}, {"interactions": ("*",)}, {"hash_bits": 8}])
def test_united_columns_are_those_of_all_rows_in_one_file(tables: str, tmp_path: Path, options: Any) -> None:
    """The columns found over shards are those that one reading of all their rows finds, in the same order."""
    mixture = mix(Perceptron(), files(tables, **options))
    stream = open_stream(str(tmp_path / "whole.csv"), **options)
    for _ in stream.batches():
        pass
    assert mixture.schema == stream.schema()


def test_products_of_numbered_columns_are_the_same_in_all_shards(tmp_path: Path) -> None:
    """Products that get their columns as they come are united, and learned as if one file had them all."""
    paths = write_svm(tmp_path, pairs(3, rows=4))
    for place, path in enumerate(paths):
        text = Path(path).read_text().replace("3:", f"{6 + place}:") if place else Path(path).read_text()
        Path(path).write_text(
            "\n".join(" ".join(sorted(line.split(), key=_by_id)) for line in text.splitlines()) + "\n"
        )
    (tmp_path / "whole.svm").write_text("".join(Path(path).read_text() for path in paths))
    mixture = mix(Perceptron(), files(paths, interactions=("*",)), together=1)
    alone = mix(Perceptron(), files([tmp_path / "whole.svm"], interactions=("*",)))
    assert mixture.schema == alone.schema
    assert np.array_equal(mixture.learner.coef_, alone.learner.coef_)


def _by_id(entry: str) -> int:
    return int(entry.split(":")[0]) if ":" in entry else -1


def test_a_column_of_two_kinds_is_refused_by_its_name(tmp_path: Path) -> None:
    """A column that is empty at first, then numbers in one shard and text in another, is named."""
    (tmp_path / "a.csv").write_text("x,z,y\n1,,1\n2,,-1\n")
    (tmp_path / "b.csv").write_text("x,z,y\n1,5,1\n2,6,-1\n")
    (tmp_path / "c.csv").write_text("x,z,y\n1,red,1\n2,blue,-1\n")
    with pytest.raises(RegretlessError, match="'z' is of the kinds number and text"):
        mix(Perceptron(), files(str(tmp_path / "*.csv"), missing="zero"))


def test_rows_that_change_between_epochs_are_noticed(tmp_path: Path) -> None:
    """A shard that grew since the first epoch is refused by its name."""
    paths = write_svm(tmp_path, pairs(2))

    def grow(epoch: Epoch) -> None:
        with open(paths[1], "a") as file:
            file.write("1 1:1\n")

    with pytest.raises(DataError, match=r"part-2\.svm: 68 rows in this epoch, and 67"):
        mix(Perceptron(), paths, epochs=2, on_epoch=grow)


def test_a_label_that_comes_between_epochs_is_an_error(tmp_path: Path) -> None:
    """A class that appears after the first epoch is refused: the data must stay as they are."""
    paths = write_svm(tmp_path, pairs(2))

    def spoil(epoch: Epoch) -> None:
        text = Path(paths[1]).read_text()
        Path(paths[1]).write_text(text.replace("-1 ", "3 ", 1))

    with pytest.raises(RegretlessError, match="stay as they are"):
        mix(Perceptron(), paths, epochs=2, on_epoch=spoil)


def test_rows_passed_over_are_counted(tmp_path: Path) -> None:
    """With on_error="skip" bad rows of all shards are counted, and the first of them reported with file and line."""
    paths = write_svm(tmp_path, pairs(2))
    with open(paths[1], "a") as file:
        file.write("1 one:1\n")
    mixture = mix(Perceptron(), files(paths, on_error="skip"), epochs=2)
    assert mixture.skipped == 1
    assert f"{paths[1]}:68" in mixture.first_errors[0]


# ---- what is refused


def test_learners_without_a_bound_are_refused_before_anything_is_read() -> None:
    """A margin perceptron is refused with the reason although its shards do not exist."""
    with pytest.raises(RegretlessError, match="margin-perceptron cannot be mixed"):
        mix(MarginPerceptron(), ["nowhere.svm"])


@pytest.mark.parametrize("how", [{"weights": "length"}, {"epochs": 0}, {"together": 0}])
def test_settings_without_a_meaning_are_refused(how: dict[str, Any], parts: list[Pair]) -> None:
    """An unknown weighting, no epochs and groups of nobody are refused by name."""
    with pytest.raises(RegretlessError, match=next(iter(how))):
        mix(OnlineGradientDescent(), parts, **how)


def test_something_else_than_an_executor_is_refused(parts: list[Pair]) -> None:
    """A number of workers is no executor, and the message says what is."""
    with pytest.raises(RegretlessError, match=r"concurrent\.futures\.Executor"):
        mix(Perceptron(), parts, 2)
