// What is charged, as a function of the margin m = y * score: value(m) is paid, slope(m, y) is its derivative.
// A slope of zero means that the round teaches nothing and the weights stay.
#pragma once
#include <cmath>
#include <concepts>
#include <string_view>
#include <variant>

#include "game.hpp"
#include "numeric.hpp"

namespace regretless::REGRETLESS_ISA {

struct PerceptronLoss {  // max(0, -m); a score of 0 is an update unless `tie` says that it is right
  static constexpr std::string_view name = "perceptron";
  double tie;
  explicit PerceptronLoss(const Rules& rules) : tie(rules.tie) {}
  double value(double m) const { return m < 0 ? -m : 0; }
  double slope(double m, double y) const { return m > 0 || (m == 0 && tie == y) ? 0 : -1; }
};
struct Hinge {  // max(0, 1 - m)
  static constexpr std::string_view name = "hinge";
  explicit Hinge(const Rules&) {}
  double value(double m) const { return m < 1 ? 1 - m : 0; }
  double slope(double m, double) const { return m < 1 ? -1 : 0; }
};
struct SquaredHinge {  // max(0, 1 - m)^2
  static constexpr std::string_view name = "squared-hinge";
  explicit SquaredHinge(const Rules&) {}
  double value(double m) const { return m < 1 ? (1 - m) * (1 - m) : 0; }
  double slope(double m, double) const { return m < 1 ? -2 * (1 - m) : 0; }
};
struct Logistic {  // ln(1 + exp(-m))
  static constexpr std::string_view name = "logistic";
  explicit Logistic(const Rules&) {}
  double value(double m) const { return log_one_plus_exp(-m); }
  double slope(double m, double) const { return -logistic(-m); }
};
struct Square {  // (score - y)^2 = (1 - m)^2
  static constexpr std::string_view name = "square";
  explicit Square(const Rules&) {}
  double value(double m) const { return (1 - m) * (1 - m); }
  double slope(double m, double) const { return -2 * (1 - m); }
};
struct Linear {  // m: the row itself is the gradient, as in the lemma under every regret bound
  static constexpr std::string_view name = "linear";
  explicit Linear(const Rules&) {}
  double value(double m) const { return m; }
  double slope(double, double) const { return 1; }
};

template <class L>
concept Loss = requires(const L& loss, double m, double y) {
  { L::name } -> std::convertible_to<std::string_view>;
  { loss.value(m) } -> std::convertible_to<double>;
  { loss.slope(m, y) } -> std::convertible_to<double>;
};

// The catalogue: a new loss is a struct above and a name here.
using AnyLoss = std::variant<PerceptronLoss, Hinge, SquaredHinge, Logistic, Square, Linear>;

}  // namespace regretless::REGRETLESS_ISA
