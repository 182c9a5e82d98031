"""A bandit as arrays and a description, and back."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from .. import _core
from ..catalogue import bandit_class
from ..persist.format import read_model, refuse_unknown, write_model
from ..persist.validation import count, digits, fitted, names, one, parameters, plain, refuse_shapes, whole_numbers
from .base import Bandit
from .online import Among, Kept
from .parameters import KEYS as SEEDS
from .state import (
    ASLEEP,
    DRAWS,
    EPOCH_END,
    FIELDS,
    LENT,
    LOSS,
    MEMORY,
    OPEN,
    ROUNDS,
    SETTLED,
    TALLIES,
    WEIGHTS,
    BanditState,
    Rules,
)
from .validation import SUM

ROOM = "bandits"  # some names stand for a combiner of experts elsewhere
KEYS = frozenset({"room", "learner", "parameters", "arms", "comparators", "names", "seed", "extra"})
COUNTS = [FIELDS.index(name) for name in ("rounds", "settled", "restricted", "late", "lost")]
LOST = FIELDS.index("lost")
NUMBER = (int, float)
KINDS: dict[str, tuple[type, ...]] = {  # of parameters, None aside; what they may be is for the learner to say
    "n_arms": (int,),
    "n_experts": (int,),
    "value_range": (list,),
    "rewards": (bool,),
    "seed": (int,),
    "run": (int,),
    "delta": NUMBER,
    "rate": NUMBER,
    "horizon": (int,),
    "epochs": (bool,),
    "switches": (int,),
    "share": NUMBER,
    "beta": NUMBER,
    "explore": NUMBER,
    "estimator": (str,),
}
Array = np.ndarray[Any, Any]


def write(path: str | PathLike[str], learner: Bandit, extra: Mapping[str, Any]) -> None:
    """Write a bandit, draws that wait for their losses included, and what its caller wants to keep with it.

    Parameters
    ----------
    path : path-like
        Replaced as a whole, or not at all.
    learner : Bandit
        That knows how many arms there are.
    extra : mapping of JSON values
        Read back as it is.

    Raises
    ------
    RegretlessError
        If it does not know how many there are.
    """
    board = learner._known()
    description = {
        "room": ROOM,
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in learner.get_params().items()},
        "arms": board.arms,
        "comparators": board.comparators,
        "names": learner.arm_names_,
        "seed": str(learner.seed_),
        "extra": dict(extra),
    }
    write_model(path, description, board.arrays() | _waiting(learner, board), rebuilt)


def _waiting(learner: Bandit, board: BanditState) -> dict[str, Array]:
    """The draws whose losses are not known; a row of `awake` without a one stands for all arms."""
    pending = learner._pending
    if not pending:
        return {}
    tensors = {"waiting": np.array(list(pending.values()), dtype=np.float64)}
    among = [learner._among.get(number, (None, None)) for number in pending]
    if any(mask is not None for mask, _ in among):
        tensors["awake"] = np.zeros((len(pending), board.arms))
        for row, (mask, _) in zip(tensors["awake"], among, strict=True):
            row[:] = 0.0 if mask is None else mask
    if learner.info.advised:
        tensors["advice"] = np.stack([_shares(advice, board.arms) for _, advice in among])
    return tensors


def _shares(advice: Array | None, arms: int) -> Array:
    """Advice as shares, also where each expert named an arm."""
    assert advice is not None
    return advice if advice.ndim == 2 else np.eye(arms)[advice]


def read(path: str | PathLike[str]) -> tuple[Bandit, dict[str, Any]]:
    """Read a bandit and what was kept with it; nothing is imported by name and nothing is run.

    Raises
    ------
    ModelError
        If the file is no model of a bandit, is damaged, or does not fit together.
    """
    return rebuilt(path, *read_model(path))


def rebuilt(
    path: str | PathLike[str], description: Mapping[str, Any], tensors: Mapping[str, Array]
) -> tuple[Bandit, dict[str, Any]]:
    """The same from what the file was found to hold.

    Raises
    ------
    ModelError
        If it does not fit together.
    """
    refuse_unknown(path, description, KEYS)
    return fitted(path, description, lambda: _rebuild(description, tensors))


def _rebuild(description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Bandit:
    if description["room"] != ROOM:
        raise ValueError("it is no bandit")
    learner: Bandit = bandit_class(one(description["learner"], str, "learner"))(
        **_parameters(description["parameters"])
    )
    arms, comparators = _sizes(learner, description)
    rules = learner._rules(arms, comparators)
    # Before memory is set aside for them: the file has shown that it holds as much.
    refuse_shapes(_shapes(learner, rules, arms, comparators, tensors), tensors)
    waiting = tensors.get("waiting", np.empty((0, 4)))
    _refuse_values(rules, tensors, len(waiting))
    learner.seed_ = _seed(learner, description["seed"])
    _learn_names(learner, names(description["names"], arms, "arms"))
    board = learner._begin(arms, comparators)
    learner._arms = arms
    board.adopt({name: tensors[name] for name in board.ARRAYS})
    for kept, among in _drawn(waiting, tensors, board):
        learner._pending[kept[3]] = kept
        if any(condition is not None for condition in among):
            learner._among[kept[3]] = among
    if len(learner._pending) < len(waiting):
        raise ValueError("a draw waits twice")
    return learner


def _parameters(described: Any) -> dict[str, Any]:
    given = dict(one(described, dict, "parameters"))
    arms = given.pop("arms")
    if arms is not None:
        arms = [one(name, str, "a name") for name in one(arms, list, "arms")]
    return parameters(given, KINDS) | {"arms": arms}


def _sizes(learner: Bandit, description: Mapping[str, Any]) -> tuple[int, int]:
    """How many arms and comparators there are, where the parameters and the description agree."""
    arms, comparators = count(description["arms"], "arms", 1), count(description["comparators"], "comparators", 1)
    if learner._arms not in (None, arms):
        raise ValueError("its parameters speak of another number of arms")
    if comparators != (arms if not learner.info.advised else learner._comparators() or comparators):
        raise ValueError("its parameters speak of another number of experts")
    return arms, comparators


def _seed(learner: Bandit, text: Any) -> int:
    seed = digits(text)
    if seed >= SEEDS or learner.seed not in (None, seed):
        raise ValueError("the seed is another one than the parameters have, or none")
    return seed


def _learn_names(learner: Bandit, found: list[str] | None) -> None:
    if learner.arm_names_ not in (None, found) or (found is not None and len(set(found)) < len(found)):
        raise ValueError("the names of the arms are others than the parameters have, or one is there twice")
    learner.arm_names_ = found


def _shapes(
    learner: Bandit, rules: Rules, arms: int, comparators: int, tensors: Mapping[str, Array]
) -> dict[str, tuple[int, ...]]:
    """The arrays that such a learner has."""
    shapes: dict[str, tuple[int, ...]] = {
        "state": (_core.puller_rows(rules.rule), comparators),
        "memory": (MEMORY,),
        "book": (len(FIELDS),),
        "tallies": (TALLIES, arms),
    }
    if "waiting" in tensors:
        many = len(tensors["waiting"])
        if not many:
            raise ValueError("no draw waits, and there is room for some")
        shapes["waiting"] = (many, 4)
        if learner.info.advised:
            shapes["advice"] = (many, comparators, arms)
        elif "awake" in tensors:
            shapes["awake"] = (many, arms)
    return shapes


def _refuse_values(rules: Rules, tensors: Mapping[str, Array], waiting: int) -> None:
    """Refuse what no run can have written."""
    state, memory, book, tallies = (tensors[name] for name in BanditState.ARRAYS)
    if not all(np.isfinite(array).all() for array in (state, book, tallies)) or np.isnan(memory).any():
        raise ValueError("its arrays hold something else than numbers")
    if not whole_numbers(book[COUNTS], tallies[[DRAWS, ASLEEP]], memory[[0, OPEN, OPEN + 1]]):
        raise ValueError("what counts draws is no whole number >= 0")
    if (book < 0).any() or (tallies < 0).any() or book[LOSS] > book[SETTLED] * (1 + SUM):
        raise ValueError("a sum of losses or rates lies outside what it can be")
    if book[ROUNDS] != book[SETTLED] + book[LOST] + waiting + memory[OPEN] or book[ROUNDS] != tallies[DRAWS].sum():
        raise ValueError("its draws do not add up")
    if rules.facts.weighs and not ((state[WEIGHTS] > 0).all() and abs(state[WEIGHTS].sum() - 1) < SUM):
        raise ValueError("its weights do not sum to one")
    if rules.facts.lends and not ((state[LENT] >= 0).all() and not state[LENT][tallies[ASLEEP] == 0].any()):
        raise ValueError("arms were credited for rounds in which they did not sleep")
    _refuse_memory(rules, memory, book[ROUNDS], tallies.shape[1])


def _refuse_memory(rules: Rules, memory: Array, rounds: float, arms: int) -> None:
    """The same of what the kernel keeps for itself."""
    position, begin, end, rate, gamma = memory[:5].tolist()
    is_open, arm, probability, bias = memory[OPEN:].tolist()
    if not np.isfinite(np.delete(memory, EPOCH_END)).all() or position != rounds:
        raise ValueError("its generator does not stand where the last draw left it")
    if rounds and not (1 <= begin <= rounds < end and rate > 0 and gamma >= 0):
        raise ValueError("its rate has no meaning")
    if rounds and rules.schedule == "constant" and (rate, gamma) != (rules.rate, rules.gamma):
        raise ValueError("its rate is another one than its parameters ask for")
    if is_open > 1 or (is_open and not (arm < arms and 0 < probability <= 1 and bias >= 0)):
        raise ValueError("a draw that waits was never made")


def _drawn(waiting: Array, tensors: Mapping[str, Array], board: BanditState) -> list[tuple[Kept, Among]]:
    """The draws that wait, and under which conditions they were made."""
    if not (whole_numbers(waiting[:, [0, 3]]) and np.isfinite(waiting).all()):
        raise ValueError("a draw that waits has no arm or no number")
    found = []
    for place, (arm, probability, gamma, number) in enumerate(waiting.tolist()):
        if arm >= board.arms or not 0 < probability <= 1 or gamma < 0 or not 1 <= number <= board.rounds:
            raise ValueError("a draw that waits was never made")
        among = _conditions(place, tensors)
        _refuse_conditions(among, int(arm))
        found.append(((int(arm), probability, gamma, int(number)), among))
    return found


def _conditions(place: int, tensors: Mapping[str, Array]) -> Among:
    mask = tensors["awake"][place] if "awake" in tensors else None
    advice = tensors["advice"][place].copy() if "advice" in tensors else None
    if mask is not None and not ((mask == 0) | (mask == 1)).all():
        raise ValueError("an arm is neither awake nor asleep")
    return (None if mask is None or not mask.any() else mask.astype(bool)), advice


def _refuse_conditions(among: Among, arm: int) -> None:
    mask, advice = among
    if mask is not None and not mask[arm]:
        raise ValueError("an arm was drawn that is asleep")
    if advice is None:
        return
    if not ((advice >= 0).all() and (np.abs(advice.sum(1) - 1) <= SUM).all() and advice[:, arm].any()):
        raise ValueError("an arm was drawn that nobody advised, or the advice is none")
