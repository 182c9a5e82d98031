"""Bandits: an arm is drawn, and its loss alone is seen.

A table has a row of losses in [0, 1] per round, nan for an arm that is asleep, and a round takes one uniform number.
Every rule answers with the arms that were drawn, the probabilities of all arms in each round, and its final sums.
"""

from collections.abc import Callable, Iterator, Mapping
from math import log, log1p, sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]
Game = tuple[Array, Array, Array]


def drawn(p: Array, u: float) -> int:
    """The first arm with u < p_1 + .. + p_i; rounding may leave a last u to the last arm that can be drawn."""
    beyond = np.flatnonzero((u < np.cumsum(p)) & (p > 0))
    return int(beyond[0] if len(beyond) else np.flatnonzero(p)[-1])


def among(weights: Array, awake: Array) -> Array:
    """Probabilities of those awake, in proportion to their weights."""
    w = np.where(awake, weights, 0.0)
    shares: Array = w / w.sum()
    return shares


def exponential(eta: float, losses: Array, awake: Array) -> Array:
    """Probabilities in proportion to exp(-eta * losses) of those awake."""
    return among(np.exp(-eta * np.maximum(losses - losses[awake].min(), 0.0)), awake)


def learned(estimate: Array, p: Array, awake: Array) -> Array:
    """What is added to the sums. Arms asleep are charged what the mix is, which is taken off all: differences count."""
    return estimate if awake.all() else np.where(awake, estimate - p @ estimate, 0.0)


def credited(estimate: Array, p: Array, awake: Array) -> Array:
    """The same without taking anything off: arms asleep are given what the mix is."""
    return np.where(awake, estimate, p @ estimate)


def at(arm: int, value: float, arms: int) -> Array:
    """The value in the place of the arm, and zeros elsewhere."""
    row = np.zeros(arms)
    row[arm] = value
    return row


def epochs(rounds: int) -> Array:
    """The first round of the epoch of each round; an epoch is a tenth as long as all before it."""
    starts, first, after = np.empty(rounds), 1, 2
    for t in range(1, rounds + 1):
        if t == after:
            first, after = t, int(1.1 * t) + 1
        starts[t - 1] = first
    return starts


def anytime(rounds: int, arms: int, comparators: int = 0) -> Array:
    """The rates sqrt(ln n / (t n)), which are held over each epoch."""
    rates: Array = np.sqrt(np.log(comparators or arms) / (arms * epochs(rounds)))
    return rates


def every_round(rounds: int, arms: int, comparators: int = 0) -> Array:
    """The rates sqrt(ln n / (t K)) of each round t, as they are printed."""
    rates: Array = np.sqrt(np.log(comparators or arms) / (arms * np.arange(1, rounds + 1)))
    return rates


def exp3(losses: Array, uniforms: Array, rates: Any) -> Game:
    """Exponential weights of estimated losses: the loss of the drawn arm, over its probability."""
    return exp3_ix(losses, uniforms, rates, 0.0)


def exp3_ix(losses: Array, uniforms: Array, rates: Any, gammas: Any) -> Game:
    """Exp3 with implicit exploration: the loss of the drawn arm, over its probability plus gamma."""
    rounds, arms = losses.shape
    sums, draws, history = np.zeros(arms), np.zeros(rounds, int), np.zeros((rounds, arms))
    etas, biases = np.broadcast_to(rates, rounds), np.broadcast_to(gammas, rounds)
    for t, row in enumerate(losses):
        awake = ~np.isnan(row)
        p = exponential(etas[t], sums, awake)
        arm = drawn(p, uniforms[t])
        sums += learned(at(arm, row[arm] / (p[arm] + biases[t]), arms), p, awake)
        draws[t], history[t] = arm, p
    return draws, history, sums


def exp3_p(losses: Array, uniforms: Array, eta: float, beta: float, explore: float) -> Game:
    """Exponential weights of estimated gains 1 - loss, which are kept high, mixed with uniform exploration."""
    rounds, arms = losses.shape
    gains, draws, history = np.zeros(arms), np.zeros(rounds, int), np.zeros((rounds, arms))
    for t, row in enumerate(losses):
        awake = ~np.isnan(row)
        mix = (1 - explore) * exponential(eta, -gains, np.ones(arms, bool)) + explore / arms
        p = among(mix, awake)
        arm = drawn(p, uniforms[t])
        gains += credited(np.divide(beta, p, out=np.zeros(arms), where=awake), p, awake)
        gains += credited(at(arm, (1 - row[arm]) / p[arm], arms), p, awake)
        draws[t], history[t] = arm, p
    return draws, history, gains


def tsallis_weights(eta: float, losses: Array) -> Array:
    """4 / (eta (L_i - x))^2 for the x at which they sum to one, by Newton's method, which stays on the right of it."""
    above = losses - losses.min()
    x = -2 / eta
    for _ in range(200):
        w = 4 / (eta * (above - x)) ** 2
        step = (w.sum() - 1) / (eta * (w**1.5).sum())
        if abs(step) <= 1e-15 * abs(x):
            break
        x -= step
    shares: Array = w / w.sum()
    return shares


def tsallis_inf(losses: Array, uniforms: Array, reduced: bool = False) -> Game:
    """Weights that fall as the inverse square of the losses; "reduced" estimates start from a guess of 1/2."""
    rounds, arms = losses.shape
    sums, draws, history = np.zeros(arms), np.zeros(rounds, int), np.zeros((rounds, arms))
    for t, row in enumerate(losses):
        awake, eta = ~np.isnan(row), (4 if reduced else 2) / np.sqrt(t + 1)
        p = among(tsallis_weights(eta, sums), awake)
        arm = drawn(p, uniforms[t])
        guess = np.where(awake & (p >= eta**2), 0.5, 0.0) if reduced else np.zeros(arms)
        sums += credited(guess + at(arm, (row[arm] - guess[arm]) / p[arm], arms), p, awake)
        draws[t], history[t] = arm, p
    return draws, history, sums


def exp3_s(losses: Array, uniforms: Array, eta: float, share: float) -> Game:
    """Exp3 from round to round, after each of which a share of the weights is dealt out again."""
    rounds, arms = losses.shape
    w, sums = np.full(arms, 1 / arms), np.zeros(arms)
    draws, history = np.zeros(rounds, int), np.zeros((rounds, arms))
    for t, row in enumerate(losses):
        awake = ~np.isnan(row)
        p = among(w, awake)
        arm = drawn(p, uniforms[t])
        change = learned(at(arm, row[arm] / p[arm], arms), p, awake)
        w = among(w * np.exp(-eta * (change - change.min())), w > 0)
        w, sums = (1 - share) * w + share / arms, sums + change
        draws[t], history[t] = arm, p
    return draws, history, sums


def hedge(losses: Array, uniforms: Array, rates: Any) -> Game:
    """Exponential weights of losses that are all revealed after the draw."""
    rounds, arms = losses.shape
    sums, draws, history = np.zeros(arms), np.zeros(rounds, int), np.zeros((rounds, arms))
    for t, (row, eta) in enumerate(zip(losses, np.broadcast_to(rates, rounds), strict=True)):
        awake = ~np.isnan(row)
        p = exponential(eta, sums, awake)
        draws[t], history[t] = drawn(p, uniforms[t]), p
        sums += learned(np.where(awake, row, 0.0), p, awake)
    return draws, history, sums


def exp4(losses: Array, uniforms: Array, rates: Any, advice: Array) -> Game:
    """Exponential weights of experts by estimated losses; advice[t, n] is expert n's distribution over the arms."""
    rounds, arms = losses.shape
    sums, draws, history = np.zeros(advice.shape[1]), np.zeros(rounds, int), np.zeros((rounds, arms))
    for t, (row, eta) in enumerate(zip(losses, np.broadcast_to(rates, rounds), strict=True)):
        p = exponential(eta, sums, np.ones(len(sums), bool)) @ advice[t]
        arm = drawn(p, uniforms[t])
        sums += advice[t] @ at(arm, row[arm] / p[arm], arms)
        draws[t], history[t] = arm, p
    return draws, history, sums


def implicit_losses(losses: Array, game: Game, gammas: Any, advice: Array | None = None) -> Array:
    """Estimates that are unlikely to be much too large, for every arm or expert: losses over probability plus gamma."""
    draws, history, _ = game
    rounds = np.arange(len(draws))
    estimates = losses[rounds, draws] / (history[rounds, draws] + gammas)
    if advice is not None:
        sums: Array = estimates @ advice[rounds, :, draws]
        return sums
    return np.bincount(draws, estimates, losses.shape[1])


# ---- Bandits for losses that are independent draws, and their bounds: UCB1, MOSS, KL-UCB and Thompson sampling. Each
# ---- answers with the arms that it drew, and with the sums of the losses of each arm that were seen.


Index = Callable[[Array, Array, int], Array]
SETS = 32  # of means that are drawn from the posterior before each draw of an arm
OTHER_KEY = 0x9E3779B97F4A7C15  # by which the numbers for these differ from those for arms


def by_index(losses: Array, index: Index) -> tuple[Array, Array]:
    """Draw the arm whose mean loss may be the least, in round t = 1, 2, .. after each arm once; of equals the first."""
    rounds, arms = losses.shape
    sums, counts, draws = np.zeros(arms), np.zeros(arms), np.zeros(rounds, int)
    for t, row in enumerate(losses, start=1):
        with np.errstate(all="ignore"):
            least = np.where(counts > 0, index(sums / counts, counts, t), -np.inf)
        arm = int(np.argmin(np.where(np.isnan(row), np.inf, least)))
        sums[arm], counts[arm], draws[t - 1] = sums[arm] + row[arm], counts[arm] + 1, arm
    return draws, sums


def ucb1(mean: Array, n: Array, t: int) -> Array:
    """Mean loss less sqrt(2 ln(t - 1) / n)."""
    index: Array = mean - np.sqrt(2 * np.log(max(t - 1, 1)) / n)
    return index


def moss(horizon: int) -> Index:
    """Mean loss less sqrt(max(ln(T / (K n)), 0) / n)."""

    def index(mean: Array, n: Array, t: int) -> Array:
        result: Array = mean - np.sqrt(np.maximum(np.log(horizon / (len(n) * n)), 0) / n)
        return result

    return index


def kl(p: Array, q: Array) -> Array:
    """Relative entropy of coins with these means."""
    with np.errstate(all="ignore"):
        one = np.where(p > 0, p * np.log(p / q), 0.0)
        return one + np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)


def kl_ucb(mean: Array, n: Array, t: int) -> Array:
    """The least mean q with n kl(mean, q) <= ln(1 + t ln(t)^2), by halving."""
    low, high = np.zeros(len(n)), np.minimum(mean, 1.0)
    for _ in range(50):
        q = (low + high) / 2
        far = n * kl(np.minimum(mean, 1.0), q) > np.log1p(t * np.log(t) ** 2)
        low, high = np.where(far, q, low), np.where(far, high, q)
    index: Array = np.where(mean > 0, high, 0.0)
    return index


def numbers(seed: int, run: int, t: int) -> Iterator[float]:
    """The uniform numbers for draw t: a stretch of a stream with another key than that of the draws."""
    key = np.array([seed ^ OTHER_KEY, run], np.uint64)
    stream = np.random.Generator(np.random.Philox(key=key, counter=t << 30))
    while True:
        yield float(stream.random())


def normal(u: Iterator[float]) -> float:
    """Of mean 0 and variance 1: Marsaglia's polar method."""
    while True:
        x, y = 2 * next(u) - 1, 2 * next(u) - 1
        r = x * x + y * y
        if 0 < r < 1:
            return float(x * np.sqrt(-2 * np.log(r) / r))


def gamma(u: Iterator[float], shape: float) -> float:
    """Of a shape of at least 1: Marsaglia and Tsang 2000."""
    d = shape - 1 / 3
    while True:
        x = normal(u)
        v = (1 + x / np.sqrt(9 * d)) ** 3
        if v > 0 and np.log(1 - next(u)) < x * x / 2 + d - d * v + d * np.log(v):
            return float(d * v)


def beta(u: Iterator[float], lost: float, known: float) -> float:
    """A mean loss by its posterior, if it was uniform before."""
    x, y = gamma(u, 1 + lost), gamma(u, 1 + known - lost)
    return x / (x + y)


def gaussian(u: Iterator[float], lost: float, known: float) -> float:
    """Minus a mean gain that is normal around gains / (n + 1), with variance 1 / (n + 1)."""
    return float(-((known - lost) / (known + 1) + normal(u) / np.sqrt(known + 1)))


def thompson(
    losses: Array, uniforms: Array, seed: int, run: int, posterior: str = "beta"
) -> tuple[Array, Array, Array]:
    """Draw the arm that is best in one of 32 sets of means by the posterior; the shares of the sets besides."""
    rounds, arms = losses.shape
    sums, counts, draws = np.zeros(arms), np.zeros(arms), np.zeros(rounds, int)
    history, sample = np.zeros((rounds, arms)), beta if posterior == "beta" else gaussian
    for t, row in enumerate(losses, start=1):
        u, awake, won = numbers(seed, run, t), np.flatnonzero(~np.isnan(row)), np.zeros(arms)
        for _ in range(SETS):
            won[awake[np.argmin([sample(u, sums[i], counts[i]) for i in awake])]] += 1
        arm = int(np.argmax(uniforms[t - 1] * SETS < np.cumsum(won)))
        sums[arm], counts[arm], draws[t - 1] = sums[arm] + row[arm], counts[arm] + 1, arm
        history[t - 1] = won / SETS
    return draws, history, sums


# ---- The run of a report, played again with its settings, its number and how many there are; None where it has others
# ---- than these, or would take minutes

MOST_SAMPLED = 10_000  # losses of all arms in all runs, of which Thompson sampling draws each mean 32 times

Play = Callable[[Fields, Array, Array], tuple[Any, ...] | None]


def _indexed(index: Callable[[Fields], Index]) -> Play:
    return lambda parameters, units, luck: by_index(units, index(parameters))


def _exp3_p(parameters: Fields, units: Array, luck: Array) -> tuple[Any, ...] | None:
    horizon, arms = parameters.get("horizon"), units.shape[1]
    if horizon is None or parameters["rate"] is not None:
        return None
    kt, n = arms * horizon, log(arms)
    explore = min(0.5, 1.05 * sqrt(arms * n / horizon))
    return exp3_p(units, luck, 0.95 * sqrt(n / kt), sqrt(log(arms / parameters["delta"]) / kt), explore)


def _exp3_s(parameters: Fields, units: Array, luck: Array) -> tuple[Any, ...] | None:
    return exp3_s(units, luck, *_sharing(parameters, units.shape[1]))


def _exp3_ix(parameters: Fields, units: Array, luck: Array) -> tuple[Any, ...] | None:
    rate = _rate(parameters, units, 1.0, 2 * log(units.shape[1]) / units.shape[1])
    return exp3_ix(units, luck, rate, rate / 2)


def _exp3(parameters: Fields, units: Array, luck: Array) -> tuple[Any, ...] | None:
    return exp3(units, luck, _rate(parameters, units, 1.0, 2 * log(units.shape[1]) / units.shape[1]))


def _hedge(parameters: Fields, units: Array, luck: Array) -> tuple[Any, ...] | None:
    return hedge(units, luck, _rate(parameters, units, 2 * sqrt(units.shape[1]), 8 * log(units.shape[1])))


def _rate(parameters: Fields, units: Array, scale: float, tuned: float) -> Any:
    """The rate that is given, or the one that is tuned for so many rounds, or the ones that fall."""
    if parameters["rate"] is not None:
        return parameters["rate"]
    if parameters.get("horizon") is not None:
        return sqrt(tuned / parameters["horizon"])
    return scale * (anytime if parameters["epochs"] else every_round)(*units.shape)


def _thompson(parameters: Fields, units: Array, luck: Array) -> tuple[Any, ...] | None:
    if parameters["runs"] * units.size > MOST_SAMPLED:
        return None
    return thompson(units, luck, parameters["seed"], parameters["run"], parameters["posterior"])


def _sharing(parameters: Fields, arms: int) -> tuple[float, float]:
    """Rate and share of a learner that keeps up with switches."""
    if parameters["rate"] is not None:
        return parameters["rate"], parameters["share"]
    rounds, switches = parameters["horizon"], parameters["switches"]
    share = min(max(switches / max(rounds - 1, 1), 1 / rounds), 0.5)
    nats = (switches + 1) * log(arms) - switches * log(share) - (rounds - switches - 1) * log1p(-share)
    return sqrt(2 * nats / (arms * rounds)), share


PLAYS: dict[Callable[..., Any] | None, Play] = {
    tsallis_inf: lambda s, units, luck: tsallis_inf(units, luck, s["estimator"] != "importance"),
    ucb1: _indexed(lambda _: ucb1),
    kl_ucb: _indexed(lambda _: kl_ucb),
    moss: _indexed(lambda parameters: moss(parameters["horizon"] or 1)),
    exp3: _exp3,
    exp3_ix: _exp3_ix,
    exp3_p: _exp3_p,
    exp3_s: _exp3_s,
    hedge: _hedge,
    thompson: _thompson,
}


# ---- Bounds


def _lucky(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> float:
    """The luck of the best arm in hindsight."""
    return float(np.sqrt(2 * ledger["rounds"] * np.log(w["arms"]))) if v["name"] == "best_arm" else 0.0


def _whole(formula: Callable[[float, float, dict[str, Any]], Any]) -> Any:
    """A bound in units, by the number of rounds and of arms, times what a unit is worth; 0 for one arm."""

    def value(ledger: dict[str, Any], v: dict[str, Any], w: dict[str, Any]) -> Any:
        if w["arms"] == 1:
            return 0.0
        return w["width"] * float(formula(ledger["rounds"], w["arms"], w) + _lucky(ledger, v, w))

    return value


def _by_gaps(draws: Callable[[float, float, Any], Any]) -> Any:
    """Gaps times draws of each arm, of which there are no more than rounds."""

    def value(T: float, K: float, w: dict[str, Any]) -> Any:
        means = np.array(w["means"])
        worse = means[means > means.min()]
        return sum((mean - means.min()) * np.minimum(draws(T, mean, means.min()), T) for mean in worse)

    return _whole(value)


def _kl_draws(T: float, mean: float, best: Any) -> Any:
    """The least over margins of sixteenths of the gap."""
    e1, e2 = np.meshgrid(*2 * [np.arange(1, 16) / 16 * (mean - best)])
    with np.errstate(all="ignore"):
        draws = np.log1p(T * np.log(T) ** 2) / kl(mean - e1, best + e2) + 0.5 / e1**2 + 2 / e2**2
    return np.min(draws[e1 + e2 < (mean - best) * (1 - 1 / 32)])


BOUNDS = {
    "expected": {
        "ucb1_gaps": _by_gaps(lambda T, mean, best: 8 * np.log(T) / (mean - best) ** 2 + 1 + np.pi**2 / 3),
        "kl_ucb_gaps": _by_gaps(_kl_draws),
        "ucb1": _whole(lambda T, K, w: np.sqrt(32 * (K - 1) * T * np.log(T)) + (K - 1) + (K - 1) * np.pi**2 / 3),
        "kl_ucb": _whole(lambda T, K, w: np.sqrt((K - 1) * T * (8 * np.log(1 + T * np.log(T) ** 2) + 160))),
        "moss": _whole(lambda T, K, w: 39 / 2 * np.sqrt(K * w["horizon"]) + (K - 1)),
        "thompson": _whole(lambda T, K, w: np.sqrt(K * T * np.log(K)) / np.sqrt(2)),
    }
}
