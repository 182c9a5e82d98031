// How long the steps are: a function of the book, so that there is no other state to keep. The book already holds the
// round in question, its gradient included.
#pragma once
#include <cmath>
#include <concepts>
#include <string_view>

#include "game.hpp"
#include "lanes.hpp"

namespace regretless::REGRETLESS_ISA {

struct Constant {
  static constexpr std::string_view name = "constant";
  static double at(double eta, const Ledger&) { return eta; }
};
struct InverseSqrt {  // eta / sqrt(t)
  static constexpr std::string_view name = "inverse-sqrt";
  static double at(double eta, const Ledger& book) { return eta / std::sqrt(book.rounds); }
};
struct SelfTuned {  // eta / sqrt(sum of |gradient|^2), known as AdaGrad-norm
  static constexpr std::string_view name = "self-tuned";
  static double at(double eta, const Ledger& book) { return book.slope2 > 0 ? eta / std::sqrt(book.slope2) : 0; }
};

template <class R>
concept Schedule = requires(double eta, const Ledger& book) {
  { R::name } -> std::convertible_to<std::string_view>;
  { R::at(eta, book) } -> std::same_as<double>;
};

// A schedule is asked only when the weights move, so one loop serves them all through a pointer.
struct Rate {
  double eta;
  double (*at)(double eta, const Ledger&);
  double operator()(const Ledger& book) const { return at(eta, book); }
};

// The catalogue, by name; the binding has refused unknown names.
template <Schedule... R>
struct Schedules {
  static Rate named(const Rules& rules) {
    Rate rate{rules.eta, nullptr};
    ((rules.rate == R::name ? void(rate.at = R::at) : void()), ...);
    return rate;
  }
};
using AnyRate = Schedules<Constant, InverseSqrt, SelfTuned>;

}  // namespace regretless::REGRETLESS_ISA
