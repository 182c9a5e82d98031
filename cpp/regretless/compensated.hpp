// Sums of products as accurate as if they were formed in twice the digits, with a proven bound on what is left.
//
// A product is h + e without any error, a sum s + t likewise. Of terms a_k b_k the errors g_k = e_k + t_k are summed by
// themselves, so that
//   sum of a_k b_k = s + sum of (e_k + t_k),   and   |c - sum of (e_k + t_k)| <= gamma_N * sum of |g_k|,
// where c is the computed sum of the computed g_k and no g_k takes part in more than N additions; gamma_N = N u / (1 -
// N u), u = 2^-53. All that only where nothing overflows or underflows: with |a_k| <= 1 and 0 <= b_k <= 2^100 nothing
// overflows, and what underflow takes, of a_k as it is scaled too, is less than 2^-970 a term, which `enclose` takes
// account of. No fused multiply-add, though e would come for less: without one all instruction sets give the same bits,
// underflow or not.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "simd_math.hpp"
#include "error_free.hpp"
#include "matrix_game.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE double magnitude(double a) { return __builtin_fabs(a); }
REGRETLESS_INLINE Octet magnitude(const Octet& a) {
  return apply([](auto x) REGRETLESS_LAMBDA { return larger(x, -x); }, a);
}

REGRETLESS_INLINE Halves<Octet> halves(const Octet& a) {
  const Octet t = a * eight(134217729.0), high = t - (t - a);
  return {a, high, a - high};
}
REGRETLESS_INLINE Halves<Octet> in_all_lanes(const Halves<double>& a) {
  return {eight(a.all), eight(a.high), eight(a.low)};
}

// The sum, what it is short of, and the magnitudes of all the errors.
template <class P>
struct Compensated {
  P sum, rest, errors;
  REGRETLESS_INLINE void add(const P& h, const P& e) {
    const P s = sum + h, g = e + sum_error(sum, h, s);
    sum = s;
    rest = rest + g;
    errors = errors + magnitude(g);
  }
  REGRETLESS_INLINE void add_product(const Halves<P>& a, const Halves<P>& b) {
    const P h = a.all * b.all;
    add(h, product_error(a, b, h));
  }
};

REGRETLESS_INLINE Compensated<double> joined(const Compensated<Octet>& lanes) {
  double s[8], c[8], e[8];
  put(s, lanes.sum);
  put(c, lanes.rest);
  put(e, lanes.errors);
  Compensated<double> all{s[0], c[0], e[0]};
  for (int l = 1; l < 8; ++l) {
    all.add(s[l], 0);
    all.rest += c[l];
    all.errors += e[l];
  }
  return all;
}

// 2^k, k within -1074 ... 1023.
REGRETLESS_INLINE double power_of_two(int k) {
  return std::bit_cast<double>(k < -1022 ? std::uint64_t(1) << (k + 1074) : std::uint64_t(k + 1023) << 52);
}

// Numbers are made to be at most 1.
REGRETLESS_INLINE double unit_of(const GameMatrix& game) {
  return power_of_two(game.exponent < -1022 ? 1022 : -game.exponent);
}

template <class V>
struct DenseRows {
  const V* values;
  std::int64_t rows, columns;
  double unit;
};
template <class V, class I>
struct SparseRows {
  const V* values;
  const I *indices, *starts;
  std::int64_t rows, columns;
  double unit;
};

template <class V, class F>
REGRETLESS_INLINE auto with_indices(const GameMatrix& g, F f) {
  const V* values = static_cast<const V*>(g.values);
  if (!g.starts) return f(DenseRows<V>{values, g.rows, g.columns, unit_of(g)});
  if (g.wide)
    return f(SparseRows<V, std::int64_t>{values, static_cast<const std::int64_t*>(g.indices),
                                         static_cast<const std::int64_t*>(g.starts), g.rows, g.columns, unit_of(g)});
  return f(SparseRows<V, std::int32_t>{values, static_cast<const std::int32_t*>(g.indices),
                                       static_cast<const std::int32_t*>(g.starts), g.rows, g.columns, unit_of(g)});
}
template <class F>
REGRETLESS_INLINE auto with_matrix(const GameMatrix& g, F f) {
  return g.single ? with_indices<float>(g, f) : with_indices<double>(g, f);
}

// The weights of columns in halves, in three rows of the room; zeros fill the last eight.
struct SplitWeights {
  const double *all, *high, *low;
  SplitWeights(const double* weights, std::int64_t n, double* room)
      : all(room), high(room + in_eights(n)), low(high + in_eights(n)) {
    for (std::int64_t j = 0; j < in_eights(n); ++j) {
      const Halves<double> w = halves(j < n ? weights[j] : 0.0);
      room[j] = w.all;
      room[in_eights(n) + j] = w.high;
      room[2 * in_eights(n) + j] = w.low;
    }
  }
  REGRETLESS_INLINE Halves<Octet> eight_at(std::int64_t j) const { return {at(all, j), at(high, j), at(low, j)}; }
};

// tell(i, what row i times the weights of the columns is), in the units of the rows.
template <class V, class F>
REGRETLESS_INLINE void row_products(const DenseRows<V>& a, const double* weights, double* room, F tell) {
  const SplitWeights w(weights, a.columns, room);
  const Octet unit = eight(a.unit);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    Compensated<Octet> lanes{eight(0), eight(0), eight(0)};
    for (std::int64_t j = 0; j < a.columns; j += 8)
      lanes.add_product(halves(eight_of(a.values + i * a.columns, j, a.columns, 0.0) * unit), w.eight_at(j));
    tell(i, joined(lanes));
  }
}
template <class V, class I, class F>
REGRETLESS_INLINE void row_products(const SparseRows<V, I>& a, const double* weights, double*, F tell) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    Compensated<double> sum{0, 0, 0};
    for (I k = a.starts[i]; k < a.starts[i + 1]; ++k)
      sum.add_product(halves(double(a.values[k]) * a.unit), halves(weights[a.indices[k]]));
    tell(i, sum);
  }
}

// Sums of many columns, in three rows of the room.
struct Sums {
  double *sum, *rest, *errors;
  Sums(double* room, std::int64_t n) : sum(room), rest(room + in_eights(n)), errors(rest + in_eights(n)) {
    for (std::int64_t j = 0; j < 3 * in_eights(n); ++j) room[j] = 0;
  }
  REGRETLESS_INLINE Compensated<double> one(std::int64_t j) const { return {sum[j], rest[j], errors[j]}; }
};

// tell(j, what the weights of the rows times column j is). A thousand columns at a time: their sums stay in the cache.
template <class V, class F>
REGRETLESS_INLINE void column_products(const DenseRows<V>& a, const double* weights, double* room, F tell) {
  constexpr std::int64_t most = 1024;
  const Octet unit = eight(a.unit);
  for (std::int64_t begin = 0; begin < a.columns; begin += most) {
    const std::int64_t n = std::min(most, a.columns - begin);
    const Sums sums(room, n);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (weights[i] == 0) continue;
      const Halves<Octet> w = in_all_lanes(halves(weights[i]));
      const V* row = a.values + i * a.columns + begin;
      for (std::int64_t j = 0; j < n; j += 8) {
        Compensated<Octet> lanes{at(sums.sum, j), at(sums.rest, j), at(sums.errors, j)};
        lanes.add_product(halves(eight_of(row, j, n, 0.0) * unit), w);
        put(sums.sum + j, lanes.sum);
        put(sums.rest + j, lanes.rest);
        put(sums.errors + j, lanes.errors);
      }
    }
    for (std::int64_t j = 0; j < n; ++j) tell(begin + j, sums.one(j));
  }
}
template <class V, class I, class F>
REGRETLESS_INLINE void column_products(const SparseRows<V, I>& a, const double* weights, double* room, F tell) {
  const Sums sums(room, a.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (weights[i] == 0) continue;
    const Halves<double> w = halves(weights[i]);
    for (I k = a.starts[i]; k < a.starts[i + 1]; ++k) {
      const std::int64_t j = a.indices[k];
      Compensated<double> sum = sums.one(j);
      sum.add_product(halves(double(a.values[k]) * a.unit), w);
      sums.sum[j] = sum.sum;
      sums.rest[j] = sum.rest;
      sums.errors[j] = sum.errors;
    }
  }
  for (std::int64_t j = 0; j < a.columns; ++j) tell(j, sums.one(j));
}

REGRETLESS_INLINE Compensated<double> total(const double* weights, std::int64_t n) {
  Compensated<double> all{0, 0, 0};
  for (std::int64_t i = 0; i < n; ++i) all.add(weights[i], 0);
  return all;
}

}  // namespace regretless::REGRETLESS_ISA
