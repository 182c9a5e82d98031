"""What `inspect` shows of combiners, learners of numbers, bandits and learners of finite classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...report.terminal import many, more_lines, share_text
from ..output import fact_lines, learner_values, parameters_of
from .labels import run_state, settings_text

if TYPE_CHECKING:
    from ...bandits.base import Bandit
    from ...contextual.base import ContextualBandit
    from ...experts.base import ExpertLearner
    from ...finite_classes.learners.base import ClassLearner
    from ...regression.base import OnlineRegressor


def describe_combiner(learner: ExpertLearner, extra: Mapping[str, Any]) -> dict[str, Any]:
    """A model as JSON values."""
    book, names = learner.ledger_, learner.names()
    unfinished, columns = extra.get("unfinished"), extra.get("columns") or {}
    return {
        "learner": learner.name,
        "parameters": parameters_of(learner),
        "experts": len(names),
        "rounds": int(book.rounds),
        "waiting": len(learner.pending_),
        "loss_name": learner._loss.name,
        "loss": book.loss,
        "missing": int(book.absent),
        "columns": dict(columns),
        "delay": extra.get("delay"),
        "unfinished": None if unfinished is None else dict(unfinished),
        "weights": dict(zip(names, learner.weights.tolist(), strict=True)),
        "expert_losses": dict(zip(names, book.losses.tolist(), strict=True)),
        **({} if extra.get("interval") is None else {"interval": _interval(extra["interval"])}),
        **({} if extra.get("asking") is None else {"asked": _asked(learner, extra["asking"])}),
    }


def _asked(learner: ExpertLearner, described: Mapping[str, Any]) -> dict[str, Any]:
    """What a model says of the outcomes that were asked."""
    from ...experts.label_efficient import LabelEfficient
    from ...persist.validation import fits
    from ..outcomes import asked_values

    with fits("what the model says of the outcomes that were asked"):
        return asked_values(LabelEfficient.read(learner, described))


def _interval(described: Mapping[str, Any]) -> dict[str, Any]:
    """What a model says of the intervals around its forecasts."""
    from ...persist.validation import fits
    from ...run.intervals import RunIntervals

    with fits("what the model says of its intervals"):
        rule = RunIntervals.read(described).rule
    ledger = rule.ledger_
    return {"wanted": rule.coverage, "gamma": rule.gamma, "rounds": ledger.rounds, "misses": ledger.misses}


def _interval_text(values: Mapping[str, Any]) -> str:
    return f"of {100 * values['wanted']:g} %, {values['misses']:,} misses in {values['rounds']:,} rounds"


def lines_of(values: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the heaviest experts."""
    import numpy as np

    rounds = values["rounds"]
    mean = f" ({values['loss'] / rounds:.6g} a round)" if rounds else ""
    facts = {
        "learner": values["learner"],
        "parameters": settings_text(values),
        "experts": values["experts"],
        "rounds": rounds,
        "loss": f"{values['loss']:.6g}{mean}, {values['loss_name']}",
        "missing": f"{values['missing']} forecasts",
        "columns": ", ".join(f"{role} {name}" for role, name in values["columns"].items() if name) or "not known",
        "run": run_state(values["unfinished"]),
    }
    if "interval" in values:
        facts["intervals"] = _interval_text(values["interval"])
    if "asked" in values and values["asked"]["rounds"]:
        facts["asked"] = f"{share_text(values['asked']['outcomes'], values['asked']['rounds'])} outcomes"
    if values["waiting"]:
        facts["waiting"] = f"{values['waiting']} predictions for their outcomes"
    weights = values["weights"]
    names = list(weights)
    order = np.argsort(-np.abs(list(weights.values())), kind="stable")[:top].tolist()
    width = max(len(names[place]) for place in order)
    lines = fact_lines(facts)
    lines += ["", f"largest weights {'':>{max(width - 13, 0)}}{'weight':>9} {'loss':>14}"]
    for place in order:
        name = names[place]
        lines.append(f"  {name:<{max(width, 14)}} {weights[name]:>8.6f} {values['expert_losses'][name]:>14.6g}")
    return lines


def describe_regressor(learner: OnlineRegressor, extra: Mapping[str, Any], top: int) -> dict[str, Any]:
    """A model of numbers as JSON values."""
    from ...run.members import members_of
    from ..read_model import continuation_of, largest_of

    goes_on = continuation_of(learner, dict(extra))
    place, intervals = goes_on.place, goes_on.progressive.intervals
    unfinished = None if place is None else {"row": place.rows, "source": goes_on.source}
    return {
        **learner_values(learner),
        "best_constant_squared_loss": learner.best_constant_loss_,
        "features": learner.state_.columns,
        "range": learner.range_,
        "intercept": learner.intercept_,
        "members": members_of(learner),
        "unfinished": unfinished,
        **({} if intervals is None else {"interval": _interval(intervals.describe())}),
        "weights": [weight.describe() for weight in largest_of(learner, goes_on.schema, top, learner.state_.sizes())],
    }


def lines_of_regressor(values: Mapping[str, Any]) -> list[str]:
    """The same for people."""
    from ...report.terminal import LOSS, loss_text, member_lines, weight_lines

    charged = max(values["rounds"] - 1, 0)
    facts = {
        "learner": values["learner"],
        "task": values["task"],
        "parameters": settings_text(values),
        "rounds": values["rounds"],
        "loss": f"{loss_text(values['loss'], charged)}, {values['loss_name']}",
        "constant": f"{loss_text(values['best_constant_squared_loss'], charged)}, squared loss of the best one",
        "features": values["features"],
        "outcomes": "from {:.6g} to {:.6g}".format(*values["range"]),
        "intercept": f"{values['intercept']:.6g}",
        "run": run_state(values["unfinished"]),
    }
    if "interval" in values:
        facts["intervals"] = _interval_text(values["interval"])
    lines = fact_lines(facts)
    if len(values["members"]) > 1:
        lines += ["", *member_lines(values["members"], charged, LOSS)]
    return lines + weight_lines("", values["weights"])


def describe_bandit(learner: Bandit) -> dict[str, Any]:
    """A model as JSON values."""
    book, names = learner.ledger_, learner.names()
    compared = [str(expert) for expert in range(len(book.estimates))] if learner.info.advised else names
    return {
        "learner": learner.name,
        "parameters": parameters_of(learner),
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


def describe_contextual(learner: ContextualBandit, extra: Mapping[str, Any]) -> dict[str, Any]:
    """A model as JSON values; `run` is what ``explore`` says of the rounds that made it."""
    book, names = learner.ledger_, learner.names()
    return {
        "learner": learner.name,
        "parameters": learner.stored_params(),
        "seed": learner.seed_,
        "arms": len(names),
        "features": learner.n_features_in_,
        "rounds": int(book.rounds),
        "waiting": list(learner.pending_),
        "lost": int(book.lost),
        "late": int(book.late),
        "restricted": int(book.restricted),
        "rewards": learner.rewards,
        "total": learner.total_,
        "draws": dict(zip(names, learner.counts_.tolist(), strict=True)),
        "certificates": [one.describe() for one in learner.certify()],
        "run": _explored(learner, extra) if "decisions" in extra else None,
    }


def _explored(learner: ContextualBandit, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The rounds that ``explore`` went over, which of a log are no draws of the learner."""
    from ...run.explore import ExploreContinuation

    known = ExploreContinuation.read(learner, extra)
    tally, word = known.tally, known.tally.quantity
    return {
        "decisions": known.decisions,
        "rounds": tally.rounds,
        word: tally.cost,
        "interval": None if tally.interval is None else list(tally.interval),
        f"action_{word}s": dict(zip(tally.actions, tally.each.tolist(), strict=True)),
        "unfinished": None if known.source is None else {"row": known.place, "source": known.source},
    }


def lines_of_contextual(values: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the arms that are drawn most."""
    rounds, draws = values["rounds"], values["draws"]
    facts = {
        "learner": values["learner"],
        "parameters": settings_text(values, ("arms",)),
        "seed": values["seed"],
        "arms": values["arms"],
        "features": values["features"],
        "rounds": rounds,
        "rewards" if values["rewards"] else "loss": f"{values['total']:.6g}",
        "waiting": many(len(values["waiting"]), "decision") if values["waiting"] else None,
        "withdrawn": many(values["lost"], "decision") if values["lost"] else None,
        "restricted": f"{many(values['restricted'], 'decision')} among some of the arms"
        if values["restricted"]
        else None,
    }
    if (run := values["run"]) is not None:
        facts["log"] = f"{many(run['rounds'], 'round')} of another policy" if run["decisions"]["logged"] else None
        facts["run"] = run_state(run["unfinished"])
    drawn = sorted(draws, key=lambda name: -draws[name])[:top]
    table = [f"{name:<30}{draws[name]:>12,}" for name in drawn]
    return [*fact_lines(facts), "", f"{'arm':<30}{'draws':>12}", *table]


def _open_bare(learner: Bandit) -> dict[str, Any] | None:
    """The draw of the bare core that waits for its loss."""
    bare = learner._known().bare
    if bare is None:
        return None
    number, arm = bare
    return {"ticket": number, "arm": learner.names()[arm]}


def lines_of_bandit(values: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the arms that are drawn most."""
    rounds, waiting = values["rounds"], values["waiting"]
    settled = rounds - values["lost"] - len(waiting) - (values["open"] is not None)
    mean = f" ({values['total'] / settled:.6g} a round)" if settled else ""
    facts = {
        "learner": values["learner"],
        "parameters": settings_text(values, ("arms",)),
        "seed": values["seed"],
        "arms": values["arms"],
        "experts": values["experts"],
        "rounds": rounds,
        "rewards" if values["rewards"] else "loss": f"{values['total']:.6g}{mean}",
        "rate": f"{values['rate']:.6g} in the next round",
        "waiting": _waiting(waiting, top) if waiting else None,
        "open": None
        if values["open"] is None
        else "draw {ticket} of the bare core (arm {arm})".format(**values["open"]),
        "withdrawn": f"{values['lost']} draws" if values["lost"] else None,
        "restricted": f"{values['restricted']} draws among some of the arms" if values["restricted"] else None,
    }
    lines = fact_lines(facts)
    return [*lines, "", *_arms(values, top)]


def _waiting(waiting: list[dict[str, Any]], top: int) -> str:
    shown = ", ".join(f"{one['ticket']} (arm {one['arm']})" for one in waiting[:top])
    more = f" and {len(waiting) - top} more" if len(waiting) > top else ""
    return f"{len(waiting)} draws for their losses: {shown}{more}"


def _arms(values: Mapping[str, Any], top: int) -> list[str]:
    import numpy as np

    draws, probabilities = values["draws"], values["probabilities"]
    names = list(draws)
    order = np.argsort([-draws[name] for name in names], kind="stable")[:top].tolist()
    width = max([14, *(len(names[place]) for place in order)])
    title = "arms drawn most" + " " * (width - 14)
    lines = [f"{title} {'draws':>12}" + ("" if probabilities is None else f" {'next round':>12}")]
    for name in (names[place] for place in order):
        chance = "" if probabilities is None else f" {probabilities[name]:>12.6f}"
        lines.append(f"  {name:<{width}}{draws[name]:>12}{chance}")
    return lines


MOST = 1000  # hypotheses, and points, that JSON names


def describe_class_learner(learner: ClassLearner, points: int = MOST) -> dict[str, Any]:
    """A model as JSON values, with what it would predict of the first points."""
    from ...persist.validation import plain

    book, finite_class, left = learner.ledger_, learner.finite_class, learner.alive_
    parameters = {name: value for name, value in learner.get_params().items() if name != "finite_class"}
    return {
        "learner": learner.name,
        "parameters": {name: plain(value) for name, value in parameters.items()},
        "hypotheses": finite_class.hypotheses,
        "points": finite_class.points,
        "rounds": book.rounds,
        "mistakes": book.mistakes,
        "expected_mistakes": book.expected if learner.info.draws else None,
        "alive": book.alive,
        "voters": book.voters,
        "died": book.died,
        "waiting": len(learner.pending_),
        "left": [finite_class.hypothesis_name(one) for one in left[:MOST].tolist()],
        "predictions": {
            finite_class.point_name(point): learner.forecast(point) for point in range(min(points, finite_class.points))
        },
    }


def lines_of_class_learner(values: Mapping[str, Any], top: int) -> list[str]:
    """The same for people, with the first hypotheses that are left."""
    rounds, expected = values["rounds"], values["expected_mistakes"]
    rate = f" ({values['mistakes'] / rounds:.6f} of the rounds)" if rounds else ""
    facts = {
        "learner": values["learner"],
        "parameters": settings_text(values, ("order",)) or "as by default",
        "order": "of its own" if values["parameters"].get("order") is not None else None,
        "class": f"{_hypotheses(values['hypotheses'])} on {many(values['points'], 'point')}",
        "rounds": rounds,
        "mistakes": f"{values['mistakes']}{rate}",
        "expected": None if expected is None else f"{expected:.6g} mistakes",
        "agreeing": _agreeing(values["alive"]),
        "died": f"the last hypothesis, in round {values['died']}" if values["died"] else None,
        "goes by": _goes_by(values),
        "waiting": "a prediction for its label" if values["waiting"] else None,
    }
    lines = fact_lines(facts)
    if values["left"]:
        lines += ["", "hypotheses that are left", *(f"  {name}" for name in values["left"][:top])]
        lines += [f"  and {values['alive'] - top} more"] if values["alive"] > top else []
    return [*lines, *_predictions(values, top)]


def _hypotheses(count: int) -> str:
    return f"{count:,} hypothes{'is' if count == 1 else 'es'}"


def _agreeing(alive: int) -> str:
    counted = _hypotheses(alive) if alive > 1 else ("no hypothesis", "one hypothesis")[alive]
    return f"{counted} agree{'s' if alive < 2 else ''} with all labels"


def _goes_by(values: Mapping[str, Any]) -> str | None:
    """What it predicts by, if that is not what agrees with all labels."""
    if values["died"]:
        return f"{_hypotheses(values['voters'])}, as it did before that round"
    if values["voters"] != values["alive"]:
        return f"{_hypotheses(values['voters'])}: those that were wrong leave when the learner is"
    return None


def _predictions(values: Mapping[str, Any], top: int) -> Iterator[str]:
    """What it would predict of the first points."""
    predictions = list(values["predictions"].items())[:top]
    if not predictions:
        return
    drawn = values["expected_mistakes"] is not None
    yield from ("", f"points, and {'the probability of predicting 1' if drawn else 'what it would predict'}")
    width = max(len(name) for name, _ in predictions)
    for name, prediction in predictions:
        yield f"  {name:<{width}}  {prediction:.6g}"
    yield from more_lines(values["points"], top)
