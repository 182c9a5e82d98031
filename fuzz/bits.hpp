// Finite classes for the targets that search them: bits beyond the last hypothesis are 0, as the binding demands. And
// what the definitions say of small ones.
#pragma once
#include <algorithm>
#include <set>

#include "input.hpp"

namespace fuzz {

struct Class {
  std::int64_t hypotheses, points, words;
  std::vector<std::uint64_t> columns;

  Class(Input& in, std::int64_t most_hypotheses, std::int64_t most_points, std::int64_t least_points = 1)
      : hypotheses(in.within(1, most_hypotheses)), points(in.within(least_points, most_points)),
        words((hypotheses + 63) / 64) {
    const int kind = int(in.below(3));  // any bits, few ones, thresholds
    columns = array<std::uint64_t>(points * words, [&] { return kind == 0 ? in.raw<std::uint64_t>() : 0; });
    for (std::int64_t x = 0; x < points && kind > 0; ++x)
      for (std::int64_t h = 0; h < hypotheses; ++h)
        if (kind == 1 ? in.byte() < 40 : h > x)
          columns[std::size_t(x * words + h / 64)] |= std::uint64_t(1) << (h % 64);
    for (std::int64_t x = 0; x < points; ++x) columns[std::size_t((x + 1) * words - 1)] &= last();
  }
  std::uint64_t last() const { return ~std::uint64_t(0) >> (-hypotheses & 63); }
  bool says(std::int64_t h, std::int64_t x) const { return columns[std::size_t(x * words + h / 64)] >> (h % 64) & 1; }
  std::vector<std::uint64_t> all() const {
    std::vector<std::uint64_t> live(std::size_t(words), ~std::uint64_t(0));
    live.back() = last();
    return live;
  }
  // The rows of all hypotheses as numbers; of at most 64 points.
  std::vector<std::uint64_t> rows() const {
    std::vector<std::uint64_t> bits(std::size_t(hypotheses), 0);
    for (std::int64_t h = 0; h < hypotheses; ++h)
      for (std::int64_t x = 0; x < points; ++x) bits[std::size_t(h)] |= std::uint64_t(says(h, x)) << x;
    return bits;
  }
  bool distinct() const {
    const auto bits = rows();
    return std::set<std::uint64_t>(bits.begin(), bits.end()).size() == bits.size();
  }
};

// Littlestone's dimension of different hypotheses, by its definition; -1 of none.
inline int littlestone_of(const std::vector<std::uint64_t>& rows, std::int64_t points) {
  if (rows.size() < 2) return int(rows.size()) - 1;
  int best = 0;
  for (std::int64_t x = 0; x < points; ++x) {
    std::vector<std::uint64_t> sides[2];
    for (const std::uint64_t row : rows) sides[row >> x & 1].push_back(row);
    if (sides[0].empty() || sides[1].empty()) continue;
    const int other = littlestone_of(sides[0].size() < sides[1].size() ? sides[0] : sides[1], points);
    if (other >= best)
      best = std::max(best, 1 + std::min(other, littlestone_of(sides[sides[0].size() < sides[1].size()], points)));
  }
  return best;
}

// Whether a class has all labels of these points.
inline bool shatters(const Class& c, const std::vector<std::int64_t>& chosen) {
  std::set<std::uint64_t> met;
  for (std::int64_t h = 0; h < c.hypotheses; ++h) {
    std::uint64_t labels = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) labels |= std::uint64_t(c.says(h, chosen[k])) << k;
    met.insert(labels);
  }
  return met.size() == std::uint64_t(1) << chosen.size();
}
inline bool has_shattered(const Class& c, int target, std::int64_t from, std::vector<std::int64_t>& chosen) {
  if (int(chosen.size()) == target) return shatters(c, chosen);
  for (std::int64_t x = from; x < c.points; ++x) {
    chosen.push_back(x);
    if (has_shattered(c, target, x + 1, chosen)) return true;
    chosen.pop_back();
  }
  return false;
}

}  // namespace fuzz
