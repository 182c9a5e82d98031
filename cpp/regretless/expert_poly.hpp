// Weights by the positive part of the regret.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double steepest = 1e290;  // squared regrets of a round over those before it that still are summed

struct PolySweep;

// The positive part of the regret, over a slack of each expert's own; state: regrets, their squares.
struct Poly {
  using Sweep = PolySweep;
  static constexpr CombinerRule facts{.name = "poly", .rows = 2, .own_rates = true, .by_regret = true};
  static double largest(const ExpertWorkspace& d, const CombinerMemory& memory) {
    const double declared = d.setting.span * d.setting.span,
                 most = declared > memory.largest ? declared : memory.largest;
    return most > smallest_scale * smallest_scale ? most : 0;
  }
  static double largest(const ExpertWorkspace& d) { return largest(d, d.memory); }
  static double weigh(ExpertWorkspace& d) {
    const Octet most_yet = eight(largest(d));
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet slack = most_yet + at(d.row[1], i), rate = at(d.prior, i) / where_positive(slack, slack, eight(1));
      const Octet w = where_known(at(d.advised, i), rate * upper(at(d.row[0], i), eight(0)), eight(0));
      put(d.aux + i, rate);
      put(d.weights + i, w);
      total = total + w;
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    const double reach = mix.reach();
    if (reach * reach > largest(d) * steepest) [[unlikely]] {
      leap(d, mix, reach * reach);
      return;
    }
    if (reach * reach > d.memory.largest) d.memory.largest = reach * reach;
    if (d.fell_back) renew(d);  // nobody has regret to lose, so that the new slack may be used
    Octet drag{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played()), r2 = r * r;
      drag = drag + at(d.aux, i) * r2;
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + r2);
    }
    d.book.drag += in_all(drag) + (d.fell_back ? 0 : 2 * d.total * mix.delay);
  }
  static Octet own_rates(const ExpertWorkspace& d, std::int64_t i) {
    const Octet slack = eight(largest(d)) + at(d.row[1], i);
    return eight(1) / where_positive(slack, slack, eight(1));
  }
  static void renew(const ExpertWorkspace& d) {
    const Octet most_yet = eight(largest(d));
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet slack = most_yet + at(d.row[1], i);
      put(d.aux + i, at(d.prior, i) / where_positive(slack, slack, eight(1)));
    }
  }
  // The first round, or one beside which all regret so far is smallest_scale any: the new slack is used, and the whole
  // potential after the round is counted.
  REGRETLESS_APART static void leap(const ExpertWorkspace& d, const Mix& mix, double square) {
    if (square > d.memory.largest) d.memory.largest = square;
    renew(d);
    const bool scaled = largest(d) > 0;
    Octet potential{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played()), sum = at(d.row[0], i) + r;
      const Octet lost = d.fell_back ? r : upper(sum, eight(0));
      potential = potential + at(d.aux, i) * (lost * lost);
      put(d.row[0] + i, sum);
      if (scaled) put(d.row[1] + i, at(d.row[1], i) + r * r);
    }
    d.book.drag += in_all(potential);
  }
};

}  // namespace regretless::REGRETLESS_ISA
