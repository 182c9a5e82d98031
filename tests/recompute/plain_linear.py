"""Linear learners, as the papers have them, and their bounds: numpy alone."""

from __future__ import annotations

from math import cosh, log, sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Facts = dict[str, Any]


def rows_of(table: Array, labels: Array, positive: float, constant: float) -> tuple[Array, Array]:
    """Rows with the constant feature, and signs."""
    X = np.column_stack([table, np.full(len(table), constant)]) if constant else np.asarray(table, float)
    return X, np.where(labels == positive, 1.0, -1.0)


class Run:
    """One target's run, one round after the other, with all that a theorem may ask of it."""

    def __init__(self, learner: str, parameters: Facts, X: Array, y: Array, passes: int = 1) -> None:
        self.parameters, self.kind, self.width = parameters, learner, X.shape[1]
        self.facts: Facts = dict.fromkeys(
            ("rounds", "updates", "mistakes", "loss", "slope2", "step2", "update_norm2", "total_norm2"), 0.0
        )
        self.facts |= {"max_norm2": 0.0, "reach2": 0.0, "first_rate": 0.0, "last_rate": 0.0, "reach": 0.0}
        self.w, self.theta, self.longest = np.zeros(self.width), np.zeros(self.width), 0.0
        self.A, self.u = self._start(), np.zeros(self.width)
        self.S, self.largest = np.zeros(self.width), np.zeros(self.width)  # of squares, in AROW's diagonal
        self.B: Array = np.zeros((0, self.width))  # the directions of AROW's sketch
        self.close = 0  # rounds of which only rounding says whether they are updates
        play = getattr(self, "_" + learner.replace("-", "_").removeprefix("averaged_").removeprefix("voted_"))
        self.facts["passes"] = float(passes)
        for _ in range(passes):
            for x, label in zip(X, y, strict=True):
                self._see(x)
                play(x, label)

    def _start(self) -> Array:
        sized = self.kind == "arow" and not self.parameters["full"] and self.parameters["scale"] == "auto"
        return (
            (10 if sized else 1)
            * float(self.parameters.get("a", self.parameters.get("r", 1.0)) or 1.0)
            * np.eye(self.width)
        )

    def _see(self, x: Array) -> None:
        norm2 = float(x @ x)
        self.facts["rounds"] += 1
        self.facts["total_norm2"] += norm2
        self.facts["max_norm2"] = max(self.facts["max_norm2"], norm2)
        self.facts["reach2"] = max(self.facts["reach2"], float(self.w @ self.w))

    def _count(self, x: Array, label: float, score: float, update: bool) -> None:
        self.facts["mistakes"] += (1 if score >= 0 else -1) != label
        if update:
            self.facts["updates"] += 1
            self.facts["update_norm2"] += float(x @ x)

    def _perceptron(self, x: Array, label: float) -> None:
        score = float(self.w @ x)
        self.facts["loss"] += max(0.0, -label * score)
        self._count(x, label, score, label * score <= 0)
        if label * score <= 0:
            self.w = self.w + self.parameters["rate"] * label * x

    def _margin_perceptron(self, x: Array, label: float) -> None:
        score, size = float(self.w @ x), sqrt(self.w @ self.w)
        update = size == 0 or label * score < (1 - self.parameters["epsilon"]) * self.parameters["gamma"] * size
        self._count(x, label, score, update)
        if update:
            self.w = self.w + label * x

    def _passive_aggressive(self, x: Array, label: float) -> None:
        score, norm2 = float(self.w @ x), float(x @ x)
        loss = max(0.0, 1 - label * score)
        self.facts["loss"] += loss
        self.facts["slope2"] += loss**2
        self.close += abs(1 - label * score) < 1e-12
        self._count(x, label, score, loss > 0)
        c = self.parameters["C"]
        tau = {"PA": loss / norm2, "PA-I": min(c, loss / norm2), "PA-II": loss / (norm2 + 0.5 / c)}
        self.w = self.w + tau[self.parameters["variant"]] * label * x

    def _winnow(self, x: Array, label: float) -> None:
        signs = (1.0, -1.0) if self.parameters["balanced"] else (1.0,)
        most = max(float((sign * self.theta).max()) for sign in signs)
        parts = [np.exp(sign * self.theta - most) for sign in signs]
        total = sum(float(part.sum()) for part in parts)
        weights = sum(sign * part for sign, part in zip(signs, parts, strict=True)) / total
        score = float(weights @ x)
        self.facts["loss"] += max(0.0, -label * score)
        self._count(x, label, score, label * score <= 0)
        if label * score <= 0:
            self.theta = self.theta + self.parameters["eta"] * label * x
            self.facts["reach"] = max(self.facts["reach"], float(np.abs(x).max()))

    def _p_norm_perceptron(self, x: Array, label: float) -> None:
        p = self.parameters["norm"]
        size = float((np.abs(self.theta) ** p).sum() ** (1 / p))
        weights = np.sign(self.theta) * (np.abs(self.theta) / size) ** (p - 1) * size if size else self.theta
        score = float(weights @ x)
        self.facts["loss"] += max(0.0, -label * score)
        self._count(x, label, score, label * score <= 0)
        if label * score <= 0:
            self.theta = self.theta + self.parameters["rate"] * label * x
            self.facts["reach"] = max(self.facts["reach"], float((np.abs(x) ** p).sum() ** (1 / p)))

    def _outer(self, x: Array) -> Array:
        return np.outer(x, x) if self.parameters["full"] else np.diag(x * x)

    def _second_order_perceptron(self, x: Array, label: float) -> None:
        score = float(self.u @ np.linalg.solve(self.A + self._outer(x), x))
        self.facts["loss"] += max(0.0, -label * score)
        self._count(x, label, score, label * score <= 0)
        if label * score <= 0:
            self.u, self.A = self.u + label * x, self.A + self._outer(x)

    def _arow(self, x: Array, label: float) -> None:
        if self.parameters["matrix"] == "sketch":
            self._arow_sketched(x, label)
            return
        if not self.parameters["full"] and self.parameters["scale"] == "auto":
            self._arow_in_sizes(x, label)
            return
        score, spread = float(self.w @ x), self.parameters["r"] * float(x @ np.linalg.solve(self.A, x))
        loss = max(0.0, 1 - label * score)
        self.facts["loss"] += loss**2
        self._count(x, label, score, loss > 0)
        if loss > 0:
            self.w = self.w + loss / (spread + self.parameters["r"]) * label * self.parameters["r"] * np.linalg.solve(
                self.A, x
            )
            self.u, self.A = self.u + label * x, self.A + self._outer(x)

    def _arow_sketched(self, x: Array, label: float) -> None:
        score, sized = float(self.w @ x), self.parameters["scale"] == "auto"
        loss = max(0.0, 1 - label * score)
        self.facts["loss"] += loss**2
        self._count(x, label, score, loss > 0)
        if loss > 0:
            before = self.A
            self.largest = np.maximum(self.largest, x * x)
            self.A = np.diag(self.start() + self.S) + self.B.T @ self.B
            if sized:  # the weights that minimise the old quadratic form and what the prior has grown by
                self.w = np.linalg.solve(self.A, np.where(self.w != 0, before @ self.w, 0))
            self.w = self.w + (label - self.w @ x) * np.linalg.solve(self.A + np.outer(x, x), x)
            self.u, self.B = self.u + label * x, np.vstack([self.B, x])
            if len(self.B) == 2 * self.parameters["rank"]:
                D = self.start() + self.S
                _, lengths, axes = np.linalg.svd(self.B / np.sqrt(D), full_matrices=False)
                turned = lengths[:, None] * axes * np.sqrt(D)
                self.B, shed = turned[: self.parameters["rank"]], turned[self.parameters["rank"] :]
                self.S = self.S + (shed**2).sum(axis=0)
            self.A = np.diag(self.start() + self.S) + self.B.T @ self.B

    def start(self) -> Array:
        """What the diagonal of AROW's sketch starts with."""
        sizes = np.where(self.largest > 0, self.largest, 1.0)
        return (
            10 * self.parameters["r"] * sizes
            if self.parameters["scale"] == "auto"
            else np.full(self.width, self.parameters["r"])
        )

    def _arow_in_sizes(self, x: Array, label: float) -> None:
        start = np.diag(self.A) - self.S
        raised = self.S + np.where(self.largest < x * x, 10 * self.parameters["r"] * x * x, start)
        w = self.w * np.where(self.largest < x * x, np.where(self.largest > 0, np.diag(self.A), 0) / raised, 1)
        score, spread = float(w @ x), float(x @ (x / raised))
        loss = max(0.0, 1 - label * score)
        self.facts["loss"] += loss**2
        self._count(x, label, score, loss > 0)
        if loss > 0:
            self.w = w + loss / (spread + 1) * label * x / raised
            self.u, self.A, self.S = self.u + label * x, np.diag(raised + x * x), self.S + x * x
            self.largest = np.maximum(self.largest, x * x)

    def _online_gradient_descent(self, x: Array, label: float) -> None:
        margin = label * float(self.w @ x)
        value, slope = {
            "hinge": (max(0.0, 1 - margin), -1.0 if margin < 1 else 0.0),
            "logistic": (float(np.logaddexp(0, -margin)), -1 / (1 + float(np.exp(margin)))),
            "square": ((1 - margin) ** 2, -2 * (1 - margin)),
            "squared-hinge": (max(0.0, 1 - margin) ** 2, -2 * max(0.0, 1 - margin)),
            "perceptron": (max(0.0, -margin), -1.0 if margin <= 0 else 0.0),
        }[self.parameters["loss"]]
        self.facts["loss"] += value
        self._count(x, label, label * margin, slope != 0)
        self.longest = max(self.longest, float(np.sqrt(x @ x)))
        g = slope * label * x
        self.facts["slope2"] += float(g @ g)
        if slope == 0:
            return
        root = sqrt(self.facts["slope2"])
        slower = {"self-tuned": root, "scale-free": root * self.longest, "inverse-sqrt": sqrt(self.facts["rounds"])}
        rate = self.parameters["eta"] / slower.get(self.parameters["schedule"], 1.0)
        self.facts["step2"] += rate * float(g @ g)
        self.facts["first_rate"], self.facts["last_rate"] = self.facts["first_rate"] or rate, rate
        self.w = self.w - rate * g
        size = float(np.sqrt(self.w @ self.w))
        self.w = self.w * min(1.0, (self.parameters["radius"] or np.inf) / size) if size else self.w


def comparator(X: Array, y: Array, v: Array, run: Run, times: int = 1) -> Facts:
    """All sums of a vector over the rounds, and how the learner's geometry measures it."""
    margins = y * (X @ v)
    hinge = np.maximum(0, 1 - margins)
    charged = {
        "hinge": hinge,
        "squared-hinge": hinge**2,
        "square": (1 - margins) ** 2,
        "logistic": np.logaddexp(0, -margins),
        "perceptron": np.maximum(0, -margins),
    }
    kind = run.parameters.get("loss", "squared-hinge" if run.kind == "arow" else "hinge")
    numbers = {
        "norm": float(np.sqrt(v @ v)),
        "hinge": times * float(hinge.sum()),
        "squared_hinge": times * float((hinge**2).sum()),
        "loss": times * float(charged[kind].sum()),
        "least": float(margins.min()),
        "rounds": float(times * len(y)),
        "total_norm2": times * float((X**2).sum()),
        "max_norm2": float((X**2).sum(axis=1).max()),
        "product": float(v @ run.theta),
    }
    numbers["margin"] = numbers["least"] / numbers["norm"] if numbers["norm"] else 0.0
    sizes = np.abs(v)
    if run.kind == "winnow":
        shares = sizes[sizes > 0] / sizes.sum() if sizes.any() else np.zeros(0)
        count = len(v) * (2 if run.parameters["balanced"] else 1)
        numbers["own"] = float(sizes.sum())
        numbers["divergence"] = max(0.0, log(count) + float(shares @ np.log(shares))) if sizes.any() else 0.0
    elif run.kind == "p-norm-perceptron":
        q = run.parameters["norm"] / (run.parameters["norm"] - 1)
        numbers["own"] = float((sizes**q).sum() ** (1 / q))
    elif run.kind in ("second-order-perceptron", "arow"):
        numbers["own"] = sqrt(float(v @ run.A @ v))
    elif run.kind == "margin-perceptron":
        numbers["own"] = (1 - run.parameters["epsilon"]) * run.parameters["gamma"] * numbers["norm"]
    else:
        numbers["own"] = numbers["norm"]
    return numbers


def facts(run: Run) -> Facts:
    """What theorems may know of the learner at the end."""
    numbers: Facts = {
        "norm": float(np.sqrt(run.w @ run.w)),
        "rate": run.parameters.get("eta", run.parameters.get("rate", 1.0)),
    }
    numbers |= {"limit": run.parameters.get("C"), "radius": run.parameters.get("radius"), "reach": run.facts["reach"]}
    numbers |= {"p": run.parameters.get("norm"), "weights": run.width * (2 if run.parameters.get("balanced") else 1)}
    if "gamma" in run.parameters and "epsilon" in run.parameters:
        numbers["threshold"] = (1 - run.parameters["epsilon"]) * run.parameters["gamma"]
    if run.kind in ("second-order-perceptron", "arow"):
        size = float(run.parameters.get("a", run.parameters.get("r", 1.0)))
        start = size * np.eye(run.width) if not run.largest.any() else run.A - np.diag(run.S)
        if run.parameters["matrix"] == "sketch":
            start = np.diag(run.start())
        numbers["volume"] = float(np.linalg.slogdet(run.A)[1] - np.linalg.slogdet(start)[1])
        numbers["energy"] = float(run.u @ np.linalg.solve(run.A, run.u))
    return {name: value for name, value in numbers.items() if value is not None}


def _root(a: float, h: float) -> float:
    return (a / 2 + sqrt(a * a / 4 + h)) ** 2


def _lncosh(x: float) -> float:
    return log(cosh(x))


def _grown(hinge: float, norm: float, r: float, theta: float) -> float:
    """The largest M <= H + |v| g_M."""
    g, m = 0.0, 0
    while norm * theta < 1:
        g = sqrt(g * g + 2 * theta * g + r * r)
        if m + 1 > (hinge + norm * g) * (1 + 1e-9):
            return float(m)
        m += 1
    return float("inf")


def bound(theorem: str, m: Facts, v: Facts, w: Facts, parameters: Facts) -> float:
    """The printed formula of a theorem, of facts computed here."""
    r2, r, norm, h = m["max_norm2"], sqrt(m["max_norm2"]), v["norm"], v["hinge"]
    k = r2 / v["margin"] ** 2 if v["margin"] > 0 else float("inf")
    match theorem:
        case "separable" | "aggressive_separable" | "aggressive_mistakes":
            return k
        case "sharp":
            return _root(r * norm, h)
        case "squared_hinge":
            return (r * norm + sqrt(v["squared_hinge"])) ** 2
        case "total_distance":
            return r2 * norm**2 + 2 * h
        case "lengths":
            return h + norm * sqrt(m["update_norm2"])
        case "squared_lengths":
            return _root(sqrt(v["squared_hinge"]), norm * sqrt(m["update_norm2"]))
        case "posterior":
            return h + norm * w["norm"] / w["rate"]
        case "margin_closed":
            s = r / (v["margin"] - w["threshold"])
            return 2 * s * s + 2 * s
        case "margin_recursion":
            return _grown(0.0, 1 / v["margin"], r, w["threshold"])
        case "margin_clean_pass":
            return m["rounds"] / m["passes"] * (_grown(0.0, 1 / v["margin"], r, w["threshold"]) + 1)
        case "margin_hinge":
            return _grown(h, norm, r, w["threshold"])
        case "margin_attained":
            return 1.0
        case "limited_mistakes":
            return max(r2, 1 / parameters["C"]) * (norm**2 + 2 * parameters["C"] * h)
        case "limited_posterior":
            return max(r2, 1 / parameters["C"]) * (parameters["C"] * h + norm * w["norm"])
        case "damped_losses" | "damped_mistakes":
            return (r2 + 0.5 / parameters["C"]) * (norm**2 + 2 * parameters["C"] * v["squared_hinge"])
        case "posterior_regret" | "mistakes_from_regret":
            if not m["first_rate"]:
                return 0.0
            slower = max(0.0, 1 / m["last_rate"] - 1 / m["first_rate"])
            start = norm**2 / (2 * m["first_rate"]) + (norm + sqrt(m["reach2"])) ** 2 * slower / 2
            regret = start + m["step2"] / 2
            least = log(2) if parameters["loss"] == "logistic" else 1.0
            return regret if theorem == "posterior_regret" else (v["loss"] + regret) / least
        case "prior_regret":
            g = (
                r
                if parameters["loss"] in ("hinge", "logistic", "perceptron")
                else 2 * r * (1 + parameters["radius"] * r)
            )
            c, t = parameters["eta"], m["rounds"]
            d2 = (norm + (parameters["radius"] or 0.0)) ** 2
            lines = {
                "constant": norm**2 / (2 * c) + c * g * g * t / 2,
                "inverse-sqrt": (d2 / (2 * c) + c * g * g) * sqrt(t),
                "self-tuned": (d2 / (2 * c) + c) * g * sqrt(t),
            }
            return lines[parameters["schedule"]]
        case "winnow_separable":
            return v["divergence"] / (w["rate"] * v["least"] / v["own"] - _lncosh(w["rate"] * w["reach"]))
        case "winnow_hinge":
            if not v["own"]:
                return h
            rho = 1 / v["own"]
            return (v["divergence"] + w["rate"] * rho * h) / (w["rate"] * rho - _lncosh(w["rate"] * w["reach"]))
        case "winnow_textbook":
            if not v["own"]:
                return h
            rho = 1 / v["own"]
            return (log(w["weights"]) + w["rate"] * rho * h) / (w["rate"] * rho - (w["rate"] * w["reach"]) ** 2 / 2)
        case "winnow_posterior" | "p_norm_posterior":
            return h + v["product"] / w["rate"]
        case "p_norm_separable":
            return (w["p"] - 1) * (w["reach"] * v["own"] / v["least"]) ** 2
        case "p_norm_sharp":
            return _root(sqrt(w["p"] - 1) * w["reach"] * v["own"], h)
        case "second_order_data":
            return h + v["own"] * sqrt(w["volume"])
        case "second_order_posterior":
            return h + v["own"] * sqrt(w["energy"])
        case "arow_mistakes":
            u = m["updates"] - m["mistakes"]
            return h + v["own"] * sqrt(w["volume"] + u) - u
        case "arow_posterior":
            return h + v["own"] * sqrt(w["energy"]) - (m["updates"] - m["mistakes"])
    raise KeyError(theorem)


def separable(X: Array, y: Array) -> bool:
    """Whether some vector has every row on its right side, by a linear program."""
    from scipy.optimize import linprog

    z = y[:, None] * X
    solution = linprog(np.zeros(X.shape[1]), A_ub=-z, b_ub=-np.ones(len(z)), bounds=(None, None))
    return bool(solution.status == 0)


def largest_margin(X: Array, y: Array) -> float:
    """The largest min y <v, x> / |v|: the nearest point to 0 of the hull of the signed rows, by active sets."""
    from scipy.optimize import nnls

    # min |v| with <v, z> >= 1, from its dual as one problem of least squares without negative coefficients.
    z = y[:, None] * X
    stacked = np.vstack([z.T, np.ones(len(z))])
    target = np.append(np.zeros(z.shape[1]), 1.0)
    weights, _ = nnls(stacked, target, maxiter=100 * len(z))
    rest = target - stacked @ weights
    v = -rest[:-1] / rest[-1]
    return float((z @ v).min() / np.sqrt(v @ v))
