// The simplex method on a condensed tableau (Tucker). Payoffs become B = (A - low) / (high - low) + 1, within 1 ... 2;
// then
//   maximise sum(y) with B y <= 1, y >= 0,    and its dual: minimise sum(x) with x B >= 1, x >= 0,
// both have the optimum 1 / v, v being the value of B, and v y and v x are optimal strategies.
//
// It ends. The entering column is Dantzig's, ties of the ratio test go to the largest pivot, until for `patience`
// pivots the sum of y has not grown. From there on the right hand sides b count as b + e l with one positive random l
// for each row, e being smaller than any number: as ties of b are broken by l, every pivot makes the pair (sum of y,
// its part in e) larger in lexicographic order, if no l ties too, which has probability 0. So no basis comes twice
// before the sum of y has grown, and no basis with a smaller sum comes again after it; there are finitely many. This is
// the lexicographic method (Dantzig, Orden, Wolfe 1955) with a random vector in place of the identity matrix. It argues
// with exact numbers: computed ones may be taken for ties or not by mistake, so that pivots are counted too, and there
// is an end to them whatever the numbers do.
#pragma once
#include <utility>

#include "compensated.hpp"
#include "random.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double least_pivot = 1e-11, tie = 1e-13;

inline std::int64_t most_pivots(const Tableau& t) { return 50 * (t.game.rows + t.game.columns) + 1000; }
REGRETLESS_INLINE double* cells_of(const Tableau& t, std::int64_t row) { return t.cells + row * t.stride; }

template <class V, class F>
REGRETLESS_INLINE void each_payoff(const DenseRows<V>& a, std::int64_t i, F f) {
  for (std::int64_t j = 0; j < a.columns; ++j) f(j, double(a.values[i * a.columns + j]) * a.unit);
}
template <class V, class I, class F>
REGRETLESS_INLINE void each_payoff(const SparseRows<V, I>& a, std::int64_t i, F f) {
  for (I k = a.starts[i]; k < a.starts[i + 1]; ++k) f(std::int64_t(a.indices[k]), double(a.values[k]) * a.unit);
}

// The range of the payoffs in units, halved where it would overflow as it is.
inline double range_of(const Tableau& t) {
  const double unit = unit_of(t.game);
  return t.high * unit - t.low * unit;
}

// The tableau in which no row is played yet, and no column.
inline void fill(Tableau& t) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  const double low = t.low * unit_of(t.game), per = 1 / range_of(t);
  with_matrix(t.game, [&](const auto& a) {
    for (std::int64_t i = 0; i < m; ++i) {
      double* row = cells_of(t, i);
      for (std::int64_t j = 0; j < n; ++j) row[j] = (0 - low) * per + 1;
      each_payoff(a, i, [&](std::int64_t j, double value) { row[j] = (value - low) * per + 1; });
      row[n] = 1;
      for (std::int64_t j = n + 1; j < t.stride; ++j) row[j] = 0;
      t.basic[i] = std::int32_t(n + i);
    }
  });
  double* sums = cells_of(t, m);
  for (std::int64_t j = 0; j < t.stride; ++j) sums[j] = j < n ? -1 : 0;
  for (std::int64_t j = 0; j < n; ++j) t.free[j] = std::int32_t(j);
  t.ordered = false;
  t.filled = t.pivots;
}

inline void load(Tableau& t) {
  t.pivots = t.stalled = 0;
  t.best = 0;
  t.tolerance = 1e-11;
  fill(t);
}

// Columns of l are drawn anew for every stall: any positive numbers will do.
inline void put_in_order(Tableau& t) {
  const std::int64_t n = t.game.columns;
  Uniforms numbers(0x9e3779b97f4a7c15ull, std::uint64_t(t.pivots), 0);
  for (std::int64_t i = 0; i < t.game.rows; ++i) cells_of(t, i)[n + 1] = 1 + numbers.next();
  cells_of(t, t.game.rows)[n + 1] = 0;
  t.ordered = true;
}

// The entry in the pivot's column is set last: a number written just before the eight around it are read holds them up.
inline void exchange(Tableau& t, std::int64_t r, std::int64_t c) {
  const std::int64_t stride = t.stride;
  double* pivot = cells_of(t, r);
  const double inverse = 1 / pivot[c];
  for (std::int64_t j = 0; j < stride; j += 8) put(pivot + j, at(pivot, j) * eight(inverse));
  for (std::int64_t i = 0; i <= t.game.rows; ++i) {
    const double factor = t.pivots_column[i];
    if (i == r || factor == 0) continue;
    double* row = cells_of(t, i);
    const Octet times = eight(factor);
    for (std::int64_t j = 0; j < stride; j += 8) put(row + j, at(row, j) - times * at(pivot, j));
    row[c] = 0 - factor * inverse;
  }
  pivot[c] = inverse;
  std::swap(t.basic[r], t.free[c]);
  ++t.pivots;
}

REGRETLESS_INLINE void copy_column(Tableau& t, std::int64_t c) {
  for (std::int64_t i = 0; i <= t.game.rows; ++i) t.pivots_column[i] = cells_of(t, i)[c];
}

// The same basis from the payoffs themselves, by elimination with the largest pivot of each column: the errors of all
// pivots so far are gone. What cannot be eliminated is left out of the basis.
inline void refill(Tableau& t) {
  const std::int64_t m = t.game.rows, n = t.game.columns, pivots = t.pivots;
  double *row_wanted = t.row_past, *column_wanted = t.column_past;
  for (std::int64_t j = 0; j < n; ++j) column_wanted[j] = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    row_wanted[i] = 0;
    if (t.basic[i] < n) column_wanted[t.basic[i]] = 1;
  }
  for (std::int64_t j = 0; j < n; ++j)
    if (t.free[j] >= n) row_wanted[t.free[j] - n] = 1;
  fill(t);
  for (std::int64_t c = 0; c < n; ++c) {
    if (column_wanted[c] == 0) continue;
    copy_column(t, c);
    std::int64_t r = -1;
    for (std::int64_t i = 0; i < m; ++i)
      if (row_wanted[i] != 0 && (r < 0 || magnitude(t.pivots_column[i]) > magnitude(t.pivots_column[r]))) r = i;
    if (r < 0 || magnitude(t.pivots_column[r]) < least_pivot) continue;
    exchange(t, r, c);
    row_wanted[r] = 0;
  }
  t.pivots = t.filled = pivots;
}

// The first of the smallest of n numbers.
REGRETLESS_INLINE std::int64_t place_of_least(const double* numbers, std::int64_t n) {
  Octet least = eight(infinity);
  for (std::int64_t j = 0; j < n; j += 8) least = lower(least, eight_of(numbers, j, n, infinity));
  const double wanted = smallest_of(least);
  std::int64_t j = 0;
  while (j < n - 1 && numbers[j] != wanted) ++j;
  return j;
}

// The row that limits a column first, -1 if none does.
inline std::int64_t limiting_row(const Tableau& t) {
  const std::int64_t n = t.game.columns;
  std::int64_t place = -1;
  double least = infinity, order = 0;
  for (std::int64_t i = 0; i < t.game.rows; ++i) {
    const double a = t.pivots_column[i];
    if (!(a > least_pivot)) continue;
    const double b = cells_of(t, i)[n], ratio = b > 0 ? b / a : 0;
    if (ratio > least + tie) continue;
    const double by = t.ordered ? -cells_of(t, i)[n + 1] / a : a;
    if (ratio >= least - tie && !(by > order)) continue;
    least = std::min(least, ratio);
    order = by;
    place = i;
  }
  return place;
}

// One step uphill; false if there is none.
inline bool step_up(Tableau& t) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  double* sums = cells_of(t, m);
  for (;;) {
    const std::int64_t c = place_of_least(sums, n);
    if (!(sums[c] < -t.tolerance)) return false;
    copy_column(t, c);
    const std::int64_t r = limiting_row(t);
    if (r < 0) {  // all of the column is rounding: B is positive, so that every column has a limit
      sums[c] = 0;
      continue;
    }
    double* rest = cells_of(t, r) + n;
    if (*rest < 0) *rest = 0;
    exchange(t, r, c);
    break;
  }
  if (sums[n] > t.best * (1 + tie)) {
    t.best = sums[n];
    t.stalled = 0;
    t.ordered = false;
  } else if (++t.stalled > t.patience && !t.ordered) put_in_order(t);
  return true;
}

// One step back to feasible, by the dual simplex method; false if there is none.
inline bool step_back(Tableau& t) {
  const std::int64_t m = t.game.rows, n = t.game.columns;
  for (;;) {
    std::int64_t r = 0, c = -1;
    for (std::int64_t i = 1; i < m; ++i)
      if (cells_of(t, i)[n] < cells_of(t, r)[n]) r = i;
    double* row = cells_of(t, r);
    if (!(row[n] < -t.tolerance)) return false;
    const double* sums = cells_of(t, m);
    double least = infinity, pivot = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      if (!(row[j] < -least_pivot)) continue;
      const double ratio = sums[j] > 0 ? sums[j] / -row[j] : 0;
      if (ratio > least + tie || (ratio >= least - tie && !(-row[j] > pivot))) continue;
      least = std::min(least, ratio);
      pivot = -row[j];
      c = j;
    }
    if (c < 0) {
      row[n] = 0;
      continue;
    }
    copy_column(t, c);
    exchange(t, r, c);
    return true;
  }
}

inline bool pivot(Tableau& t, std::int64_t limit) {
  for (std::int64_t k = 0; t.pivots < most_pivots(t); ++k) {
    if (k == limit) return false;
    if (t.pivots - t.filled > 2 * (t.game.rows + t.game.columns)) refill(t);
    if (!step_up(t)) break;
  }
  return true;
}

}  // namespace regretless::REGRETLESS_ISA
