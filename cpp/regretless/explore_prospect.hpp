// What the regression of an arm thinks of a row. Where features of it are larger than any before, the prior of the
// matrix is to grow by Delta at these; of n features, that rewrites n^2 numbers a feature, and only the arm that is
// drawn has to. For the others it is enough what Woodbury's formula says of the row.
#pragma once
#include "explore_types.hpp"
#include "regression.hpp"

namespace regretless::REGRETLESS_ISA {

// The product of two vectors that are mostly shorter than eight.
REGRETLESS_INLINE double short_product(const double* a, const double* b, std::int64_t n) {
  if (n >= 8) [[unlikely]]
    return product(a, b, n);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// The features whose prior is to grow, in memory of the call: with C the part of A^-1 at them, H = Delta^-1 + C is
// L L', and its roots are >= those of Delta^-1 whatever the rounding.
struct GrownFeatures {
  std::int64_t n, room, count = 0;  // features, in whole fours; that grow
  double *inverse, *apart;      // of each: 1 / Delta; its value, where that is no part of the row that A^-1 is asked
  double *by_row, *by_weights;  // L^-1 q and L^-1 w
  std::int64_t* places;
  double *scaled, *factor, *rows;  // D times a row of U; L, with 1 over its diagonal; rows of U

  GrownFeatures(const FullMember& member, RegressionBench& bench)
      : n(member.n), room(4 * member.fours()), places(bench.places.at) {
    const std::int64_t most = bench.growths, size = most * (4 + most + room) + room;
    if (size > bench.twin.room) bench.twin.make(size);
    inverse = bench.twin.at;
    apart = inverse + most;
    by_row = apart + most;
    by_weights = by_row + most;
    scaled = by_weights + most;
    factor = scaled + room;
    rows = factor + most * most;
  }

  // Number k enters. The row is x = r + y, y what stands apart of it; q = A^-1 r - y / Delta at the grown features.
  // x' (A + Delta)^-1 x = r' A^-1 r + y' y / Delta - q' H^-1 q and, w being A^-1 b, <(A + Delta)^-1 b, x> = <w, r> -
  // q' H^-1 w.
  REGRETLESS_INLINE void close(const FullMember& member, std::int64_t k, const double* more, View& view) const {
    double* const row = rows + k * room;
    double* const lower = factor + k * count;
    member.row_of_factor(places[k], row);
    const std::int64_t from = places[k] & ~std::int64_t(3), rest = n - from;  // the row has zeros before
    for (std::int64_t j = from; j < n; ++j) scaled[j] = member.scales[j] * row[j];
    for (std::int64_t l = 0; l < k; ++l) {
      const double* const other = factor + l * count;
      lower[l] = (product(scaled + from, rows + l * room + from, rest) - short_product(lower, other, l)) * other[l];
    }
    const double left = product(scaled + from, row + from, rest) - short_product(lower, lower, k);
    lower[k] = 1 / __builtin_sqrt(inverse[k] + (left > 0 ? left : 0));
    const double q = product(row + from, more + from, rest) - inverse[k] * apart[k];
    by_row[k] = (q - short_product(lower, by_row, k)) * lower[k];
    by_weights[k] = (member.weights[places[k]] - short_product(lower, by_weights, k)) * lower[k];
    view.plain -= by_row[k] * by_weights[k];
    view.variance -= by_row[k] * by_row[k];
  }
};

// What a full member would think of a row, which stands in the bench, once its prior has grown. A feature that grew
// much stands apart: its part of r' A^-1 r would be far larger than all that is left in the end. One that grew little
// does not: its y^2 / Delta would be.
REGRETLESS_APART static View view_full(const FullForecaster& one, RegressionBench& bench) {
  const FullMember& member = one.member;
  FullRound& round = bench.rounds.at[0];
  GrownFeatures grown(member, bench);
  double apart = 0;
  for (std::int64_t g = 0; g < bench.growths; ++g) {
    const auto& [i, before, after] = bench.grown.at[g];
    if (!(after > before)) continue;
    const bool far = after > 2 * before;
    const double inverse = 1 / (one.prior * (after - before));
    if (far) apart += after * inverse;
    if (before > 0) {
      grown.places[grown.count] = i;
      grown.apart[grown.count] = far ? bench.full[i] : 0;
      grown.inverse[grown.count++] = inverse;
    }
    if (far) bench.full[i] = 0;
  }
  member.project(bench.full, round, bench.gain);
  for (std::int64_t j = 0; j < member.n; ++j) round.more[j] = member.scales[j] * round.projected[j];
  View view{product(member.weights, bench.full, member.n), product(round.more, round.projected, member.n) + apart};
  for (std::int64_t k = 0; k < grown.count; ++k) grown.close(member, k, round.more, view);
  if (!(view.variance > 0)) view.variance = 0;
  return view;
}

// Whether a model is one full matrix and nothing else.
REGRETLESS_INLINE bool one_full(const Regression& model, const RegressionRules& rules) {
  return model.factor && rules.fulls == 1 && rules.rates[0] == 0 && !rules.diagonal() && !rules.descends() &&
         model.memory->prior[regression_full_lane] > 0;
}

// What is thought of a row that is fit.
template <class Loss, class Row>
REGRETLESS_INLINE Prospect prospect_of(const Loss& loss, const Row& row, const RegressionRules& rules,
                                       const Regression& model, RegressionBench& bench) {
  const RegressionMemory& m = *model.memory;
  View seen[regression_fulls];
  double forecast[regression_lanes];
  if (!one_full(model, rules)) {
    const double mean = foretell_row(row, loss, rules, model, bench, seen, forecast);
    return {loss.forecast(mean + m.origin), seen[0].plain + m.origin, seen[0].variance, 0};
  }
  take_entries(row, rules, model, bench);
  seen[0] = view_full(FullForecaster(model, rules, 0), bench);
  const double score = rules.newton() ? seen[0].plain : seen[0].plain / (1 + seen[0].variance);
  return {loss.forecast(within(score, m.low, m.high) + m.origin), seen[0].plain + m.origin, seen[0].variance, 0};
}

}  // namespace regretless::REGRETLESS_ISA
