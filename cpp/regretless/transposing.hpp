// A table of bits turned over, in squares of 64 by 64.
#pragma once
#include <algorithm>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// Bit j of word i becomes bit i of word j: halves change places, then quarters, and so on (Warren, Hacker's Delight,
// 7-3).
REGRETLESS_INLINE void transpose_square(std::uint64_t* square) {
  std::uint64_t mask = 0x00000000FFFFFFFFu;
  for (int half = 32; half > 0; half /= 2, mask ^= mask << half)
    for (int i = 0; i < 64; i = (i + half + 1) & ~half) {
      const std::uint64_t swapped = (square[i] >> half ^ square[i + half]) & mask;
      square[i] ^= swapped << half, square[i + half] ^= swapped;
    }
}

inline void transpose_bits(const std::uint64_t* rows, std::int64_t hypotheses, std::int64_t points,
                           std::uint64_t* columns) {
  const std::int64_t in_row = (points + 63) / 64, in_column = (hypotheses + 63) / 64;
  std::uint64_t square[64];
  for (std::int64_t h = 0; h < in_column; ++h)
    for (std::int64_t x = 0; x < in_row; ++x) {
      const std::int64_t full = std::min<std::int64_t>(64, hypotheses - 64 * h),
                         wide = std::min<std::int64_t>(64, points - 64 * x);
      for (std::int64_t i = 0; i < 64; ++i) square[i] = i < full ? rows[(64 * h + i) * in_row + x] : 0;
      transpose_square(square);
      for (std::int64_t j = 0; j < wide; ++j) columns[(64 * x + j) * in_column + h] = square[j];
    }
}

}  // namespace regretless::REGRETLESS_ISA
