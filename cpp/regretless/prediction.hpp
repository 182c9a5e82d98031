// What scores predict, for all loops alike.
#pragma once
#include <cstdint>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// Whether a label of +1 is predicted; a score of zero stands for +1 unless `tie` says -1. No branch may hang on this:
// which way it goes is all but a coin's flip to the processor.
REGRETLESS_INLINE bool positive(double score, double tie) { return int(score > 0) | (int(score == 0) & int(tie >= 0)); }

// The first of the largest scores is the class that several one-against-rest targets agree on.
inline std::int64_t winner(const double* scores, std::int64_t targets) {
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < targets; ++c)
    if (scores[c] > scores[best]) best = c;
  return best;
}

}  // namespace regretless::REGRETLESS_ISA
