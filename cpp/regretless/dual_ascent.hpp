// Linear support vector machines of several penalties at once, by coordinate ascent in the dual (Hsieh, Chang, Lin,
// Keerthi and Sundararajan 2008): each row's multiplier moves to where the dual is largest, between 0 and the most that
// the penalty allows, and the vector moves with it. A pass or some are enough for a direction to look along; the mean
// of the vectors over the last pass is the steadier one.
#pragma once
#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "limits.hpp"
#include "multi_target.hpp"

namespace regretless::REGRETLESS_ISA {

// From the products of a row to the steps along it, and of these the part before which the pass had come to the row.
REGRETLESS_INLINE bool ascend(double y, double norm2, double b, double past, double* multipliers, const Ascent& a,
                              double* products) {
  bool moves = false;
  for (int k = 0; k < penalties; ++k) {
    const double lack = 1 - y * (products[k] + b * a.biases[k]), aim = multipliers[k] + lack / norm2;
    const double next = aim > 0 ? (aim < a.most[k] ? aim : a.most[k]) : 0, step = y * (next - multipliers[k]);
    multipliers[k] = next;
    products[k] = step;
    products[penalties + k] = past * step;
    moves |= step != 0;
  }
  if (moves && b != 0)
    for (int k = 0; k < 2 * penalties; ++k) a.biases[k] += products[k] * b;
  return moves;
}

template <Rows X>
LinearVerdict climb(const X& rows, const Labels& labels, double b, const Ascent& a, std::int64_t begin,
                    std::int64_t end) {
  constexpr int both = 2 * penalties;
  const bool far = a.columns > 1 << 13;
  double products[both];
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = rows.check(t, a.columns); c != LinearRefusal::none) return {t, c};
    rows.prefetch(t, end);
    if (far && t + 1 < end) rows.prefetch_weights(t + 1, a.vectors, both * std::int64_t(sizeof(double)));
    const auto row = rows[t];
    const double norm2 = products_and_norm(row, a.vectors, both, products) + b * b;
    if (!(norm2 < infinity)) return {t, LinearRefusal::not_finite};
    const std::int64_t at = rows.at(t);
    const double y = labels.label[at] > 0 ? 1 : -1, past = a.last ? double(a.before + t) / double(a.rounds) : 0;
    if (!(norm2 > 0) || !ascend(y, norm2, b, past, a.multipliers + at * penalties, a, products)) continue;
    const Eight step = load<both>(products);
    for (std::int64_t k = 0; k < row.n; ++k) {
      double* const vector = a.vectors + std::int64_t(row.column(k)) * both;
      store(vector, load<both>(vector) + step * spread<both>(double(row.x[k])));
    }
  }
  return {end, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
