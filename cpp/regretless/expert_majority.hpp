// The votes of weighted majority.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

// Votes that are multiplied by beta for every mistake; state: mistakes that counted.
struct Majority {
  static constexpr CombinerRule facts{.name = "majority", .rows = 1, .counts = true};
  static double weigh(ExpertWorkspace& d) {
    // Votes are counted from the best of those who speak, as only ratios matter; without any mercy all may lose theirs.
    double fewest = infinity, total = 0;
    for (std::int64_t i = 0; i < d.n; ++i)
      if (d.advised[i] == d.advised[i] && d.row[0][i] < fewest) fewest = d.row[0][i];
    if (d.setting.powers[1] == 0) fewest = 0;
    for (std::int64_t i = 0; i < d.padded_n; ++i) {
      const double mistakes = d.row[0][i] - fewest;  // a state from elsewhere may hold anything
      const std::int64_t last = d.setting.power_count - 1;
      const std::int64_t place = mistakes < double(last) ? std::int64_t(mistakes > 0 ? mistakes : 0) : last;
      d.weights[i] = i < d.n && d.advised[i] == d.advised[i] ? d.setting.powers[place] : 0;
    }
    Octet sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) sum = sum + at(d.weights, i);
    total = in_all(sum);
    return total;
  }
  static void move(ExpertWorkspace& d, const Mix&) {
    if (!d.setting.always && !d.erred) return;
    for (std::int64_t i = 0; i < d.padded_n; i += 8) put(d.row[0] + i, at(d.row[0], i) + charged(d, i, 0));
  }
};

}  // namespace regretless::REGRETLESS_ISA
