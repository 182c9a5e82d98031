// How long the steps are: a function of the round and of the book, so that there is no other state to keep.
#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <span>
#include <string_view>

#include "linear_types.hpp"
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// A round that teaches something: its loss, the slope of it (times the weight of the round), |x|^2.
struct RoundCost {
  double loss, slope, y, norm2, weight;
};

// A rate says what it goes by besides its step, so that weights that were mixed go on at the rate that they had: its
// `clock`, fields of the ledger.
using NoClock = std::array<std::string_view, 0>;

// Steps of length `eta` along the gradient. The book sums |gradient|^2, and eta times it.
struct AlongGradient {
  static constexpr bool towards_no_loss = false;
  static double square(const RoundCost& s) { return s.slope * s.slope * s.norm2; }
  static double gain(double eta, const RoundCost& s) { return eta * square(s); }
  static double move(double eta, const RoundCost& s) { return -eta * s.slope * s.y; }
};

// Steps of length `tau` times the row, towards where the loss is nothing. The book sums the squares of the loss, and by
// how much at least each step lessens |w - v|^2 for every v without a loss in that round. The weight of a round weighs
// the loss against staying where one is; so no step goes past the goal, however much the round weighs.
struct TowardsNoLoss {
  static constexpr bool towards_no_loss = true;
  static constexpr NoClock clock{};
  static double square(const RoundCost& s) { return s.loss * s.loss; }
  static double gain(double tau, const RoundCost& s) { return tau * (2 * s.loss - tau * s.norm2); }
  static double move(double tau, const RoundCost& s) { return tau * s.y; }
};

// One loop serves them all through a pointer, which is followed only when the weights move.
struct Rate {
  double eta, limit;
  double (*take)(const Rate&, const RoundCost&, Ledger&);
  // By how much of x the weights move; writes it down.
  double operator()(const RoundCost& s, Ledger& book) const { return take(*this, s, book); }
};

struct Constant : AlongGradient {
  static constexpr std::string_view name = "constant";
  static constexpr NoClock clock{};
  static double at(const Rate& rate, const RoundCost&, const Ledger&) { return rate.eta; }
};
struct InverseSqrt : AlongGradient {  // eta / sqrt(t)
  static constexpr std::string_view name = "inverse-sqrt";
  static constexpr std::array<std::string_view, 1> clock{"rounds"};
  static double at(const Rate& rate, const RoundCost&, const Ledger& book) { return rate.eta / std::sqrt(book.rounds); }
};
struct SelfTuned : AlongGradient {  // eta / sqrt(sum of |gradient|^2), known as AdaGrad-norm
  static constexpr std::string_view name = "self-tuned";
  static constexpr std::array<std::string_view, 1> clock{"slope2"};
  static double at(const Rate& rate, const RoundCost&, const Ledger& book) {
    return book.slope2 > 0 ? rate.eta / std::sqrt(book.slope2) : 0;
  }
};
// The same over the longest row so far: rows in other units give the same scores.
struct ScaleFree : AlongGradient {
  static constexpr std::string_view name = "scale-free";
  static constexpr std::array<std::string_view, 2> clock{"slope2", "max_norm2"};
  static double at(const Rate& rate, const RoundCost&, const Ledger& book) {
    return book.slope2 > 0 ? rate.eta / std::sqrt(book.slope2) / std::sqrt(book.max_norm2) : 0;
  }
};
struct Aggressive : TowardsNoLoss {  // loss / |x|^2: all the way
  static constexpr std::string_view name = "pa";
  static double at(const Rate&, const RoundCost& s, const Ledger&) { return s.norm2 > 0 ? s.loss / s.norm2 : 0; }
};
struct AggressiveToLimit : TowardsNoLoss {  // ... but no further than `limit`
  static constexpr std::string_view name = "pa-1";
  static double at(const Rate& rate, const RoundCost& s, const Ledger& book) {
    const double all = Aggressive::at(rate, s, book), most = rate.limit * s.weight;
    return most < all ? most : all;
  }
};
struct AggressiveDamped : TowardsNoLoss {  // loss / (|x|^2 + 1 / (2 limit))
  static constexpr std::string_view name = "pa-2";
  static double at(const Rate& rate, const RoundCost& s, const Ledger&) {
    return s.norm2 > 0 ? s.loss / (s.norm2 + 0.5 / (rate.limit * s.weight)) : 0;
  }
};

template <class R>
concept Schedule = requires(const Rate& rate, const RoundCost& s, Ledger& book, double eta) {
  { R::name } -> std::convertible_to<std::string_view>;
  { R::clock } -> std::convertible_to<std::span<const std::string_view>>;
  { R::towards_no_loss } -> std::convertible_to<bool>;
  { R::at(rate, s, book) } -> std::same_as<double>;
  { R::square(s) } -> std::same_as<double>;
  { R::gain(eta, s) } -> std::same_as<double>;
  { R::move(eta, s) } -> std::same_as<double>;
};

// A rate may need the sum that the round is already part of.
template <Schedule R>
double take(const Rate& rate, const RoundCost& s, Ledger& book) {
  book.slope2 += R::square(s);
  const double eta = R::at(rate, s, book);
  book.step2 += R::gain(eta, s);
  if (eta == 0) return 0;  // a self-tuned rate before the first gradient, or a row of zeros that no step helps
  book.updates += 1;
  if (book.first_rate == 0) book.first_rate = eta;
  book.last_rate = eta;
  return R::move(eta, s);
}

// The catalogue, by name; the binding has refused unknown names.
template <Schedule... R>
struct Schedules {
  static constexpr RateFacts facts[] = {{R::name, R::clock, R::towards_no_loss}...};
  static Rate named(const Rules& rules) {
    Rate rate{rules.eta, rules.limit, nullptr};
    ((rules.rate == R::name ? void(rate.take = take<R>) : void()), ...);
    return rate;
  }
};
using AnyRate = Schedules<Constant, InverseSqrt, SelfTuned, ScaleFree, Aggressive, AggressiveToLimit, AggressiveDamped>;

}  // namespace regretless::REGRETLESS_ISA
