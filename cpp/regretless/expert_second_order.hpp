// Exponential weights with rates of each expert's own, by its squared regrets: ML-Prod and BOA.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

struct ProdGain {
  static constexpr const char* name = "prod";
  static Octet of(const Octet& eta, const Octet& r) { return log_plus(eta * r) / eta; }
};
struct BoaGain {
  static constexpr const char* name = "boa";
  static Octet of(const Octet& eta, const Octet& r) { return r - eta * r * r; }
};

// min(1 / (2 largest), sqrt(ln n / (largest^2 + V))) of eight experts.
struct OwnRates {
  double cap, square, k;
  OwnRates(const ExpertWorkspace& d, double largest)
      : cap(largest > smallest_scale ? 1 / (2 * largest) : 1), square(largest * largest),
        k(log_of(double(d.n > 2 ? d.n : 2))) {}
  Octet operator()(const Octet& squares) const { return lower(root(eight(k) / (eight(square) + squares)), eight(cap)); }
};

// Weights eta exp(eta G), with a rate eta of each expert's own; state: regrets, gains G, squared regrets.
template <class Gain>
struct SecondOrder {
  static constexpr CombinerRule facts{
      .name = Gain::name, .rows = 3, .own_rates = true, .by_regret = true, .drags = true};
  static double weigh(ExpertWorkspace& d) {
    const double largest = d.span(d.memory.largest);
    if (!(largest > smallest_scale)) return 0;
    const OwnRates rates(d, largest);
    Octet most_yet = eight(-infinity), total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet eta = rates(at(d.row[2], i)), power = eta * at(d.row[1], i);
      put(d.aux + i, eta);
      put(d.aux2 + i, power);
      most_yet = upper(where_known(at(d.advised, i), power, most_yet), most_yet);
    }
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet w = at(d.prior, i) * at(d.aux, i) * exp_of(at(d.aux2, i) - eight(base));
      put(d.weights + i, where_known(at(d.advised, i), w, eight(0)));
      total = total + at(d.weights, i);
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (mix.reach() > d.memory.largest) d.memory.largest = mix.reach();
    const double largest = d.span(d.memory.largest);
    if (!(largest > smallest_scale)) {
      add_regrets(d, mix);
      return;
    }
    const OwnRates rates(d, largest);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played());
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + Gain::of(rates(at(d.row[2], i)), r));
      put(d.row[2] + i, at(d.row[2], i) + r * r);
    }
  }
  static Octet own_rates(const ExpertWorkspace& d, std::int64_t i) {
    const double largest = d.span(d.memory.largest);
    return largest > smallest_scale ? OwnRates(d, largest)(at(d.row[2], i)) : eight(1);
  }
  // Of the potential, the sum of prior exp(eta G).
  static double log_potential(const ExpertWorkspace& d) {
    const double largest = d.span(d.memory.largest);
    if (!(largest > smallest_scale)) return 0;
    const OwnRates rates(d, largest);
    Octet most_yet = eight(-infinity), sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      most_yet = upper(rates(at(d.row[2], i)) * at(d.row[1], i), most_yet);
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      sum = sum + at(d.prior, i) * exp_of(rates(at(d.row[2], i)) * at(d.row[1], i) - eight(base));
    return base + log_of(in_all(sum));
  }
};
using Prod = SecondOrder<ProdGain>;
using Boa = SecondOrder<BoaGain>;

}  // namespace regretless::REGRETLESS_ISA
