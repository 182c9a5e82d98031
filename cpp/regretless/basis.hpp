// What a tableau ends with is made as accurate as floats can be: the block of cells between the columns and the rows
// that are played is the inverse of their payoffs, so that residuals formed in twice the digits are turned into
// corrections by it.
#pragma once
#include "enclosure.hpp"
#include "tableau.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double least_gap = 0x1p-52;     // of the range
inline constexpr double least_weight = 0x1p-49;  // of all

// The strategies that the tableau holds.
inline void read_strategies(const Tableau& t) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  for (std::int64_t i = 0; i < m; ++i) t.row_now[i] = 0;
  for (std::int64_t j = 0; j < n; ++j) t.column_now[j] = 0;
  const double* sums = cells_of(t, m);
  double row_sum = 0, column_sum = 0;
  for (std::int64_t i = 0; i < m; ++i)
    if (t.basic[i] < n) column_sum += t.column_now[t.basic[i]] = std::max(cells_of(t, i)[n], 0.0);
  for (std::int64_t j = 0; j < n; ++j)
    if (t.free[j] >= n) row_sum += t.row_now[t.free[j] - n] = std::max(sums[j], 0.0);
  for (std::int64_t i = 0; i < m; ++i) t.row_now[i] /= row_sum;
  for (std::int64_t j = 0; j < n; ++j) t.column_now[j] /= column_sum;
}

// How far every row is above what the first one in play gets, and every column, in units, as if the weights summed
// to 1.
inline double measure(const Tableau& t, double& level) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  level = missing;
  double most = -infinity, least = infinity;
  const auto rows = total(t.row_now, m), columns = total(t.column_now, n);
  const double row_excess = (rows.sum - 1) + rows.rest, column_excess = (columns.sum - 1) + columns.rest;
  with_matrix(t.game, [&](const auto& a) {
    row_products(a, t.column_now, t.room, [&](std::int64_t i, const Compensated<double>& sum) {
      if (i == 0) level = sum.sum;
      t.row_past[i] = (sum.sum - level) + (sum.rest - level * column_excess);
      most = std::max(most, t.row_past[i]);
    });
    column_products(a, t.row_now, t.room, [&](std::int64_t j, const Compensated<double>& sum) {
      t.column_past[j] = (sum.sum - level) + (sum.rest - level * row_excess);
      least = std::min(least, t.column_past[j]);
    });
  });
  return most - least;
}

// One correction of both strategies; probabilities may come out below zero.
inline void correct(const Tableau& t, double range) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  double *row_step = t.room, *column_step = t.room + in_eights(n);
  double row_sum = 0, column_sum = 0;
  for (std::int64_t j = 0; j < n; ++j) row_step[j] = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    if (t.basic[i] >= n) continue;
    const double* cells = cells_of(t, i);
    const double off = t.column_past[t.basic[i]];
    double step = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      if (t.free[j] < n) continue;
      step -= cells[j] * t.row_past[t.free[j] - n];
      row_step[j] -= cells[j] * off;
    }
    column_step[t.basic[i]] = step;
    column_sum += step;
  }
  for (std::int64_t j = 0; j < n; ++j)
    if (t.free[j] >= n) row_sum += row_step[j];
  for (std::int64_t i = 0; i < m; ++i)
    if (t.basic[i] < n)
      t.column_now[t.basic[i]] += (column_step[t.basic[i]] - column_sum * t.column_now[t.basic[i]]) / range;
  for (std::int64_t j = 0; j < n; ++j)
    if (t.free[j] >= n) t.row_now[t.free[j] - n] += (row_step[j] - row_sum * t.row_now[t.free[j] - n]) / range;
}

// Puts what was measured in place of what the pivots made of it, so that the next ones see true signs.
inline void renew(const Tableau& t, double range, double level) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  double row_level = 0, column_level = 0, rows = 0;
  for (std::int64_t j = 0; j < n; ++j)
    if (t.free[j] >= n) {
      row_level += t.row_past[t.free[j] - n];
      ++rows;
    }
  for (std::int64_t i = 0; i < m; ++i)
    if (t.basic[i] < n) column_level += t.column_past[t.basic[i]];
  row_level /= rows;
  column_level /= rows;
  const double value = (level - t.low * unit_of(t.game)) / range + 1;
  double* sums = cells_of(t, m);
  for (std::int64_t i = 0; i < m; ++i)
    cells_of(t, i)[n] =
        (t.basic[i] < n ? t.column_now[t.basic[i]] : (row_level - t.row_past[t.basic[i] - n]) / range) / value;
  for (std::int64_t j = 0; j < n; ++j)
    sums[j] = (t.free[j] >= n ? t.row_now[t.free[j] - n] : (t.column_past[t.free[j]] - column_level) / range) / value;
  sums[n] = 1 / value;
}

// What is negative becomes zero, and the sum 1 again.
inline bool clip(double* weights, std::int64_t n) {
  bool any = false;
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (weights[i] < 0) {
      weights[i] = 0;
      any = true;
    }
    sum += weights[i];
  }
  if (any)
    for (std::int64_t i = 0; i < n; ++i) weights[i] /= sum;
  return any;
}

// The gap of the strategies without what is negative of them; they are kept if it is the smallest so far.
inline double judge(Tableau& t, double range, double& level) {
  double gap = measure(t, level);
  const bool rows = clip(t.row_now, t.game.rows), columns = clip(t.column_now, t.game.columns);
  if (rows || columns) gap = measure(t, level);
  gap /= range;
  if (!(gap < t.gap)) return gap;
  t.gap = gap;
  for (std::int64_t i = 0; i < t.game.rows; ++i) t.row[i] = t.row_now[i];
  for (std::int64_t j = 0; j < t.game.columns; ++j) t.column[j] = t.column_now[j];
  for (std::int64_t i = 0; i < t.game.rows; ++i) t.ended[i] = t.basic[i];
  for (std::int64_t j = 0; j < t.game.columns; ++j) t.ended[t.game.rows + j] = t.free[j];
  return gap;
}

// Corrections for as long as they help.
inline void refine(Tableau& t, double range, double& level) {
  read_strategies(t);
  double gap = judge(t, range, level);
  for (int k = 0; k < 3 && gap > least_gap; ++k) {
    correct(t, range);
    const double last = gap;
    gap = judge(t, range, level);
    if (!(gap < last / 2)) return;
  }
}

// Sets to zero what is no more than rounding; false if there is nothing such.
REGRETLESS_INLINE bool without_noise(double* weights, std::int64_t n) {
  bool any = false;
  for (std::int64_t i = 0; i < n; ++i)
    if (weights[i] != 0 && weights[i] < least_weight) {
      weights[i] = 0;
      any = true;
    }
  return any;
}

// A strategy that is in play by rounding alone is taken out of it, unless the gap is larger so: a tiny weight may be a
// true one.
inline void drop_noise(Tableau& t, double range) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  for (std::int64_t i = 0; i < m; ++i) t.row_now[i] = t.row[i];
  for (std::int64_t j = 0; j < n; ++j) t.column_now[j] = t.column[j];
  const bool rows = without_noise(t.row_now, m), columns = without_noise(t.column_now, n);
  if (!rows && !columns) return;
  double level;
  const double gap = measure(t, level) / range;
  if (!(gap <= t.gap)) return;
  t.gap = gap;
  for (std::int64_t i = 0; i < m; ++i) t.row[i] = t.row_now[i];
  for (std::int64_t j = 0; j < n; ++j) t.column[j] = t.column_now[j];
}

// Corrects and pivots on until the gap is what rounding leaves of it. Bounded: few rounds of few pivots.
inline void settle(Tableau& t, double range) {
  const std::int64_t most = t.game.rows + t.game.columns + 20;
  double level;
  t.gap = infinity;
  t.tolerance = 2e-15;
  for (int round = 0; round < 8; ++round) {
    refine(t, range, level);
    if (t.gap <= least_gap) return;
    if (t.pivots != t.filled) {
      refill(t);
      continue;
    }
    correct(t, range);
    measure(t, level);
    renew(t, range, level);
    while (t.pivots - t.filled < most && (step_up(t) || step_back(t))) {}
    if (t.pivots == t.filled) return;
  }
}

inline void polish(Tableau& t) {
  const double range = range_of(t);
  settle(t, range);
  drop_noise(t, range);
}

}  // namespace regretless::REGRETLESS_ISA
