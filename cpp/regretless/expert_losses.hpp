// What experts are charged: value(a) of a forecast given the outcome, and its slope, for one number or a register of
// them. Nan stays nan.
#pragma once
#include "expert_types.hpp"
#include "simd_math.hpp"
#include "numeric.hpp"

namespace regretless::REGRETLESS_ISA {

struct TableLoss {  // the losses themselves
  template <class V>
  V value(V a) const {
    return a;
  }
};
struct Absolute {
  double y;
  template <class V>
  V value(V a) const {
    const V d = a - y;
    return d < V{} ? -d : d;
  }
  double slope(double a) const { return double(a > y) - double(a < y); }
};
struct Square {
  double y;
  template <class V>
  V value(V a) const {
    const V d = a - y;
    return d * d;
  }
  double slope(double a) const { return 2 * (a - y); }
};
struct Pinball {
  double y, tau;
  template <class V>
  V value(V a) const {
    const V above = a - y;
    return above > V{} ? above * (1 - tau) : above * -tau;
  }
  double slope(double a) const { return a > y ? 1 - tau : a < y ? -tau : 0; }
};
struct Percentage {
  double size, y;
  explicit Percentage(double outcome) : size(outcome < 0 ? -outcome : outcome), y(outcome) {}
  template <class V>
  V value(V a) const {
    const V d = a - y;
    return (d < V{} ? -d : d) / size;
  }
  double slope(double a) const { return (double(a > y) - double(a < y)) / size; }
};
struct ZeroOne {
  double y;
  template <class V>
  V value(V a) const {
    const V wrong = a != V{} + y ? V{} + 1.0 : V{};
    return a == a ? wrong : a;
  }
  double slope(double) const { return 0; }
};
// -y ln a - (1 - y) ln(1 - a), where 0 ln 0 is 0.
struct Log {
  double y;
  double value(double a) const {
    if (!(a == a)) return a;
    const double missed = y > 0 ? -y * log_of(a) : 0;
    const double feared = y < 1 ? -(1 - y) * (a == 1 ? -infinity : log_past_one(-a)) : 0;
    return missed + feared;
  }
  double slope(double a) const { return (y > 0 ? -y / a : 0) + (y < 1 ? (1 - y) / (1 - a) : 0); }
};
// -ln a of a price relative a.
struct Wealth {
  double value(double a) const { return a == a ? -log_of(a) : a; }
  double slope(double a) const { return -1 / a; }
};

// f(loss) for the loss of numbers that is asked for; a table has none.
template <class F>
REGRETLESS_INLINE void with_loss(const Combination& s, double y, F f) {
  switch (s.charge) {
    case ChargeKind::absolute: return f(Absolute{y});
    case ChargeKind::square: return f(Square{y});
    case ChargeKind::pinball: return f(Pinball{y, s.tau});
    case ChargeKind::percentage: return f(Percentage(y));
    case ChargeKind::zero_one: return f(ZeroOne{y});
    case ChargeKind::log: return f(Log{y});
    case ChargeKind::wealth: return f(Wealth{});
    case ChargeKind::table: return;
  }
}

// A loss with a logarithm is known of single numbers only.
template <class L>
concept OneByOne = !requires(const L& loss, Pack<double, one_register>::Register a) { loss.value(a); };

template <class L, Lanes P>
REGRETLESS_INLINE P values(const L& loss, const P& a) {
  if constexpr (OneByOne<L>) {
    double x[8];
    put(x, a);
    for (double& one : x) one = loss.value(one);
    return at(x, 0);
  } else {
    return apply([&](auto x) REGRETLESS_LAMBDA { return loss.value(x); }, a);
  }
}

}  // namespace regretless::REGRETLESS_ISA
