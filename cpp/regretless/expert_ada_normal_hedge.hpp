// AdaNormalHedge: weights without a rate.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

// Differences of exp(max(R, 0)^2 / 3C), of regrets R and their sizes C in units of the span; state: R, R - C, V.
struct AdaNormalHedge {
  static constexpr CombinerRule facts{
      .name = "ada-normal-hedge", .rows = 3, .own_rates = true, .by_regret = true, .drags = true};
  // What a regret and its size would be, in units of the scale, after a round that adds or takes one.
  struct Next {
    Octet regret, size;
    Next(const ExpertWorkspace& d, std::int64_t i, double scale)
        : regret(at(d.row[0], i) / eight(scale)), size((at(d.row[0], i) - at(d.row[1], i)) / eight(scale) + eight(1)) {}
    Octet above() const { return upper(regret + eight(1), eight(0)); }
    Octet below() const { return upper(regret - eight(1), eight(0)); }
    Octet power() const { return above() * (above() / (eight(3) * size)); }
    // By how much the power is more than that after a round that takes one.
    Octet fall() const { return (above() - below()) * ((above() + below()) / (eight(3) * size)); }
  };
  static double weigh(ExpertWorkspace& d) {
    const double scale = d.span(d.memory.largest);
    if (!(scale > smallest_scale)) return 0;
    Octet most_yet = eight(-infinity), total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      most_yet = upper(where_known(at(d.advised, i), Next(d, i, scale).power(), most_yet), most_yet);
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Next next(d, i, scale);
      const Octet w = exp_of(next.power() - eight(base)) * (eight(0) - exp_less_one(eight(0) - next.fall()));
      put(d.weights + i, where_known(at(d.advised, i), at(d.prior, i) * w, eight(0)));
      total = total + at(d.weights, i);
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (mix.reach() > d.memory.largest) d.memory.largest = mix.reach();
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played());
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + lower(r + r, eight(0)));
      put(d.row[2] + i, at(d.row[2], i) + r * r);
    }
  }
  // 1 / (3 scale C): what the squared regret is multiplied by in the potential. Where C is 0 so is the regret, and any
  // will do.
  static Octet own_rates(const ExpertWorkspace& d, std::int64_t i) {
    const double scale = d.span(d.memory.largest);
    if (!(scale > smallest_scale)) return eight(1);
    const Octet size = at(d.row[0], i) - at(d.row[1], i);
    return eight(1) / eight(3 * scale) / where_positive(size, size, eight(scale));
  }
  static double log_potential(const ExpertWorkspace& d) {
    const double scale = d.span(d.memory.largest);
    if (!(scale > smallest_scale)) return 0;
    const auto power = [&](std::int64_t i) REGRETLESS_LAMBDA {
      const Octet regret = upper(at(d.row[0], i), eight(0)), size = at(d.row[0], i) - at(d.row[1], i);
      return regret / eight(3 * scale) * (regret / where_positive(size, size, eight(scale)));
    };
    Octet most_yet = eight(-infinity), sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) most_yet = upper(power(i), most_yet);
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) sum = sum + at(d.prior, i) * exp_of(power(i) - eight(base));
    return base + log_of(in_all(sum));
  }
};

}  // namespace regretless::REGRETLESS_ISA
