// Losses of a forecast p of an outcome y: value, slope in p, and the largest slope where both lie in a range of a
// width.
#pragma once
#include <string_view>
#include <variant>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

struct SquaredError {
  REGRETLESS_INLINE double value(double p, double y) const { return (y - p) * (y - p); }
  REGRETLESS_INLINE double slope(double p, double y) const { return 2 * (p - y); }
  REGRETLESS_INLINE double steepest(double width) const { return 2 * width; }
};

// The quantile tau of the outcomes has the least expectation.
struct PinballLoss {
  double tau;
  REGRETLESS_INLINE double value(double p, double y) const { return y > p ? tau * (y - p) : (1 - tau) * (p - y); }
  REGRETLESS_INLINE double slope(double p, double y) const { return y > p ? -tau : y < p ? 1 - tau : 0; }
  REGRETLESS_INLINE double steepest(double) const { return 1; }
};

struct AbsoluteError {
  REGRETLESS_INLINE double value(double p, double y) const { return y > p ? y - p : p - y; }
  REGRETLESS_INLINE double slope(double p, double y) const { return y > p ? -1 : y < p ? 1 : 0; }
  REGRETLESS_INLINE double steepest(double) const { return 1; }
};

// Squares up to an error of delta, and lines beyond (Huber 1964).
struct HuberLoss {
  double delta;
  REGRETLESS_INLINE double value(double p, double y) const {
    const double size = y > p ? y - p : p - y;
    return size <= delta ? size * size / 2 : delta * (size - delta / 2);
  }
  REGRETLESS_INLINE double slope(double p, double y) const {
    const double missed = p - y;
    return missed > delta ? delta : missed < -delta ? -delta : missed;
  }
  REGRETLESS_INLINE double steepest(double width) const { return width < delta ? width : delta; }
};

using AnyRegressionLoss = std::variant<SquaredError, PinballLoss, AbsoluteError, HuberLoss>;
inline AnyRegressionLoss regression_loss(std::string_view name, double tau) {
  if (name == "pinball") return PinballLoss{tau};
  if (name == "absolute") return AbsoluteError{};
  if (name == "huber") return HuberLoss{tau};
  return SquaredError{};
}

}  // namespace regretless::REGRETLESS_ISA
