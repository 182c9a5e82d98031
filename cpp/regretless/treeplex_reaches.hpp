// Between what numbers expected payoffs of a game in sequence form lie.
#pragma once
#include <algorithm>
#include <vector>

#include "treeplex.hpp"

namespace regretless {

// The most and the least that each sequence of t is worth in expectation, whatever is done after it and elsewhere, but
// for rounding: against each row of payoffs the other player answers by itself, so that the truth may lie well within.
class Reaches {
 public:
  Reaches(const Treeplex& own, const Treeplex& other, const TreePayoffs& a)
      : own_(own), other_(other), a_(a), set_of_(std::size_t(other.sequences), -1),
        values_(std::size_t(other.sequences)), met_(std::size_t(other.sets)) {
    for (std::int64_t i = 0; i < other.sets; ++i)
      for (std::int32_t s = other.first[i]; s < other.first[i + 1]; ++s) set_of_[std::size_t(s)] = std::int32_t(i);
  }

  void find(double* low, double* high) {
    for (std::int64_t s = 0; s < own_.sequences; ++s) {
      high[s] = most(s, 1);
      low[s] = -most(s, -1);
    }
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
           i = set_of_[std::size_t(other_.parent[i])]) {
        met_[std::size_t(i)] = 1;
        touched_.push_back(i);
      }
    }
    std::sort(touched_.rbegin(), touched_.rend());
    for (const std::int32_t i : touched_) {
      double* const begin = values_.data() + other_.first[i];
      double* const end = values_.data() + other_.first[i + 1];
      values_[std::size_t(other_.parent[i])] += *std::max_element(begin, end);
      std::fill(begin, end, 0.0);
      met_[std::size_t(i)] = 0;
    }
    const double value = values_[0];
    values_[0] = 0;
    return value;
  }

  Treeplex own_, other_;
  TreePayoffs a_;
  std::vector<std::int32_t> set_of_;
  std::vector<double> values_;
  std::vector<char> met_;
  std::vector<std::int32_t> touched_;
};

}  // namespace regretless
