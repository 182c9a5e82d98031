// By how much the class of each row is above the best other one, in the scores of matrices with a vector for each
// class.
#pragma once
#include "fixed_vectors.hpp"

namespace regretless::REGRETLESS_ISA {

// The vectors of a matrix lie side by side, and so do the matrices.
template <Rows X>
LinearVerdict write_leads(const X& rows, std::int64_t count, const Labels& labels, double b, const FixedVectors& v,
                          std::int64_t classes, double* leads) {
  return score_rows(rows, count, b, v, [&](std::int64_t t) {
    const std::int32_t label = labels.label[t];
    for (std::int64_t first = 0; first < v.count; first += classes) {
      const auto score = [&](std::int64_t c) { return v.scratch[first + c] + b * v.biases[first + c]; };
      double best = -std::numeric_limits<double>::infinity();
      for (std::int64_t c = 0; c < classes; ++c)
        if (c != label && score(c) > best) best = score(c);
      *leads++ = score(label) - best;
    }
  });
}

}  // namespace regretless::REGRETLESS_ISA
