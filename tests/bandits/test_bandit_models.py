"""Model files of bandits: everything comes back to the bit, generator and open draws included; what lies is refused."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest

import regretless
from regretless.bandits import Exp3, Exp3IX, Exp4, Hedge
from regretless.bandits.state import FIELDS, OPEN
from regretless.catalogue import BANDITS, bandit_class
from regretless.errors import ModelError, RegretlessError
from regretless.experts import Hedge as HedgeOnTables
from regretless.persist.format import read_model, write_model
from regretless.persist.model import KEYS, read, rebuilt, write

from ..catalogue import needed_by
from ..command_line import CommandLine

WAITING = (21, 23, 24)


def advice_for(rounds, seed=4):
    """Shares of four arms by each of three experts."""
    return np.random.default_rng(seed).dirichlet(np.ones(4), (rounds, 3))


def learnt(name, **more):
    """A bandit of four arms after 20 rounds and five draws: one of these is lost, one settled, three wait."""
    learner = bandit_class(name)(
        **({"arms": ["a", "b", "c", "d"], "seed": 2**64 - 5} | needed_by(name, horizon=1000) | more)
    )
    table, advice = np.random.default_rng(3).random((25, 4)), advice_for(25)
    learner.play(table[:20], advice=advice[:20] if learner.info.advised else None)
    masks = (
        [None, None, None, None, None]
        if learner.info.advised
        else [None, None, ["a", "d"], None, [True, True, True, False]]
    )
    all_advice = [[0, 1, 1], *advice[21:]] if learner.info.advised else [None] * 5
    draws = [learner.draw(mask, one) for mask, one in zip(masks, all_advice, strict=True)]
    learner.withdraw(draws[1])
    learner.update(draws[4], table[24] if learner.info.informed else 0.25)
    return learner


def went_on(learner):
    """What a bandit does next: all that waits is settled, in a certain order, and a table is played."""
    row = [0.5, 0.25, 0.75, 1.0]
    for ticket in reversed(learner.pending_):
        learner.update(ticket=ticket, loss=row if learner.info.informed else 0.5)
    table = np.random.default_rng(5).random((100, 4))
    play = learner.play(table, advice=advice_for(100) if learner.info.advised else None)
    return play.arms.tolist(), [array.tobytes() for array in learner._known().arrays().values()]


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def model(tmp_path):
    """Writes a bandit's model, with changes to its description and its arrays, and gives the path."""

    def make(name, description=None, **arrays):
        path = tmp_path / "m.rgl"
        learnt(name).save(path)
        meta, tensors = read_model(path)
        tensors |= arrays
        write_model(path, meta | (description or {}), {one: a for one, a in tensors.items() if a is not None})
        return path

    return make


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


# ---- what was saved


@pytest.mark.parametrize("name", BANDITS)
@pytest.mark.parametrize("more", [{}, {"rewards": True, "value_range": (-1, 3), "run": 7}, {"delta": None}])
def test_a_model_goes_on_where_the_bandit_stood(tmp_path, name, more):
    """A bandit that was saved and read draws, learns and certifies what the one that was not would have, to the bit."""
    if name == "exp3-p" and "delta" in more:
        more = {"rate": 0.1, "beta": 0.01, "explore": 0.1, "horizon": None} | more
    learner = learnt(name, **more)
    learner.save(tmp_path / "m.rgl")
    restored = regretless.load(tmp_path / "m.rgl")
    assert type(restored) is type(learner)
    assert restored.get_params() == learner.get_params()
    assert (restored.seed_, restored.names(), restored.rounds_) == (learner.seed_, ["a", "b", "c", "d"], 25)
    assert restored.pending_ == learner.pending_
    assert len(restored.pending_) == 3
    assert [str(one) for one in restored.certify()] == [str(one) for one in learner.certify()]
    restored.save(tmp_path / "again.rgl")
    assert (tmp_path / "again.rgl").read_bytes() == (tmp_path / "m.rgl").read_bytes()
    assert went_on(restored) == went_on(learner)


@pytest.mark.parametrize("name", BANDITS)
def test_draws_are_settled_by_the_model_that_was_read(tmp_path, name):
    """A draw that was made before the model was saved is settled by the one that was read, by its ticket alone."""
    learner = learnt(name)
    draw = learner.draw(advice=[0, 1, 2] if learner.info.advised else None)
    learner.save(tmp_path / "m.rgl")
    restored = regretless.load(tmp_path / "m.rgl")
    loss = [0.5] * 4 if learner.info.informed else 0.5
    with pytest.raises(RegretlessError, match="or this one before it was saved: give its ticket= then"):
        restored.update(draw, loss)
    learner.update(draw, loss)
    restored.update(ticket=draw.ticket, loss=loss)
    assert np.array_equal(restored.estimates_, learner.estimates_)
    assert restored.ledger_.losses.tolist() == learner.ledger_.losses.tolist()


def test_a_bare_draw_that_is_open_is_stored(tmp_path):
    """A draw of the bare core waits in the model too, and its loss is reported to the core that was read."""
    learner = Exp3IX(3, seed=1)
    core = learner.bare()
    for _ in range(5):
        core.update(core.draw(), 0.5)
    arm = core.draw()
    with pytest.raises(RegretlessError, match="no arm can be drawn: a draw is open"):
        learner.draw()
    with pytest.raises(RegretlessError, match="the table cannot be played: a draw is open"):
        learner.play(np.zeros((3, 3)))
    learner.save(tmp_path / "m.rgl")
    restored = regretless.load(tmp_path / "m.rgl")
    given_up = regretless.load(tmp_path / "m.rgl")
    given_up.withdraw()
    assert (given_up.ledger_.lost, given_up.draw().ticket) == (1, 7)
    for one in (core, restored.bare()):
        one.update(arm, 0.25)
    assert np.array_equal(restored.estimates_, learner.estimates_)
    assert restored.bare().draw() == core.draw()


@pytest.mark.parametrize("name", BANDITS)
def test_a_bandit_that_has_not_played_is_stored_with_its_seed(tmp_path, name):
    """A seed that was drawn and not given is kept, so that the model draws what the bandit would have drawn."""
    learner = bandit_class(name)(4, **needed_by(name, horizon=1000))
    learner.save(tmp_path / "m.rgl")
    restored = regretless.load(tmp_path / "m.rgl")
    assert restored.seed is None
    assert restored.seed_ == learner.seed_
    assert went_on(restored) == went_on(learner)


def test_what_is_stored_beside_a_bandit_comes_back(tmp_path):
    """A model may have JSON values with it."""
    write(tmp_path / "m.rgl", learnt("exp3"), {"source": "losses.csv", "row": 20})
    assert read(tmp_path / "m.rgl")[1] == {"source": "losses.csv", "row": 20}


def test_a_bandit_of_no_known_size_is_not_written(tmp_path):
    """Without arms there is nothing to keep."""
    for learner, words in ((Exp3IX(), "give n_arms="), (Exp4(3), "how many experts")):
        with pytest.raises(RegretlessError, match=words):
            learner.save(tmp_path / "m.rgl")
    assert not list(tmp_path.iterdir())


def test_the_two_rooms_keep_their_hedges_apart(tmp_path):
    """Hedge that draws arms and Hedge that combines forecasts come back as what they were."""
    Hedge(3, seed=0).save(tmp_path / "bandit.rgl")
    combiner = HedgeOnTables(n_experts=3)
    combiner.save(tmp_path / "combiner.rgl")
    assert type(regretless.load(tmp_path / "bandit.rgl")) is Hedge
    assert type(regretless.load(tmp_path / "combiner.rgl")) is HedgeOnTables
    with pytest.raises(ModelError):
        read(tmp_path / "combiner.rgl", "bandits")


# ---- what somebody made up


@pytest.mark.parametrize("name", BANDITS)
@pytest.mark.parametrize(
    "claim",
    [{"arms": 10**13}, {"arms": 10**6}, {"arms": 10**400}, {"arms": 5}, {"comparators": 10**12}, {"comparators": 7}],
)
@pytest.mark.parametrize("named", [True, False])
def test_no_memory_is_set_aside_for_a_claim(model, name, claim, named):
    """A model that claims more arms or experts than its arrays show is refused, whatever learner it has."""
    path = model(name)
    if not named:
        free = read_model(path)[0]["parameters"] | {"arms": None} | ({"n_experts": None} if name == "exp4" else {})
        claim = claim | {"names": None, "parameters": free}
    path = model(name, claim)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="does not fit together"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "claim",
    [
        {"room": "experts"},
        {"room": None},
        {"room": ["bandits"]},
        {"learner": "os.system"},
        {"learner": "ml-poly"},
        {"learner": ["exp3"]},
        {"learner": None},
        {"parameters": None},
        {"parameters": [["delta", 0.5]]},
        {"arms": 4.0},
        {"arms": "4"},
        {"arms": True},
        {"arms": 0},
        {"arms": -4},
        {"comparators": 4.0},
        {"comparators": 3},
        {"comparators": 0},
        {"names": "abcd"},
        {"names": ["a", "b", "c"]},
        {"names": ["a", "b", "c", 4]},
        {"names": ["a", "b", "c", "c"]},
        {"names": ["a", "b", "d", "c"]},
        {"names": None},
        {"names": {"a": 1, "b": 2, "c": 3, "d": 4}},
        {"seed": 3},
        {"seed": "3"},
        {"seed": "-3"},
        {"seed": "three"},
        {"seed": str(2**64)},
        {"seed": None},
        {"extra": None},
        {"extra": [["a", 1]]},
        {"surprise": 1},
    ],
)
def test_a_description_that_lies_is_refused(model, claim):
    """Whatever stands in a description, what does not fit is a ModelError."""
    with pytest.raises(ModelError):
        read(model("exp3", claim))


@pytest.mark.parametrize(
    "change",
    [
        {"speed": 1},
        {"self": 1},
        {"share": 0.5},
        {"n_arms": 5},
        {"n_arms": 4.0},
        {"n_arms": "4"},
        {"arms": "abcd"},
        {"arms": ["a", "b", "c"]},
        {"arms": ["a", "b", "c", "e"]},
        {"arms": ["a", "b", "c", 4]},
        {"arms": {"a": 1}},
        {"delta": "0.5"},
        {"delta": 2},
        {"delta": [0.5]},
        {"rate": -1},
        {"rate": 0.5},
        {"rate": 0.5, "horizon": 10},
        {"horizon": 10},
        {"horizon": 10**400},
        {"horizon": 10.5},
        {"value_range": 5},
        {"value_range": "01"},
        {"value_range": ["0", "1"]},
        {"value_range": [1, 0]},
        {"value_range": [0, 10**400]},
        {"rewards": 1},
        {"rewards": "no"},
        {"seed": 5},
        {"seed": -5},
        {"seed": "5"},
        {"run": -1},
        {"run": 2**64},
        {"run": 0.5},
        {"run": None},
    ],
)
def test_parameters_that_lie_are_refused(model, change):
    """Parameters of another kind, of another learner, or that say something else than the arrays do are refused."""
    inputs = read_model(model("exp3"))[0]["parameters"] | change
    with pytest.raises(ModelError):
        read(model("exp3", {"parameters": inputs}))


def test_a_description_that_lacks_a_key_is_refused(model):
    """Every key is needed, and so is the parameter that names the arms."""
    path = model("exp3")
    meta, tensors = read_model(path)
    for key in KEYS["bandits"].split():
        write_model(path, {name: value for name, value in meta.items() if name != key}, tensors)
        with pytest.raises(ModelError):
            regretless.load(path)
    fewer = {name: value for name, value in meta["parameters"].items() if name != "arms"}
    write_model(path, meta | {"parameters": fewer}, tensors)
    with pytest.raises(ModelError, match="does not fit together"):
        regretless.load(path)


@pytest.mark.parametrize("name", BANDITS)
def test_arrays_that_no_run_wrote_are_refused(model, name):
    """Missing arrays, strange ones, and those of another shape, type or content."""
    path = model(name)
    meta, tensors = read_model(path)
    bad = [{"strange": np.zeros(3)}]
    for key, array in tensors.items():
        if key != "awake":  # a model without it is one whose draws were made among all arms
            bad.append({key: None})
        bad += [{key: array.astype(np.float32)}, {key: array[:-1]}, {key: array[None]}, {key: array[:0]}]
        bad.append({key: changed(array, (-1,) * array.ndim, np.nan)})
        if key != "memory":
            bad.append({key: changed(array, (0,) * array.ndim, np.inf)})
    for field in ("rounds", "settled", "lost", "late", "restricted"):
        place = FIELDS.index(field)
        bad += [{"book": changed(tensors["book"], place, value)} for value in (-1.0, 0.5, np.inf)]
    for field in ("rounds", "settled", "lost"):
        place = FIELDS.index(field)
        bad.append({"book": changed(tensors["book"], place, tensors["book"][place] + 1)})
    bad.append({"book": changed(tensors["book"], FIELDS.index("loss"), 26.0)})
    bad.append({"book": changed(tensors["book"], FIELDS.index("swing"), -1.0)})
    bad += [{"tallies": changed(tensors["tallies"], (row, 1), -1.0)} for row in range(4)]
    bad += [{"tallies": changed(tensors["tallies"], (row, 1), 0.5)} for row in (0, 3)]
    for place, values in {0: (-1, 3, 0.5, 2**60), 1: (0, 99), 2: (0, 3), 3: (0, -1), 4: (-1,), OPEN: (1, 2)}.items():
        bad += [{"memory": changed(tensors["memory"], place, value)} for value in values]
    if name == "exp3-s":
        bad += [{"state": changed(tensors["state"], (2, 1), value)} for value in (-0.1, 0.0, 0.9)]
    if name == "exp3-p":
        bad += [{"state": changed(tensors["state"], (2, place), value)} for place, value in ((1, -0.1), (0, 0.5))]
    for arrays in bad:
        with pytest.raises(ModelError, match="does not fit together"):
            rebuilt(path, meta, {one: a for one, a in (tensors | arrays).items() if a is not None})


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 4),
        (0, -1),
        (0, 0.5),
        (1, 0),
        (1, -0.5),
        (1, 1.5),
        (1, 1 + 1e-10),
        (2, -1),
        (3, 0),
        (3, 26),
        (3, 21.5),
        (3, 24),
        (3, 2**60),
    ],
)
def test_draws_that_no_run_made_are_refused(model, place, value):
    """A draw that waits has an arm that there is, a probability, and a number of its own."""
    path = model("exp3")
    waiting = read_model(path)[1]["waiting"]
    assert waiting[:, 3].tolist() == list(WAITING)
    with pytest.raises(ModelError, match="does not fit together"):
        read(model("exp3", waiting=changed(waiting, (0, place), value)))


def test_conditions_that_no_draw_was_made_under_are_refused(model):
    """The arm that was drawn is awake, masks are zeros and ones, and advice gives that arm some share."""
    awake = read_model(model("exp3"))[1]["awake"]
    arm = int(read_model(model("exp3"))[1]["waiting"][1, 0])
    for bad in (changed(awake, (1, arm), 0.0), changed(awake, (1, 1), 0.5), changed(awake, (0, (arm + 1) % 4), 2.0)):
        with pytest.raises(ModelError, match="does not fit together"):
            read(model("exp3", awake=bad))
    advice, waiting = (read_model(model("exp4"))[1][key] for key in ("advice", "waiting"))
    arm = int(waiting[0, 0])
    nobody = changed(advice, 0, np.eye(4)[(arm + 1) % 4])
    for bad in (nobody, changed(advice, (0, 0, 0), 2.0), changed(advice, (0, 0), [1.5, -0.5, 0, 0])):
        with pytest.raises(ModelError, match="does not fit together"):
            read(model("exp4", advice=bad))


@pytest.mark.parametrize("name", BANDITS)
def test_a_model_with_any_number_changed_is_refused_or_plays_on(model, name):
    """A model whose numbers were changed at random, with its checksum, is a ModelError, or a bandit that goes on."""
    path = model(name)
    meta, tensors = read_model(path)
    chance, refused = random.Random(name), 0
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, -1e-300, 1e300, -1e300, 2.0**53, 2.0**63, np.inf, -np.inf, np.nan]
    for _ in range(250):
        arrays = {key: array.copy() for key, array in tensors.items()}
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            array = arrays[chance.choice(list(arrays))]
            array[tuple(chance.randrange(length) for length in array.shape)] = chance.choice(values)
        try:
            learner = rebuilt(path, meta, arrays)[0]
        except ModelError:
            refused += 1
            continue
        try:
            arms, _ = went_on(learner)
            learner.certify()
        except RegretlessError:
            continue
        assert all(0 <= arm < 4 for arm in arms)
    assert refused > 100


def test_a_damaged_file_is_refused(model):
    """A file that is cut short, or differs in a byte, is no model."""
    path = model("exp3")
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place])
        with pytest.raises(ModelError):
            regretless.load(path)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ModelError):
            regretless.load(path)


# ---- inspect, and verbs that are for others


@pytest.mark.parametrize("name", BANDITS)
def test_inspect_tells_what_a_bandit_is(run, tmp_path, name):
    """inspect tells the learner, its counts, what waits, and how often each arm was drawn, in JSON and in lines."""
    learner = learnt(name)
    learner.save(tmp_path / "m.rgl")
    report = run("inspect", tmp_path / "m.rgl", "--json").json
    assert report["schema"] == "regretless.inspect/1"
    assert report["learner"] == name
    assert report["seed"] == 2**64 - 5
    assert (report["arms"], report["rounds"], report["lost"]) == (4, 25, 1)
    assert report["total"] == learner.total_
    assert [one["ticket"] for one in report["waiting"]] == list(learner.pending_)
    assert report["draws"] == dict(zip("abcd", learner.counts_.tolist(), strict=True))
    assert list(report["estimates"].values()) == learner.estimates_.tolist()
    if name != "exp4":
        assert report["probabilities"] == dict(zip("abcd", learner.probabilities_.tolist(), strict=True))
    lines = run("inspect", tmp_path / "m.rgl", "--top", 2).out.splitlines()
    assert lines[0].split() == ["learner", name]
    assert any(line.startswith("waiting     3 draws for their losses: ") for line in lines)
    assert len(lines) - lines.index("") == 4


def test_inspect_shows_the_open_draw_of_the_bare_core(run, tmp_path):
    """A draw of the bare core that waits is reported with its arm, and none of the mean loss is made of it."""
    learner = Exp3IX(arms=["a", "b"], seed=0)
    core = learner.bare()
    core.update(core.draw(), 0.5)
    learner.save(tmp_path / "m.rgl")
    assert run("inspect", tmp_path / "m.rgl", "--json").json["open"] is None
    name = "ab"[core.draw()]
    learner.save(tmp_path / "m.rgl")
    assert run("inspect", tmp_path / "m.rgl", "--json").json["open"] == {"ticket": 2, "arm": name}
    lines = run("inspect", tmp_path / "m.rgl").out.splitlines()
    assert f"open        draw 2 of the bare core (arm {name})" in lines
    assert "loss        0.5 (0.5 a round)" in lines


def test_a_fresh_bandit_can_be_inspected(run, tmp_path):
    """A bandit that has drawn nothing has a total of nothing; rewards are called so."""
    Exp3IX(3, rewards=True, seed=0).save(tmp_path / "m.rgl")
    report = run("inspect", tmp_path / "m.rgl", "--json").json
    assert (report["rounds"], report["total"], report["waiting"], report["experts"]) == (0, 0, [], None)
    assert "rewards     0" in run("inspect", tmp_path / "m.rgl").out.splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "m.rgl", "t.csv"),
        ("certify", "m.rgl", "t.csv"),
        ("learn", "t.csv", "--resume", "m.rgl"),
        ("combine", "t.csv", "--resume", "m.rgl"),
    ],
)
def test_verbs_for_other_models_say_what_this_one_is(run, tmp_path, monkeypatch, words):
    """A verb that works with classifiers or combiners names the bandit and what can be done with it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,1\n2,1,0\n")
    learnt("exp3-ix").save(tmp_path / "m.rgl")
    command = run(*words)
    assert command.code == 1
    assert "m.rgl: this model draws arms (exp3-ix); inspect shows it" in command.err


@pytest.mark.parametrize("kind", [Exp3, Exp3IX, Hedge])
def test_rates_of_every_round_go_on_after_loading(kind, tmp_path):
    """A learner with new rates in every round goes on from its file with the bits of one that was never stopped."""
    table = np.random.default_rng(0).random((200, 5))
    whole, part = (kind(5, seed=1, epochs=False) for _ in range(2))
    whole.play(table)
    part.play(table[:77])
    part.save(tmp_path / "m.rgl")
    learner = regretless.load(tmp_path / "m.rgl")
    assert learner.epochs is False
    learner.play(table[77:])
    assert learner.estimates_.tobytes() == whole.estimates_.tobytes()
    assert learner.rate_ == whole.rate_
