// Which columns occur in sparse rows, and these numbered afresh by ascending columns: a bit a column, and how many
// columns with a bit come before each word of bits. Both fit the nearest caches where a number a column would not.
#pragma once
#include <bit>
#include <cstdint>

#include "ascent_types.hpp"

namespace regretless::REGRETLESS_ISA {

// The columns are copied, which another thread may write to meanwhile. How many occur, or -1 where one is out of range.
template <class I>
std::int64_t mark_columns(const I* theirs, I* numbers, std::int64_t entries, std::int64_t columns, RankWord* words) {
  for (std::int64_t k = 0; k < entries; ++k) {
    const I column = numbers[k] = theirs[k];
    if (column < 0 || column >= columns) return -1;
    words[column >> 6].bits |= std::uint64_t(1) << (column & 63);
  }
  std::int64_t count = 0;
  for (std::int64_t w = 0; w < rank_words(columns); ++w) {
    words[w].before = count;
    count += std::popcount(words[w].bits);
  }
  return count;
}

template <class I>
void rank_columns(I* numbers, std::int64_t entries, std::int64_t columns, const RankWord* words, std::int64_t* used) {
  for (std::int64_t w = 0; w < rank_words(columns); ++w)
    for (std::uint64_t bits = words[w].bits; bits != 0; bits &= bits - 1) *used++ = 64 * w + std::countr_zero(bits);
  for (std::int64_t k = 0; k < entries; ++k) {
    const RankWord& word = words[numbers[k] >> 6];
    const std::uint64_t below = (std::uint64_t(1) << (numbers[k] & 63)) - 1;
    numbers[k] = I(word.before + std::popcount(word.bits & below));
  }
}

}  // namespace regretless::REGRETLESS_ISA
