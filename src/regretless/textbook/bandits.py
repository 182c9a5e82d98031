"""Bandits: an arm is drawn, and its loss alone is seen.

A table has a row of losses in [0, 1] per round, nan for an arm that is asleep, and a round takes one uniform number.
Every rule answers with the arms that were drawn, the probabilities of all arms in each round, and its final sums.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
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
