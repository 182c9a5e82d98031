// An e-detector: the capitals of several bets that losses are above a reference, and an alarm once their sum is large.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace regretless {

inline constexpr int detector_bets = 8;

// By rest + gain x a loss x multiplies the capital of a bet.
struct DetectorBets {
  std::array<double, detector_bets> rest, gain;
};

// `products` are those of the factors since the rounds in `starts`, which estimate since when losses are worse.
struct Detector {
  std::array<double, detector_bets> capitals, products;
  std::array<std::int64_t, detector_bets> starts;
};

struct DetectorAlarm {
  std::int64_t round, since;
};

// Rounds count on from `round`, those so far; `evidence` is the mean of the capitals after each. Sums begin with the
// first bet and go on in order, and of bets that are equally rich the first counts.
inline void detect(Detector& state, const DetectorBets& bets, double mean_rounds, std::int64_t round,
                   const double* losses, std::int64_t count, double* evidence, std::vector<DetectorAlarm>& alarms) {
  const double threshold = mean_rounds * detector_bets;
  Detector d = state;
  for (std::int64_t t = 0; t < count; ++t) {
    const double x = losses[t];
    ++round;
    double total = 0.0;
    for (int b = 0; b < detector_bets; ++b) {
      const double factor = bets.rest[b] + bets.gain[b] * x;
      d.capitals[b] = (d.capitals[b] + 1.0) * factor;
      const bool goes_on = d.products[b] > 1.0;
      d.products[b] = goes_on ? d.products[b] * factor : factor;
      d.starts[b] = goes_on ? d.starts[b] : round;
      total += d.capitals[b];
    }
    evidence[t] = total / detector_bets;
    if (!(total >= threshold)) continue;
    int richest = 0;
    for (int b = 1; b < detector_bets; ++b)
      if (d.capitals[b] > d.capitals[richest]) richest = b;
    alarms.push_back({round, d.starts[richest]});
    d.capitals.fill(0.0);
    d.products.fill(0.0);
  }
  state = d;
}

}  // namespace regretless
