// Sparse rows whose lone entries, those of columns that have no other, are joined to one number a row: x' of them
// becomes the product of x' with the unit vector along A^-1 x', A a diagonal or I. Vectors that are multiples of
// A^-1 x' in each row's lone columns, the shortest in A of their scores, have the same scores and lengths there, up to
// rounding, by far fewer numbers.
//
// Where weights have no negative entries, as Winnow's, the positive and the negative entries of a row are joined apart,
// each to a unit vector u without negative entries. A vector that is c u there has the positive part max(c, 0) u, so
// that the positive part of a sum of multiples of rows, which it is of the positive entries or of the negative ones of
// each row, is told by its numbers. So are its scores and its Euclidean length. The sum of its sizes is |c| S, S the
// sum of u; and of its shares s in a total T, s ln s sums to |c| / T (S ln(|c| / T) + E), E the sum of u ln u. The
// learner's dual coordinates are sums of multiples of rows, b u there, and their product with the vector is b c.
// Whatever theorems ask of the vector that is spread back is told by S, E and how many entries u has: bounds are the
// same but for rounding.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "vector_tables.hpp"

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

// Puts shared entries to the numbers of the rows from n on, by the columns' places among those that are shared: the
// words say which these are. Lone ones are put aside. No branches: which way they go is as good as random.
template <class Row>
REGRETLESS_INLINE void part_entries(const Row& row, const RankWord* words, const JoinedRows& to, std::int64_t& n,
                                    std::int64_t& lone) {
  std::int64_t m = n, l = lone;
  for (std::int64_t k = 0; k < row.n; ++k) {
    const std::int64_t column = row.column(k);
    const RankWord& word = words[column >> 6];
    const std::uint64_t bit = std::uint64_t(1) << (column & 63);
    const bool alone = (word.bits & bit) == 0;
    to.values[m] = to.shares[l] = row.x[k];
    to.indices[m] = std::int32_t(word.before + std::popcount(word.bits & (bit - 1)));
    to.lone[l] = std::int32_t(column);
    m += !alone;
    l += alone;
  }
  n = m, lone = l;
}

// A squared length that has all its digits: numbers whose squares underflow add none that could be seen.
inline bool has_digits(double length2) { return length2 > 1e-290 && length2 < std::numeric_limits<double>::infinity(); }

// Of numbers x, which become A^-1 x: x'x, x'A^-1 x and the squared length of A^-1 x; and where its largest entry is.
struct Lengths {
  double square = 0, product = 0, length2 = 0, largest = 0;
  std::int64_t lead = 0;

  template <class Along>
  REGRETLESS_INLINE void take(double* x, std::int64_t count, const Along& along_of) {
    for (std::int64_t k = 0; k < count; ++k) {
      const double along = along_of(k), size = std::fabs(along);
      square += x[k] * x[k];
      product += x[k] * along;
      length2 += along * along;
      lead = size > largest ? k : lead;
      largest = size > largest ? size : largest;
      x[k] = along;
    }
  }
};

// Turns lone numbers x into the unit vector along A^-1 x, and returns its product with them: 0 if they are zeros, NaN
// if their lengths cannot be told. And which of its entries is the largest.
inline double join(const std::int32_t* columns, double* x, std::int64_t count, const double* inverse, double* metric,
                   std::int64_t& lead) {
  if (std::all_of(x, x + count, [](double number) { return number == 0; })) return 0;
  Lengths of;
  if (inverse)
    of.take(x, count, [&](std::int64_t k) REGRETLESS_LAMBDA { return x[k] * inverse[columns[k]]; });
  else of.take(x, count, [&](std::int64_t k) REGRETLESS_LAMBDA { return x[k]; });
  if (!has_digits(of.square) || !has_digits(of.product) || !has_digits(of.length2))
    return std::numeric_limits<double>::quiet_NaN();
  lead = of.lead;
  const double by = 1 / std::sqrt(of.length2), number = of.product * by;
  for (std::int64_t k = 0; k < count; ++k) x[k] *= by;
  if (metric) {
    metric[0] = of.length2 / of.product;
    metric[1] = of.square / number / number;
  }
  return number;
}

// Of the sizes s of the shares of some groups: the sum, that of s ln s, and how many there are. Logarithms are made
// before, eight at a time wherever groups end.
inline void sum_groups(const double* shares, const std::int64_t* starts, std::int64_t groups, Buffer<double>& logs,
                       double* sums) {
  const std::int64_t first = starts[0], count = starts[groups] - first;
  const Octet none = eight(0), least = eight(std::numeric_limits<double>::min());
  const auto size_of = [&](std::int64_t k, std::int64_t end) REGRETLESS_LAMBDA {
    const Octet v = eight_of(shares, k, end, 0.0);
    return upper(v, none - v);
  };
  if (logs.room < count + 8) logs.make(count + 8);
  for (std::int64_t k = 0; k < count; k += 8)
    put(logs.at + k, apply([](auto x) REGRETLESS_LAMBDA { return log_of_normal(x); },
                           upper(size_of(first + k, first + count), least)));
  for (std::int64_t m = 0; m < groups; ++m, sums += 3) {
    const std::int64_t end = starts[m + 1];
    Octet size = none, entropy = none;
    for (std::int64_t k = starts[m]; k < end; k += 8) {
      const Octet s = size_of(k, end);
      size = size + s;
      entropy = entropy + where_positive(s, s * eight_of(logs.at, k - first, end - first, 0.0), none);
    }
    sums[0] = in_all(size), sums[1] = in_all(entropy), sums[2] = double(end - starts[m]);
  }
}

// Lone entries of a row with the positive ones first, and the sizes of the negative ones after them, without zeros. No
// branches, as above.
class Signs {
 public:
  std::int64_t positive = 0, negative = 0;  // how many there were

  void part(std::int32_t* columns, double* x, std::int64_t count) {
    if (sizes_.room < count) sizes_.make(count), columns_.make(count);
    positive = negative = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const double value = x[k];
      const std::int32_t column = columns[k];
      sizes_.at[negative] = -value;
      columns_.at[negative] = column;
      negative += value < 0;
      x[positive] = value;
      columns[positive] = column;
      positive += !(value <= 0);  // what is not a number is refused with them
    }
    for (std::int64_t k = 0; k < negative; ++k) {
      x[positive + k] = sizes_.at[k];
      columns[positive + k] = columns_.at[k];
    }
  }

 private:
  Buffer<double> sizes_;
  Buffer<std::int32_t> columns_;
};

// Joins lone entries, the last that there are, to a number of a row that has `n` of them; they stand for as many of
// this sign. Zeros are taken back; false if they cannot be joined.
inline bool join_last(std::int64_t count, double sign, std::int64_t shared, JoinedRows& to, std::int64_t& n,
                      std::int64_t& lone) {
  double* const metric = to.inverse ? to.metric + 2 * to.joined : nullptr;
  const std::int64_t first = lone;
  std::int64_t lead;
  const double number = join(to.lone + first, to.shares + first, count, to.inverse, metric, lead);
  if (number != number) return false;
  if (number == 0) return true;
  to.lone_starts[to.joined] = first;
  to.leads[to.joined] = first + lead;
  to.values[n] = sign * number;
  to.indices[n++] = std::int32_t(shared + to.joined++);
  lone += count;
  return true;
}

// The rows with shared columns numbered afresh, and after them one more for each row that has lone entries, or for
// those of each sign; false if those of a row cannot be joined.
template <Rows X>
bool join_lone(const X& x, std::int64_t rows, std::int64_t shared, const RankWord* words, JoinedRows& to) {
  std::int64_t n = 0, lone = 0;
  Signs signs;
  to.joined = 0;
  for (std::int64_t t = 0; t < rows; ++t) {
    to.starts[t] = n;
    std::int64_t end = lone;
    part_entries(x[t], words, to, n, end);
    signs.positive = end - lone, signs.negative = 0;
    if (to.apart) signs.part(to.lone + lone, to.shares + lone, end - lone);
    if (!join_last(signs.positive, 1, shared, to, n, lone) || !join_last(signs.negative, -1, shared, to, n, lone))
      return false;
  }
  to.starts[rows] = n;
  to.lone_starts[to.joined] = lone;
  constexpr std::int64_t together = 64;
  Buffer<double> logs;
  for (std::int64_t m = 0; to.sums && m < to.joined; m += together)
    sum_groups(to.shares, to.lone_starts + m, std::min(together, to.joined - m), logs, to.sums + 3 * m);
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
