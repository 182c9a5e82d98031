"""What is in a model of a bandit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .output import plain

if TYPE_CHECKING:
    from ..bandits.base import Bandit


def describe_bandit(learner: Bandit) -> dict[str, Any]:
    """A model as JSON values."""
    book, names = learner.ledger_, learner.names()
    compared = [str(expert) for expert in range(len(book.estimates))] if learner.info.advised else names
    return {
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in learner.get_params().items()},
        "seed": learner.seed_,
        "arms": len(names),
        "experts": len(book.implicit) if learner.info.advised else None,
        "rounds": int(book.rounds),
        "waiting": [
            {"ticket": number, "arm": names[arm], "probability": probability}
            for arm, probability, _, number in learner._pending.values()
        ],
        "open": _open_bare(learner),
        "lost": int(book.lost),
        "late": int(book.late),
        "restricted": int(book.restricted),
        "rewards": learner.rewards,
        "total": learner.total_,
        "rate": learner.rate_,
        # What experts will advise in the next round is not known.
        "probabilities": None
        if learner.info.advised
        else dict(zip(names, learner.probabilities_.tolist(), strict=True)),
        "draws": dict(zip(names, learner.counts_.tolist(), strict=True)),
        "estimates": dict(zip(compared, learner.estimates_.tolist(), strict=True)),
    }


def _open_bare(learner: Bandit) -> dict[str, Any] | None:
    """The draw of the bare core that waits for its loss."""
    bare = learner._known().bare
    if bare is None:
        return None
    number, arm = bare
    return {"ticket": number, "arm": learner.names()[arm]}


def lines_of_bandit(found: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the arms that are drawn most."""
    rounds, waiting = found["rounds"], found["waiting"]
    settled = rounds - found["lost"] - len(waiting) - (found["open"] is not None)
    mean = f" ({found['total'] / settled:.6g} a round)" if settled else ""
    given = {name: value for name, value in found["parameters"].items() if value is not None and name != "arms"}
    facts = {
        "learner": found["learner"],
        "parameters": ", ".join(f"{name}={value}" for name, value in given.items()),
        "seed": found["seed"],
        "arms": found["arms"],
        "experts": found["experts"],
        "rounds": rounds,
        "rewards" if found["rewards"] else "loss": f"{found['total']:.6g}{mean}",
        "rate": f"{found['rate']:.6g} in the next round",
        "waiting": _waiting(waiting, top) if waiting else None,
        "open": None if found["open"] is None else "draw {ticket} of the bare core (arm {arm})".format(**found["open"]),
        "withdrawn": f"{found['lost']} draws" if found["lost"] else None,
        "restricted": f"{found['restricted']} draws among some of the arms" if found["restricted"] else None,
    }
    lines = [f"{name:<12}{value}" for name, value in facts.items() if value is not None]
    return [*lines, "", *_arms(found, top)]


def _waiting(waiting: list[dict[str, Any]], top: int) -> str:
    shown = ", ".join(f"{one['ticket']} (arm {one['arm']})" for one in waiting[:top])
    more = f" and {len(waiting) - top} more" if len(waiting) > top else ""
    return f"{len(waiting)} draws for their losses: {shown}{more}"


def _arms(found: Mapping[str, Any], top: int) -> list[str]:
    draws, probabilities = found["draws"], found["probabilities"]
    names = list(draws)
    order = np.argsort([-draws[name] for name in names], kind="stable")[:top].tolist()
    width = max([14, *(len(names[place]) for place in order)])
    title = "arms drawn most" + " " * (width - 14)
    lines = [f"{title} {'draws':>12}" + ("" if probabilities is None else f" {'next round':>12}")]
    for name in (names[place] for place in order):
        chance = "" if probabilities is None else f" {probabilities[name]:>12.6f}"
        lines.append(f"  {name:<{width}}{draws[name]:>12}{chance}")
    return lines
