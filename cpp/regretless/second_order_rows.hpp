// Rows against records: what belongs to a feature lies in one place, N numbers.
#pragma once
#include "rows.hpp"
#include "second_order_types.hpp"
#include "transpose_four.hpp"
#include "transpose_two.hpp"

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
#pragma GCC unroll 4  // which -O2 does not do by itself
    for (int l = 0; l < 4; ++l) low[l] = load<4>(from + at[l]), high[l] = load<4>(from + at[l + 4]);
    transpose(low);
    transpose(high);
#pragma GCC unroll 4
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

template <int N>
REGRETLESS_INLINE Pack<double, N> greatest(const Pack<double, N>& a, const Pack<double, N>& b) {
  return each(a, b, [](auto x, auto y) { return larger(x, y); });
}

// Whether a is above b in any lane.
template <int N>
REGRETLESS_INLINE auto above(const Pack<double, N>& a, const Pack<double, N>& b) {
  if constexpr (N > one_register) return above(low_half(a), low_half(b)) | above(high_half(a), high_half(b));
  else return a.all > b.all;
}
template <int N>
REGRETLESS_INLINE bool any_above(const Pack<double, N>& a, const Pack<double, N>& b) {
  return any_bit(above(a, b));
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

// Numbers that come from four vectors, those of each entry side by side: f(which entry, numbers).
template <int N, class F>
REGRETLESS_INLINE void in_fours(const Pack<double, N>& a, const Pack<double, N>& b, const Pack<double, N>& c,
                                const Pack<double, N>& d, int first, const F& f) {
  if constexpr (N > 4) {
    in_fours(low_half(a), low_half(b), low_half(c), low_half(d), first, f);
    in_fours(high_half(a), high_half(b), high_half(c), high_half(d), first + N / 2, f);
  } else {
    Pack<double, 4> m[4] = {a, b, c, d};
    transpose(m);
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l) f(first + l, m[l]);
  }
}

// What four numbers of a record become: the first is known, to the second and third is added, the fourth is the larger.
template <int N>
REGRETLESS_INLINE Pack<double, N> next_record(const Pack<double, N>& before, const Pack<double, N>& more) {
#if defined(__AVX512VL__)  // two instructions, where gcc makes four
  const __m256d old = __m256d(before.all), by = __m256d(more.all);
  return {
      typename Pack<double, N>::Register(_mm256_mask_max_pd(_mm256_mask_add_pd(by, 0b0110, old, by), 0b1000, old, by))};
#else
  const Pack<double, N> sum = before + more, most = greatest(before, more);
  const auto two = [](auto x, auto y) REGRETLESS_LAMBDA { return __builtin_shufflevector(x, y, 0, 3); };
  if constexpr (Halved<Pack<double, N>>) return {{two(more.low.all, sum.low.all)}, {two(sum.high.all, most.high.all)}};
  else return {__builtin_shufflevector(__builtin_shufflevector(more.all, sum.all, 0, 5, 6, 7), most.all, 0, 1, 2, 7)};
#endif
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
