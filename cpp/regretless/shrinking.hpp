// Sets of hypotheses that only shrink: counting in them, and cutting them down.
#pragma once
#include "bit_sums.hpp"
#include "vote_types.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr std::int64_t words_per_listed = 8;  // a cache line: fewer are fetched once so few words hold anything

// Bits set in f(how, w) of the places w whose words may hold something.
template <class F>
REGRETLESS_INLINE std::int64_t sum_of(const ShrinkingSet& set, std::int64_t words, F f) {
  if (set.listed < 0) return sum_bits(words, f);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < set.listed; ++i) sum += std::popcount(f(OneWord{}, set.places[i]));
  return sum;
}

inline std::int64_t size_of(const ShrinkingSet& set, std::int64_t words) {
  return sum_of(set, words, [&](auto how, std::int64_t w) { return how.load(set.words + w); });
}

// How many of the set say 1.
inline std::int64_t count(const ShrinkingSet& set, const std::uint64_t* column, std::int64_t words) {
  return sum_of(set, words, [&](auto how, std::int64_t w) { return how.load(set.words + w) & how.load(column + w); });
}

inline void list_if_few(ShrinkingSet& set, std::int64_t words) {
  if (set.listed >= 0 || set.size * words_per_listed > words) return;
  std::int64_t listed = 0;
  for (std::int64_t w = 0; w < words; ++w)
    if (set.words[w]) set.places[listed++] = std::int32_t(w);
  set.listed = listed;
}

// Leaves those that say `label`, which are so many, and counts who of them says 1 in `next`.
inline std::int64_t cut(ShrinkingSet& set, const std::uint64_t* column, std::uint8_t label, std::int64_t left,
                        const std::uint64_t* next, std::int64_t words) {
  const std::uint64_t flip = label ? 0 : ~std::uint64_t(0);
  set.size = left;
  const auto keep = [&](auto how, std::int64_t w) {
    const auto held = how.load(set.words + w) & (how.load(column + w) ^ flip);
    how.store(set.words + w, held);
    return held & how.load(next + w);
  };
  if (set.listed < 0) {
    const std::int64_t ones = sum_bits(words, keep);
    list_if_few(set, words);
    return ones;
  }
  std::int64_t ones = 0, listed = 0;
  for (std::int64_t i = 0; i < set.listed; ++i) {
    const std::int32_t w = set.places[i];
    ones += std::popcount(keep(OneWord{}, w));
    set.places[listed] = w;
    listed += set.words[w] != 0;
  }
  set.listed = listed;
  return ones;
}

}  // namespace regretless::REGRETLESS_ISA
