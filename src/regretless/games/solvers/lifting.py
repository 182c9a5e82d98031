"""Exact solution of integer linear equations by Dixon's method: modulo a prime, then modulo its powers."""

from __future__ import annotations

from math import ceil, gcd, isqrt, log2
from typing import Any

import numpy as np

from ..methods import StopCheck, never_stop

Integers = np.ndarray[Any, np.dtype[np.object_]]
Longs = np.ndarray[Any, np.dtype[np.int64]]

# Below 2^25: sums of thousands of products of two such numbers are below 2^63.
PRIMES = (33554393, 33554383, 33554371)
_BITS = 25
_MOST = 4096


def lifted(matrix: Integers, check_stop: StopCheck = never_stop) -> Integers | None:
    """Integer weights for which the weighted sum of the columns has equal positive entries.

    The digits of the solution of ``matrix @ x = 1`` to the base of a prime are computed one by one, each with two
    products of numbers below 2^25; fractions are read from them and checked (Dixon 1982). Cramer's rule and Hadamard's
    inequality bound the number of digits.

    Parameters
    ----------
    matrix : ndarray of object
        Square, of whole numbers.
    check_stop : callable
        Called at intervals; an exception ends the computation.

    Returns
    -------
    ndarray of object or None
        None if the matrix is singular, or singular modulo each of the primes.
    """
    size = len(matrix)
    if not 0 < size <= _MOST:
        return None
    for prime in PRIMES:
        inverse = _inverse((matrix % prime).astype(np.int64), prime, check_stop)
        if inverse is not None:
            return _digits(matrix, inverse, prime, check_stop)
    return None


def _inverse(matrix: Longs, prime: int, check_stop: StopCheck) -> Longs | None:
    """The inverse modulo a prime, by Gauss and Jordan in place; None if there is none."""
    order = np.arange(len(matrix))
    for place in range(len(matrix)):
        check_stop()
        below = np.flatnonzero(matrix[place:, place])
        if not below.size:
            return None
        swapped = [place, place + int(below[0])]
        matrix[swapped], order[swapped] = matrix[swapped[::-1]], order[swapped[::-1]]
        pivot = pow(int(matrix[place, place]), -1, prime)
        line, factors = matrix[place] * pivot % prime, matrix[:, place].copy()
        line[place], matrix[:, place] = pivot, 0
        matrix = (matrix - np.multiply.outer(factors, line)) % prime
        matrix[place] = line
    inverse = np.empty_like(matrix)
    inverse[:, order] = matrix
    return inverse


def _digits(matrix: Integers, inverse: Longs, prime: int, check_stop: StopCheck) -> Integers | None:
    """The solution from its digits, checked after 1.5 times as many digits each time."""
    size, largest = len(matrix), int(abs(matrix).max())
    # Each digit has the sign of its number.
    signs, rest, limbs = np.where(matrix < 0, -1, 1), abs(matrix), []
    while (rest > 0).any():
        limbs.append((rest % (1 << _BITS)).astype(np.int64) * signs)
        rest = rest >> _BITS
    most = ceil((size * (2 * log2(largest) + log2(size)) + 64) / log2(prime)) + 1
    left, digits, power, tried_at = np.full(size, 1, dtype=object), np.full(size, 0, dtype=object), 1, 8
    for count in range(1, most + 1):
        check_stop()
        digit = inverse @ (left % prime).astype(np.int64) % prime
        product = sum((limb @ digit).astype(object) << (_BITS * place) for place, limb in enumerate(limbs))
        left, digits, power = (left - product) // prime, digits + digit.astype(object) * power, power * prime
        if count >= tried_at or count == most:
            tried_at = count + count // 2
            weights = _fractions(digits, power, check_stop)
            if weights is not None and len(sums := set(matrix @ weights)) == 1 and (total := sums.pop()) != 0:
                return weights if total > 0 else -weights
    return None


def _fractions(integers: Integers, power: int, check_stop: StopCheck) -> Integers | None:
    """The numerators over one denominator of fractions with these remainders; None if the digits do not suffice."""
    common, bound = 1, isqrt(power >> 8)
    for number in integers:
        check_stop()
        value = number * common % power
        if min(value, power - value) > bound:
            denominator = _denominator(value, power)
            if denominator * common > bound:
                return None
            common *= denominator
    values = integers * common % power
    numerators: Integers = np.where(values > power // 2, values - power, values)
    return numerators


def _denominator(value: int, power: int) -> int:
    """The denominator of the simplest fraction with this remainder, by Euclid's algorithm."""
    bound, (above, below), (past, now) = isqrt(power // 2), (power, value), (0, 1)
    while below > bound:
        quotient = above // below
        above, below = below, above - quotient * below
        past, now = now, past - quotient * now
    return abs(now) // gcd(now, below)
