"""Rounds of Exp3-IX beside other Exp3s in Python, many in one call and one at a time, and their cost as arms grow.

The world is the same for all: arms lose with probability 1/2, one of them with 0.3. The other packages take part where
they can be imported (`river`, `SMPyBandits`); the loop in numpy is what one writes without a package. They are given a
rate that they survive, and fewer rounds, as they are slow. All figures are CPU time a round.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import sys
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import scipy.special

from benchmarks import timing
from benchmarks.table.calls import numpy_exp3
from regretless.bandits import Exp3IX
from regretless.bandits.simulation import simulate
from regretless.environments import Bernoulli

OURS = "regretless"
ARMS = (10, 1000, 100_000)


def means_of(arms: int) -> Any:
    """Mean losses of the arms."""
    means = np.full(arms, 0.5)
    means[arms // 3] = 0.3
    return means


def river() -> Any:
    """river.bandit, or None."""
    try:
        from river import bandit
    except ImportError:
        return None
    return bandit


def smpybandits() -> Any:
    """The class Exp3 of SMPyBandits, or None."""
    # Neither is used by Exp3: the name that SciPy had for a function, and a package for pictures.
    if not hasattr(scipy.special, "btdtri"):
        scipy.special.btdtri = scipy.special.betaincinv
    if "seaborn" not in sys.modules and importlib.util.find_spec("seaborn") is None:
        sys.modules["seaborn"] = MagicMock()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(ImportError):
        from SMPyBandits.Policies.Exp3 import Exp3

        return Exp3
    return None


def compiled(core: Any, arms: int, rounds: int) -> None:
    """Play in compiled rounds."""
    means, starts, done = means_of(arms)[None], np.zeros(1, np.int64), 0
    while done < rounds:
        done += core.play_bernoulli(means, starts, 7, done, rounds)[0]


def of_river(policy: Any, arms: int, rounds: int) -> Callable[[], None]:
    """river's Exp3, which takes rewards."""
    everyone, rng, means = range(arms), np.random.default_rng(0), means_of(arms)

    def play() -> None:
        for _ in range(rounds):
            arm = policy.pull(everyone)
            policy.update(arm, float(rng.random() >= means[arm]))

    return play


def of_smpybandits(make: Any, arms: int, rounds: int) -> Callable[[], None]:
    """SMPyBandits' Exp3, past the rounds in which it must visit every arm once."""
    policy, rng, means = make(arms, gamma=0.01), np.random.default_rng(0), means_of(arms)
    policy.startGame()
    policy.t = arms

    def play() -> None:
        for _ in range(rounds):
            arm = policy.choice()
            policy.getReward(arm, float(rng.random() >= means[arm]))

    return play


def batches(arms: int, repeats: int) -> None:
    """Rounds in one call."""
    rounds = {
        OURS: 2_000_000,
        "loop in numpy": min(10_000, 5_000_000 // arms),
        "river": min(10_000, 1_000_000 // arms),
        "SMPyBandits": min(5_000, 1_000_000 // arms),
    }
    contest: dict[str, Callable[[], object]] = {
        OURS: lambda: compiled(Exp3IX(arms, seed=0).bare(), arms, rounds[OURS]),
        "loop in numpy": lambda: numpy_exp3(means_of(arms), rounds["loop in numpy"]),
    }
    if (bandit := river()) is not None:
        contest["river"] = of_river(bandit.Exp3(gamma=0.01, seed=0), arms, rounds["river"])
    if (exp3 := smpybandits()) is not None:
        contest["SMPyBandits"] = of_smpybandits(exp3, arms, rounds["SMPyBandits"])
    each = {name: seconds / rounds[name] for name, seconds in timing.in_process(contest, repeats).items()}
    timing.show(f"one play, {arms:,} arms", {name: s * 1e9 for name, s in each.items()}, "ns/round", OURS)
    print("  " + ", ".join(f"{name} {1 / s:,.0f} rounds/s" for name, s in each.items()))


def live(arms: int, repeats: int) -> None:
    """A draw and its loss, called from Python."""
    bandit, some, few = Exp3IX(arms, seed=0), 20_000, 20_000 if arms < 1000 else 10
    core = bandit.bare()

    def bare() -> None:
        for _ in range(some):
            core.update(core.draw(), 0.5)

    def tickets() -> None:
        for _ in range(some):
            bandit.update(bandit.draw(), 0.5)

    contest: dict[str, Callable[[], object]] = {f"{OURS}, bare": bare, f"{OURS}, tickets": tickets}
    if (package := river()) is not None:
        contest["river"] = of_river(package.Exp3(gamma=0.01, seed=0), arms, few)
    best = timing.in_process(contest, repeats)
    each = {name: seconds / (few if name == "river" else some) * 1e6 for name, seconds in best.items()}
    timing.show(f"live, {arms:,} arms", each, "us/round", f"{OURS}, bare")


def growth(repeats: int) -> None:
    """The curve of the cost of a round against the number of arms."""
    rounds = 1_000_000

    def once(arms: int) -> float:
        core = Exp3IX(arms, rate=float(np.sqrt(2 * np.log(arms) / (arms * rounds))), seed=0).bare()
        return timing.seconds(lambda: compiled(core, arms, rounds))

    print("\na round as arms grow: ns, and ns for each doubling of the arms")
    for arms in (2, 10, 16, 100, 1000, 10_000, 100_000, 1_000_000):
        cost = min(once(arms) for _ in range(repeats)) / rounds * 1e9
        print(f"  {arms:9,d} {cost:8.1f} {cost / np.log2(arms):8.2f}")


def others_end() -> None:
    """Where the other packages stop, and what one of them insists on."""
    if (package := river()) is not None:
        policy, number = package.Exp3(gamma=0.5, seed=0), 0
        with contextlib.suppress(OverflowError, ValueError):
            while number < 1_000_000:
                policy.update(policy.pull(range(10)), 1.0)
                number += 1
        print(f"\nriver's weights are beyond floats after {number:,} rounds of reward 1")
    if (exp3 := smpybandits()) is not None:
        policy = exp3(50, gamma=0.01)
        policy.startGame()
        names = set()
        for _ in range(50):
            arm = int(policy.choice())
            names.add(arm)
            policy.getReward(arm, 0.0)
        print(f"SMPyBandits visits {len(names)} of 50 arms in its first 50 rounds, whatever they cost")


def endurance(rounds: int) -> None:
    """A long game against an arm that is by far the best for half of it, and by far the worst from then on."""
    means = np.full((2, 10), 0.6)
    means[0, 0], means[1, 0], means[:, 1] = 0.2, 1.0, 0.5
    starts = np.array([0, rounds // 2])
    bandit, done, before = Exp3IX(10, seed=0), 0, time.process_time()
    core = bandit.bare()
    while done < rounds:
        done += core.play_bernoulli(means, starts, 7, done, rounds)[0]
    seconds, regret = time.process_time() - before, bandit.ledger_.loss - 0.5 * rounds
    print(f"\n{OURS}: {rounds:,} rounds of 10 arms in {seconds:.1f} s, regret {regret:,.0f}")
    for certificate in bandit.certify():
        if certificate.bound is not None:
            print(f"  {certificate.theorem.title}: at most {certificate.bound:,.0f}")


def many_runs() -> None:
    """A thousand runs of ten thousand rounds: all cores."""
    before, cpu = time.perf_counter(), time.process_time()
    pulls = simulate(Exp3IX(10, seed=0), Bernoulli(means_of(10)), rounds=10_000, runs=1000)
    took, work = time.perf_counter() - before, time.process_time() - cpu
    print(f"\n1,000 runs of 10,000 rounds, 10 arms: {took:.2f} s on {work / took:.2f} cores")
    again = simulate(Exp3IX(10, seed=0), Bernoulli(means_of(10)), rounds=10_000, runs=3, workers=1)
    print(f"  the first runs alone are the same: {np.array_equal(again.losses, pulls.losses[:3])}")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=100_000_000, help="how many the long game has")
    options = parser.parse_args()
    absent = [name for name, peer in (("river", river()), ("SMPyBandits", smpybandits())) if peer is None]
    if absent:
        print(f"not installed, and so not compared: {', '.join(absent)}")
    for arms in ARMS:
        batches(arms, options.repeats)
    for arms in (ARMS[0], ARMS[-1]):
        live(arms, options.repeats)
    growth(options.repeats)
    many_runs()
    others_end()
    endurance(options.rounds)


if __name__ == "__main__":
    main()
