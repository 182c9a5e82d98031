// What a round may make of the numbers that are kept.
#pragma once
#include <cmath>

#include "linear_types.hpp"
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// A round is refused, before it changes anything, that would take a number beyond this: there is room left for
// rounding, and for what rounds add that are near enough to 1 not to be tried out. Below 1e290 they drive no finite sum
// beyond the floats.
inline constexpr double most_storable = 1e300;
REGRETLESS_INLINE bool is_storable(double value) { return std::fabs(value) < most_storable; }
static inline bool is_storable(const Ledger& book) {
  const double* const sums = &book.rounds;
  for (int k = 0; k < ledger_size; ++k)
    if (!is_storable(sums[k])) return false;
  return true;
}

// Numbers of a round that are not tried out, and rates and weights of rounds.
inline constexpr double tame_size = 1e40, tame_rule = 1e20;

}  // namespace regretless::REGRETLESS_ISA
