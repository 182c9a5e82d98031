// What two strategies guarantee: bounds that no rounding error crosses.
#pragma once
#include <cmath>

#include "compensated.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double unit_roundoff = 0x1p-53, spare = 0x1p-900;

// high + low, rounded to nearest: |low| <= half a unit in the last place of high. Two such are in order as their parts
// are.
struct Pair {
  double high, low;
  bool exact;
};
REGRETLESS_INLINE Pair pair_of(double a, double b, bool exact) {
  const double s = a + b;
  return {s, sum_error(a, b, s), exact};
}
REGRETLESS_INLINE bool below(const Pair& a, const Pair& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

// By how much a sum of n terms may be off; see compensated.hpp. Lanes that are joined add 16 to the number of
// additions, and twice the bound covers that the magnitudes too are sums that were rounded. Nothing at all where all
// errors are zero.
REGRETLESS_INLINE double bound_of(const Compensated<double>& sum, std::int64_t n) {
  return sum.errors == 0 ? 0.0 : sum.errors * (double(n + 16) * 2 * unit_roundoff) + spare;
}

// A number below a sum of n terms.
REGRETLESS_INLINE Pair floor_of(const Compensated<double>& sum, std::int64_t n) {
  const Pair p = pair_of(sum.sum, sum.rest, true);
  const double off = bound_of(sum, n);
  if (off == 0) return p;
  // The subtraction is rounded by at most u (|low| + off), and another u of it was lost when this was formed.
  const double below = p.low - (off + 4 * unit_roundoff * (magnitude(p.low) + off));
  return pair_of(p.high, below, false);
}

// The largest float that is not above a pair, as long as that is no overflow.
REGRETLESS_INLINE double down(const Pair& p) { return p.low < 0 ? std::nextafter(p.high, -infinity) : p.high; }

// A pair below the quotient of one and a sum of weights: one step of long division. The remainder of q = high /
// total.sum is a float, and so are the parts of it that are formed first; all else is below 2^-52 of it, and 16 u of
// what was added covers it. What underflows there is covered by `spare`, or was not there.
REGRETLESS_INLINE Pair quotient(const Pair& a, const Compensated<double>& total, std::int64_t n) {
  const Pair t = pair_of(total.sum, total.rest, true);
  const double off = bound_of(total, n);
  if (t.high == 1 && t.low == 0 && off == 0) return a;
  const double q = a.high / t.high, h = q * t.high, l = product_error(halves(q), halves(t.high), h);
  const double first = (a.high - h) - l, second = a.low - q * t.low, r = (first + second) / t.high;
  const double parts = magnitude(first) + magnitude(a.low) + magnitude(q * t.low);
  const double doubt = parts * (16 * unit_roundoff) + magnitude(q) * off * 2;
  if (doubt == 0 && a.exact && (q == 0 || magnitude(a.high) >= 0x1p-900)) return {q, 0, true};
  return pair_of(q, r - ((doubt + spare) / t.high * 2 + 4 * unit_roundoff * magnitude(r) + spare), false);
}

// No payoff and no weight so small that a product of two, or an error of one, underflows.
template <class M>
REGRETLESS_INLINE bool never_underflows(const M& a, std::int64_t entries, const double* weights, std::int64_t n) {
  double least = infinity;
  for (std::int64_t k = 0; k < entries; ++k) {
    const double value = magnitude(double(a.values[k]) * a.unit);
    if (a.values[k] != 0 && value < least) least = value;
  }
  for (std::int64_t i = 0; i < n; ++i)
    if (weights[i] != 0 && weights[i] < least) least = weights[i];
  return least >= 0x1p-450;
}
template <class V>
REGRETLESS_INLINE std::int64_t entries_of(const DenseRows<V>& a) {
  return a.rows * a.columns;
}
template <class V, class I>
REGRETLESS_INLINE std::int64_t entries_of(const SparseRows<V, I>& a) {
  return std::int64_t(a.starts[a.rows]);
}

// x 2^k, rounded down.
REGRETLESS_INLINE double scaled_down(double x, int k) {
  const double y = std::ldexp(x, k);
  return std::ldexp(y, -k) > x ? std::nextafter(y, -infinity) : y;
}

// The least of sums, from below.
struct Least {
  std::int64_t terms;
  Pair least{infinity, 0, true};
  REGRETLESS_INLINE void take(const Compensated<double>& sum) {
    const Pair p = floor_of(sum, terms);
    if (below(p, least)) least = p;
  }
};

// The least of the sums over the sum of the weights, in payoffs.
template <class M>
REGRETLESS_INLINE double guaranteed(const M& a, int exponent, const Least& extreme, const double* weights,
                                    std::int64_t n) {
  Pair p = extreme.least;
  if (!p.exact || !never_underflows(a, entries_of(a), weights, n)) {
    const double low = p.low - spare;  // what underflow may have hidden in any of them
    p = pair_of(p.high, low < p.low ? low : std::nextafter(p.low, -infinity), false);
  }
  p = quotient(p, total(weights, n), n);
  return scaled_down(down(p), exponent < -1022 ? -1022 : exponent);
}

// False if the weights are none.
REGRETLESS_INLINE bool are_weights(const double* weights, std::int64_t n) {
  double sum = 0;
  bool all = true;
  for (std::int64_t i = 0; i < n; ++i) {
    all &= weights[i] >= 0 && weights[i] <= 0x1p100;
    sum += weights[i];
  }
  return all && sum >= 0x1p-100 && sum <= 0x1p140;
}

// The least and the largest of numbers; false if one is infinite or none.
template <class V>
inline bool range_within(const V* values, std::int64_t count, Interval& bounds) {
  Octet least = eight(infinity), largest = eight(-infinity), spoiled = eight(0);
  for (std::int64_t k = 0; k < count; k += 8) {
    const Octet x = eight_of(values, k, count, double(values[0]));
    least = lower(least, x);
    largest = upper(largest, x);
    spoiled = spoiled + (x - x);
  }
  bounds = {smallest_of(least), largest_of(largest)};
  return in_all(spoiled) == 0;
}
inline bool range(const void* values, bool single, std::int64_t count, Interval& bounds) {
  if (single) return range_within(static_cast<const float*>(values), count, bounds);
  return range_within(static_cast<const double*>(values), count, bounds);
}

inline bool enclose(const GameMatrix& game, const double* row, const double* column, double* room, Interval& bounds) {
  if (!are_weights(row, game.rows) || !are_weights(column, game.columns)) return false;
  with_matrix(game, [&](const auto& a) {
    Least lower{a.rows}, upper{a.columns};
    column_products(a, row, room, [&](std::int64_t, const Compensated<double>& sum) { lower.take(sum); });
    row_products(a, column, room,
                 [&](std::int64_t, const Compensated<double>& sum) { upper.take({-sum.sum, -sum.rest, sum.errors}); });
    bounds = {guaranteed(a, game.exponent, lower, row, a.rows),
              -guaranteed(a, game.exponent, upper, column, a.columns)};
  });
  return true;
}

}  // namespace regretless::REGRETLESS_ISA
