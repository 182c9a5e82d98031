// What a plan guarantees against every answer, with about 100 bits, and between what numbers payoffs lie.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "treeplex.hpp"

namespace regretless {

// A sum of two floats, the second at most half a unit of the first. Products are taken apart by hand (Veltkamp and Dekker), so
// that every machine gives the same bits. An operation is off by less than 2^-100 of its result (Joldes, Muller and Popescu
// 2017) unless it underflows.
struct Twofold {
  double high = 0, low = 0;
};

inline Twofold exact_sum(double a, double b) {
  const double s = a + b, of_b = s - a;
  return {s, (a - (s - of_b)) + (b - of_b)};
}
inline Twofold normal(double a, double b) {  // |a| >= |b|
  const double s = a + b;
  return {s, b - (s - a)};
}
inline Twofold exact_product(double a, double b) {
  const auto halves = [](double x) {
    const double big = 134217729.0 * x, top = big - (big - x);
    return Twofold{top, x - top};
  };
  const double p = a * b;
  const Twofold x = halves(a), y = halves(b);
  return {p, ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low};
}
inline Twofold operator+(const Twofold& a, const Twofold& b) {
  const Twofold s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
  const Twofold u = normal(s.high, s.low + t.high);
  return normal(u.high, u.low + t.low);
}
inline Twofold operator*(const Twofold& a, double b) {
  const Twofold p = exact_product(a.high, b);
  return normal(p.high, p.low + a.low * b);
}
inline Twofold operator*(const Twofold& a, const Twofold& b) {
  const Twofold p = exact_product(a.high, b.high);
  return normal(p.high, p.low + (a.high * b.low + a.low * b.high));
}
inline Twofold operator-(const Twofold& a) { return {-a.high, -a.low}; }
inline Twofold operator/(const Twofold& a, const Twofold& b) {
  const double q = a.high / b.high;
  const Twofold rest = a + -(b * q);
  const double r = rest.high / b.high;
  const Twofold more = rest + -(b * r);
  const Twofold quotient = normal(q, r);
  return quotient + Twofold{more.high / b.high, 0};
}
inline bool operator<(const Twofold& a, const Twofold& b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

// The plan that numbers stand for: in each information set probabilities in proportion to them, equal ones where all are zero.
inline void true_plan(const Treeplex& t, const double* given, std::vector<Twofold>& plan) {
  plan.assign(std::size_t(t.sequences), {});
  plan[0] = {1, 0};
  for (std::int64_t i = 0; i < t.sets; ++i) {
    const double most = *std::max_element(given + t.first[i], given + t.first[i + 1]);
    const double scale = most < 0x1p-600 ? 0x1p600 : 1;  // so that nothing underflows in between
    const auto chance = [&](std::int32_t s) { return most > 0 ? given[s] * scale : 1.0; };
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

// How far a value can be from the truth. No number in it went through more operations than there are numbers, each off by 2^-100
// of terms whose absolute values sum to the size; what underflows is a probability off by 2^-1060 at most. Payoffs that were
// rounded themselves are off by 2^-53 of their own.
inline double doubt(const TreeGame& g, const Answer& found, bool rounded) {
  const std::int64_t entries = g.by_row.starts[g.row.sequences];
  double largest = 1;
  for (std::int64_t k = 0; k < entries; ++k) largest = std::max(largest, std::fabs(g.by_row.values[k]));
  const double numbers = double(g.row.sequences + g.column.sequences + entries) + 16;
  return found.size * (8 * numbers * 0x1p-100 + (rounded ? 0x1.01p-53 : 0.0)) + numbers * largest * 0x1p-1040;
}

inline double outward(const Twofold& value, double by, double way) {
  const Twofold moved = value + Twofold{way * by, 0};
  if (!std::isfinite(moved.high)) return way * std::numeric_limits<double>::infinity();
  const bool there = way * moved.low <= 0;  // what was cut off lies on the safe side
  return there ? moved.high : std::nextafter(moved.high, way * std::numeric_limits<double>::infinity());
}

struct Interval {
  double lower, upper;
};

// What the plan x wins at least and the plan y pays at most.
inline Interval enclose(const TreeGame& g, const double* x, const double* y, bool rounded) {
  std::vector<Twofold> plan;
  true_plan(g.row, x, plan);
  const Answer low = best_answer(g.column, g.by_column, plan, false);
  true_plan(g.column, y, plan);
  const Answer high = best_answer(g.row, g.by_row, plan, true);
  return {outward(low.value, doubt(g, low, rounded), -1), outward(high.value, doubt(g, high, rounded), 1)};
}

// The most and the least that each sequence of t is worth in expectation, whatever is done after it and elsewhere, but for
// rounding: against each row of payoffs the other player answers by itself, so that the truth may lie well within.
class Reaches {
 public:
  Reaches(const Treeplex& own, const Treeplex& other, const TreePayoffs& a)
      : own_(own), other_(other), a_(a), set_of_(std::size_t(other.sequences), -1), values_(std::size_t(other.sequences)),
        met_(std::size_t(other.sets)) {
    for (std::int64_t i = 0; i < other.sets; ++i)
      for (std::int32_t s = other.first[i]; s < other.first[i + 1]; ++s) set_of_[std::size_t(s)] = std::int32_t(i);
  }

  void find(double* low, double* high) {
    for (std::int64_t s = 0; s < own_.sequences; ++s) high[s] = most(s, 1), low[s] = -most(s, -1);
    for (std::int64_t i = own_.sets; i-- > 0;) {
      const std::int32_t begin = own_.first[i], end = own_.first[i + 1];
      low[own_.parent[i]] += *std::min_element(low + begin, low + end);
      high[own_.parent[i]] += *std::max_element(high + begin, high + end);
    }
  }

 private:
  double most(std::int64_t row, double sign) {
    touched_.clear();
    for (std::int64_t k = a_.starts[row]; k < a_.starts[row + 1]; ++k) {
      values_[std::size_t(a_.columns[k])] = sign * a_.values[k];
      for (std::int32_t i = set_of_[std::size_t(a_.columns[k])]; i >= 0 && !met_[std::size_t(i)];
           i = set_of_[std::size_t(other_.parent[i])])
        met_[std::size_t(i)] = 1, touched_.push_back(i);
    }
    std::sort(touched_.rbegin(), touched_.rend());
    for (const std::int32_t i : touched_) {
      double* const begin = values_.data() + other_.first[i];
      double* const end = values_.data() + other_.first[i + 1];
      values_[std::size_t(other_.parent[i])] += *std::max_element(begin, end);
      std::fill(begin, end, 0.0);
      met_[std::size_t(i)] = 0;
    }
    const double found = values_[0];
    values_[0] = 0;
    return found;
  }

  Treeplex own_, other_;
  TreePayoffs a_;
  std::vector<std::int32_t> set_of_;
  std::vector<double> values_;
  std::vector<char> met_;
  std::vector<std::int32_t> touched_;
};

}  // namespace regretless
