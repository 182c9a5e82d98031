"""Linear equations in whole numbers, solved exactly by Dixon's method: modulo a prime, then modulo its powers."""

from __future__ import annotations

from math import ceil, gcd, isqrt, log2
from typing import Any

import numpy as np

from .interrupt import Look, unheard

Integers = np.ndarray[Any, np.dtype[np.object_]]
Longs = np.ndarray[Any, np.dtype[np.int64]]

# Below 2^25: thousands of products of two such numbers add up to less than 2^63.
PRIMES = (33554393, 33554383, 33554371)
_BITS = 25
_MOST = 4096


def lifted(matrix: Integers, look: Look = unheard) -> Integers | None:
    """Whole numbers by which the columns of a square matrix add up to one positive number in every row.

    The digits of the solution of ``matrix @ x = 1`` to the base of a prime come one by one, each for two products with
    numbers below 2^25; when they are enough, the fractions are read from them and tried (Dixon 1982). By Cramer's rule
    and Hadamard's inequality it is known how many can be needed.

    Parameters
    ----------
    matrix : ndarray of object
        Square, of whole numbers.
    look : callable
        Called now and then; it may end all by an exception.

    Returns
    -------
    ndarray of object or None
        None if the matrix is singular, or seems to be.
    """
    size = len(matrix)
    if not 0 < size <= _MOST:
        return None
    for prime in PRIMES:
        inverse = _inverse((matrix % prime).astype(np.int64), prime, look)
        if inverse is not None:
            return _digits(matrix, inverse, prime, look)
    return None


def _inverse(matrix: Longs, prime: int, look: Look) -> Longs | None:
    """The inverse modulo a prime, by Gauss and Jordan in place; None if there is none."""
    order = np.arange(len(matrix))
    for place in range(len(matrix)):
        look()
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


def _digits(matrix: Integers, inverse: Longs, prime: int, look: Look) -> Integers | None:
    """The solution from its digits, looked at ever more rarely."""
    size, largest = len(matrix), int(abs(matrix).max())
    # The sign of a number goes with all of its digits.
    signs, rest, limbs = np.where(matrix < 0, -1, 1), abs(matrix), []
    while (rest > 0).any():
        limbs.append((rest % (1 << _BITS)).astype(np.int64) * signs)
        rest = rest >> _BITS
    most = ceil((size * (2 * log2(largest) + log2(size)) + 64) / log2(prime)) + 1
    left, digits, power, tried_at = np.full(size, 1, dtype=object), np.full(size, 0, dtype=object), 1, 8
    for count in range(1, most + 1):
        look()
        digit = inverse @ (left % prime).astype(np.int64) % prime
        product = sum((limb @ digit).astype(object) << (_BITS * place) for place, limb in enumerate(limbs))
        left, digits, power = (left - product) // prime, digits + digit.astype(object) * power, power * prime
        if count >= tried_at or count == most:
            tried_at = count + count // 2
            weights = _fractions(digits, power, look)
            if weights is not None and len(sums := set(matrix @ weights)) == 1 and (total := sums.pop()) != 0:
                return weights if total > 0 else -weights
    return None


def _fractions(integers: Integers, power: int, look: Look) -> Integers | None:
    """The numerators over one denominator of fractions known by their remainders; None if they look like chance."""
    common, bound = 1, isqrt(power >> 8)
    for number in integers:
        look()
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
    """That of the simplest fraction with this remainder, by Euclid's algorithm."""
    bound, (above, below), (past, now) = isqrt(power // 2), (power, value), (0, 1)
    while below > bound:
        quotient = above // below
        above, below = below, above - quotient * below
        past, now = now, past - quotient * now
    return abs(now) // gcd(now, below)
