// What crosses the border between the binding and the regression kernels of one instruction set: plain borrowed data.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "factor_size.hpp"
#include "linear_types.hpp"

namespace regretless {

// Members side by side, one a lane: four rates, a place that is empty, and three that keep a full matrix.
inline constexpr int regression_lanes = 8, regression_rates = 4, regression_full_lane = 5, regression_fulls = 3;

// The largest score where scores are logarithms of odds.
inline constexpr double logistic_limit = 8;

// What the rates know of one feature.
struct RegressionCell {
  double sum[regression_rates];     // minus the sum of gradients of each rate
  double square[regression_rates];  // sum of squares of these gradients; the weight, if it descends
  double squares;                   // sum of x^2 over the rounds with x != 0
  double count;                     // how many these are
  double most;                      // largest |x| so far
  double root;                      // largest root mean square of x so far
};
inline constexpr int regression_cell_size = sizeof(RegressionCell) / sizeof(double);
static_assert(regression_cell_size == 12);

// What travels with the cells. Outcomes are measured from the first one.
struct RegressionMemory {
  RegressionCell constant;              // of the constant feature
  double prior[regression_lanes];       // 1 / (number of members); 0 in a lane without one
  double weight[regression_lanes];      // of the members, for the next round
  double log_weight[regression_lanes];  // their logarithms, once the rate of the mixture is finite
  double loss[regression_lanes];        // each member's own loss
  double linear[regression_lanes];      // sum of slope * forecast of each
  // Of full members: the sum of z^2 h / (1 + h), or of B^2 ln(1 + c h) by Newton steps, and what clipping cost; and the
  // least penalised loss of any vector, or sum of its lower bounds.
  double energy[regression_lanes], least[regression_lanes];
  double origin, low, high;  // the first outcome; the range of the others, measured from it
  double eta;                // of the mixture, 0 while it follows the leaders
  double gap;                // sum of what the mixture's loss exceeded its mix losses by
  // Of the outcomes that were charged: the first one, their mean less it, their squared distances from that mean.
  double second, mean, spread;
};
inline constexpr int regression_memory_size = sizeof(RegressionMemory) / sizeof(double);

// How gradient descent sets its steps; the matrix of the full members, by the rows or by their slopes ("newton"), or of
// the forecaster with a diagonal.
inline constexpr std::string_view descent_schedules[] = {"scale-free", "inverse-sqrt", "constant"};
inline constexpr std::string_view regression_matrices[] = {"full", "newton", "diagonal"};

struct RegressionRules {
  // With a schedule, the first place has gradient descent, and with a diagonal the forecaster with it; then there are
  // no rates.
  std::string_view loss = "square", schedule, matrix = "full";
  double tau = 0;                        // of the pinball loss; where Huber's turns from squares into lines
  double rates[regression_rates] = {};   // 0: no member
  double priors[regression_fulls] = {};  // of full members, times the squared size of each feature
  double step = 1;                       // of gradient descent
  int fulls = 0;                         // how many full members there is room for
  double intercept = 0;                  // size of the constant feature
  bool share = true;                     // whether a part of the weight goes round after each round

  bool newton() const { return matrix == "newton"; }
  bool diagonal() const { return matrix == "diagonal"; }
  bool descends() const { return !schedule.empty(); }
  bool alike(const RegressionRules& other) const {
    return loss == other.loss && schedule == other.schedule && matrix == other.matrix && tau == other.tau &&
           std::equal(rates, rates + regression_rates, other.rates) &&
           std::equal(priors, priors + regression_fulls, other.priors) && step == other.step && fulls == other.fulls &&
           intercept == other.intercept && share == other.share;
  }
};

struct Regression {
  double* cells = nullptr;  // (columns, cell)
  RegressionMemory* memory = nullptr;
  // Full members, if there are any: (fulls, 1 + columns), the constant feature first; and U above its diagonal, (fulls,
  // factor_size(1 + columns)).
  double *weights = nullptr, *scales = nullptr, *factor = nullptr;
  Ledger* book = nullptr;
  double* forecasts = nullptr;  // (rounds), or null: what each round was predicted by
  std::int64_t columns = 0;
};

struct RegressionKernels {
  Names losses;
  LinearVerdict (*play)(const Block&, const double* outcomes, const RegressionRules&, const Regression&,
                        std::int64_t begin, std::int64_t end);
  // `members` is (rows, lanes), or null.
  LinearVerdict (*score)(const Block&, const RegressionRules&, const Regression&, double* out, double* members);
};

extern const RegressionKernels regression_v1, regression_v3, regression_v4, regression_generic;

}  // namespace regretless
