// What a plan guarantees against every answer, with about 100 bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "interval.hpp"
#include "treeplex.hpp"
#include "double_double.hpp"

namespace regretless::REGRETLESS_ISA {

// The plan that numbers stand for: in each information set probabilities in proportion to them, equal ones where all
// are zero.
inline void true_plan(const Treeplex& t, const double* floats, std::vector<Twofold>& plan) {
  plan.assign(std::size_t(t.sequences), {});
  plan[0] = {1, 0};
  for (std::int64_t i = 0; i < t.sets; ++i) {
    const double most = *std::max_element(floats + t.first[i], floats + t.first[i + 1]);
    const double scale = most < 0x1p-600 ? 0x1p600 : 1;  // so that nothing underflows in between
    const auto chance = [&](std::int32_t s) { return most > 0 ? floats[s] * scale : 1.0; };
    Twofold total;
    for (std::int32_t s = t.first[i]; s < t.first[i + 1]; ++s) total = total + Twofold{chance(s), 0};
    const Twofold share = plan[std::size_t(t.parent[i])] / total;
    for (std::int32_t s = t.first[i]; s < t.first[i + 1]; ++s) plan[std::size_t(s)] = share * chance(s);
  }
}

struct Answer {
  Twofold value;
  double size;  // the same of the payoffs' absolute values: what errors are in proportion to
};

// The best answer of the player with treeplex t to a plan of the other, to whom the payoffs are given row by row of t.
inline Answer best_answer(const Treeplex& t, const TreePayoffs& a, const std::vector<Twofold>& plan, bool wants_much) {
  std::vector<Twofold> values(static_cast<std::size_t>(t.sequences));
  std::vector<double> sizes(static_cast<std::size_t>(t.sequences));
  for (std::size_t s = 0; s < values.size(); ++s)
    for (std::int64_t k = a.starts[s]; k < a.starts[s + 1]; ++k) {
      const Twofold& x = plan[std::size_t(a.columns[k])];
      values[s] = values[s] + x * a.values[k];
      sizes[s] += x.high * std::fabs(a.values[k]);
    }
  for (std::int64_t i = t.sets; i-- > 0;) {
    std::size_t best = std::size_t(t.first[i]);
    double size = 0;
    for (std::size_t s = best; s < std::size_t(t.first[i + 1]); ++s) {
      if (wants_much ? values[best] < values[s] : values[s] < values[best]) best = s;
      size = std::max(size, sizes[s]);
    }
    const std::size_t parent = std::size_t(t.parent[i]);
    values[parent] = values[parent] + values[best];
    sizes[parent] += size;
  }
  return {values[0], sizes[0]};
}

// How far a value can be from the truth. No number in it went through more operations than there are numbers, each off
// by 2^-100 of terms whose absolute values sum to the size; what underflows is a probability off by 2^-1060 at most, or
// a product of one with a payoff. Payoffs that were rounded themselves are off by 2^-53 of their own. Where all are
// zero there is nothing to doubt.
inline double doubt(const TreeGame& g, const Answer& answer, bool rounded) {
  const std::int64_t entries = g.by_row.starts[g.row.sequences];
  double largest = 0;
  for (std::int64_t k = 0; k < entries; ++k) largest = std::max(largest, std::fabs(g.by_row.values[k]));
  if (largest == 0) return 0;
  const double numbers = double(g.row.sequences + g.column.sequences + entries) + 16;
  return answer.size * (8 * numbers * 0x1p-100 + (rounded ? 0x1.01p-53 : 0.0)) +
         numbers * std::max(1.0, largest) * 0x1p-1040;
}

inline double outward(const Twofold& value, double by, double way) {
  const Twofold moved = value + Twofold{way * by, 0};
  if (!std::isfinite(moved.high)) return way * std::numeric_limits<double>::infinity();
  const bool there = way * moved.low <= 0;  // what was cut off lies on the safe side
  return there ? moved.high : std::nextafter(moved.high, way * std::numeric_limits<double>::infinity());
}

// What the plan x wins at least and the plan y pays at most.
inline Interval enclose(const TreeGame& g, const double* x, const double* y, bool rounded) {
  std::vector<Twofold> plan;
  true_plan(g.row, x, plan);
  const Answer low = best_answer(g.column, g.by_column, plan, false);
  true_plan(g.column, y, plan);
  const Answer high = best_answer(g.row, g.by_row, plan, true);
  return {outward(low.value, doubt(g, low, rounded), -1), outward(high.value, doubt(g, high, rounded), 1)};
}

}  // namespace regretless::REGRETLESS_ISA
