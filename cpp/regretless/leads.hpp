// By how much the class of each row is above the best other one, in the scores of matrices with a vector for each
// class.
#pragma once
#include <algorithm>

#include "fixed_vectors.hpp"

namespace regretless::REGRETLESS_ISA {

// Whether none of some products is NaN; those that are finite are told four at a time.
REGRETLESS_INLINE bool are_numbers(const double* products, std::int64_t count) {
  Quartet nothing = spread<4>(0);
  std::int64_t k = 0;
  for (; k + 4 <= count; k += 4) nothing = nothing + spread<4>(0) * load<4>(products + k);
  double rest = tree(nothing);
  for (; k < count; ++k) rest += 0 * products[k];
  return rest == 0 || std::none_of(products, products + count, [](double product) { return product != product; });
}

// The vectors of a matrix lie side by side, and so do the matrices. A row is refused that has a score which is no
// number.
template <Rows X>
LinearVerdict write_leads(const X& rows, std::int64_t count, const Labels& labels, double b, const FixedVectors& v,
                          std::int64_t classes, double* leads) {
  std::int64_t lost = count;
  const LinearVerdict verdict = score_rows(rows, count, b, v, [&](std::int64_t t) {
    const std::int32_t label = labels.label[t];
    if (!are_numbers(v.scratch, v.count) && t < lost) [[unlikely]]
      lost = t;
    for (std::int64_t first = 0; first < v.count; first += classes) {
      const auto score = [&](std::int64_t c) { return v.scratch[first + c] + b * v.biases[first + c]; };
      double best = -std::numeric_limits<double>::infinity();
      for (std::int64_t c = 0; c < classes; ++c)
        if (c != label && score(c) > best) best = score(c);
      *leads++ = score(label) - best;
    }
  });
  return lost < count ? LinearVerdict{lost, LinearRefusal::diverged} : verdict;
}

}  // namespace regretless::REGRETLESS_ISA
