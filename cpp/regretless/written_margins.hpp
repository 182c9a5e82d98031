// Reading comparators against rows in memory: the margins of all rows along some directions are written down, and put
// into the bins of one direction after the other, which the nearest caches hold. The same bits as `sight` gives.
#pragma once
#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "ray_histogram.hpp"

namespace regretless::REGRETLESS_ISA {

template <Rows X>
LinearVerdict write_margins(const X& rows, std::int64_t count, const Labels& labels, double b,
                            const WrittenRays& rays) {
  return score_rows(rows, count, b, rays, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < rays.count; ++k) {
      const double score = rays.scratch[k] + b * rays.biases[k];
      rays.margins[k * rays.rows + t] = labels.label[t] == rays.whose[k] ? score : -score;
    }
  });
}

inline void bin_margins(const WrittenRays& rays) {
  for (std::int64_t k = 0; k < rays.count; ++k) {
    const double times = rays.times[k], *const margins = rays.margins + k * rays.rows;
    double* const bins = rays.bins + k * ray_bins * 3;
    for (std::int64_t t = 0; t < rays.rows && times != 0; ++t) {
      const double margin = margins[t];
      double* const bin = bins + ray_bin(margin) * 3;
      bin[0] += times;
      bin[1] += times * margin;
      bin[2] += times * (margin * margin);
      if (margin < rays.least[k]) rays.least[k] = margin;
    }
  }
}

}  // namespace regretless::REGRETLESS_ISA
