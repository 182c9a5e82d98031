// What the kernels of matrix games are given, and the table of those of one instruction set.
#pragma once
#include <cstdint>

#include "interval.hpp"

namespace regretless {

// Payoffs of the row player, in C order, or compressed by rows, where starts are given.
struct GameMatrix {
  const void* values;
  bool single;  // float32, else float64
  const void* indices = nullptr;
  const void* starts = nullptr;
  bool wide = false;  // indices and starts are int64, else int32
  std::int64_t rows, columns;
  int exponent;  // no payoff is larger than 2^exponent without its sign
};

constexpr std::int64_t in_eights(std::int64_t n) { return (n + 7) / 8 * 8; }

// How many numbers the sums of products need.
constexpr std::int64_t product_room(std::int64_t columns) { return 3 * in_eights(columns); }

// A condensed tableau. Variable j is the weight of column j, variable columns + i what row i is short of. Row r says
//   basic[r] = cells[r][columns] - sum over c of cells[r][c] * free[c],
// the last one the same of the sum of all weights, but for the signs of its cells.
struct Tableau {
  GameMatrix game;
  double low, high;  // of the payoffs
  std::int64_t stride;
  double* cells;                                          // (rows + 1, stride)
  std::int32_t* basic;                                    // (rows)
  std::int32_t* free;                                     // (columns)
  double *row, *column;                                   // the strategies that it ends with
  std::int32_t* ended;                                    // (rows + columns): basic, then free, of these strategies
  double *row_now, *column_now, *row_past, *column_past;  // strategies, and how far they are off
  double* pivots_column;                                  // (rows + 1)
  double* room;                                           // product_room(columns)
  double tolerance, best;
  std::int64_t pivots, stalled, filled, patience;
  bool ordered;
  double gap;  // in units of the payoffs' range
};

struct GameKernels {
  bool (*range)(const void* values, bool single, std::int64_t count,
                Interval& bounds);  // false: one of them is not finite
  bool (*enclose)(const GameMatrix&, const double* row, const double* column, double* room, Interval& bounds);
  void (*load)(Tableau&);
  bool (*pivot)(Tableau&, std::int64_t limit);  // false: the limit was reached before the end
  void (*polish)(Tableau&);
};

extern const GameKernels game_kernels_v1, game_kernels_v3, game_kernels_v4, game_kernels_generic;

}  // namespace regretless
