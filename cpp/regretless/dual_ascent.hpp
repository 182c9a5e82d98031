// Linear support vector machines of several penalties at once, by coordinate ascent in the dual (Hsieh, Chang, Lin,
// Keerthi and Sundararajan 2008): each row's multiplier moves to where the dual is largest, between 0 and the most that
// the penalty allows, and the vector moves with it. A pass or some are enough for a direction to look along; the mean
// of the vectors over the last pass is the steadier one. By how much the last vector is above it is summed as the pass
// goes on: of each step the part of the pass that was over before it. By how much a pass raises the dual, which is
// sum a - |w|^2 / 2, says whether another one is worth it.
#pragma once
#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "limits.hpp"
#include "multi_target.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// From the products of a row to the steps along it.
template <int N>
REGRETLESS_INLINE bool ascend(double y, double norm2, double b, double past, double* multipliers, const Ascent& a,
                              double* products) {
  const auto all = [](double number) { return spread<N>(number); };
  const auto before = load<N>(multipliers), scores = load<N>(products) + all(b) * load<N>(a.biases);
  const auto lacking = all(1) - all(y) * scores, aims = before + lacking / all(norm2);
  // No branches: which way they go is as good as random.
  const auto next = lower(upper(aims, all(0)), load<N>(a.most)), change = next - before, steps = all(y) * change;
  if (a.gains) store(a.gains, load<N>(a.gains) + change * (lacking - all(norm2 / 2) * change));
  store(multipliers, next);
  store(products, steps);
  bool moves = false;
  for (int k = 0; k < N; ++k) moves |= products[k] != 0;
  if (moves && b != 0) {
    const auto step = steps * all(b) * all(a.inverse_constant);
    store(a.biases, load<N>(a.biases) + step);
    if (a.lacks) store(a.bias_lacks, load<N>(a.bias_lacks) + all(past) * step);
  }
  return moves;
}

// x'A^-1 x, one entry after the other: those that are zero change nothing.
template <class Row>
REGRETLESS_INLINE double norm2_by(const double* inverse, const Row& row) {
  double sum = 0;
  for (std::int64_t k = 0; k < row.n; ++k) sum += double(row.x[k]) * double(row.x[k]) * inverse[row.column(k)];
  return sum;
}

// To each vector its part of a row; and to what the vectors' means over the pass lack of them, the part of it before
// which the pass had come to the row.
template <int N, class Row, class Value>
REGRETLESS_INLINE void add_values(const Row& row, const double* by, double past, const Ascent& a, std::int64_t width,
                                  const Value& value) {
  const auto part = load<N>(by), before = part * spread<N>(past);
  for (std::int64_t k = 0; k < row.n; ++k) {
    const std::int64_t at = std::int64_t(row.column(k)) * width;
    const auto x = spread<N>(value(k));
    store(a.vectors + at, load<N>(a.vectors + at) + part * x);
    if (a.lacks) store(a.lacks + at, load<N>(a.lacks + at) + before * x);
  }
}
template <int N, class Row>
REGRETLESS_INLINE void add_row(const Row& row, const double* by, double past, const Ascent& a) {
  if (a.inverse)
    add_values<N>(row, by, past, a, N, [&](std::int64_t k) { return row.x[k] * a.inverse[row.column(k)]; });
  else add_values<N>(row, by, past, a, N, [&](std::int64_t k) { return double(row.x[k]); });
}

// The products of a row with the vectors, and its squared length.
template <int N, class Row>
REGRETLESS_INLINE double products_with(const Row& row, const Ascent& a, double* products) {
  if constexpr (N > 1) return products_and_norm(row, a.vectors, N, products);
  double norm2;
  products[0] = product_and_norm(row, a.vectors, norm2);
  return norm2;
}

// Checks the row of round t, and fetches what the rounds to come will read.
template <Rows X>
REGRETLESS_INLINE LinearRefusal make_ready(const X& rows, std::int64_t t, std::int64_t end, const Ascent& a,
                                           std::int64_t width) {
  if (const LinearRefusal c = rows.check(t, a.columns); c != LinearRefusal::none) return c;
  rows.prefetch(t, end);
  if (a.columns > near_columns && t + 1 < end) {
    const std::int64_t bytes = width * std::int64_t(sizeof(double));
    rows.prefetch_weights(t + 1, a.vectors, bytes);
    if (a.lacks) rows.prefetch_weights(t + 1, a.lacks, bytes);
  }
  return LinearRefusal::none;
}

template <int N, Rows X>
LinearVerdict climb(const X& rows, const Labels& labels, double b, const Ascent& a, std::int64_t begin,
                    std::int64_t end) {
  double products[N];
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = make_ready(rows, t, end, a, N); c != LinearRefusal::none) return {t, c};
    const auto row = rows[t];
    double norm2 = products_with<N>(row, a, products) + b * b;
    if (norm2 < infinity && a.inverse) norm2 = norm2_by(a.inverse, row) + b * b * a.inverse_constant;
    if (!(norm2 < infinity)) return {t, LinearRefusal::not_finite};
    const double y = labels.label[rows.at(t)] > 0 ? 1 : -1, past = double(a.before + t) / double(a.rounds);
    if (norm2 > 0 && ascend<N>(y, norm2, b, past, a.multipliers + rows.at(t) * N, a, products))
      add_row<N>(row, products, past, a);
  }
  return {end, LinearRefusal::none};
}

// The machines of one class among those of all, which lie side by side.
REGRETLESS_INLINE Ascent of_class(Ascent a, std::int64_t c, std::int64_t row) {
  const std::int64_t first = c * penalties;
  a.vectors += first;
  a.biases += first;
  a.multipliers += row * a.classes * penalties + first;
  if (a.lacks) a.lacks += first, a.bias_lacks += first;
  if (a.gains) a.gains += first;
  return a;
}

// The same of each class against the rest, in one reading of each row: the steps of a class are those of `climb`.
template <Rows X>
LinearVerdict climb_classes(const X& rows, const Labels& labels, double b, const Ascent& a, std::int64_t begin,
                            std::int64_t end) {
  const std::int64_t width = a.classes * penalties;
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = make_ready(rows, t, end, a, width); c != LinearRefusal::none) return {t, c};
    const auto row = rows[t];
    const double norm2 = products_and_norm(row, a.vectors, width, a.products) + b * b;
    if (!(norm2 < infinity)) return {t, LinearRefusal::not_finite};
    const double past = double(a.before + t) / double(a.rounds);
    for (std::int64_t c = 0; norm2 > 0 && c < a.classes; ++c) {
      const Ascent its = of_class(a, c, rows.at(t));
      double* const steps = a.products + c * penalties;
      if (ascend<penalties>(labels.label[rows.at(t)] == c ? 1 : -1, norm2, b, past, its.multipliers, its, steps))
        add_values<penalties>(row, steps, past, its, width, [&](std::int64_t k) { return double(row.x[k]); });
    }
  }
  return {end, LinearRefusal::none};
}

// The sum of x'A^-1 x over all rows.
template <Rows X>
LinearVerdict add_squares(const X& rows, std::int64_t count, const double* inverse, std::int64_t columns, double& sum) {
  for (std::int64_t t = 0; t < count; ++t) {
    if (const LinearRefusal c = rows.check(t, columns); c != LinearRefusal::none) return {t, c};
    rows.prefetch(t, count);
    sum += norm2_by(inverse, rows[t]);
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
