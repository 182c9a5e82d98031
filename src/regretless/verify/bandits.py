"""Certificates of `pull` from the table of losses: comparators from the table, draws from the seed of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..learner_table import BANDITS
from ..textbook import bandits as rules
from .certificates import RELATIVE, Again, at_once, idle, whole
from .checks import Check, Number, elsewhere, headline

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]

MOST_DRAWS = 200_000  # of all runs, some ten thousand in a second


def replayed(report: Fields, units: Array) -> Array | None:
    """The arms that were drawn, shape (runs, rounds); None where the runs are none of the textbook's, or too long.

    Parameters
    ----------
    report : mapping
        What ``pull --json`` printed.
    units : ndarray, shape (rounds, arms)
        Losses in [0, 1].
    """
    runs, seed = int(report["runs"]), int(report["seed"])
    if not 0 < runs * len(units) <= MOST_DRAWS or not 0 <= seed < 2**64:
        return None
    each = [_drawn(report, units, run) for run in range(runs)]
    return None if any(one is None for one in each) else np.array(each)


def uniforms(seed: int, run: int, rounds: int) -> Array:
    """The numbers that a run draws by: counter-based, so that no run depends on another."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, run], np.uint64))).random(rounds)


def _drawn(report: Fields, units: Array, run: int) -> Array | None:
    """The arms of one run; None where they are none of the textbook's."""
    if units.shape[1] == 1:
        return np.zeros(len(units), int)
    twin, seed = _twin(report), int(report["seed"])
    settings = {**report["parameters"], "seed": seed, "run": run, "runs": int(report["runs"])}
    game = rules.PLAYS[twin](settings, units, uniforms(seed, run, len(units))) if twin in rules.PLAYS else None
    return None if game is None else np.asarray(game[0])


def _twin(report: Fields) -> Any:
    """The function of the textbook that draws the same arms; None if the learner names none."""
    entry = BANDITS.get(str(report["learner"]))
    return getattr(rules, entry.info.twin) if entry and entry.info.twin else None


def check(report: Mapping[str, Any], losses: Array, arms: list[str]) -> list[Check]:
    """One check a certificate, and one of the runs.

    Parameters
    ----------
    report : mapping
        What ``pull --json`` printed.
    losses : ndarray, shape (rounds, arms)
        As the table has them, which may be rewards; nan for an arm that sleeps.
    arms : list of str
    """
    if len(losses) != report["rounds"]:
        return elsewhere(report, Number("rounds", report["rounds"], len(losses)))
    losses = losses.astype(np.float64)
    if report["parameters"]["rewards"]:  # what is lost is what is missing from the highest reward
        losses = report["parameters"]["value_range"][1] - losses
    low, high = report["parameters"]["value_range"]
    low, high = (0.0, high - low) if report["parameters"]["rewards"] else (low, high)
    drawn = replayed(report, (losses - low) / (high - low))
    lost = None if drawn is None else np.take_along_axis(losses, drawn.T, axis=1).sum(axis=0)
    checks = [_check(report, one, losses, arms, lost) for one in report["certificates"]]
    return [*checks, _runs(report, losses, arms, drawn, lost)]


def _runs(report: Mapping[str, Any], losses: Array, arms: list[str], drawn: Array | None, lost: Array | None) -> Check:
    """What the runs drew and lost, and the best arm lost."""
    again: dict[str, Any] = {"rounds": len(losses), "arms": losses.shape[1]}
    awake, totals = not np.isnan(losses).any(), losses.sum(axis=0)
    advised = "n_experts" in report["parameters"]
    if awake and not advised:
        again["best_arm_loss"] = float(totals.min())
        if np.ptp(np.sort(totals)[:2]) > RELATIVE * np.abs(losses).sum() or len(totals) == 1:
            again["best_arm"] = arms[int(totals.argmin())]
    if lost is not None and drawn is not None:
        again["loss/mean"] = float(lost.mean())
        again["loss/sd"] = float(lost.std(ddof=1)) if len(lost) > 1 else None
        counts = np.bincount(drawn.ravel(), minlength=len(arms)) / drawn.size
        again |= {f"draws/{arm}": float(count) for arm, count in zip(arms, counts, strict=True)}
    if "best_arm_loss" in again and lost is not None:
        regrets = lost - totals.min()
        again |= {"pseudo_regret": float(regrets.mean()), "regret/mean": float(regrets.mean())}
        again |= {f"regret/q{share:02}": float(np.quantile(regrets, share / 100)) for share in (5, 50, 95)}
        if report["observable"] is not None:
            again["observable/regret"] = regrets[: len(report["observable"]["regret"])].tolist()
    if report["parameters"]["rewards"] and "loss/mean" in again:
        again["reward/mean"] = report["parameters"]["value_range"][1] * len(losses) - again["loss/mean"]
        again["reward/sd"] = again["loss/sd"]
    why = "what experts advised is not in the table" if advised else "there are too many, or settings of its own"
    note = "" if drawn is not None else f"the draws were not replayed ({why})"
    return headline(report, again, dict.fromkeys(again, float(np.nansum(np.abs(losses)))), note)


def _check(
    report: Mapping[str, Any], certificate: Mapping[str, Any], losses: Array, arms: list[str], lost: Array | None
) -> Check:
    name = str(certificate["theorem"])
    if (nothing := idle(certificate)) is not None:
        return nothing
    if certificate["constants"] is None:
        return Check(name, "unchecked", "it is a mean over the runs, which are not in the report")
    suffered = _suffered(certificate["comparator"], losses, arms)
    if suffered is None:
        return Check(name, "unchecked", "its comparator goes by advice, which is not in the table")
    return whole(certificate, [_again(report, certificate, losses, suffered, lost)])


def _again(
    report: Mapping[str, Any], certificate: Mapping[str, Any], losses: Array, suffered: Array, lost: Array | None
) -> Again:
    """What the comparator loses, and by how much the run that is shown lost more."""
    low, high = report["parameters"]["value_range"]
    width, loss = float(high - low), float(suffered.sum())
    constants = certificate["constants"]
    faced = constants["ledger"].get("mixed") if certificate["quantity"] == "mixed regret" else None
    faced = constants["comparator"].get("faced") if faced is None else faced
    low = 0.0 if report["parameters"]["rewards"] else low
    units = (loss - low * len(suffered)) / width
    if lost is not None and faced is not None and len(suffered) == len(losses) and certificate["quantity"] == "regret":
        each = (lost - low * len(suffered)) / width  # the report does not say which run this is: it must be one of them
        faced = float(each[np.abs(each - faced).argmin()])
    facts = {
        "ledger": {"rounds": len(losses), "width": width},
        "comparator": {"loss": units}
        | (
            {"faced": faced, "regret": faced - units} if lost is not None and "faced" in constants["comparator"] else {}
        ),
        "learner": {"arms": losses.shape[1], "width": width},
    }
    observed = None if faced is None or certificate["observed"] is None else width * (faced - units)
    size = float(np.abs(suffered).sum()) + abs(low) * len(suffered)
    # What the run itself lost is the report's, and has no say in what is allowed.
    scales = dict.fromkeys(("loss", "faced", "regret"), max(size, size / width)) | {"observed": size}
    own = 0.0 if faced is None else 1e-12 * (abs(low * len(suffered) + width * faced) + abs(loss))
    known = None if faced is None or "faced" not in constants["comparator"] else own
    once = at_once(str(certificate["theorem"]), report["parameters"])
    most = width * len(suffered)
    return Again(facts, {"loss": loss, "rounds": len(suffered)}, observed, scales, most, known, at_once=once)


def _suffered(comparator: Mapping[str, Any], losses: Array, arms: list[str]) -> Array | None:
    """What an arm, or a sequence of them, loses in each of the rounds in which it is awake."""
    if comparator["name"] in ("best_arm", "arm") and comparator["place"] is not None:
        known_losses = losses[:, comparator["place"]]
        return np.asarray(known_losses[~np.isnan(known_losses)])
    stretches = comparator["detail"].get("stretches")
    if comparator["name"] != "best_sequence" or stretches is None:
        return None
    return np.concatenate([losses[first - 1 : last, arms.index(name)] for name, first, last in stretches])
