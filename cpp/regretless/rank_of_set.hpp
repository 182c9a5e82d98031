// The rank over GF(2) of what a set of hypotheses says of its points, a row of ones added.
#pragma once
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// How many rows are no sums of others, at most `enough`. The rows are used up.
inline std::int64_t rank_of_rows(std::uint64_t* rows, std::int64_t count, std::int64_t words, std::int64_t enough) {
  std::int64_t rank = 0;
  for (std::int64_t i = 0; i < count && rank < enough; ++i) {
    const std::uint64_t* pivot = rows + i * words;
    std::int64_t w = 0;
    while (w < words && !pivot[w]) ++w;
    if (w == words) continue;
    ++rank;
    const std::uint64_t lowest = pivot[w] & (~pivot[w] + 1);
    for (std::int64_t j = i + 1; j < count; ++j) {
      std::uint64_t* row = rows + j * words;
      if (row[w] & lowest)
        for (std::int64_t v = w; v < words; ++v) row[v] ^= pivot[v];
    }
  }
  return rank;
}

}  // namespace regretless::REGRETLESS_ISA
