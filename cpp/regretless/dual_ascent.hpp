// Linear support vector machines of several penalties at once, by coordinate ascent in the dual (Hsieh, Chang, Lin,
// Keerthi and Sundararajan 2008): each row's multiplier moves to where the dual is largest, between 0 and the most that
// the penalty allows, and the vector moves with it. A pass or some are enough for a direction to look along; the mean
// of the vectors over the last pass is the steadier one. It is the vector of the multipliers' means, and of these each
// row knows its own.
#pragma once
#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "limits.hpp"
#include "multi_target.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// From the products of a row to the steps along it. Of a step, its multiplier's mean over the pass lacks the part
// before which the pass had come to the row.
template <int N>
REGRETLESS_INLINE bool ascend(double y, double norm2, double b, double past, double* multipliers, double* lacks,
                              const Ascent& a, double* products) {
  const auto all = [](double number) { return spread<N>(number); };
  const auto before = load<N>(multipliers), scores = load<N>(products) + all(b) * load<N>(a.biases);
  const auto aims = before + (all(1) - all(y) * scores) / all(norm2);
  // No branches: which way they go is as good as random.
  const auto next = lower(upper(aims, all(0)), load<N>(a.most)), steps = all(y) * (next - before);
  store(multipliers, next);
  store(products, steps);
  if (lacks) store(lacks, load<N>(lacks) + all(past) * steps);
  bool moves = false;
  for (int k = 0; k < N; ++k) moves |= products[k] != 0;
  if (moves && b != 0) store(a.biases, load<N>(a.biases) + steps * all(b) * all(a.inverse_constant));
  return moves;
}

// x'A^-1 x, one entry after the other: those that are zero change nothing.
template <class Row>
REGRETLESS_INLINE double norm2_by(const double* inverse, const Row& row) {
  double sum = 0;
  for (std::int64_t k = 0; k < row.n; ++k) sum += double(row.x[k]) * double(row.x[k]) * inverse[row.column(k)];
  return sum;
}

template <int N>
inline constexpr std::int64_t bytes_of_column = N * std::int64_t(sizeof(double));

// To each vector its part of a row.
template <int N, class Row, class Value>
REGRETLESS_INLINE void add_values(const Row& row, const double* by, double* vectors, const Value& value) {
  const auto part = load<N>(by);
  for (std::int64_t k = 0; k < row.n; ++k) {
    double* const vector = vectors + std::int64_t(row.column(k)) * N;
    store(vector, load<N>(vector) + part * spread<N>(value(k)));
  }
}
template <int N, class Row>
REGRETLESS_INLINE void add_row(const Row& row, const double* by, const Ascent& a) {
  if (a.inverse) add_values<N>(row, by, a.vectors, [&](std::int64_t k) { return row.x[k] * a.inverse[row.column(k)]; });
  else add_values<N>(row, by, a.vectors, [&](std::int64_t k) { return double(row.x[k]); });
}

// The products of a row with the vectors, and its squared length.
template <int N, class Row>
REGRETLESS_INLINE double products_with(const Row& row, const Ascent& a, double* products) {
  if constexpr (N > 1) return products_and_norm(row, a.vectors, N, products);
  double norm2;
  products[0] = product_and_norm(row, a.vectors, norm2);
  return norm2;
}

template <int N, Rows X>
LinearVerdict climb(const X& rows, const Labels& labels, double b, const Ascent& a, std::int64_t begin,
                    std::int64_t end) {
  double products[N];
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = rows.check(t, a.columns); c != LinearRefusal::none) return {t, c};
    rows.prefetch(t, end);
    if (a.columns > near_columns && t + 1 < end) rows.prefetch_weights(t + 1, a.vectors, bytes_of_column<N>);
    const auto row = rows[t];
    double norm2 = products_with<N>(row, a, products) + b * b;
    if (norm2 < infinity && a.inverse) norm2 = norm2_by(a.inverse, row) + b * b * a.inverse_constant;
    if (!(norm2 < infinity)) return {t, LinearRefusal::not_finite};
    const std::int64_t at = rows.at(t) * N;
    const double y = labels.label[rows.at(t)] > 0 ? 1 : -1, past = double(a.before + t) / double(a.rounds);
    if (norm2 > 0 && ascend<N>(y, norm2, b, past, a.multipliers + at, a.lacks ? a.lacks + at : nullptr, a, products))
      add_row<N>(row, products, a);
  }
  return {end, LinearRefusal::none};
}

// From the vectors at the end of a pass to their means over it. Rows that did not move are not read.
template <int N, Rows X>
LinearVerdict to_means(const X& rows, std::int64_t count, double b, const Ascent& a) {
  for (std::int64_t t = 0; t < count; ++t) {
    double by[N];
    bool any = false;
    for (int k = 0; k < N; ++k) {
      by[k] = -a.lacks[t * N + k];
      any |= by[k] != 0;
    }
    if (!any) continue;
    if (const LinearRefusal c = rows.check(t, a.columns); c != LinearRefusal::none) return {t, c};
    rows.prefetch(t, count);
    if (a.columns > near_columns && t + 1 < count) rows.prefetch_weights(t + 1, a.vectors, bytes_of_column<N>);
    for (int k = 0; k < N; ++k) a.biases[k] += by[k] * b * a.inverse_constant;
    add_row<N>(rows[t], by, a);
  }
  return {count, LinearRefusal::none};
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
