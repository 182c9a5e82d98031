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

// `from` is the round that U takes in, and `gain` becomes its A^-1 x, with the A of before. Columns are left out whose
// fours come before `first`: they have no part in that x, and `gain` has zeros there.
template <class Pass>
REGRETLESS_APART static void sweep(double* u, std::int64_t first, std::int64_t fours, const double* x,
                                   const FullRound& from, double* gain, double* f) {
  constexpr bool changes = !std::same_as<Pass, Projection>, projects = !std::same_as<Pass, Change>;
  alignas(64) static constexpr double unit[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  u += 8 * first * (first + 1);
  for (std::int64_t four = first; four < fours; ++four) {
    Quartet by[4], more[4], sum[4] = {};
    for (int k = 0; k < 4 && changes; ++k) {
      by[k] = spread<4>(from.by[4 * four + k]);
      more[k] = spread<4>(from.more[4 * four + k]);
    }
    const auto column = [&](int k, const Quartet& part, Quartet& all) REGRETLESS_LAMBDA {
      Quartet entries = load<4>(u + 4 * k);
      if constexpr (changes) {
        const Quartet old = entries;
        entries = old + all * by[k];
        store(u + 4 * k, entries);
        all = all + old * more[k];
      }
      if constexpr (projects) sum[k] = sum[k] + entries * part;
    };
    for (std::int64_t i = 0; i < 4 * four; i += 4, u += 16) {
      Quartet all{}, part{};
      if constexpr (changes) all = load<4>(gain + i);
      if constexpr (projects) part = load<4>(x + i);
      for (int k = 0; k < 4; ++k) column(k, part, all);
      if constexpr (changes) store(gain + i, all);
    }
    Quartet all{}, part{};  // the rows of the diagonal: each enters with its own column
    if constexpr (projects) part = load<4>(x + 4 * four);
    for (int k = 0; k < 4; ++k) {
      column(k, part, all);
      if constexpr (changes) all = all + more[k] * load<4>(unit[k]);
    }
    u += 16;
    if constexpr (changes) store(gain + 4 * four, all);
    if constexpr (projects) {
      transpose(sum);
      store(f + 4 * four, ((sum[0] + sum[2]) + (sum[1] + sum[3])) + part);
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
