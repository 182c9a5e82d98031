// What coordinate ascent in the dual of support vector machines reads and writes.
#pragma once
#include "linear_types.hpp"

namespace regretless {

inline constexpr int penalties = 4;  // of machines that climb at once

struct Ascent {
  double* vectors = nullptr;      // (columns, 2 * penalties): the vectors, and what their means over a pass lack
  double* biases = nullptr;       // 2 * penalties
  double* multipliers = nullptr;  // (rows, penalties)
  const double* most = nullptr;   // penalties: what a multiplier may be at most
  std::int64_t columns = 0;
  std::int64_t before = 0, rounds = 0;  // of the pass: those that are over, and all of them
  bool last = false;                    // whether the mean is over this pass
};

struct AscentKernels {
  LinearVerdict (*climb)(const Block& block, const Labels& labels, double intercept, const Ascent& ascent,
                         std::int64_t begin, std::int64_t end);
};

extern const AscentKernels ascent_kernels_generic, ascent_kernels_v1, ascent_kernels_v3, ascent_kernels_v4;

}  // namespace regretless
