"""Linear learners of the log loss whose probabilities are mixed: two diagonal ones, a full one, one that
learns from what others say, and the mixture.

Each takes rows X and labels y in {-1, +1}, and gives the score of every round, made before the label is known. A
constant feature is a column of X.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def slope(score: float, label: float) -> float:
    """The derivative of ln(1 + exp(-y s)) in s."""
    return float(-label * np.exp(-np.logaddexp(0, label * score)))


def dual_averaging(X: Array, y: Array, eta: float) -> tuple[Array, Array, Array, float]:
    """Scores, minus the sum of gradients G, the last metric a, and Q, the sum of squared gradients over a."""
    d = X.shape[1]
    G, S, M, squares, count, N = (np.zeros(d) for _ in range(6))
    a, Q, scores = np.zeros(d), 0.0, []
    for x, label in zip(X, y, strict=True):
        M, squares, count = np.maximum(M, abs(x)), squares + x * x, count + (x != 0)
        N = np.maximum(N, np.sqrt(squares / np.maximum(count, 1)))
        a = N * np.sqrt(S + M * M)
        scores.append(x @ (eta * G / np.where(a > 0, a, 1)))
        g = slope(scores[-1], label) * x
        Q, G, S = Q + float(np.sum(g * g / np.where(a > 0, a, 1))), G - g, S + g * g
    return np.array(scores), G, N * np.sqrt(S + M * M), Q


def coin_betting(X: Array, y: Array) -> tuple[Array, Array]:
    """ScInOL2 (Kempka, Kotlowski & Warmuth 2019): each feature bets a share of its wealth; scores and G."""
    d = X.shape[1]
    G, S, M, wealth, scores = np.zeros(d), np.zeros(d), np.zeros(d), np.ones(d), []
    for x, label in zip(X, y, strict=True):
        M = np.maximum(M, abs(x))
        root = np.sqrt(S + M * M)
        root = np.where(root > 0, root, 1)
        w = np.clip(G / root, -1, 1) * wealth / (2 * root)
        scores.append(x @ w)
        g = slope(scores[-1], label) * x
        G, S, wealth = G - g, S + g * g, wealth - g * w
    return np.array(scores), G


def full(X: Array, y: Array, kappa: float, prior: float, size: Any = 0.0) -> tuple[Array, Array, float]:
    """AIOLI (Jezequel, Gaillard & Rudi 2020) with prior sum M_i^2 u_i^2: scores, M, and the sum of B; M begins as
    `size`.

    F is the prior and the quadratic lower bounds of the losses so far, F(u) = u'A u / 2 - b'u + ...; the score
    minimises F and the losses of both labels, and B = loss + min F - min F', where F' has one bound more: the loss
    itself, which is a part of that, cancels.
    """
    d = X.shape[1]
    M, H, b, B, scores = np.full(d, float(size)), np.zeros((d, d)), np.zeros(d), 0.0, []
    for x, label in zip(X, y, strict=True):
        M = np.maximum(M, abs(x))
        A = H + 2 * prior * np.diag(M * M)
        inverse = np.linalg.pinv(A, hermitian=True)
        w, h = inverse @ b, x @ inverse @ x
        s = shrunk(float(w @ x), float(h))
        g = slope(s, label)
        c = kappa * abs(g) * (1 - abs(g))
        before = -(b @ inverse @ b) / 2
        H, b = H + c * np.outer(x, x), b + (c * s - g) * x
        after = -(b @ np.linalg.pinv(A + c * np.outer(x, x), hermitian=True) @ b) / 2 - g * s + c * s * s / 2
        B += before - after
        scores.append(s)
    return np.array(scores), M, B


def shrunk(plain: float, h: float) -> float:
    """The root s of s + h tanh(s / 2) = plain, by halving."""
    low, high = 0.0, abs(plain)
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if middle + h * np.tanh(middle / 2) < abs(plain) else (low, middle)
    return float(np.sign(plain)) * (low + high) / 2


def stacked(scores: Array, y: Array, kappa: float, prior: float, constant: float = 1.0) -> tuple[Array, float]:
    """A full learner of what others say, cut to [-4, 4], and a constant, with prior sum u_i^2: scores, the sum of B."""
    Z = np.column_stack([np.clip(scores, -4, 4), np.full(len(scores), constant)])
    forecasts, _, B = full(Z / 4, y, kappa, prior / 16, 1.0)
    return forecasts, B


def mixture(scores: Array, y: Array, share: bool = True) -> tuple[Array, Array, float]:
    """Bayes' rule with a share that goes round after each round: probabilities of +1, last weights, loss."""
    members = scores.shape[1]
    log_weight, probabilities, loss = np.full(members, -np.log(members)), [], 0.0
    for t, (s, label) in enumerate(zip(scores, y, strict=True), start=1):
        probabilities.append(np.exp(np.logaddexp.reduce(log_weight - np.logaddexp(0, -s))))
        joint = log_weight - np.logaddexp(0, -label * s)
        loss -= np.logaddexp.reduce(joint)
        log_weight = joint - np.logaddexp.reduce(joint)
        if share:
            stays = np.log(t + np.e - 1) / np.log(t + np.e)
            log_weight = np.log(stays * np.exp(log_weight) + (1 - stays) / members)
    return np.array(probabilities), np.exp(log_weight), float(loss)


def _cost(ledger: dict[str, Any], w: dict[str, Any]) -> float:
    return float(np.log(w["members"] * (np.log(max(ledger["rounds"], 1.0) + np.e - 1) if w["share"] else 1.0)))


def _mixture(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + _cost(ledger, w)


def _switching(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    goes_round = np.log(np.log(max(ledger["rounds"], 1.0) + np.e - 1))
    return v["loss"] + (v["switches"] + 1) * np.log(w["members"]) + goes_round + v["late"]


def _regularised(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["regularised"] + v["energy"] + _cost(ledger, w)


def _linearised(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return v["loss"] + v["linear"] + _cost(ledger, w)


def _least(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    bounds = [_linearised(ledger, v, w)] if np.isfinite(float(v["linear"])) else []
    if float(v["largest"]) <= float(v["reach"]) and np.isfinite(float(v["regularised"])):
        bounds.append(_regularised(ledger, v, w))
    return min(bounds)


def _mistakes(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
    return _least(ledger, v, w) / np.log(2)


BOUNDS = {
    "sure": {
        "mixture": _mixture,
        "switching": _switching,
        "by_a_rate": _regularised,
        "by_a_matrix": _regularised,
        "linearised": _linearised,
        "against_constant": _least,
        "mistakes_from_log_loss": _mistakes,
    }
}
