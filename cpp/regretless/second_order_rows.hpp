// Rows against records: what belongs to a feature lies in one place, N numbers.
#pragma once
#include "rows.hpp"
#include "second_order_types.hpp"
#include "transpose_four.hpp"

namespace regretless::REGRETLESS_ISA {

template <int N>
REGRETLESS_INLINE Pack<double, N> operator/(const Pack<double, N>& a, const Pack<double, N>& b) {
  return each(a, b, [](auto x, auto y) { return x / y; });
}

// Where the records of eight entries begin.
struct Addresses {
  std::int64_t at[8];
  REGRETLESS_INLINE Eight pick(const double* from) const {
    return collect<8>([&](int l) { return from[at[l]]; });
  }
  // The first four numbers of each record, as four vectors.
  REGRETLESS_INLINE void pick_four(const double* from, Eight (&of)[4]) const {
    Pack<double, 4> low[4], high[4];
    for (int l = 0; l < 4; ++l) low[l] = load<4>(from + at[l]), high[l] = load<4>(from + at[l + 4]);
    transpose(low);
    transpose(high);
    for (int i = 0; i < 4; ++i) of[i] = {low[i], high[i]};
  }
};
template <int N, class V>
REGRETLESS_INLINE Addresses addresses(const DenseRow<V>&, std::int64_t k) {
  return {{N * k, N * k + N, N * k + 2 * N, N * k + 3 * N, N * k + 4 * N, N * k + 5 * N, N * k + 6 * N, N * k + 7 * N}};
}
template <int N, class V, class I>
REGRETLESS_INLINE Addresses addresses(const SparseRow<V, I>& row, std::int64_t k) {
  const I* const j = row.j + k;
  const auto at = [j](int l) { return N * std::int64_t(j[l]); };
  return {{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)}};
}
// Of the last entries, the very last being repeated.
template <int N, class Row>
REGRETLESS_INLINE Addresses last_addresses(const Row& row, std::int64_t k) {
  const std::uint8_t* const place = places[row.n - k];
  const auto at = [&](int l) { return N * std::int64_t(row.column(k + place[l])); };
  return {{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)}};
}

// Whether a is above b in any lane.
template <int N>
REGRETLESS_INLINE bool any_above(const Pack<double, N>& a, const Pack<double, N>& b) {
  if constexpr (N > one_register) return any_above(low_half(a), low_half(b)) || any_above(high_half(a), high_half(b));
  else return any_bit(a.all > b.all);
}

// A row without its zeros, in borrowed memory.
template <class Row>
REGRETLESS_APART static SparseRow<double, std::int32_t> without_zeros(const Row& row, double* values,
                                                                      std::int32_t* columns) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < row.n; ++k) {
    values[count] = row.x[k];
    columns[count] = std::int32_t(row.column(k));
    count += row.x[k] != 0;
  }
  return {values, columns, count};
}

// What is summed over a row.
struct RowSums {
  double score = 0, norm2 = 0;
  bool zeros = false;  // it has some, so that its sums are in the wrong order
};

// Adds up a row: term(where their records are, x, x^2, k) is what eight entries add to the score.
template <int N, class Row, class Term>
REGRETLESS_INLINE RowSums add_up(const Row& row, const Term& term) {
  Eight sum{}, norm{};
  Pack<double, one_register> shortest = spread<one_register>(1);
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) {
    const Addresses p = addresses<N>(row, k);
    const Eight x = load<8>(row.x + k), square = x * x;
    sum = sum + term(p, x, square, k);
    norm = norm + square;
    shortest = least(narrowed(square), shortest);
  }
  if (k < row.n) {
    const Addresses p = last_addresses<N>(row, k);
    const Eight x = load_some(row.x + k, row.n - k), square = x * x;
    sum = sum + term(p, x, square, k);
    norm = norm + square;
    shortest = least(narrowed(square + load<8>(zeros_then_ones + 8 - (row.n - k))), shortest);
  }
  return {tree(sum), tree(norm), smallest(shortest) == 0};
}

// Numbers that come from several vectors, those of each entry side by side: f(which entry, numbers).
template <int N, class F>
REGRETLESS_INLINE void in_twos(const Pack<double, N>& a, const Pack<double, N>& b, int first, const F& f) {
  using Two = Pack<double, 2>;
  if constexpr (Halved<Pack<double, N>>) {
    in_twos(a.low, b.low, first, f);
    in_twos(a.high, b.high, first + N / 2, f);
  } else if constexpr (N == 2) {
    f(first, Two{__builtin_shufflevector(a.all, b.all, 0, 2)});
    f(first + 1, Two{__builtin_shufflevector(a.all, b.all, 1, 3)});
  } else {
    const Pack<double, 4> even{__builtin_shufflevector(a.all, b.all, 0, 4, 2, 6)};
    const Pack<double, 4> odd{__builtin_shufflevector(a.all, b.all, 1, 5, 3, 7)};
    f(first, low_half(even));
    f(first + 1, low_half(odd));
    f(first + 2, high_half(even));
    f(first + 3, high_half(odd));
  }
}
template <int N, class F>
REGRETLESS_INLINE void in_fours(const Pack<double, N>& a, const Pack<double, N>& b, const Pack<double, N>& c,
                                const Pack<double, N>& d, int first, const F& f) {
  if constexpr (N > 4) {
    in_fours(low_half(a), low_half(b), low_half(c), low_half(d), first, f);
    in_fours(high_half(a), high_half(b), high_half(c), high_half(d), first + N / 2, f);
  } else {
    Pack<double, 4> m[4] = {a, b, c, d};
    transpose(m);
    for (int l = 0; l < 4; ++l) f(first + l, m[l]);
  }
}

// The first number of a, the second and third of b, the fourth of c.
template <int N>
REGRETLESS_INLINE Pack<double, N> joined(const Pack<double, N>& a, const Pack<double, N>& b, const Pack<double, N>& c) {
  const auto two = [](auto x, auto y) REGRETLESS_LAMBDA { return __builtin_shufflevector(x, y, 0, 3); };
  if constexpr (Halved<Pack<double, N>>) return {{two(a.low.all, b.low.all)}, {two(b.high.all, c.high.all)}};
  else return {__builtin_shufflevector(__builtin_shufflevector(a.all, b.all, 0, 5, 6, 7), c.all, 0, 1, 2, 7)};
}

// Adds numbers to those that begin at `to`.
template <int N>
REGRETLESS_INLINE void add_to(double* to, const Pack<double, N>& more) {
  store(to, load<N>(to) + more);
}

// Calls f(k, entries, x) for eight entries of a row after the other; fewer at its end.
template <class Row, class F>
REGRETLESS_INLINE void by_eights(const Row& row, const F& f) {
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) f(k, 8, load<8>(row.x + k));
  if (k < row.n) f(k, int(row.n - k), load_some(row.x + k, row.n - k));
}

}  // namespace regretless::REGRETLESS_ISA
