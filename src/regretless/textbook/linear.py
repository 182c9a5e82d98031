"""Learners of weights, one page after another: rows of X with labels y in {-1, +1}, and what a run over them leaves.

The perceptron with its averages and votes, in several classes and in the dual; those that ask for a margin; gradient
descent; Winnow and p-norms; and second order.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]
Counts = Callable[[Array], Any]
Told = Callable[[Any], Any]


def one(x: Array) -> Any:
    """What an update by a row counts."""
    return 1


def nobody(score: Any) -> None:
    """Who is told the score of a round, or those of all classes."""


def perceptron(
    X: Array,
    y: Array,
    rate: float = 1.0,
    ties: int = 0,
    passes: int = 1,
    start: Array | None = None,
    *,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, Any, int]:
    """Weights, updates and mistakes over the rows of X, labels y in {-1, +1}, from w = 0 or another start.

    A score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names. Here
    and below `counts` says what an update counts, by its row, and `told` is told each score before the update.
    """
    w, updates, mistakes = np.zeros(X.shape[1]) if start is None else start, 0, 0
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        score = w @ x
        told(score)
        predicted = np.sign(score) or ties or 1
        mistakes += predicted != label
        if label * score < 0 or (score == 0 and label != ties):
            w = w + rate * label * x
            updates += counts(x)
    return w, updates, int(mistakes)


# ---- The perceptron's averages and votes (Freund and Schapire)


def survivors(X: Array, y: Array, passes: int = 1) -> list[Array]:
    """The perceptron's weights w_1, ..., w_{T+1}, before each round and after the last, labels y in {-1, +1}."""
    w = np.zeros(X.shape[1])
    history = [w]
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        if label * (w @ x) <= 0:
            w = w + label * x
        history.append(w)
    return history


def average(X: Array, y: Array, when: str = "before", passes: int = 1) -> Array:
    """The mean of w_1, ..., w_T ("before" each round) or of w_2, ..., w_{T+1} ("after" it)."""
    history = survivors(X, y, passes)
    return np.asarray(np.mean(history[:-1] if when == "before" else history[1:], axis=0))


def votes(X: Array, y: Array, new: Array, when: str = "before", passes: int = 1) -> list[float]:
    """For each new row the mean of sign <w_t, x> over the same weights; a score of 0 votes +1."""
    history = survivors(X, y, passes)
    voters = history[:-1] if when == "before" else history[1:]
    return [float(np.mean([1 if w @ x >= 0 else -1 for w in voters])) for x in new]


# ---- The perceptron of several classes, the largest score being predicted


def multiclass_perceptron(
    X: Array,
    y: Array,
    classes: int,
    rate: float = 1.0,
    known: Sequence[Sequence[int]] | None = None,
    *,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, Any, int]:
    """Weights (classes, features), updates and mistakes, labels y in {0, ..., classes - 1}.

    Of equal scores the first is predicted; a tie of the true class with the best other one is an update. `known` are
    the classes that there are in each round, in the order in which they are predicted; by default all.
    """
    W, updates, mistakes, everything = np.zeros((classes, X.shape[1])), 0, 0, list(range(classes))
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        scores, there = W @ x, everything if known is None else known[t]
        told(scores)
        mistakes += max(there, key=lambda c: scores[c]) != label
        rival = max((c for c in there if c != label), key=lambda c: scores[c])
        if scores[label] <= scores[rival]:
            W[label] += rate * x
            W[rival] -= rate * x
            updates += counts(x)
    return W, updates, mistakes


# ---- Selective sampling (Cesa-Bianchi, Gentile and Zaniboni), and its bounds


def selective_perceptron(
    X: Array,
    y: Array,
    classes: int,
    b: float = 1.0,
    seed: int = 0,
    share: float | None = None,
    most: float = inf,
    passes: int = 1,
) -> tuple[Array, dict[str, float]]:
    """Weights (classes, features) and counts, labels y in {0, ..., classes - 1}; draws by the round and the seed.

    Two classes are each other's opposite, and equal scores the second one; of more classes the first is predicted. The
    pace of a share changes by a tenth of it in each round, and 30 questions are allowed before their share has come.
    """
    key = np.array([seed, 0x5E1EC7], np.uint64)
    draws = np.random.Generator(np.random.Philox(key=key)).random(passes * len(y))
    W, longest2, pace = np.zeros((classes, X.shape[1])), 0.0, 1.0
    book = dict.fromkeys(
        ("asked", "expected", "updates", "update_norm2", "mistakes", "weighed", "learned", "behind"), 0.0
    )
    for t, (x, label) in enumerate(zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True)):
        scores, longest2 = W @ x, max(longest2, x @ x)
        first, second = np.sort(scores)[:-3:-1]
        allowed = book["asked"] < most and (share is None or book["asked"] + 1 <= max(30, share * (t + 1)))
        reach = pace * longest2 if allowed else 0.0
        chance = 1 / (1 + (first - second) / 2 / (b * reach)) if reach > 0 else 0.0
        asks = draws[t] < chance
        pace = pace if share is None else min(1.0, pace * (1 + 0.1 * (share - asks)))
        predicted = classes - 1 - np.argmax(scores[::-1]) if classes == 2 else np.argmax(scores)
        rival = int(np.argmax(np.where(np.arange(classes) == label, -np.inf, scores)))
        behind = scores[rival] - scores[label]
        book["asked"] += asks
        book["expected"] += chance
        book["mistakes"] += predicted != label
        book["weighed"] += reach * (behind >= 0)
        if asks and behind >= 0:
            W[label] += x
            W[rival] -= x
            book["updates"] += 1
            book["update_norm2"] += x @ x
            book["learned"] += reach
            book["behind"] += behind / 2
    return W, {name: float(count) for name, count in book.items()}


def _selective_mistakes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    c = 1 + 2 * w["b"]  # of (c R^2 H + (c R^2)^2 |V|^2 / 2) / (2 b R^2), where squares of R^2 may be no floats
    return c / (2 * w["b"]) * (v["hinge"] + c * ledger["max_norm2"] * v["norm"] ** 2 / 2)


def _selective_asked(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    b = w["b"] * ledger["max_norm2"]
    return _selective_mistakes(ledger, v, w) - (ledger["behind"] / b if b else 0.0)


# ---- Blum's margin perceptron


def margin_perceptron(
    X: Array,
    y: Array,
    gamma: float,
    epsilon: float = 0.5,
    max_passes: int = 1000,
    *,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, Any, int, int]:
    """Weights, updates, passes and mistakes, labels y in {-1, +1}; the first update, w = y x, counts, and a score of 0
    predicts +1."""
    w, updates, passes, mistakes, clean = np.zeros(X.shape[1]), 0, 0, 0, False
    while not clean and passes < max_passes:
        passes, clean = passes + 1, True
        for x, label in zip(X, y, strict=True):
            score = label * (w @ x)
            told(label * score)
            mistakes += (1 if label * score >= 0 else -1) != label
            if not w.any() or score < (1 - epsilon) * gamma * sqrt(w @ w):
                w = w + label * x
                updates, clean = updates + counts(x), False
    return w, updates, passes, int(mistakes)


def most_updates(k: float, epsilon: float = 0.5) -> int:
    """The most updates that margin gamma = R / k allows: the largest M with gamma M <= g_M, counted one by one."""
    gamma, g, updates = 1 / k, 1.0, 1
    while True:
        g = sqrt(g * g + 2 * (1 - epsilon) * gamma * g + 1)
        if gamma * (updates + 1) > g:
            return updates
        updates += 1


# ---- ALMA with p = 2 (Gentile), and its bounds


def alma(X: Array, y: Array, alpha: float, passes: int = 1, *, told: Told = nobody) -> tuple[Array, int, int]:
    """Weights, updates and mistakes, labels y in {-1, +1}; rows are divided by the longest row so far."""
    w, updates, mistakes, longest = np.zeros(X.shape[1]), 0, 0, 0.0
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            longest = max(longest, sqrt(x @ x))
            score, k = w @ x, updates + 1
            told(score)
            mistakes += int((score >= 0) != (label > 0))
            if longest > 0 and label * score <= (1 - alpha) * sqrt(8 / k) * longest / alpha:
                w = w + sqrt(2 / k) * label * x / longest
                w = w / max(1.0, sqrt(w @ w))
                updates += 1
    return w, updates, mistakes


def _alma_separable(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    a = 8 / w["alpha"] - 5
    return max(a**2 / 8, a / 2) * ledger["max_norm2"] * (v["norm"] / v["least"]) ** 2


def _alma_hinge(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    b = (8 / w["alpha"] - 6) * sqrt(ledger["max_norm2"] / 2) * v["norm"]
    return ((b + sqrt(b**2 + 4 * (v["hinge"] + 1.5 * b))) / 2) ** 2


# ---- The passive-aggressive algorithms of Crammer, Dekel, Keshet, Shalev-Shwartz and Singer


def passive_aggressive(
    X: Array,
    y: Array,
    variant: str = "PA-I",
    C: float = 1.0,
    ties: int = 1,
    *,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, float, int, Any]:
    """Weights, sum of squared hinge losses, mistakes and updates, labels y in {-1, +1}; a score of 0 says `ties`."""
    w, squares, mistakes, updates = np.zeros(X.shape[1]), 0.0, 0, 0
    for x, label in zip(X, y, strict=True):
        score, norm2 = w @ x, x @ x
        told(score)
        mistakes += (np.sign(score) or ties) != label
        loss = max(0.0, 1 - label * score)
        squares += loss**2
        if loss > 0 and norm2 > 0:
            steps = {"PA": loss / norm2, "PA-I": min(C, loss / norm2), "PA-II": loss / (norm2 + 1 / (2 * C))}
            w = w + steps[variant] * label * x
            updates += counts(x)
    return w, float(squares), int(mistakes), updates


# ---- Zinkevich's online gradient descent


Curve = Callable[[float], float]

# loss, of one margin m = y <w, x> or of many, and its derivative at one
LOSSES: dict[str, tuple[Callable[[Any], Any], Curve]] = {
    "hinge": (lambda m: np.maximum(0, 1 - m), lambda m: -1.0 if m < 1 else 0.0),
    "squared-hinge": (lambda m: np.maximum(0, 1 - m) ** 2, lambda m: -2 * max(0.0, 1 - m)),
    "logistic": (lambda m: np.logaddexp(0, -m), lambda m: -float(np.exp(-np.logaddexp(0, m)))),
    "square": (lambda m: (1 - m) ** 2, lambda m: -2 * (1 - m)),
    "perceptron": (lambda m: np.maximum(0, -m), lambda m: -1.0 if m <= 0 else 0.0),  # -1 at the kink: w = 0 moves
}
# The words of learners that have one loss alone, and the name of the perceptron's where fixed vectors are charged it.
IN_WORDS = {"max(0, 1 - m)^2": "squared-hinge", "ln(1 + exp(-m))": "logistic"}
AS_CHARGED = {"negative-part": "perceptron"}


def steepest(loss: str, a: float = inf) -> float:
    """The largest size of its slope at margins from -a to a: it is convex, and steepest where it is largest."""
    return abs(LOSSES[AS_CHARGED.get(loss, loss)][1](-a))


def of_a_mistake(loss: str) -> float:
    """The smallest loss of a round that was predicted wrongly."""
    return float(LOSSES[AS_CHARGED.get(loss, loss)][0](0.0))


def gradient_descent(
    X: Array, y: Array, loss: str | Sequence[str], schedule: str, rate: float, radius: float = np.inf
) -> tuple[Array, float, list[Array]]:
    """Last weights, loss paid, and the weights of every round, labels y in {-1, +1}.

    The loss is one for all rounds, or each round's own: bounds on regret ask them to be convex, no more. The rate of
    round t is `rate`, rate / sqrt(t) ("inverse-sqrt"), rate / sqrt(sum of |gradient|^2) ("self-tuned") or that over the
    length of the longest row so far ("scale-free").
    """
    losses = [loss] * len(y) if isinstance(loss, str) else loss
    w, paid, squares, longest, history = np.zeros(X.shape[1]), 0.0, 0.0, 0.0, []
    for t, (x, label, name) in enumerate(zip(X, y, losses, strict=True), start=1):
        history.append(w)
        value, slope = LOSSES[name]
        margin = label * (w @ x)
        gradient = slope(margin) * label * x
        paid, squares = paid + value(margin), squares + gradient @ gradient
        longest, tuned = max(longest, float(np.linalg.norm(x))), np.sqrt(squares) or np.inf
        slower = {"constant": 1, "inverse-sqrt": np.sqrt(t), "self-tuned": tuned, "scale-free": tuned}
        step = rate * gradient / slower[schedule]
        w = w - (step / (longest or 1) if schedule == "scale-free" else step)  # the product of both may be no float
        w = w * min(1, radius / (np.linalg.norm(w) or 1))
    return w, float(paid), history


# ---- Winnow and the p-norm perceptron: updates move dual coordinates, and weights follow from them


def winnow(
    X: Array,
    y: Array,
    rate: float,
    *,
    balanced: bool = False,
    ties: int = 0,
    passes: int = 1,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, Any, int]:
    """Weights that sum to 1, updates and mistakes over the rows of X, labels y in {-1, +1}.

    Balanced, each feature is a pair (x, -x) with a weight each, and what comes back is the difference of the two. A
    score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names."""
    signs = np.array([[1.0], [-1.0]] if balanced else [[1.0]])  # one row for each weight of a feature
    theta = np.zeros((len(signs), X.shape[1]))  # the weights' logarithms: multiplied themselves, they forget exact ties
    updates, mistakes = 0, 0
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        own = x != 0  # beside the weights of other features, all of a row may be too small for a float
        score = (signs * np.exp(theta[:, own] - theta[:, own].max(initial=-inf))).sum(axis=0) @ x[own]
        told(score)
        mistakes += (np.sign(score) or ties or 1) != label
        if label * score < 0 or (score == 0 and label != ties):
            theta = theta + rate * label * signs * x
            updates += counts(x)
    w = np.exp(theta - theta.max(initial=-inf))
    return (signs * w / w.sum()).sum(axis=0), updates, int(mistakes)


def p_norm_perceptron(
    X: Array,
    y: Array,
    p: float,
    rate: float = 1.0,
    ties: int = 0,
    passes: int = 1,
    *,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, Any, int]:
    """Dual coordinates theta, updates and mistakes; the weights are the gradient of |theta|_p^2 / 2."""
    theta, updates, mistakes = np.zeros(X.shape[1]), 0, 0
    for x, label in zip(np.tile(X, (passes, 1)), np.tile(y, passes), strict=True):
        _, exponent = np.frexp(np.abs(theta).max(initial=0.0))  # beside the largest, powers are floats
        score = (np.sign(theta) * np.abs(np.ldexp(theta, -exponent)) ** (p - 1)) @ x
        told(score)
        mistakes += (np.sign(score) or ties or 1) != label
        if label * score < 0 or (score == 0 and label != ties):
            theta = theta + rate * label * x
            updates += counts(x)
    return theta, updates, int(mistakes)


# ---- The second-order perceptron and AROW


def learned(S: Array, x: Array, r: float, diagonal: bool) -> tuple[Array, Array]:
    """Sigma = S S' after a row of noise r: the S of (Sigma^-1 + x x' / r)^-1, and g = S'x, by Potter's update.

    What is subtracted from Sigma itself leaves nothing that is true of long rows; of its root it does.
    """
    g = S.T @ x
    doubt = g @ g + r
    root = S / np.sqrt(1 + g * g / r) if diagonal else S - np.outer(S @ g, g) / (doubt + sqrt(doubt * r))
    return root, g


def grown(g: Array, r: float, diagonal: bool) -> float:
    """By how much a row makes ln det of Sigma^-1 larger, which may be far less than the determinant is rounded by."""
    return float(np.log1p(g * g / r).sum() if diagonal else np.log1p(g @ g / r))


def squares_of(x: Array, diagonal: bool) -> Array:
    """x x', or its diagonal."""
    return np.diag(x * x) if diagonal else np.outer(x, x)


def second_order_perceptron(
    X: Array,
    y: Array,
    a: float = 1.0,
    diagonal: bool = False,
    ties: int = 0,
    *,
    counts: Counts = one,
    told: Told = nobody,
) -> tuple[Array, Array, float, Any, int]:
    """Cesa-Bianchi, Conconi & Gentile's: sum u, matrix A, ln det(A / a), updates and mistakes, labels y in {-1, +1}.

    The score is u'(A + x x')^-1 x, whose sign u'A^-1 x = w'x has of a whole matrix. A score of 0 predicts `ties` (+1 if
    that is 0) and is an update unless it predicts the label that `ties` names.
    """
    u, A, updates, mistakes = np.zeros(X.shape[1]), a * np.eye(X.shape[1]), 0, 0
    w, S, volume = np.zeros(X.shape[1]), np.eye(X.shape[1]) / sqrt(a), 0.0  # A^-1 u, and A^-1 is S S'
    for x, label in zip(X, y, strict=True):
        score = u @ (x / (np.diag(A) + x * x)) if diagonal else w @ x
        told(score)
        mistakes += (np.sign(score) or ties or 1) != label
        if label * score < 0 or (score == 0 and label != ties):
            root, g = learned(S, x, 1.0, diagonal)
            u = u + label * x
            w = (w + (label - w @ x) / (1 + g @ g) * (S @ g)) * u.any()  # which is 0 where u is, without its rounding
            A, S, updates = A + squares_of(x, diagonal), root, updates + counts(x)
            volume += grown(g, 1.0, diagonal)
    return u, A, volume, updates, int(mistakes)


def arow(
    X: Array, y: Array, r: float = 1.0, diagonal: bool = False, *, counts: Counts = one, told: Told = nobody
) -> tuple[Array, Array, float, Any, int]:
    """Crammer, Kulesza & Dredze's: mean mu, A = r times the inverse of the covariance Sigma = S S', ln det(A / r),
    updates and mistakes, labels y in {-1, +1}."""
    mu, A, updates, mistakes = np.zeros(X.shape[1]), r * np.eye(X.shape[1]), 0, 0
    S, volume = np.eye(X.shape[1]), 0.0
    for x, label in zip(X, y, strict=True):
        margin = label * (mu @ x)
        told(label * margin)
        mistakes += margin < 0 or (margin == 0 and label < 0)
        if margin < 1:
            root, g = learned(S, x, r, diagonal)
            mu = mu + (1 - margin) / (g @ g + r) * label * (S @ g)
            A, S, updates = A + squares_of(x, diagonal), root, updates + counts(x)
            volume += grown(g, r, diagonal)
    return mu, A, volume, updates, int(mistakes)


def arow_in_sizes(
    X: Array, y: Array, r: float = 1.0, *, counts: Counts = one, told: Told = nobody
) -> tuple[Array, Array, Array, Any, int]:
    """The same with a diagonal A that starts with 10 r times the largest square of each feature so far, which a
    larger one raises before its row is predicted: the mean, what A starts with, what it adds, updates and mistakes."""
    size, squares, mu, updates, mistakes = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0, 0
    for x, label in zip(X, y, strict=True):
        seen, larger = x != 0, np.maximum(size, x * x)
        A = np.where(larger > 0, squares + 10 * r * larger, 1)
        mean = mu * np.where(seen, (squares + 10 * r * size) / A, 1)
        margin, confidence = label * (mean @ x), x @ (x / A)
        told(label * margin)
        mistakes += margin < 0 or (margin == 0 and label < 0)
        if margin < 1:
            mu = mean + (1 - margin) / (confidence + 1) * label * x / A
            size, squares, updates = larger, squares + x * x, updates + counts(x)
    return mu, 10 * r * np.where(size > 0, size, 1), squares, updates, int(mistakes)


def arow_sketched(
    X: Array, y: Array, r: float = 1.0, rank: int = 5, sizes: bool = True, *, counts: Counts = one, told: Told = nobody
) -> tuple[Array, Array, Array, Array, Any, int]:
    """The same with A = D + B'B: an update appends its row to B, and of 2 `rank` rows, turned until they are orthogonal
    in D^-1, the longer half stays, while the squares of the others go to D. D starts with r, or with 10 r times the
    largest square of each feature over the updates: the mean, what D starts with, D, B, updates and mistakes."""
    n = X.shape[1]
    size, shed, B, mu, updates, mistakes = np.zeros(n), np.zeros(n), np.zeros((0, n)), np.zeros(n), 0, 0
    for x, label in zip(X, y, strict=True):
        margin = label * (mu @ x)
        told(label * margin)
        mistakes += margin < 0 or (margin == 0 and label < 0)
        if margin < 1:
            larger = np.maximum(size, x * x)
            start = 10 * r * np.where(larger > 0, larger, 1) if sizes else np.full(n, r)
            A = np.diag(start + shed) + B.T @ B
            mu = mu - np.linalg.solve(A, 10 * r * (larger - size) * mu if sizes else np.zeros(n))
            gain = np.linalg.solve(A, x)
            mu = mu + (label - mu @ x) / (1 + x @ gain) * gain
            size, B, updates = larger, np.vstack([B, x]), updates + counts(x)
            if len(B) == 2 * rank:
                _, axes = np.linalg.eigh(B / (start + shed) @ B.T)
                B = axes[:, ::-1].T @ B
                shed, B = shed + (B[rank:] ** 2).sum(axis=0), B[:rank]
    start = 10 * r * np.where(size > 0, size, 1) if sizes else np.full(n, r)
    return mu, start, start + shed, B, updates, int(mistakes)


# ---- The perceptron in the dual, plain, averaged, voted, and with a budget


def kernel_perceptron(K: Array, y: Array, ties: int = 0, passes: int = 1) -> tuple[Array, list[tuple[int, int]], int]:
    """Coefficients alpha of f = sum alpha_s K(x_s, .), the updates as (round, row), and mistakes; K is the Gram matrix.

    A score of 0 predicts `ties` (+1 if that is 0) and is an update unless it predicts the label that `ties` names.
    """
    alpha, updates, mistakes, t = np.zeros(len(y)), [], 0, 0
    for _ in range(passes):
        for i, label in enumerate(y.tolist()):
            t += 1
            score = K[i] @ alpha
            mistakes += (np.sign(score) or ties or 1) != label
            if label * score < 0 or (score == 0 and label != ties):
                alpha[i] += label
                updates.append((t, i))
    return alpha, updates, int(mistakes)


def kernel_average(y: Array, updates: list[tuple[int, int]], rounds: int) -> Array:
    """Coefficients of (f_1 + ... + f_T) / T, f_t being the function before round t."""
    alpha = np.zeros(len(y))
    for t, i in updates:
        alpha[i] += y[i] * (rounds - t) / rounds
    return alpha


def kernel_vote(k: Array, y: Array, updates: list[tuple[int, int]], rounds: int, ties: int = 0) -> float:
    """Share of the votes of f_1, ..., f_T for +1 less the share for -1, at a point z with k = (K(x_1, z), ...)."""
    votes, score, last = 0.0, 0.0, 0
    for t, i in [*updates, (rounds, 0)]:
        votes += (t - last) * (np.sign(score) or ties or 1)
        score, last = score + y[i] * k[i], t
    return votes / rounds


def budget_kernel_perceptron(
    K: Array, y: Array, budget: int, remove: Any = lambda slots, alpha: 0
) -> tuple[Array, int, float]:
    """Coefficients, updates and the sum of the lengths of what was removed; `remove` picks one of the old slots."""
    slots: list[int] = []
    alpha, updates, removed = np.zeros(len(y)), 0, 0.0
    for i, label in enumerate(y.tolist()):
        if label * (K[i] @ alpha) <= 0:
            alpha[i], updates = label, updates + 1
            if len(slots) == budget:
                gone = slots.pop(remove(slots, alpha))
                removed += abs(alpha[gone]) * float(np.sqrt(K[gone, gone]))
                alpha[gone] = 0
            slots.append(i)
    return alpha, updates, removed


# The second formulas of the theorems about these, by their kind.
BOUNDS = {
    "sure": {"alma_separable": _alma_separable, "alma_hinge": _alma_hinge, "selective_asked": _selective_asked},
    "expected": {"selective_mistakes": _selective_mistakes},
}
