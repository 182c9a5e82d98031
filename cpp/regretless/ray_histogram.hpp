// Reading comparators against the rounds. For a direction d and every scale s >= 0 at once: the hinge loss of s * d
// over the rounds is a sum over the margins m = y <d, x> below 1 / s, so counts and sums of margins by bin give it
// exactly whenever 1 / s is the edge of a bin. One reading, constant memory.
#pragma once
#include <bit>
#include <cmath>

#include "fixed_vectors.hpp"

namespace regretless::REGRETLESS_ISA {

// Bins of one sign: [0, lowest], then 2^mantissa_bits bins an octave, then [highest, infinity). The edges are floats
// whose low mantissa bits are zero, so that finding a bin is a shift.
inline std::int64_t ray_bin(double margin) {
  constexpr std::int64_t first = (std::int64_t(ray_lowest) + 1023) << ray_mantissa_bits;
  const bool negative = margin < 0;
  const double size = std::fabs(margin);  // also of -0, whose sign bit would look like a huge exponent
  std::int64_t bin = std::int64_t(std::bit_cast<std::uint64_t>(size) >> (52 - ray_mantissa_bits)) - first + 1;
  if (bin < 0) bin = 0;
  if (bin > ray_side - 1) bin = ray_side - 1;
  return negative ? ray_side + bin : bin;
}

template <Rows X>
LinearVerdict sight(const X& rows, std::int64_t count, const Labels& labels, const Rules& rules, const Rays& rays) {
  const double b = rules.intercept;
  return score_rows(rows, count, b, rays, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < rays.count; ++k) {
      const double times = rays.times[k];
      if (times == 0) continue;
      const double score = rays.scratch[k] + b * rays.biases[k];
      const double margin = labels.label[t] == rays.whose[k] ? score : -score;
      double* bin = rays.bins + (k * ray_bins + ray_bin(margin)) * 3;
      bin[0] += times;
      bin[1] += times * margin;
      bin[2] += times * (margin * margin);
      if (margin < rays.least[k]) rays.least[k] = margin;
    }
  });
}

}  // namespace regretless::REGRETLESS_ISA
