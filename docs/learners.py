"""Prints the tables of learners and theorems from the classes themselves.

``python docs/learners.py`` prints them; ``python docs/learners.py --write`` puts them in their places in
docs/, between the comments that name them. A test compares.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import regretless
from regretless.catalogue import (
    BANDITS,
    CLASS_LEARNERS,
    CONTEXTUAL_BANDITS,
    DEFAULT_BANDIT,
    DEFAULT_CONTEXTUAL,
    EXPERT_LEARNERS,
    LEARNERS,
    REGRESSORS,
    bandit_class,
    class_learner,
    class_of,
    expert_class,
    learner_class,
)
from regretless.environments.registry import ENVIRONMENTS, environment_class
from regretless.environments.registry import parameters as environment_parameters
from regretless.games.methods import METHODS
from regretless.info import LinearWords
from regretless.theorem import Theorem
from regretless.theory.bandits import BY_GAPS
from regretless.theory.games import BY_METHOD as GAME_THEOREMS

ROOT = Path(__file__).resolve().parent.parent
Rows = list[tuple[str, ...]]
SHARED = {"intercept", "until_clean", "max_passes"}  # by nearly all


def learners() -> str:
    """A row for each learner: what it is charged, how its weights move, and what its theorems bound."""
    rows: Rows = [("learner", "class", "charged, with m = y·score", "geometry", "rate", "theorems bound")]
    for name in LEARNERS:
        learner = learner_class(name)
        bounded = _listed(theorem.quantity for theorem in learner.theorems)
        rows.append(
            (
                f"`{name}`",
                f"`{learner.__name__}`",
                learner.info.charged,
                learner.info.geometry,
                learner.info.rate,
                bounded,
            )
        )
    return _table(rows)


def regressors() -> str:
    """A row for each learner of numbers: what it forecasts and is charged, and how its weights move."""
    rows: Rows = [("learner", "class", "task", "charged", "geometry", "rate", "theorems bound")]
    for name in REGRESSORS:
        learner = class_of("regression", name)
        bounded, info = _listed(theorem.quantity for theorem in learner.theorems), learner.info
        words = (info.task, info.charged, info.geometry, info.rate, bounded)
        rows.append((f"`{name}`", f"`{learner.__name__}`", *words))
    return _table(rows)


def regression_theorems() -> str:
    """Each theorem of the learners of numbers."""
    return _theorems({name: class_of("regression", name).theorems for name in REGRESSORS})


def updates() -> str:
    """A row for each learner: when a round is an update, and what it does."""
    return _worded(("learner", "when", "update"), lambda words: [("", words.when, words.update)])


def costs() -> str:
    """A row for each cost of a round, with all learners that have it."""
    return _worded(("learner", "a round", "memory", "a prediction"), lambda words: words.costs)


def main_bounds() -> str:
    """A row for each learner: for which vectors its main bound is small, and the bound."""
    head = ("learner", "few updates if some v ...", "at most so many")
    return _worded(head, lambda words: [("", words.small_if, words.at_most)])


def _worded(head: tuple[str, ...], cells: Callable[[LinearWords], Iterable[tuple[str, ...]]]) -> str:
    """One row for all learners of weights with the same cells, of which the first says with which settings."""
    names: dict[tuple[str, ...], list[str]] = {}
    for name in LEARNERS:
        if "words" not in vars(learner_class(name)):
            raise SystemExit(f"{learner_class(name).__name__} has no words for the tables of docs/linear.md")
        for row in cells(learner_class(name).words):
            names.setdefault(tuple(row), []).append(f"`{name}`")
    rows = [(", ".join([*who, *filter(None, [where])]), *more) for (where, *more), who in names.items()]
    return _table([head, *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)])


def parameters() -> str:
    """A row for each learner: the parameters of its own, with their defaults."""
    shared = set.intersection(*(set(signature(learner_class(name)).parameters) for name in LEARNERS)) | SHARED
    rows: Rows = [("learner", "parameters, with their defaults")]
    for name in LEARNERS:
        own = {key: one.default for key, one in signature(learner_class(name)).parameters.items() if key not in shared}
        rows.append((f"`{name}`", ", ".join(f"`{key}={value}`" for key, value in own.items()) or "none"))
    return _table(rows)


def combiners() -> str:
    """A row for each combiner of experts: how its weights move, and what its theorems bound."""
    return _summaries("how it combines", {name: expert_class(name) for name in EXPERT_LEARNERS})


def bandits() -> str:
    """A row for each bandit: how it draws, and what its theorems bound."""
    return _summaries("how it draws", {name: bandit_class(name) for name in BANDITS})


def _independent(name: str) -> bool:
    """Whether a bandit's main theorem, the first, presumes losses that are drawn independently."""
    return bool(bandit_class(name).theorems[0].presumes)


def bandit_names() -> str:
    """The bandits in a line, those for comparison last."""
    any_losses = [name for name in BANDITS if not _independent(name)]
    return f"{_names(any_losses, DEFAULT_BANDIT)}, and for comparison {independent_bandits()}"


def independent_bandits() -> str:
    """The bandits in a line whose main theorem is of losses that are drawn independently."""
    return _names([name for name in BANDITS if _independent(name)])


def contextual_names() -> str:
    """The bandits that draw by features in a line."""
    return _names(CONTEXTUAL_BANDITS, DEFAULT_CONTEXTUAL)


def _names(names: Iterable[str], default: str = "") -> str:
    names = sorted(names, key=lambda name: name != default)
    return ", ".join(f"`{name}` (the default)" if name == default else f"`{name}`" for name in names)


def contextual() -> str:
    """A row for each bandit that draws by features: how it draws, and what its theorems bound."""
    return _summaries("how it draws", {name: class_of("contextual", name) for name in CONTEXTUAL_BANDITS})


def class_learners() -> str:
    """A row for each learner of finite classes: how it predicts, and what its theorems bound."""
    return _summaries("how it predicts", {name: class_learner(name) for name in CLASS_LEARNERS})


def _summaries(head: str, of: Mapping[str, Any]) -> str:
    rows: Rows = [("learner", "class", head, "theorems bound")]
    for name, learner in of.items():
        bounded = _listed(theorem.quantity for theorem in learner.theorems)
        rows.append((f"`{name}`", f"`{learner.__name__}`", learner.info.summary, bounded))
    return _table(rows)


def environments() -> str:
    """A row for each environment: what it gives, what it does, and its parameters."""
    rows: Rows = [("environment", "in Python", "gives", "what it does", "parameters, with their defaults")]
    for name, entry in ENVIRONMENTS.items():
        own = ", ".join(f"`{key}={value}`" for key, value in environment_parameters(name).items())
        rows.append((f"`{name}`", f"`{environment_class(name).__name__}`", entry.gives, entry.summary, own or "none"))
    return _table(rows)


def theorems() -> str:
    """Each theorem of the linear learners, with its statement and its source."""
    return _theorems({name: learner_class(name).theorems for name in LEARNERS})


def mixing_theorems() -> str:
    """Each theorem of learners whose weights are mixed over shards."""
    from regretless.theory.mixing_regret import MIXED_PA

    of = {name: learner_class(name)().mixed_proven() for name, entry in LEARNERS.items() if not entry.info.not_mixed}
    return _theorems(of | {"passive-aggressive": sum(MIXED_PA.values(), ())})  # of all its variants


def expert_theorems() -> str:
    """Each theorem of the combiners of experts; doubling and asking for few outcomes go around some of them."""
    from regretless.theory.majority import DOUBLING
    from regretless.theory.selective import LABEL_EFFICIENT

    of = {name: expert_class(name).theorems for name in EXPERT_LEARNERS}
    return _theorems(of | {"doubling": DOUBLING, "label-efficient": LABEL_EFFICIENT})


def bandit_theorems() -> str:
    """Each theorem of the bandits."""
    of = {name: bandit_class(name).theorems for name in BANDITS}
    known = {name: [BY_GAPS[one] for one in theorems if one in BY_GAPS] for name, theorems in of.items()}
    return _theorems({name: (*theorems, *known[name]) for name, theorems in of.items()})


def contextual_theorems() -> str:
    """Each theorem of the bandits that draw by features."""
    return _theorems({name: class_of("contextual", name).theorems for name in CONTEXTUAL_BANDITS})


def class_theorems() -> str:
    """Each theorem of the learners of finite classes."""
    return _theorems({name: class_learner(name).theorems for name in CLASS_LEARNERS})


def methods() -> str:
    """A row for each way to solve a zero-sum game."""
    rows: Rows = [("method", "how", "theorems bound")]
    for name, how in METHODS.items():
        rows.append((f"`{name}`", how, _listed(theorem.quantity for theorem in GAME_THEOREMS[name])))
    return _table(rows)


def game_theorems() -> str:
    """Each theorem of games: in one matrix, in turns, in two matrices, and boosting."""
    from regretless.theory.games import BOOSTING, CFR
    from regretless.theory.self_play import COARSE

    of = {name: GAME_THEOREMS[name] for name in METHODS}
    turns = dict.fromkeys(("cfr", "cfr+", "pcfr+"), CFR)
    both = {f"{name}, two matrices": theorems for name, theorems in COARSE.items()}
    return _theorems(of | turns | both | {"boost": BOOSTING})


def packages() -> str:
    """A row for each package: what it is, by the first paragraph of its docstring."""
    rows: Rows = [("package", "what it is")]
    for one in iter_modules(regretless.__path__):
        if one.ispkg:
            doc = import_module(f"regretless.{one.name}").__doc__ or ""
            rows.append((f"`{one.name}/`", " ".join(doc.partition("\n\n")[0].split())))
    return _table(rows)


def interval_theorems() -> str:
    """The theorem of each rule for intervals."""
    from regretless.intervals import AdaptiveIntervals, DecayingTracker, QuantileTracker

    rules = (AdaptiveIntervals, QuantileTracker, DecayingTracker)
    return _theorems({rule.__name__: (rule.theorem,) for rule in rules})


def calibration_theorems() -> str:
    """The theorems of probabilities from scores, and of bins."""
    from regretless.theory.calibration import against_every_scaling, binned_calibration

    return _theorems({"PlattScaling": (against_every_scaling,), "BinnedOffsets": (binned_calibration,)})


def alarm_theorems() -> str:
    """The theorems of alarms, and of means inside an interval."""
    from regretless.alarms import EDetector, VilleAlarm
    from regretless.theory.confidence import constant_mean, mean_loss

    of = {alarm.__name__: (alarm.theorem,) for alarm in (EDetector, VilleAlarm)}
    return _theorems(of | {"ConfidenceSequence": (mean_loss, constant_mean)})


def log_theorems() -> str:
    """What a log proves of a policy."""
    from regretless.theory.off_policy import policy_excess, policy_value

    return _theorems({"evaluate_policy": (policy_value, policy_excess)})


def future_theorems() -> str:
    """Each theorem on rounds to come."""
    from regretless.theory.confidence import excess_loss
    from regretless.theory.online_to_batch import FUTURE, LEAVE_ONE_OUT, MEAN, longest_survivor

    return _theorems(
        {
            "certify_risk": FUTURE,
            "average": MEAN,
            "pac_run": (longest_survivor,),
            "leave_one_out": LEAVE_ONE_OUT,
            "compare": (excess_loss,),
        }
    )


def _theorems(of: Mapping[str, Sequence[Theorem]]) -> str:
    """Each theorem once, with all the learners that it is about: three paragraphs for one."""
    each = {id(theorem): theorem for theorems in of.values() for theorem in theorems}
    return "\n\n".join(_theorem(theorem, of) for theorem in each.values())


def _theorem(theorem: Theorem, of: Mapping[str, Sequence[Theorem]]) -> str:
    names = ", ".join(f"`{name}`" for name, theorems in of.items() if theorem in theorems)
    head = f"**{theorem.title}** ({theorem.kind}) bounds {theorem.quantity} of {names}.\\"
    paragraphs = (head, theorem.statement + "\\", f"Source: {theorem.source}")
    return "\n".join(line for paragraph in paragraphs for line in _paragraph(paragraph))


def _paragraph(text: str) -> list[str]:
    """Lines of 120 characters at most; none begins with a sign that Markdown would take for a list or a quotation."""
    joined = re.sub(r" (?=(?:[-+*>#=]|\d+[.)]) )", "\0", text)
    lines = textwrap.wrap(joined, 118, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def _listed(names: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _table(rows: Rows) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


PLACES: dict[str, dict[str, Callable[[], str]]] = {
    "docs/learners.md": {
        "learners": learners,
        "regressors": regressors,
        "combiners": combiners,
        "bandits": bandits,
        "contextual bandits": contextual,
        "class learners": class_learners,
        "methods": methods,
    },
    "docs/architecture.md": {"packages": packages},
    "docs/linear.md": {
        "updates": updates,
        "costs": costs,
        "main bounds": main_bounds,
        "parameters": parameters,
    },
    "docs/theorems.md": {
        "theorems of linear learners": theorems,
        "theorems of regression": regression_theorems,
        "theorems of mixing": mixing_theorems,
        "theorems of combiners": expert_theorems,
        "theorems of intervals": interval_theorems,
        "theorems of calibration": calibration_theorems,
        "theorems of alarms": alarm_theorems,
        "theorems of logs": log_theorems,
        "theorems of bandits": bandit_theorems,
        "theorems of contextual bandits": contextual_theorems,
        "theorems of games": game_theorems,
        "theorems of classes": class_theorems,
        "theorems of what is to come": future_theorems,
    },
    "docs/environments.md": {"environments": environments},
    "docs/bandits.md": {"bandits for comparison": independent_bandits},
    "docs/command-line.md": {"names of bandits": bandit_names, "names of contextual bandits": contextual_names},
}


def filled(path: str) -> str:
    """A document with its tables, and its lists within a line, as they should be."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for name, make in PLACES[path].items():
        between = re.compile(f"(<!-- {name}: .*? -->\n?).*?(\n?<!-- end of {name} -->)", re.DOTALL)
        place = between.search(text)
        if place is None:
            raise SystemExit(f"{path} has no place for the {name}")
        text = text[: place.start()] + place[1] + make() + place[2] + text[place.end() :]
    return text


if __name__ == "__main__":
    for path, tables in PLACES.items():
        if "--write" in sys.argv[1:]:
            (ROOT / path).write_text(filled(path), encoding="utf-8")
        else:
            print("\n\n".join(make() for make in tables.values()), end="\n\n")
