// Shallow mistake trees of version spaces of at most 64 hypotheses, found at once. What they cost is counted in words.
#pragma once
#include "version_space.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

inline constexpr int few_levels = 3;

// Ldim >= 2: the column that leaves two on either side, or -1.
inline std::int64_t two_levels(const Frame& f, Word live, std::int64_t& looked) {
  const int size = std::popcount(live);
  if (size < 4) return -1;
  looked += f.columns;
  const Word* const column = f.column;
  for (std::int64_t c = 0; c < f.columns; ++c) {
    const int ones = std::popcount(column[c] & live);
    if (ones >= 2 && size - ones >= 2) return c;
  }
  return -1;
}

inline std::int64_t three_levels(const Frame& f, Word live, std::int64_t& looked) {
  const int size = std::popcount(live);
  if (size < 8) return -1;
  looked += f.columns;
  const Word* const column = f.column;
  for (std::int64_t c = 0; c < f.columns; ++c) {
    const Word side = column[c] & live;
    const int ones = std::popcount(side);
    if (ones >= 4 && size - ones >= 4 && two_levels(f, side, looked) >= 0 && two_levels(f, live & ~side, looked) >= 0)
      return c;
  }
  return -1;
}

// The column at the root of a tree of 1, 2 or 3 levels, or -1.
inline std::int64_t few_levels_root(const Frame& f, Word live, int levels, std::int64_t& looked) {
  if (levels == 3) return three_levels(f, live, looked);
  if (levels == 2) return two_levels(f, live, looked);
  looked += f.columns;
  for (std::int64_t c = 0; c < f.columns; ++c)
    if ((f.column[c] & live) && (~f.column[c] & live)) return c;
  return -1;
}

}  // namespace regretless::REGRETLESS_ISA::littlestone
