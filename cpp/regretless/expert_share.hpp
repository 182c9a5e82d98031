// Exponential weights of which a part is dealt out again after every round.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

// Exponential weights, of which a part is dealt out again after every round; state: weights, summed charges.
struct Share {
  static constexpr CombinerRule facts{.name = "share", .rows = 2, .one_rate = true, .shares = true};
  static double weigh(ExpertWorkspace& d) {
    d.eta = common_rate(d);
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet w = where_known(at(d.advised, i), at(d.row[0], i), eight(0));
      put(d.weights + i, w);
      total = total + w;
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) total = total + at(d.row[0], i);
    const double before = in_all(total), sum = gentle(d, mix) ? temper(d, mix, before) : temper_steeply(d, mix, before);
    const double* weights = sum > 0 ? d.aux : d.prior;
    const double alpha = d.setting.alpha, part = (1 - alpha) / (sum > 0 ? sum : 1);
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      put(d.row[0] + i, eight(part) * at(weights, i) + eight(alpha) * at(d.prior, i));
    add_charges(d, d.row[1], mix.charge);
  }

  // Writes weights times exp(-eta charge), up to a common factor, and returns their sum.
  static double temper(const ExpertWorkspace& d, const Mix& mix, double total) {
    const double more = surplus<Leaves::experts>(d, d.row[0], mix.charge, d.aux);
    note_gap(d, log_past_one(more / total) / d.eta);
    return total + more;
  }
  static double temper_steeply(const ExpertWorkspace& d, const Mix& mix, double total) {
    Octet smallest_yet = eight(infinity), sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      smallest_yet = lower(where_positive(at(d.row[0], i), charged(d, i, mix.charge), smallest_yet), smallest_yet);
    const double least = smallest_of(smallest_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet u = at(d.row[0], i), excess = charged(d, i, mix.charge) - eight(least);
      const Octet factor =
          where_positive(excess, d.eta < infinity ? exp_of(eight(-d.eta) * excess) : eight(0), eight(1));
      const Octet tempered = where_positive(u, u * factor, eight(0));
      put(d.aux + i, tempered);
      sum = sum + tempered;
    }
    note_gap(d, (mix.charge - least) + (d.eta < infinity ? log_of(in_all(sum) / total) / d.eta : 0));
    return in_all(sum);
  }
};

}  // namespace regretless::REGRETLESS_ISA
