"""Runs of learners of weights that reports are about, played again by the pages of `linear`.

A run is that of rows with their constant feature, their signs and so many passes, with the settings of the report and
what its certificate knows of the learner, by the function that the learner names.
"""

from collections.abc import Callable, Iterator, Mapping
from math import atanh, inf, log, sqrt
from typing import Any

import numpy as np

from .linear import (
    LOSSES,
    Counts,
    alma,
    arow,
    arow_in_sizes,
    arow_sketched,
    gradient_descent,
    margin_perceptron,
    multiclass_perceptron,
    p_norm_perceptron,
    passive_aggressive,
    perceptron,
    second_order_perceptron,
    selective_perceptron,
    steepest,
    winnow,
)

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]

FEW_COLUMNS = 200  # up to which the matrix of a second-order learner is computed again
NEAR = 1e-12  # by what part the rows of two runs differ that rounding alone tells apart
RUNS = 20  # over such rows, which say how rounding may decide
EXACT = 2.0**52  # whole numbers below which floats add and multiply without an error


def _ties(parameters: Fields) -> int:
    return 0 if parameters.get("ties", "update") == "update" else int(parameters["ties"])


def nudged(X: Array, parameters: Fields, runs: int = RUNS) -> Iterator[tuple[Array, Fields]]:
    """Rows and settings that differ from these by nothing else than rounding, several times."""
    chance = np.random.default_rng(0)
    for run in range(runs):  # no two rows or columns alike: equal ones that cancel must not go on to do so
        yield X * (1 + NEAR * chance.uniform(-1, 1, X.shape)), {**parameters, "nudged": run}


def is_exact(twin: Callable[..., Any] | None, X: Array, passes: int, rate: float) -> bool:
    """Whether all sums and products of a run over rows are of whole numbers that floats have, so that nothing is
    rounded: a score is at most the rounds times the rate, the largest entry and the largest sum of a row."""
    if twin not in OF_SUMS or not X.size or float(rate) != round(rate) or (np.rint(X) != X).any():
        return False
    sizes = np.abs(X)
    return float(rate * passes * len(X) * sizes.max() * sizes.sum(axis=1).max()) < EXACT


def _and_length(x: Array) -> Array:
    """What an update counts, and the square of its row's length."""
    return np.array([1.0, x @ x])


def _norm(vector: Array) -> float:
    """|v|, also where the squares of its numbers are no floats."""
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if largest else 0.0


class _Story:
    """What a run tells of each round: its score, or its scores, and whether it was an update."""

    def __init__(self, counts: Counts = _and_length) -> None:
        self._counts, self._scores, self._updated = counts, list[Any](), list[bool]()
        self.listening: dict[str, Any] = {"told": self._told, "counts": self._update}

    def _told(self, score: Any) -> None:
        self._scores.append(score)
        self._updated.append(False)

    def _update(self, x: Array) -> Any:
        self._updated[-1] = True
        return self._counts(x)

    def rounds(self) -> dict[str, Array]:
        """All rounds so far."""
        return {"scores": np.array(self._scores), "updated": np.array(self._updated)}


def _counted(updates: Any, mistakes: int) -> dict[str, float]:
    """A ledger's updates, what `_and_length` made of them, and mistakes."""
    count, norm2 = updates + np.zeros(2)
    return {"updates": int(count), "update_norm2": float(norm2), "mistakes": mistakes}


def _perceptron(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    rate, ties, start = parameters["rate"], _ties(parameters), np.zeros(X.shape[1])
    initial = (parameters.get("initial") or [])[: X.shape[1] - bool(parameters.get("intercept"))]
    start[: len(initial)] = initial
    story = _Story()
    weights, updates, mistakes = perceptron(X, y, rate, ties, passes, start, **story.listening)
    moved = _norm(weights - start)
    learner = {"norm": _norm(weights), "rate": rate, "start": _norm(start)}
    loss = _perceptron_loss(np.tile(X, (passes, 1)), np.tile(y, passes), rate, ties, start)
    ledger = _counted(updates, mistakes) | {"loss": loss}
    return {"ledger": ledger, "learner": {**learner, "moved": moved}, "theta": start, **story.rounds()}


def _perceptron_loss(X: Array, y: Array, rate: float, ties: int, start: Array) -> float:
    """By how much the scores were on the wrong side, in all."""
    w, lost = start, 0.0
    for x, label in zip(X, y, strict=True):
        score = label * (w @ x)
        lost += max(0.0, -score)
        if score < 0 or (score == 0 and label != ties):
            w = w + rate * label * x
    return lost


def _winnow(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    settings = {"balanced": parameters["balanced"], "ties": _ties(parameters), "passes": passes}
    counts, sizes = _measuring(inf)
    story = _Story(counts)
    _, *both = winnow(X, y, _winnow_rate(parameters), **settings, **story.listening)
    return {"ledger": _counted(*both), "learner": {"reach": max(sizes)}, **story.rounds()}


def _winnow_rate(parameters: Fields) -> float:
    """The rate, or the best one for a margin, or what is usual."""
    radius, gamma, rate = (parameters[name] for name in ("radius", "gamma", "rate"))
    if rate is not None:
        return float(rate)
    return (0.25 if gamma is None else atanh(gamma / radius)) / float(radius)


def _p_norm(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    p = parameters["p"] if parameters["p"] != "auto" else part.get("p")  # of the columns that the first rows had
    if p is None:
        return {}
    counts, sizes = _measuring(p)
    story = _Story(counts)
    theta, *both = p_norm_perceptron(X, y, p, parameters["rate"], _ties(parameters), passes, **story.listening)
    return {"ledger": _counted(*both), "theta": theta, "learner": {"reach": max(sizes)}, **story.rounds()}


def _measuring(p: float) -> tuple[Counts, list[float]]:
    """What an update counts, and a list that it is to write its row's |x|_p in."""
    sizes = [0.0]

    def counts(x: Array) -> Array:
        largest = float(np.abs(x).max(initial=0.0))
        shares = np.abs(x) / (largest or 1.0)  # whose powers are floats
        sizes.append(largest if p == inf else largest * float((shares**p).sum()) ** (1 / p))
        return _and_length(x)

    return counts, sizes


def _aggressive(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    X, y, settings = (
        np.tile(X, (passes, 1)),
        np.tile(y, passes),
        (parameters["variant"], parameters["C"], parameters["ties"]),
    )
    story = _Story()
    weights, squares, mistakes, updates = passive_aggressive(X, y, *settings, **story.listening)
    ledger = {"mistakes": mistakes, "slope2": squares}
    counted = _counted(updates, mistakes)
    # A step brings the loss of its row to 0, about: where the row comes again rounding decides whether it is an update.
    others = (passive_aggressive(near, y, *settings)[3] for near, _ in nudged(X, parameters, 2))
    if all(other == counted["updates"] for other in others):
        ledger |= counted
    learner = {"norm": _norm(weights), "limit": parameters["C"]}
    return {"ledger": ledger, "learner": learner, **story.rounds()}


def _selective(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    most = inf if parameters["most_labels"] is None else parameters["most_labels"]
    settings = (parameters["b"], parameters["seed"], parameters["share"], most, passes)
    weights, book = selective_perceptron(X, (y > 0).astype(int), 2, *settings)
    longest2 = float((X * X).sum(axis=1).max(initial=0.0)) or 1.0
    weighed = {"weighed mistakes": book["weighed"] / longest2, "weighed mistakes asked": book["learned"] / longest2}
    # Of two vectors that are each other's opposite, the theorems about matrices take the length of both.
    learner = {"norm": _norm(weights), "rate": 1.0, "b": parameters["b"]}
    return {"ledger": {**book, "loss": book["behind"]}, "learner": learner, "observed": weighed}


def _second_order(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    full = _is_full(parameters, X.shape[1])
    if X.shape[1] > FEW_COLUMNS:
        return {}
    X, y, story = np.tile(X, (passes, 1)), np.tile(y, passes), _Story()
    if parameters["matrix"] == "sketch":
        sizes = parameters["scale"] == "auto"
        _, start, D, B, *both = arow_sketched(X, y, parameters["r"], parameters["rank"], sizes, **story.listening)
        stretched = np.linalg.svd(B / np.sqrt(D), compute_uv=False)
        roots = np.vstack([B, np.diag(np.sqrt(D))])
        volume = float(np.log1p(stretched**2).sum() + np.log(D / start).sum())
    elif "r" in parameters and not full and parameters["scale"] == "auto":
        _, start, squares, *both = arow_in_sizes(X, y, parameters["r"], **story.listening)
        roots, volume = np.diag(np.sqrt(start + squares)), float(np.log1p(squares / start).sum())
    else:
        first = _start(parameters)
        if "r" in parameters:
            _, A, volume, *both = arow(X, y, first, not full, **story.listening)
        else:
            _, A, volume, *both = second_order_perceptron(X, y, first, not full, _ties(parameters), **story.listening)
        moved = X[story.rounds()["updated"]]
        roots = np.vstack([moved, sqrt(first) * np.eye(X.shape[1])]) if full else np.diag(np.sqrt(np.diag(A)))
        if full and volume > 1:  # by then a sum of logarithms has lost digits of long rows
            volume = _volume(roots, first)
    return {"ledger": _counted(*both), "learner": {"volume": volume}, "roots": roots, **story.rounds()}


def _is_full(parameters: Fields, width: int) -> bool:
    return parameters["matrix"] == "full" or (parameters["matrix"] == "auto" and width <= FEW_COLUMNS)


def _start(parameters: Fields) -> float:
    """What the diagonal of a full matrix starts with."""
    return float(parameters["r"] if "r" in parameters else parameters["a"])


def _volume(roots: Array, first: float) -> float:
    """ln det(F'F / a), by the triangle R with R'R = F'F, which itself has half the digits."""
    triangle = np.linalg.qr(roots, mode="r")
    return float(2 * np.log(np.abs(np.diag(triangle)) / sqrt(first)).sum())


def _margin(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    settings = (parameters["gamma"], parameters["epsilon"], passes)
    story = _Story()
    weights, updates, _, mistakes = margin_perceptron(X, y, *settings, **story.listening)
    learner = {"norm": _norm(weights)}
    return {"ledger": _counted(updates, mistakes), "learner": learner, **story.rounds()}


def _alma(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    story = _Story()
    if "nudged" in parameters:  # divided by the longest, rows of one column are as long as it whatever they were
        y = y * (1 + NEAR * np.random.default_rng(parameters["nudged"]).uniform(-1, 1, len(y)))
    weights, updates, mistakes = alma(X, y, parameters["alpha"], passes, told=story.listening["told"])
    learner = {"norm": _norm(weights), "alpha": parameters["alpha"]}
    told = {"scores": story.rounds()["scores"]}
    return {"ledger": {"updates": updates, "mistakes": mistakes}, "learner": learner, **told}


def _multiclass(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    X, labels = np.tile(X, (passes, 1)), np.tile((y < 0).astype(int), passes)  # +1 first, which a tie says
    result = _all_at_once(X, labels, (2, parameters["rate"]))
    return {**result, "scores": result["scores"][:, 0] - result["scores"][:, 1]}


def _multiclass_of_many(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    X, y = np.tile(X, (passes, 1)), np.tile(y, passes)
    return _all_at_once(X, y, (part["classes"], parameters["rate"], part["known"]))


def _all_at_once(X: Array, labels: Array, settings: tuple[Any, ...]) -> dict[str, Any]:
    story = _Story()
    weights, *both = multiclass_perceptron(X, labels, *settings, **story.listening)
    learner = {"norm": _norm(weights), "rate": settings[1]}
    return {"ledger": _counted(*both), "learner": learner, **story.rounds()}


def _gradient(X: Array, y: Array, passes: int, parameters: Fields, part: Fields) -> Any:
    X, y, loss = np.tile(X, (passes, 1)), np.tile(y, passes), parameters["loss"]
    radius = inf if parameters["radius"] is None else parameters["radius"]
    schedule = parameters["schedule"] or ("scale-free" if radius == inf else "self-tuned")
    usual = {
        "scale-free": 20.0 if steepest(loss) < inf else 3.0,
        "self-tuned": 1.0 if radius == inf else sqrt(2) * radius,
    }
    rate = usual.get(schedule, 1.0) if parameters["rate"] is None else parameters["rate"]
    weights, paid, history = gradient_descent(X, y, loss, schedule, rate, radius)
    before = np.array(history)
    scores, norms2 = np.einsum("ij,ij->i", before, X), np.einsum("ij,ij->i", X, X)
    slopes = np.array([LOSSES[loss][1](margin) for margin in (y * scores).tolist()])
    squares = slopes**2 * norms2
    tuned = schedule in ("self-tuned", "scale-free")  # which has no rate before the first gradient that is not zeros
    moved = (slopes != 0) & (np.cumsum(squares) > 0) if tuned else slopes != 0
    ledger = {"updates": int(moved.sum()), "update_norm2": float(norms2[moved].sum())}
    ledger |= {"mistakes": int(((scores >= 0) != (y > 0)).sum()), "loss": paid}
    ledger |= _steps(squares, norms2, moved, schedule, rate)
    ledger["reach2"] = float(np.einsum("ij,ij->i", before, before).max())
    learner = {"norm": _norm(weights)}
    return {"ledger": ledger, "learner": learner, "scores": scores, "updated": moved}


def _steps(squares: Array, norms2: Array, moved: Array, schedule: str, rate: float) -> Fields:
    """What the bounds on regret are made of: squares of the gradients' lengths, in all and times the rates, and the
    first rate and the last of the rounds that moved."""
    total, times = np.cumsum(squares), np.arange(1, len(squares) + 1)
    slower = {"inverse-sqrt": np.sqrt(times), "self-tuned": np.sqrt(total)}
    slower["scale-free"] = slower["self-tuned"] * np.sqrt(np.maximum.accumulate(norms2))
    rates = rate / slower.get(schedule, np.ones(len(squares)))[moved]
    ends = (float(rates[0]), float(rates[-1])) if len(rates) else (0.0, 0.0)
    steps = {"slope2": float(squares.sum()), "step2": float(rates @ squares[moved])}
    return steps | {"first_rate": ends[0], "last_rate": ends[1]}


PLAYS: dict[Callable[..., Any] | None, Callable[..., Any]] = {
    perceptron: _perceptron,
    margin_perceptron: _margin,
    multiclass_perceptron: _multiclass,
    gradient_descent: _gradient,
    alma: _alma,
    winnow: _winnow,
    p_norm_perceptron: _p_norm,
    passive_aggressive: _aggressive,
    selective_perceptron: _selective,
    second_order_perceptron: _second_order,
    arow: _second_order,
}

# Those that play several classes at once, and not each against the rest; of these, who are played again by labels 0, 1,
# ... and the classes `known` in each round.
ALL_IN_ONE = (multiclass_perceptron, selective_perceptron)
AT_ONCE: dict[Callable[..., Any] | None, Callable[..., Any]] = {multiclass_perceptron: _multiclass_of_many}


def is_of_ties(twin: Callable[..., Any] | None, parameters: Fields) -> bool:
    """Whether a tie is an update for one of the signs alone; where steps go by a margin, ties only say what is
    predicted."""
    of_scores = twin in (perceptron, winnow, p_norm_perceptron, second_order_perceptron)
    return of_scores and bool(_ties(parameters))


def is_symmetric(twin: Callable[..., Any] | None, parameters: Fields) -> bool:
    """Whether the weights of one class against the rest go the same way when both change their signs."""
    return not is_of_ties(twin, parameters) and parameters.get("balanced") is not False


def keeps_digits(twin: Callable[..., Any] | None, parameters: Fields, width: int, longest2: float) -> bool:
    """Whether rows of so many columns, and squares of lengths, leave a full matrix half the digits of what it starts
    with."""
    full = twin in (arow, second_order_perceptron) and _is_full(parameters, width)
    return not full or longest2 <= EXACT * _start(parameters)


# Of one class against the rest, those whose scores are compared with one another as they are.
COMPARABLE = (perceptron, margin_perceptron, passive_aggressive, gradient_descent, alma, arow, second_order_perceptron)

# Whose scores are sums of products of rows.
OF_SUMS = (perceptron, multiclass_perceptron)


def _winnow_settled(parameters: Fields, width: int) -> dict[str, float]:
    """The rate, how many weights there are, and what the rate was made for."""
    made_for = {"gamma": float(parameters["gamma"] or 0.0), "radius": float(parameters["radius"])}
    return {"rate": _winnow_rate(parameters), "weights": width * (2 if parameters["balanced"] else 1)} | made_for


# What theorems ask of a learner that its settings and the width of the rows decide, whatever the run.
SETTLED: dict[Callable[..., Any] | None, Callable[[Fields, int], dict[str, float]]] = {
    winnow: _winnow_settled,
    p_norm_perceptron: lambda parameters, width: {"rate": float(parameters["rate"])},
}


def _on_the_simplex(parameters: Fields, sizes: Array, width: int) -> dict[str, float]:
    """|v|_1, and how far the weights v / |v|_1 are from equal ones."""
    total = float(sizes.sum())
    if total == 0:
        return {"own": 0.0, "divergence": 0.0}
    shares, most = sizes[sizes > 0] / total, log(width * (2 if parameters["balanced"] else 1))
    return {"own": total, "divergence": max(0.0, most + float((shares * np.log(shares)).sum()))}


def _asked_for(parameters: Fields, sizes: Array, width: int) -> dict[str, float]:
    """The margin that is asked for, in the units of the vector."""
    theta = (1 - float(parameters["epsilon"])) * float(parameters["gamma"])
    return {"own": theta * float(np.sqrt((sizes**2).sum()))}


# Likewise, what the theorems about a learner measure of a vector beside its length: of the sizes of its entries and so
# many columns.
MEASURES: dict[Callable[..., Any] | None, Callable[[Fields, Array, int], dict[str, float]]] = {
    winnow: _on_the_simplex,
    margin_perceptron: _asked_for,
}
