// What crosses the border between the binding and the aggregating kernels of one instruction set: plain borrowed data.
#pragma once
#include <cstdint>

#include "factor_size.hpp"
#include "linear_types.hpp"

namespace regretless {

// Of entries of rows, the constant feature included: numbers whose fourth powers, and sums of them, are floats.
inline constexpr double least_entry = 1e-75, most_entry = 1e75;

// Members side by side, one a lane: four rates, a coin bettor, two that keep a full matrix of the features, and one
// that keeps such a matrix of what the others say.
inline constexpr int aggregated_lanes = 8, rate_lanes = 4, coin_lane = 4, full_lane = 5, full_lanes = 2, stack_lane = 7;

// What the diagonal members know of one feature and one target: two cache lines, in fours that are moved together.
struct AggregatedCell {
  double sum[rate_lanes];     // minus the sum of gradients of each rate
  double square[rate_lanes];  // sum of squares of these gradients
  double coin_sum;            // the same two of the bettor
  double coin_square;
  double gain;     // what the bettor's bets on this feature have won; it began with a wealth of 1
  double most;     // largest |x| so far, times the largest weight above 1 that came with it
  double squares;  // sum of x^2 over the rounds with x != 0
  double count;    // how many these are
  double mean;     // largest mean of x^2 so far
  double root;     // its square root
};
inline constexpr int aggregated_cell_size = sizeof(AggregatedCell) / sizeof(double);
static_assert(aggregated_cell_size == 16);

// What travels with the cells of one target.
struct AggregatedMemory {
  AggregatedCell constant;          // of the constant feature
  double prior[aggregated_lanes];   // 1 / (number of members); 0 in a lane without one
  double weight[aggregated_lanes];  // of the members, for the next round
  double loss[aggregated_lanes];    // each member's own log loss
  double linear[aggregated_lanes];  // sum of slope * score of each
  double energy[aggregated_lanes];  // rates: sum of squared gradients over a; full and stacked: sum of B
  double most_weight;               // largest weight of a round
  // Of the stacked member, whose features are the scores of the lanes before its own, and a constant in its own lane.
  double stack_weights[aggregated_lanes], stack_scales[aggregated_lanes], stack_factor[factor_size(aggregated_lanes)];
};
inline constexpr int aggregated_memory_size = sizeof(AggregatedMemory) / sizeof(double);

struct AggregatedRules {
  double rates[rate_lanes] = {};      // 0: no member
  double curvature[full_lanes] = {};  // of the log loss on comparators of each full member
  double stack_curvature = 0;         // the same of the stacked member
  double full_prior = 0;              // of full members, times twice the squared size of each feature
  double intercept = 0;               // size of the constant feature
  double tie = 0;
  double heaviest = 1;  // the largest weight of a class: sizes are of rows times it, before a label is known
  bool share = true;    // whether a part of the weight goes round after each round
};

// State of `targets` learners side by side.
struct Aggregated {
  double* cells = nullptr;             // (columns, targets, cell)
  AggregatedMemory* memory = nullptr;  // (targets)
  // Full members, if there are any: (targets, full_lanes, 1 + columns), the constant feature first; and U above its
  // diagonal, (targets, full_lanes, factor_size(1 + columns)).
  double *weights = nullptr, *scales = nullptr, *factor = nullptr;
  // Or members with a sketch of the matrix, D + B'B, as in sketch.hpp: weights as above, and of the same shape what D
  // has from rows that B has shed, the sums of that times the weights of the time and times their squares, the largest
  // squares, and 1 / D; B, (targets, full_lanes, sketch_rows, 1 + columns); and two small matrices of each.
  double *shed = nullptr, *drawn = nullptr, *drawn_squares = nullptr, *largest = nullptr, *inverse = nullptr;
  double *directions = nullptr, *gram = nullptr, *lower = nullptr;
  std::int64_t sketch_rows = 0;
  Ledger* book = nullptr;     // (targets), and one more for the whole when there are several
  double* scores = nullptr;   // (rounds, targets), or null: what each round was predicted by
  double* members = nullptr;  // (rounds, targets, lanes), or null: the scores of the members
  std::int64_t columns = 0, targets = 1;
};

struct AggregatedKernels {
  LinearVerdict (*play)(const Block&, const Labels&, const AggregatedRules&, const Aggregated&, std::int64_t begin,
                        std::int64_t end);
  LinearVerdict (*score)(const Block&, const AggregatedRules&, const Aggregated&, double* out);
};

extern const AggregatedKernels aggregated_v1, aggregated_v3, aggregated_v4, aggregated_generic;

}  // namespace regretless
