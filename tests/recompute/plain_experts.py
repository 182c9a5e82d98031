"""Prediction with expert advice, as the papers have it, and its bounds: numpy alone, every expert speaking."""

from __future__ import annotations

from math import e, log, sqrt
from typing import Any

import numpy as np

from regretless.catalogue import EXPERT_LEARNERS
from regretless.textbook import experts as textbook

Array = np.ndarray[Any, Any]
Facts = dict[str, Any]

LOSSES = {
    "square": (lambda a, y: (a - y) ** 2, lambda a, y: 2 * (a - y)),
    "absolute": (lambda a, y: abs(a - y), lambda a, y: np.sign(a - y)),
    "zero-one": (lambda a, y: (a != y) * 1.0, None),
    "table": (lambda a, y: a, None),
}


def knows(learner: str) -> bool:
    """Whether a combiner has its rule here; of others `Run` plays the textbook's, and no bound is known."""
    return hasattr(Run, f"_{learner.replace('-', '_')}")


def mixed(p: Array, eta: float, c: Array) -> float:
    """-ln(sum p exp(-eta c)) / eta."""
    least = float(c[p > 0].min())
    return least if eta == np.inf else least - log(float(p @ np.exp(-eta * (c - least)))) / eta


def shares(weights: Array) -> Array:
    return np.asarray(weights / weights.sum())


class Run:
    """A combiner's run over a table, with all that a theorem may ask of it."""

    def __init__(self, learner: str, parameters: Facts, advice: Array, outcomes: Array, loss: str) -> None:
        self.parameters, self.n = parameters, advice.shape[1]
        low, high = parameters["value_range"] or (-np.inf, np.inf)
        self.linear = EXPERT_LEARNERS[learner].info.linearizes and loss not in ("zero-one", "table")
        width = high - low
        if loss == "square":
            self.span = 2 * width**2 if self.linear else width**2
        else:
            self.span = 1.0 if loss == "zero-one" else width
        self.prior = np.full(self.n, 1 / self.n)
        zeros = np.zeros(self.n)
        self.facts: Facts = {"rounds": float(len(advice)), "loss": 0.0, "expected": 0.0, "gap": 0.0, "drag": 0.0}
        self.facts |= {"spread": 0.0, "spread2": 0.0, "delay": 0.0, "delays": zeros, "mistakes": 0.0}
        self.facts |= {
            "squares": zeros.copy(),
            "drags": zeros,
            "last_rate": 0.0,
            "losses": zeros.copy(),
            "changes": 0.0,
        }
        self.L, self.R, self.S, self.V, self.G = (np.zeros(self.n) for _ in range(5))
        self.u, self.w = self.prior.copy(), np.ones(self.n)
        value, slope = LOSSES[loss]
        name = learner.replace("-", "_")
        weights, learn = getattr(self, f"_{name}", None), getattr(self, f"_{name}_learns", None)
        if weights is None:
            weights, learn = self._by_the_book(learner)
        for t, (a, y) in enumerate(zip(advice, outcomes, strict=True), start=1):
            p = weights(t)
            own = value(a, y)
            paid = float(p @ own) if loss in ("zero-one", "table") else float(value(p @ a, y))
            c = slope(p @ a, y) * (a - p @ a) if self.linear and slope is not None else own
            h = paid if learner == "adahedge" else float(p @ c)  # its gaps are those of its own loss
            self.facts["loss"] += paid
            self.facts["expected"] += float(p @ own)
            self.facts["losses"] += own
            spread = float(np.ptp(c))
            self.facts["spread"] = max(self.facts["spread"], spread)
            self.facts["spread2"] += spread**2
            r = h - c
            if learn is not None:
                learn(c, h, r)
            self.L, self.R, self.V = self.L + c, self.R + r, self.V + r * r
            self.facts["squares"] = self.V

    # Exponential weights.

    def _rate(self, t: int) -> float:
        if self.parameters.get("eta") is not None:
            return float(self.parameters["eta"])
        if self.parameters.get("horizon") is not None:
            return sqrt(8 * log(self.n) / self.parameters["horizon"]) / self.span
        return 2 * sqrt(log(self.n) / t) / self.span

    def _hedge(self, t: int) -> Array:
        self.eta = self._rate(t)
        self.p = shares(self.prior * np.exp(-self.eta * (self.L - self.L.min())))
        return self.p

    def _hedge_learns(self, c: Array, h: float, r: Array) -> None:
        self.facts["last_rate"] = self.eta
        self.facts["gap"] += max(0.0, h - mixed(self.p, self.eta, c))

    _ewa = _eg = _hedge
    _ewa_learns = _eg_learns = _hedge_learns

    def _adahedge(self, t: int) -> Array:
        self.eta = log(self.n) / self.facts["gap"] if self.facts["gap"] > 0 else np.inf
        excess = self.L - self.L.min()
        self.p = shares(self.prior * ((excess == 0) if self.eta == np.inf else np.exp(-self.eta * excess)))
        return self.p

    _adahedge_learns = _hedge_learns

    def _fixed_share(self, t: int) -> Array:
        kappa = log(self.n / self.parameters["alpha"])
        self.eta = kappa / self.facts["gap"] if self.facts["gap"] > 0 else np.inf
        self.p = self.u
        return self.u

    def _fixed_share_learns(self, c: Array, h: float, r: Array) -> None:
        self._hedge_learns(c, h, r)
        excess = c - c.min()
        powers = (excess == 0) * 1.0 if self.eta == np.inf else np.exp(-self.eta * excess)
        self.u = (1 - self.parameters["alpha"]) * shares(self.u * powers) + self.parameters["alpha"] * self.prior

    # Rates for each expert; the span was declared.

    def _ml_poly(self, t: int) -> Array:
        self.slack = self.span**2 + self.V
        raw = self.prior * np.maximum(self.R, 0) / self.slack
        return shares(raw) if raw.any() else self.prior

    def _ml_poly_learns(self, c: Array, h: float, r: Array) -> None:
        self.facts["drag"] += float(np.sum(self.prior / self.slack * r * r))

    def rates(self) -> Array:
        k = log(max(self.n, 2))
        return np.minimum(1 / (2 * self.span), np.sqrt(k / (self.span**2 + self.V)))

    def _ml_prod(self, t: int) -> Array:
        self.each = self.rates()
        power = self.each * self.G
        return shares(self.prior * self.each * np.exp(power - power.max()))

    _boa = _ml_prod

    def _ml_prod_learns(self, c: Array, h: float, r: Array) -> None:
        self.G = self.G + np.log1p(self.each * r) / self.each
        self.facts["drags"] = self.R + r - self.G

    def _boa_learns(self, c: Array, h: float, r: Array) -> None:
        self.G = self.G + r - self.each * r * r
        self.facts["drags"] = self.R + r - self.G

    def grid(self) -> tuple[Array, Array]:
        j = np.arange(30)
        return 0.5**j / (2 * self.span), 1 / ((j + 1.0) * (j + 2.0))

    def _powers(self) -> Array:
        etas, masses = self.grid()
        return np.outer(self.R, etas) - np.outer(self.V, etas**2) + np.log(masses)

    def _squint(self, t: int) -> Array:
        return shares(self.prior * (np.exp(self._powers()) * self.grid()[0]).sum(axis=1))

    # Potentials of the regret, and the leader.

    def _potential(self, more: float) -> Array:
        sizes = self.S / self.span + abs(more)
        return np.exp(np.maximum(self.R / self.span + more, 0) ** 2 / (3 * np.where(sizes > 0, sizes, 1)))

    def _ada_normal_hedge(self, t: int) -> Array:
        upper, lower = self._potential(1), np.maximum(self.R / self.span - 1, 0) ** 2 / (3 * (self.S / self.span + 1))
        return shares(self.prior * (upper - np.exp(lower)))

    def _ada_normal_hedge_learns(self, c: Array, h: float, r: Array) -> None:
        self.S = self.S + np.abs(r)
        self.facts["drags"] = self.S

    def _follow_the_leader(self, t: int) -> Array:
        self.eta, self.p = np.inf, shares(self.prior * (self.L.min() == self.L))
        return self.p

    def _follow_the_leader_learns(self, c: Array, h: float, r: Array) -> None:
        after, led = self.L + c, self.L.min() == self.L
        self.facts["last_rate"] = np.inf
        self.facts["gap"] += max(0.0, h - (after.min() - self.L.min()))
        self.facts["changes"] += float((after[led] > after.min()).any())

    # Of others.

    def _by_the_book(self, learner: str) -> tuple[Any, Any]:
        rule = getattr(textbook, EXPERT_LEARNERS[learner].info.twin)(self.prior, self.span)
        speaks = np.ones(self.n, dtype=bool)
        next(rule)
        return lambda t: rule.send(speaks), lambda c, h, r: rule.send((c, h))

    # Majorities.

    def _randomized_weighted_majority(self, t: int) -> Array:
        return shares(self.w)

    def _randomized_weighted_majority_learns(self, c: Array, h: float, r: Array) -> None:
        self.w = self.w * self.parameters["beta"] ** c

    def settings(self, learner: str) -> Facts:
        """What theorems may know of the learner at the end."""
        facts: Facts = {"experts": self.n, "prior": self.prior, "span": self.span, "rate": self.parameters.get("eta")}
        facts |= {name: self.parameters.get(name) for name in ("alpha", "beta", "horizon", "delta")}
        if learner == "ml-poly":
            facts["rates"] = 1 / (self.span**2 + self.V)
        if learner in ("ml-prod", "boa"):
            facts["rates"] = self.rates()
            facts["log_potential"] = log(float(self.prior @ np.exp(self.rates() * self.G)))
        if learner == "ada-normal-hedge":
            facts["rates"] = 1 / (3 * self.span * self.S)
            facts["log_potential"] = log(float(self.prior @ self._potential(0)))
        if learner == "squint":
            facts["grid"] = self.grid()
            facts["log_potential"] = log(float(self.prior @ np.exp(self._powers()).sum(axis=1)))
        if (
            learner in ("hedge", "ewa")
            and self.parameters.get("horizon") is not None
            and self.parameters.get("eta") is None
        ):
            facts["rate"] = self._rate(1)
        return {name: value for name, value in facts.items() if value is not None}


def bound(theorem: str, m: Facts, u: Array, switches: int, loss: float, w: Facts) -> float:
    """The printed formula of a theorem against fixed weights u, or a sequence with so many switches."""
    prior, n, t = np.asarray(w["prior"]), w["experts"], m["rounds"]
    used = u > 0
    kl = float(np.sum(u[used] * np.log(u[used] / prior[used])))
    s, ln = w.get("span"), log(n)
    match theorem:
        case "hedge_posterior" | "adahedge_posterior":
            return kl / m["last_rate"] + m["gap"]
        case "hedge_spreads":
            return kl / w["rate"] + w["rate"] * m["spread2"] / 8
        case "hedge_prior":
            if "rate" in w:
                return kl / w["rate"] + w["rate"] * s * s * t / 8
            return s * sqrt(t) / 2 * (kl / sqrt(ln) + sqrt(ln))
        case "hedge_tuned":
            return s * sqrt(w["horizon"] * ln / 2)
        case "adahedge_spreads":
            return (1 + kl / ln) * (m["spread"] + sqrt(m["spread"] ** 2 + ln * m["spread2"])) / 2
        case "adahedge_prior":
            return s / 2 * (1 + kl / ln) * (1 + sqrt(1 + t * ln))
        case "share_posterior" | "share_prior":
            pi, alpha = 1 / n, w["alpha"]
            info = (switches + 1) * log(1 / (alpha * pi)) + (t - switches - 1) * log(1 / (1 - alpha * (1 - pi)))
            if theorem == "share_posterior":
                return info / m["last_rate"] + m["gap"]
            kappa = log(n / alpha)
            gaps = s / 2 * (1 + sqrt(1 + kappa * t))
            return info * gaps / kappa + gaps
        case "poly_posterior":
            return sqrt(m["drag"] * float(np.sum(u**2 / (prior * w["rates"]))))
        case "poly_squares":
            v = m["squares"]
            return sqrt(float(prior @ (1 + np.log(1 + v / s**2))) * float(np.sum(u**2 / prior * (s * s + v))))
        case "poly_prior":
            return s * sqrt((t + 1) * (1 + log(t + 1)) * float(np.sum(u**2 / prior)))
        case "prod_posterior" | "prod_squares" | "prod_prior":
            if theorem == "prod_posterior":
                potential, rates, drags = w["log_potential"], w["rates"], m["drags"]
            else:
                k, v = log(max(n, 2)), m["squares"] if theorem == "prod_squares" else np.full(n, s * s * t)
                potential = log(1 + (max(0.0, log((1 + t) / (4 * k))) + 1 / (4 * k)) / (2 * e))
                rates = 1 / np.maximum(2 * s, np.sqrt((s * s + v) / k))
                drags = np.minimum(v / (2 * s), sqrt(4 * k + 1) * (np.sqrt(s * s + v) - s))
            a = u[used] / rates[used]
            skew = float(np.sum(a / a.sum() * np.log(a / a.sum() / prior[used])))
            return float(a.sum()) * (skew + potential) + float(u @ drags)
        case "squint_posterior" | "squint_squares" | "squint_prior":
            etas, masses = w["grid"]
            v = s * s * t if theorem == "squint_prior" else float(u @ m["squares"])
            more = w["log_potential"] if theorem == "squint_posterior" else 0.0
            return min((kl + more - np.log(masses)) / etas + etas * v)
        case "leader_changes":
            return m["spread"] * m["changes"]
        case "normal_hedge_posterior":
            return sqrt(3 * s * float(u @ m["drags"]) * (kl + w["log_potential"]))
        case "normal_hedge_sizes" | "normal_hedge_prior":
            sizes = m["drags"] / s if theorem == "normal_hedge_sizes" else np.full(n, t)
            potential = 1 + float(prior @ (np.log(1 + sizes) + sizes / (1 + sizes))) / 2
            return s * sqrt(3 * float(u @ sizes) * (kl + log(potential)))
        case "randomized_majority":
            return (ln - loss * log(w["beta"])) / (1 - w["beta"])
        case "randomized_majority_simple":
            return ln / (1 - w["beta"]) + (2 - w["beta"]) * loss
        case "weighted_majority":
            return (ln - loss * log(w["beta"])) / log(2 / (1 + w["beta"]))
        case "constant_regret":
            return ln / w["rate"]
    raise KeyError(theorem)


def aggregating(advice: Array, outcomes: Array, low: float, high: float) -> float:
    """The loss of Vovk's algorithm for the square loss."""
    eta, L, paid = 2 / (high - low) ** 2, np.zeros(advice.shape[1]), 0.0
    for a, y in zip(advice, outcomes, strict=True):
        p = shares(np.exp(-eta * (L - L.min())))
        ends = [mixed(p, eta, (a - end) ** 2) for end in (low, high)]
        forecast = (low + high) / 2 + (ends[0] - ends[1]) / (2 * (high - low))
        paid, L = paid + (forecast - y) ** 2, L + (a - y) ** 2
    return float(paid)


def ridge(advice: Array, outcomes: Array, a: float, start: Array) -> Facts:
    """Vovk, Azoury and Warmuth's forecaster around some weights."""
    n = advice.shape[1]
    A, b = a * np.eye(n), np.zeros(n)
    facts: Facts = {"rounds": float(len(advice)), "loss": 0.0, "gap": 0.0, "max_outcome2": 0.0}
    for x, y in zip(advice, outcomes, strict=True):
        A = A + np.outer(x, x)
        rest, s = y - start @ x, float(x @ np.linalg.solve(A, x))
        value = float(x @ np.linalg.solve(A, b))
        facts["loss"] += (value - rest) ** 2
        facts["gap"] += s * (rest**2 - value**2 / (1 - s))
        facts["max_outcome2"] = max(facts["max_outcome2"], rest**2)
        b = b + rest * x
    return facts | {"log_det": float(np.linalg.slogdet(A / a)[1]), "sizes": np.sqrt(np.diag(A))}


def rotations(m: Facts, u: Array, suffered: float, w: Facts) -> float:
    """By how much rotations of the rows may move a |u - u_0|^2 + L(u): 2 d sqrt of it and d^2."""
    away = np.abs(u - w["start"])
    columns = float((away + np.abs(w["start"])) @ w["sizes"]) + sqrt(m["rounds"] * m["max_outcome2"])
    d = 3 * float(np.finfo(float).eps) * (w["experts"] + 3) * (m["rounds"] + 1) * columns
    return 2 * d * sqrt(w["ridge"] * float(away @ away) + suffered) + d * d


def majority(advice: Array, labels: Array, beta: float) -> int:
    """Mistakes of weighted majority, which multiplies after its own mistakes alone; ties say 1."""
    w, wrong = np.ones(advice.shape[1]), 0
    for a, y in zip(advice, labels, strict=True):
        value = float(w[a == 1].sum() >= w[a == 0].sum())
        if value != y:
            wrong, w = wrong + 1, np.where(a != y, beta * w, w)
    return wrong


def best_convex(advice: Array, outcomes: Array) -> float:
    """The least square loss of a fixed convex combination, by enumerating which experts it uses."""
    from itertools import combinations

    n, best = advice.shape[1], np.inf
    for size in range(1, n + 1):
        for used in combinations(range(n), size):
            x = advice[:, used]
            system = np.block([[2 * x.T @ x, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
            u = np.linalg.lstsq(system, np.append(2 * x.T @ outcomes, 1.0), rcond=None)[0][:size]
            if (u >= -1e-12).all():
                best = min(best, float(((x @ u - outcomes) ** 2).sum()))
    return best


def best_sequence(losses: Array, switches: int) -> float:
    """The least loss of a sequence of experts with at most so many switches."""
    least = np.where(np.arange(switches + 1)[:, None] == 0, losses[0], np.inf)
    for row in losses[1:]:
        moved = np.vstack([np.full(losses.shape[1], np.inf), np.repeat(least.min(1)[:-1, None], losses.shape[1], 1)])
        least = np.minimum(least, moved) + row
    return float(least.min())
