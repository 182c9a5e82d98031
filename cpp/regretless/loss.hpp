// What is charged, as a function of the margin m = y * score: value is paid, slope is its derivative.
// A slope of zero means that the round teaches nothing and the weights stay. The book knows of the round's |x| already.
// Where fixed vectors are charged it too, `charge` is its value at four margins at once; not a number where one is
// none.
#pragma once
#include <cmath>
#include <concepts>
#include <string_view>
#include <variant>

#include "linear_types.hpp"
#include "numeric.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

struct PerceptronLoss {  // max(0, -m); a score of 0 is an update unless `tie` says that it is right
  static constexpr std::string_view name = "perceptron";
  double tie;
  explicit PerceptronLoss(const Rules& rules) : tie(rules.tie) {}
  double value(double m, const Memory&, const Ledger&) const { return m < 0 ? -m : 0; }
  double slope(double m, double y, const Memory&, const Ledger&) const {
    return m > 0 || (m == 0 && tie == y) ? 0 : -1;
  }
  REGRETLESS_INLINE static Quartet charge(const Quartet& margins) {
    return apply([](auto m) REGRETLESS_LAMBDA { return m >= 0.0 ? decltype(m){} : -m; }, margins);
  }
};
// max(0, margin * |w| - m): all rows must keep their distance from the plane. |w| is the running one: on whole numbers
// below 2^53 it is exact; else each step since it was last summed afresh is off by a few units in the last place of the
// largest of |w|^2 so far, and a round is decided wrongly only if its margin is as near to the bar as that.
struct BelowMargin {
  static constexpr std::string_view name = "margin";
  double margin;
  explicit BelowMargin(const Rules& rules) : margin(rules.margin) {}
  double bar(const Memory& w) const { return margin * std::sqrt(w.norm2); }
  double value(double m, const Memory& w, const Ledger&) const { return m < bar(w) ? bar(w) - m : 0; }
  double slope(double m, double, const Memory& w, const Ledger&) const {
    return m < bar(w) || (m == 0 && bar(w) == 0) ? -1 : 0;
  }
};
// max(0, bar - m) / (sqrt(k) |x|) in what would be the k-th update, with |x| the longest row so far and a bar that
// falls: margin * |x| / sqrt(k). At the bar itself there is an update too.
struct BelowFallingMargin {
  static constexpr std::string_view name = "falling-margin";
  double margin;
  explicit BelowFallingMargin(const Rules& rules) : margin(rules.margin) {}
  static double root(const Ledger& book) { return std::sqrt(book.updates + 1); }
  double bar(const Ledger& book) const { return margin * std::sqrt(book.max_norm2) / root(book); }
  double value(double m, const Memory&, const Ledger& book) const {
    return m < bar(book) ? (bar(book) - m) / std::sqrt(book.max_norm2) / root(book) : 0;
  }
  double slope(double m, double, const Memory&, const Ledger& book) const {
    return m <= bar(book) && book.max_norm2 > 0 ? -1 / std::sqrt(book.max_norm2) / root(book) : 0;
  }
};
struct Hinge {  // max(0, 1 - m)
  static constexpr std::string_view name = "hinge";
  explicit Hinge(const Rules&) {}
  double value(double m, const Memory&, const Ledger&) const { return m < 1 ? 1 - m : 0; }
  double slope(double m, double, const Memory&, const Ledger&) const { return m < 1 ? -1 : 0; }
  REGRETLESS_INLINE static Quartet charge(const Quartet& margins) {
    return apply([](auto m) REGRETLESS_LAMBDA { return m >= 1.0 ? decltype(m){} : 1.0 - m; }, margins);
  }
};
struct SquaredHinge {  // max(0, 1 - m)^2
  static constexpr std::string_view name = "squared-hinge";
  explicit SquaredHinge(const Rules&) {}
  double value(double m, const Memory&, const Ledger&) const { return m < 1 ? (1 - m) * (1 - m) : 0; }
  double slope(double m, double, const Memory&, const Ledger&) const { return m < 1 ? -2 * (1 - m) : 0; }
  REGRETLESS_INLINE static Quartet charge(const Quartet& margins) {
    return Hinge::charge(margins) * Hinge::charge(margins);
  }
};
struct Logistic {  // ln(1 + exp(-m))
  static constexpr std::string_view name = "logistic";
  explicit Logistic(const Rules&) {}
  double value(double m, const Memory&, const Ledger&) const { return log_one_plus_exp(-m); }
  double slope(double m, double, const Memory&, const Ledger&) const { return -logistic(-m); }
  REGRETLESS_INLINE static Quartet charge(const Quartet& margins) {
    const Quartet against = apply([](auto m) REGRETLESS_LAMBDA { return -m; }, margins);
    return upper(spread<4>(0), against) + log_one_plus_of(exp_of(lower(margins, against)));
  }
};
struct Square {  // (score - y)^2 = (1 - m)^2
  static constexpr std::string_view name = "square";
  explicit Square(const Rules&) {}
  double value(double m, const Memory&, const Ledger&) const { return (1 - m) * (1 - m); }
  double slope(double m, double, const Memory&, const Ledger&) const { return -2 * (1 - m); }
  REGRETLESS_INLINE static Quartet charge(const Quartet& margins) {
    return apply([](auto m) REGRETLESS_LAMBDA { return (1.0 - m) * (1.0 - m); }, margins);
  }
};
struct Linear {  // m: the row itself is the gradient, as in the lemma under every regret bound
  static constexpr std::string_view name = "linear";
  explicit Linear(const Rules&) {}
  double value(double m, const Memory&, const Ledger&) const { return m; }
  double slope(double, double, const Memory&, const Ledger&) const { return 1; }
};

template <class L>
concept Loss = requires(const L& loss, double m, double y, const Memory& w, const Ledger& book) {
  { L::name } -> std::convertible_to<std::string_view>;
  { loss.value(m, w, book) } -> std::convertible_to<double>;
  { loss.slope(m, y, w, book) } -> std::convertible_to<double>;
};

// The catalogue: a new loss is a struct above and a name here.
using AnyLoss =
    std::variant<PerceptronLoss, BelowMargin, BelowFallingMargin, Hinge, SquaredHinge, Logistic, Square, Linear>;

}  // namespace regretless::REGRETLESS_ISA
