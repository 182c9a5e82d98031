"""Linear learners of numbers: dual averaging, Vovk, Azoury and Warmuth's, their mixture by AdaHedge, gradient descent.

Each takes rows X and outcomes z measured from the first one, which is not among them, and gives the forecast of every
round, made before its outcome is known. A constant feature is a column of X.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]


def loss(p: Any, z: Any, tau: float | None) -> Any:
    """The square loss, or the pinball loss of a quantile tau."""
    r = z - np.asarray(p)
    return r * r if tau is None else np.where(r > 0, tau * r, (tau - 1) * r)


# The parameter of a learner that a loss takes as its c, and the loss that is of counts.
TAKES = {"huber": "delta", "pinball": "quantile"}
OF_COUNTS = "poisson"


def charged(p: Any, z: Any, name: str, c: float) -> Any:
    """A loss by its name: square, absolute, pinball of the quantile c, Huber's, which turns at an error of c, Poisson's
    of counts z whose mean is exp(p + c), or the log loss of shares z whose mean is 1 / (1 + exp(-p))."""
    if name in ("square", "pinball"):
        return loss(p, z, c if name == "pinball" else None)
    if name == "poisson":
        mean = np.exp(p + c)
        return mean - z + np.where(z > 0, z * (np.log(np.maximum(z, 1e-300)) - p - c), 0.0)
    if name == "logistic":
        return np.logaddexp(0, p) - z * p
    size = np.abs(z - np.asarray(p))
    return size if name == "absolute" else np.where(size <= c, size**2 / 2, c * (size - c / 2))


def slope(p: float, z: float, name: str, c: float) -> float:
    """Its derivative in p."""
    if name == "pinball":
        return -c if z > p else 1 - c if z < p else 0.0
    if name == "logistic":
        return float(1 / (1 + np.exp(-p)) - z)
    slopes = {"square": 2 * (p - z), "absolute": float(np.sign(p - z)), "huber": float(np.clip(p - z, -c, c))}
    return float(np.exp(p + c) - z) if name == "poisson" else slopes[name]


def place(z: Any, name: str, c: float) -> Any:
    """Where an outcome lies among scores: a count at its logarithm less c, and none at that of one half; a share at the
    logarithm of its odds, within 8 of 0."""
    if name == "logistic":
        return np.clip(np.log(np.maximum(z, 1e-9)) - np.log(np.maximum(1 - z, 1e-9)), -8, 8)
    return np.log(np.maximum(z, 0.5)) - c if name == "poisson" else z


def dual_averaging(
    X: Array, z: Array, eta: float, name: str = "square", c: float = 0.0, around: float = 0.0
) -> tuple[Array, Array, float]:
    """Scores, minus the sum of gradients G, and the sum of slope times score; the range of outcomes is at first that
    `around` 0."""
    d = X.shape[1]
    G, S, M, squares, count, N = (np.zeros(d) for _ in range(6))
    low, high, linear = -around, around, 0.0
    forecasts = []
    for x, outcome in zip(X, z, strict=True):
        B = high - low
        steepest = {"square": 2 * B, "huber": min(B, c), "poisson": np.exp(c + high)}.get(name, 1.0)
        M, squares, count = np.maximum(M, abs(x)), squares + x * x, count + (x != 0)
        N = np.where(squares > N * N * count, np.sqrt(squares / np.maximum(count, 1)), N)
        metric = N * np.sqrt(S + (steepest * M) ** 2)
        # w = eta B G / metric; summed in the order of the features: a rate that is too large doubles every rounding.
        score = np.cumsum(G * x / np.where(metric > 0, metric, 1))[-1] * eta * B
        p = float(np.clip(score, low, high))
        g, where = slope(p, outcome, name, c), float(place(outcome, name, c))
        linear, G, S = linear + g * p, G - g * x, S + (g * x) ** 2
        low, high = min(low, where), max(high, where)
        forecasts.append(p)
    return np.array(forecasts), G, linear


def best_constant(z: Array, name: str, c: float) -> float:
    """The constant of the least loss in hindsight: the mean, an outcome, or for Huber's loss a zero of its derivative,
    which is linear between the knots z - c and z + c. Of counts it is the logarithm of the mean, less c."""
    if name == "poisson":
        return float(np.log(z.mean()) if z.any() else -50.0) - c
    if name == "square":
        return float(z.mean())
    if name != "huber":
        return float(np.sort(z)[max(0, int(np.ceil((c if name == "pinball" else 0.5) * len(z))) - 1)])
    knots = np.sort(np.concatenate([z - c, z + c]))
    low, high = 0, len(knots) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if np.clip(knots[middle] - z, -c, c).sum() < 0 else (low, middle)
    left, right = (float(np.clip(knots[end] - z, -c, c).sum()) for end in (low, high))
    return float(knots[low] - left * (knots[high] - knots[low]) / (right - left))


def gradient_descent(
    X: Array, z: Array, name: str, c: float, schedule: str, rate: float
) -> tuple[Array, Array, Array, float]:
    """Scores, the last weights, minus the sum of gradients G, and the sum of slope times score."""
    w, G = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    low = high = linear = squares = longest2 = 0.0
    forecasts = []
    for t, (x, outcome) in enumerate(zip(X, z, strict=True), start=1):
        p = float(np.clip(w @ x, low, high))
        g, where = slope(p, outcome, name, c), float(place(outcome, name, c))
        low, high = min(low, where), max(high, where)
        longest2, squares = max(longest2, float(x @ x)), squares + g * g * float(x @ x)
        eta = {"constant": rate, "inverse-sqrt": rate / np.sqrt(t)}.get(schedule, 0.0)
        if schedule == "scale-free" and squares > 0:
            eta = rate * (high - low) / np.sqrt(longest2 * squares)
        w, G, linear = w - eta * g * x, G - g * x, linear + g * p
        forecasts.append(p)
    return np.array(forecasts), w, G, float(linear)


def vaw(X: Array, z: Array, prior: float) -> tuple[Array, Array, float, float]:
    """Vovk, Azoury and Warmuth's forecaster with prior sum M_i^2 u_i^2: forecasts, M, the least penalised loss of any
    vector, and the sum of z^2 h / (1 + h) with what clipping cost."""
    d = X.shape[1]
    M, H, b = np.zeros(d), np.zeros((d, d)), np.zeros(d)
    low = high = energy = 0.0
    forecasts = []
    for x, outcome in zip(X, z, strict=True):
        M = np.maximum(M, abs(x))
        inverse = inverse_of(H, M, prior)
        h, plain = float(x @ inverse @ x), float(b @ inverse @ x)
        free = plain / (1 + h)
        p = float(np.clip(free, low, high))
        energy += outcome**2 * h / (1 + h) + max(0.0, (outcome - p) ** 2 - (outcome - free) ** 2)
        H, b = H + np.outer(x, x), b + outcome * x
        low, high = min(low, outcome), max(high, outcome)
        forecasts.append(p)
    u = inverse_of(H, M, prior) @ b
    return np.array(forecasts), M, float(prior * (M * M) @ (u * u) + np.sum((z - X @ u) ** 2)), energy


def newton_steps(X: Array, z: Array, prior: float) -> tuple[Array, Array, Array, float, float]:
    """Online Newton steps on the square loss, as the least penalised sum F of its lower bounds: forecasts, the last
    weights, M, by how much the least F is below 0, and the sum of B^2 ln(1 + c h) with what clipping cost."""
    d = X.shape[1]
    M, H, b, k = np.zeros(d), np.zeros((d, d)), np.zeros(d), 0.0
    low = high = determinant = 0.0
    forecasts = []
    for x, outcome in zip(X, z, strict=True):
        M = np.maximum(M, abs(x))
        inverse = inverse_of(H, M, prior)
        h, s = float(x @ inverse @ x), float(b @ inverse @ x)
        p = float(np.clip(s, low, high))
        low, high = min(low, outcome), max(high, outcome)
        B, g = high - low, 2 * (p - outcome)
        c = (g / (2 * B)) ** 2 if B > 0 else 0.0
        determinant += B * B * np.log1p(c * h) + max(0.0, -(s - p) * (g + c * (s - p)) / (1 + c * h))
        # g (q - p) + c (q - p)^2 = c q^2 - 2 (c p - g / 2) q + (c p^2 - g p), with q = <u, x>
        H, b, k = H + c * np.outer(x, x), b + (c * p - g / 2) * x, k + c * p * p - g * p
        forecasts.append(p)
    w = inverse_of(H, M, prior) @ b
    return np.array(forecasts), w, M, float(b @ w - k), float(determinant)


def diagonal(X: Array, z: Array, prior: float) -> tuple[Array, Array, Array, float]:
    """The same with a diagonal alone: forecasts, the last weights, minus the sum of gradients G, and the sum of slope
    times forecast."""
    d = X.shape[1]
    M, squares, w, G = (np.zeros(d) for _ in range(4))
    low = high = linear = 0.0
    forecasts = []
    for x, outcome in zip(X, z, strict=True):
        M = np.maximum(M, abs(x))
        A = np.where(M > 0, prior * M * M + squares, 1)
        h, plain = float(np.sum(x * x / A)), float(w @ x)
        p = float(np.clip(plain / (1 + h), low, high))
        g = 2 * (p - outcome)
        w, squares, G = w + (outcome - plain) / (1 + h) * x / A, squares + x * x, G - g * x
        low, high, linear = min(low, outcome), max(high, outcome), linear + g * p
        forecasts.append(p)
    return np.array(forecasts), w, G, float(linear)


def inverse_of(H: Array, M: Array, prior: float) -> Array:
    """The inverse of H + prior diag(M^2), computed in units of the sizes M, without the features that have none."""
    D = np.where(M > 0, M, 1)
    units = np.outer(D, D)
    return np.asarray(np.linalg.pinv(H / units + prior * np.diag(M > 0), rcond=1e-14, hermitian=True) / units)


def adahedge(
    P: Array, z: Array, name: str = "square", c: float = 0.0, *, share: bool = True
) -> tuple[Array, float, float]:
    """The mixture of forecasts P, a column a member, by AdaHedge on its own loss with a share 1 / (t + 1) that goes
    round after
    round t: forecasts, the last rate (0 without an end), and the sum of what its loss exceeds the mix losses by."""
    K = P.shape[1]
    L, log_pi, eta, gap, forecasts = np.zeros(K), np.full(K, -np.log(K)), 0.0, 0.0, []
    for t, (row, outcome) in enumerate(zip(P, z, strict=True), start=1):
        if gap > 0:
            rate = (np.log(K) + (np.log(t) if share else 0.0)) / gap
            log_pi = -rate * (L - L.min()) if eta == 0 else log_pi * min(1.0, rate / eta)
            eta = rate if eta == 0 else min(eta, rate)
            log_pi = log_pi - np.logaddexp.reduce(log_pi)
            pi = np.exp(log_pi)
        else:
            pi = (L.min() == L) / np.sum(L.min() == L)
        p, losses = float(pi @ row), charged(row, outcome, name, c)
        if eta == 0:
            mix = (L + losses).min() - L.min()
        else:
            mix = -np.logaddexp.reduce(log_pi - eta * losses) / eta
            log_pi = log_pi - eta * (losses - mix)
            if share:
                log_pi = np.log((1 - 1 / (t + 1)) * np.exp(np.minimum(log_pi, 0)) + 1 / ((t + 1) * K))
        gap += max(0.0, float(charged(p, outcome, name, c)) - mix)
        L = L + losses
        forecasts.append(p)
    if gap > 0:  # the rate of the round that would come next
        rate = (np.log(K) + (np.log(len(z) + 1) if share else 0.0)) / gap
        eta = rate if eta == 0 else min(eta, rate)
    return np.array(forecasts), eta, gap


# ---- The run of a report, played again: of rows with their constant feature and outcomes less the first, by the loss,
# ---- with the settings of the report. Each member has its forecasts and what its theorem takes


# Steps that are too long double every rounding: a run that a nudge of the rows carries off is not computed again.
NUDGE, TOO_FAR = 1e-13, 1e-9

Members = dict[str, dict[str, Any]]


def _descent(X: Array, z: Array, name: str, c: float, parameters: Fields) -> Members | None:
    settings = name, c, parameters["schedule"], float(parameters["rate"])
    forecasts, _, slopes, linear = gradient_descent(X, z, *settings)
    near = gradient_descent(X * (1 + NUDGE), z, *settings)[0]
    if np.abs(forecasts - near).max() > TOO_FAR * np.abs(z).max():
        return None
    return {"gradient descent": {"forecasts": forecasts, "slopes": slopes, "linear": linear}}


def _vaw(X: Array, z: Array, name: str, c: float, parameters: Fields) -> Members:
    prior = float(parameters["prior"])
    if parameters["matrix"] != "diagonal":
        return {f"full, prior {prior:g}": _full(X, z, prior)}
    forecasts, _, slopes, linear = diagonal(X, z, prior)
    return {f"diagonal, prior {prior:g}": {"forecasts": forecasts, "slopes": slopes, "linear": linear}}


def _full(X: Array, z: Array, prior: float) -> dict[str, Any]:
    forecasts, _, least, energy = vaw(X, z, prior)
    return {"forecasts": forecasts, "prior": prior, "least": least, "energy": energy}


def _newton_steps(X: Array, z: Array, name: str, c: float, parameters: Fields) -> Members:
    prior = float(parameters["prior"])
    forecasts, _, _, energy, determinant = newton_steps(X, z, prior)
    one = {"forecasts": forecasts, "prior": prior, "energy": energy, "determinant": determinant}
    return {f"Newton steps, prior {prior:g}": one}


def _mixture(X: Array, z: Array, name: str, c: float, parameters: Fields) -> Members:
    """Members by rates, and of the square loss, where columns are few, some with a matrix."""
    members: Members = {}
    for rate in map(float, parameters["rates"]):
        forecasts, slopes, linear = dual_averaging(X, z, rate, name, c)
        members[f"rate {rate:g}"] = {"forecasts": forecasts, "slopes": slopes, "linear": linear}
    most = 0 if name != "square" else 256 if parameters["full"] == "auto" else int(parameters["full"])
    columns = X.shape[1] - bool(parameters["intercept"])
    some = parameters["priors"] if columns <= most and most > 0 else ()
    return members | {f"full, prior {prior:g}": _full(X, z, prior) for prior in map(float, some)}


PLAYS: dict[Callable[..., Any] | None, Callable[..., Members | None]] = {
    gradient_descent: _descent,
    vaw: _vaw,
    newton_steps: _newton_steps,
    None: _mixture,
}


# ---- Bounds


def _cost(ledger: dict[str, Any], w: dict[str, Any]) -> float:
    if float(w["members"]) <= 1 or not float(w["eta"]):
        return float(w["gap"])
    spread = np.log(w["members"]) + (np.log(max(ledger["rounds"] - 1, 1.0)) if w["share"] else 0.0)
    return float(spread / w["eta"] + w["gap"])


def _all(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return w["least"] + w["energy"] + _cost(ledger, w)


def _shards(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return w["least"] + (w["energy"] + w["gap"])


def _matrix(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["regularised"] + v["energy"] + _cost(ledger, w)


def _slopes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["linear"] + _cost(ledger, w)


def _member(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + _cost(ledger, w)


def _newton(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["regularised"] + v["energy"]


def _determinant(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["regularised"] + w["determinant"]


def _constant(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    bounds = [rule(ledger, v, w) for rule in (_matrix, _slopes)]
    return min(bound for bound in bounds if np.isfinite(float(bound)))


BOUNDS = {
    "sure": {
        "against_all": _all,
        "against_all_over_shards": _shards,
        "by_a_full_matrix": _matrix,
        "by_newton_steps": _newton,
        "by_the_determinant": _determinant,
        "by_slopes": _slopes,
        "aggregation": _member,
        "against_best_constant": _constant,
    }
}
