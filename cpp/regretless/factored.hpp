// The inverse of a matrix, kept as U D U' with U unit upper triangular and D positive, and how the matrix takes in one
// more x x' (Bierman 1977). Unlike an inverse that is itself subtracted from, it stays positive whatever the rounding,
// and it does not mind features of very different sizes.
//
// Columns of U are taken four at a time, so that what they share is read, and written, once; and a round's change of U
// waits until the next round multiplies U with its row, so that U is read, and written, once a round.
#pragma once
#include <concepts>

#include "factor_size.hpp"
#include "rows.hpp"
#include "transpose_four.hpp"

namespace regretless::REGRETLESS_ISA {

// One round; arrays over whole fours of features, which end in zeros.
struct FullRound {
  double *projected, *more, *before, *by;  // U' x; D U' x; x' A^-1 x by the columns of U before each; see `plan`
  double step = 0;                         // of the weights along A^-1 x
  bool waits = false;                      // the change of U and of the weights is still to come
};

// What is done with a column of U on the way through.
struct Projection {};  // f = U' x
struct Change {};      // U takes in the round before
struct ChangeAndProjection {};

// Where rows of a column stand: those on the diagonal begin there, each with its own column.
struct Above {};
struct OnDiagonal {};

// Fours of rows at once: what a column adds to `gain` waits for the column before, and the other fours fill the wait,
// where there are 32 registers.
#if defined(__AVX512VL__)
inline constexpr int fours_at_once = 3;
#else
inline constexpr int fours_at_once = 1;
#endif

// The same place, of which the compiler does not know it: with AVX an operand may come from memory, and to read a
// number twice takes fewer instructions than to keep it, which are what a change waits for.
REGRETLESS_INLINE const double* seen_again(const double* u) {
#if defined(__AVX2__)
  asm("" : "+r"(u));
#endif
  return u;
}

// Four columns of U, on their way down from `u`.
template <class Pass>
struct FourColumns {
  static constexpr bool changes = !std::same_as<Pass, Projection>, projects = !std::same_as<Pass, Change>;
  double* u;
  Quartet by[4], more[4], sum[4] = {};

  REGRETLESS_INLINE FourColumns(double* u, const FullRound& from, std::int64_t first) : u(u) {
    for (int k = 0; k < 4 && changes; ++k) {
      by[k] = spread<4>(from.by[first + k]);
      more[k] = spread<4>(from.more[first + k]);
    }
  }
  // Of rows from i on. A pass that needs no x, or no gain, has none, and looks at no place of it.
  template <int fours, class Place>
  REGRETLESS_INLINE void rows(std::int64_t i, const double* x, double* gain, Place) {
    alignas(64) static constexpr double unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    Quartet all[fours]{}, part[fours], further[fours], entries[fours];
    const double* const before = seen_again(u);
    for (int r = 0; r < fours; ++r) {
      if constexpr (changes && std::same_as<Place, Above>) all[r] = load<4>(gain + i + 4 * r);
      if constexpr (projects) part[r] = load<4>(x + i + 4 * r);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      for (int r = 0; r < fours && changes; ++r) further[r] = load<4>(before + 16 * r + 4 * k) * more[k];
      for (int r = 0; r < fours; ++r) entries[r] = load<4>(u + 16 * r + 4 * k);
      for (int r = 0; r < fours && changes; ++r) store(u + 16 * r + 4 * k, entries[r] = entries[r] + all[r] * by[k]);
      for (int r = 0; r < fours && changes; ++r) all[r] = all[r] + further[r];
      if constexpr (changes && std::same_as<Place, OnDiagonal>) all[0] = all[0] + more[k] * load<4>(unit[k]);
      for (int r = 0; r < fours && projects; ++r) sum[k] = sum[k] + entries[r] * part[r];
    }
    for (int r = 0; r < fours && changes; ++r) store(gain + i + 4 * r, all[r]);
    u += 16 * fours;
  }
};

// `from` is the round that U takes in, and `gain` becomes its A^-1 x, with the A of before. Columns are left out whose
// fours come before `first`: they have no part in that x, and `gain` has zeros there.
template <class Pass>
REGRETLESS_APART static void sweep(double* u, std::int64_t first, std::int64_t fours, const double* x,
                                   const FullRound& from, double* gain, double* f) {
  u += 8 * first * (first + 1);
  for (std::int64_t end = 4 * first; end < 4 * fours; end += 4) {
    FourColumns<Pass> columns(u, from, end);
    std::int64_t i = 0;
    for (; i + 4 * fours_at_once <= end; i += 4 * fours_at_once)
      columns.template rows<fours_at_once>(i, x, gain, Above{});
    for (; i < end; i += 4) columns.template rows<1>(i, x, gain, Above{});
    columns.template rows<1>(end, x, gain, OnDiagonal{});
    u = columns.u;
    if constexpr (FourColumns<Pass>::projects) {
      auto& sum = columns.sum;
      transpose(sum);
      store(f + end, ((sum[0] + sum[2]) + (sum[1] + sum[3])) + load<4>(x + end));
    }
  }
}

// n features with their weights, the scales D and the factor U.
struct Factored {
  std::int64_t n;
  double *weights, *scales, *u;

  std::int64_t fours() const { return (n + 3) / 4; }

  // x' A^-1 x of a row whose U' x is known.
  double variance(FullRound& round) const {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      round.more[j] = scales[j] * round.projected[j];
      round.before[j] = sum;
      sum += round.more[j] * round.projected[j];
    }
    round.before[n] = sum;
    return sum;
  }

  // D takes in the row, x x' / noise, and U will.
  REGRETLESS_APART void plan(FullRound& round, double noise) const {
    const double* const __restrict f = round.projected, * const before = round.before;
    double* const __restrict by = round.by, * const __restrict d = scales;
    for (std::int64_t j = 0; j < n; ++j) by[j] = -f[j] / (noise + before[j]);
    for (std::int64_t j = 0; j < n; ++j) d[j] *= (noise + before[j]) / (noise + before[j + 1]);
  }

  void move_weights(double step, const double* gain) const {
    for (std::int64_t j = 0; j < n; ++j) weights[j] += step * gain[j];
  }

  // What waits is done, of a row that has zeros before the column `from`.
  void settle(FullRound& round, double* gain, std::int64_t from = 0) const {
    if (!round.waits) return;
    const std::int64_t first = from / 4;
    for (std::int64_t j = 0; j < 4 * first; ++j) gain[j] = 0;
    sweep<Change>(u, first, fours(), nullptr, round, gain, nullptr);
    move_weights(round.step, gain);
    round.waits = false;
  }

  // U' x for the next row, and what waits is done on the way.
  void project(const double* x, FullRound& round, double* gain) const {
    if (round.waits) {
      sweep<ChangeAndProjection>(u, 0, fours(), x, round, gain, round.projected);
      move_weights(round.step, gain);
      round.waits = false;
    } else sweep<Projection>(u, 0, fours(), x, round, nullptr, round.projected);
  }

  // Row i of U, in whole fours of columns.
  REGRETLESS_INLINE void row_of_factor(std::int64_t i, double* row) const {
    const double* const from = u + 16 * (i / 4) + i % 4;
    for (std::int64_t four = i / 4; four < fours(); ++four)
      for (std::int64_t k = 0; k < 4; ++k) row[4 * four + k] = from[8 * four * (four + 1) + 4 * k];
    for (std::int64_t j = 0; j < i; ++j) row[j] = 0;
    row[i] = 1;
  }
};

}  // namespace regretless::REGRETLESS_ISA
