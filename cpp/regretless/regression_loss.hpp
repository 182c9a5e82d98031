// Losses of a forecast p of an outcome z: value, slope in p, and the largest slope within the range of the outcomes.
#pragma once
#include <string_view>
#include <variant>

#include "numeric.hpp"
#include "regression_types.hpp"

namespace regretless::REGRETLESS_ISA {

// Losses of a score that is the forecast itself, measured from the first outcome.
struct PlainLoss {
  REGRETLESS_INLINE double place(double y) const { return y; }             // where an outcome lies among scores
  REGRETLESS_INLINE double forecast(double score) const { return score; }  // what a score says
};

struct SquaredError : PlainLoss {
  static constexpr std::string_view name = "square";
  explicit SquaredError(double) {}
  REGRETLESS_INLINE double value(double p, double z) const { return (z - p) * (z - p); }
  REGRETLESS_INLINE double slope(double p, double z) const { return 2 * (p - z); }
  REGRETLESS_INLINE double steepest(const RegressionMemory& m) const { return 2 * (m.high - m.low); }
  REGRETLESS_INLINE const SquaredError& of(double, double) const { return *this; }
};

// The quantile tau of the outcomes has the least expectation.
struct PinballLoss : PlainLoss {
  static constexpr std::string_view name = "pinball";
  double tau;
  explicit PinballLoss(double level) : tau(level) {}
  REGRETLESS_INLINE double value(double p, double z) const { return z > p ? tau * (z - p) : (1 - tau) * (p - z); }
  REGRETLESS_INLINE double slope(double p, double z) const { return z > p ? -tau : z < p ? 1 - tau : 0; }
  REGRETLESS_INLINE double steepest(const RegressionMemory&) const { return 1; }
  REGRETLESS_INLINE const PinballLoss& of(double, double) const { return *this; }
};

struct AbsoluteError : PlainLoss {
  static constexpr std::string_view name = "absolute";
  explicit AbsoluteError(double) {}
  REGRETLESS_INLINE double value(double p, double z) const { return z > p ? z - p : p - z; }
  REGRETLESS_INLINE double slope(double p, double z) const { return z > p ? -1 : z < p ? 1 : 0; }
  REGRETLESS_INLINE double steepest(const RegressionMemory&) const { return 1; }
  REGRETLESS_INLINE const AbsoluteError& of(double, double) const { return *this; }
};

// Squares up to an error of delta, and lines beyond (Huber 1964).
struct HuberLoss : PlainLoss {
  static constexpr std::string_view name = "huber";
  double delta;
  explicit HuberLoss(double turn) : delta(turn) {}
  REGRETLESS_INLINE double value(double p, double z) const {
    const double size = z > p ? z - p : p - z;
    return size <= delta ? size * size / 2 : delta * (size - delta / 2);
  }
  REGRETLESS_INLINE double slope(double p, double z) const {
    const double missed = p - z;
    return missed > delta ? delta : missed < -delta ? -delta : missed;
  }
  REGRETLESS_INLINE double steepest(const RegressionMemory& m) const {
    const double width = m.high - m.low;
    return width < delta ? width : delta;
  }
  REGRETLESS_INLINE const HuberLoss& of(double, double) const { return *this; }
};

REGRETLESS_INLINE double exp_of(double x) { return x > 0 ? 1 / exp_of_negative(-x) : exp_of_negative(x); }

// exp(x) - 1 - x, which near 0 is a difference of like numbers: there by its series, right to the last bits.
REGRETLESS_INLINE double exp_beyond_line(double x) {
  if (x < -0.5 || x > 0.5) return (exp_of(x) - 1) - x;
  double sum = 1;
  for (int k = 15; k > 2; --k) sum = 1 + sum * x / k;
  return x * x / 2 * sum;
}

// Counts, whose mean is exp(origin + p): by how much their log likelihood is less than it can be.
struct PoissonRound {
  double count, origin;
  REGRETLESS_INLINE double value(double p, double) const {
    if (count == 0) return exp_of(origin + p);
    return count * exp_beyond_line((origin + p) - log_of(count));
  }
  REGRETLESS_INLINE double slope(double p, double) const { return exp_of(origin + p) - count; }
};

// A score is the logarithm of a count, measured from that of the first one; none counts as one half.
struct PoissonLoss {
  static constexpr std::string_view name = "poisson";
  static constexpr double least_count = 0.5;
  explicit PoissonLoss(double) {}
  REGRETLESS_INLINE double place(double y) const { return log_of(y > least_count ? y : least_count); }
  REGRETLESS_INLINE double forecast(double score) const { return exp_of(score); }
  REGRETLESS_INLINE double steepest(const RegressionMemory& m) const { return exp_of(m.origin + m.high); }
  REGRETLESS_INLINE PoissonRound of(double y, double origin) const { return {y, origin}; }
};

// Shares from 0 to 1, whose mean is 1 / (1 + exp(-p)): the log loss, of the share and of the rest.
struct LogisticRound {
  double share;
  REGRETLESS_INLINE double value(double p, double) const {
    const double size = p < 0 ? -p : p;
    return (p > 0 ? p : 0) + log_of(1 + exp_of_negative(-size)) - share * p;
  }
  REGRETLESS_INLINE double slope(double p, double) const { return 1 / (1 + exp_of(-p)) - share; }
};

// A score is the logarithm of the odds. No share counts as less than that of the score -limit, nor as more than that of
// the limit.
struct LogisticLoss {
  static constexpr std::string_view name = "logistic";
  explicit LogisticLoss(double) {}
  REGRETLESS_INLINE double place(double y) const {
    const double score = y <= 0 ? -logistic_limit : y >= 1 ? logistic_limit : log_of(y) - log_of(1 - y);
    return score < -logistic_limit ? -logistic_limit : score > logistic_limit ? logistic_limit : score;
  }
  REGRETLESS_INLINE double forecast(double score) const { return 1 / (1 + exp_of(-score)); }
  REGRETLESS_INLINE double steepest(const RegressionMemory&) const { return 1; }
  REGRETLESS_INLINE LogisticRound of(double y, double) const { return {y}; }
};

// The catalogue: a new loss is a struct above and a name here. Each is made of a number, tau or delta, that some need.
using AnyRegressionLoss = std::variant<SquaredError, AbsoluteError, PinballLoss, HuberLoss, PoissonLoss, LogisticLoss>;

}  // namespace regretless::REGRETLESS_ISA
