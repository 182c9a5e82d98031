// Sparse rows whose lone entries, those of columns that have no other, are joined to one number a row: x' of them
// becomes the product of x' with the unit vector along A^-1 x', A a diagonal or I. Vectors that are multiples of
// A^-1 x' in each row's lone columns, the shortest in A of their scores, have the same scores and lengths there, up to
// rounding, by far fewer numbers.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "any_rows.hpp"
#include "ascent_types.hpp"

namespace regretless::REGRETLESS_ISA {

template <Rows X>
LinearVerdict mark_entries(const X& x, std::int64_t rows, std::int64_t columns, ColumnMarks* marks) {
  for (std::int64_t t = 0; t < rows; ++t) {
    if (const LinearRefusal c = x.check(t, columns); c != LinearRefusal::none) return {t, c};
    const auto row = x[t];
    for (std::int64_t k = 0; k < row.n; ++k) {
      ColumnMarks& m = marks[row.column(k) >> 6];
      const std::uint64_t bit = std::uint64_t(1) << (row.column(k) & 63);
      m.again |= m.once & bit;
      m.once |= bit;
    }
  }
  return {rows, LinearRefusal::none};
}

// Which entries of a row are lone, some at a time, and where the others' columns come among those that are shared: the
// words say which these are.
struct Places {
  static constexpr std::int64_t room = 256;
  std::int32_t shared[room];
  bool lone[room];

  template <class Row>
  REGRETLESS_INLINE void find(const Row& row, std::int64_t k, std::int64_t count, const RankWord* words) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t column = row.column(k + i);
      const RankWord& word = words[column >> 6];
      const std::uint64_t bit = std::uint64_t(1) << (column & 63);
      lone[i] = (word.bits & bit) == 0;
      shared[i] = std::int32_t(word.before + std::popcount(word.bits & (bit - 1)));
    }
  }
};

// Puts shared entries to the numbers of the rows from n on, and lone ones aside. No branches: which way they go is as
// good as random.
template <class Row>
REGRETLESS_INLINE void part_entries(const Row& row, const RankWord* words, const JoinedRows& to, std::int64_t& n,
                                    std::int64_t& lone) {
  Places places;
  std::int64_t m = n, l = lone;
  for (std::int64_t k = 0; k < row.n; k += Places::room) {
    const std::int64_t count = row.n - k < Places::room ? row.n - k : Places::room;
    places.find(row, k, count, words);
    for (std::int64_t i = 0; i < count; ++i) {
      to.values[m] = row.x[k + i];
      to.indices[m] = places.shared[i];
      m += !places.lone[i];
    }
    for (std::int64_t i = 0; i < count; ++i) {
      to.shares[l] = row.x[k + i];
      to.lone[l] = std::int32_t(row.column(k + i));
      l += places.lone[i];
    }
  }
  n = m, lone = l;
}

// A squared length that has all its digits: numbers whose squares underflow add none that could be seen.
inline bool has_digits(double length2) { return length2 > 1e-290 && length2 < std::numeric_limits<double>::infinity(); }

// Turns lone numbers x into the unit vector along A^-1 x, and returns its product with them: 0 if they are zeros, NaN
// if their lengths cannot be told. And which of its entries is the largest.
inline double join(const std::int32_t* columns, double* x, std::int64_t count, const double* inverse, double* metric,
                   std::int64_t& lead) {
  double square = 0, product = 0, length2 = 0, largest = 0;
  bool any = false;
  lead = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const double along = inverse ? x[k] * inverse[columns[k]] : x[k];
    any |= x[k] != 0;
    square += x[k] * x[k];
    product += x[k] * along;
    length2 += along * along;
    lead = std::fabs(along) > largest ? k : lead;
    largest = std::fabs(along) > largest ? std::fabs(along) : largest;
    x[k] = along;
  }
  if (!any) return 0;
  if (!has_digits(square) || !has_digits(product) || !has_digits(length2))
    return std::numeric_limits<double>::quiet_NaN();
  const double by = 1 / std::sqrt(length2), number = product * by;
  for (std::int64_t k = 0; k < count; ++k) x[k] *= by;
  if (metric) {
    metric[0] = length2 / product;
    metric[1] = square / number / number;
  }
  return number;
}

// The rows with shared columns numbered afresh, and after them one more for each row that has lone entries; false if
// those of a row cannot be joined.
template <Rows X>
bool join_lone(const X& x, std::int64_t rows, std::int64_t shared, const RankWord* words, JoinedRows& to) {
  std::int64_t n = 0, lone = 0, joined = 0;
  for (std::int64_t t = 0; t < rows; ++t) {
    to.starts[t] = n;
    const std::int64_t first = lone;
    part_entries(x[t], words, to, n, lone);
    double* const metric = to.inverse ? to.metric + 2 * joined : nullptr;
    std::int64_t lead;
    const double number = join(to.lone + first, to.shares + first, lone - first, to.inverse, metric, lead);
    if (number != number) return false;
    if (number == 0) lone = first;  // there are none but zeros
    if (lone == first) continue;
    to.lone_starts[joined] = first;
    to.leads[joined] = first + lead;
    to.values[n] = number;
    to.indices[n++] = std::int32_t(shared + joined++);
  }
  to.starts[rows] = n;
  to.lone_starts[joined] = lone;
  to.joined = joined;
  return true;
}

// The rows of a table that are those of shared columns, and for each joined number the sum of its lone columns' rows,
// each times its share.
inline void join_table(const double* table, std::int64_t width, const std::int64_t* shared, std::int64_t count,
                       const LoneColumns& lone, double* to) {
  for (std::int64_t k = 0; k < count; ++k)
    for (std::int64_t c = 0; c < width; ++c) *to++ = table[shared[k] * width + c];
  for (std::int64_t m = 0; m < lone.rows; ++m)
    for (std::int64_t c = 0; c < width; ++c) {
      double sum = 0;
      for (std::int64_t k = lone.starts[m]; k < lone.starts[m + 1]; ++k)
        sum += lone.shares[k] * table[lone.columns[k] * width + c];
      *to++ = sum;
    }
}

}  // namespace regretless::REGRETLESS_ISA
