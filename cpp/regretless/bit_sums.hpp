// How many bits are set in many words. Carry-save adders add up 8 registers of words bit by bit, so that bits are
// counted in one of them instead of eight (Harley and Seal; Mula, Kurz and Lemire 2018). Whole numbers: the same on
// every machine.
#pragma once
#include <bit>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

#if defined(__AVX512F__)
inline constexpr int bit_bytes = 64;
#else
inline constexpr int bit_bytes = register_bytes;
#endif
inline constexpr std::int64_t bit_words = bit_bytes / 8;

typedef std::uint64_t Bits __attribute__((vector_size(bit_bytes)));
typedef std::uint64_t LooseBits __attribute__((vector_size(bit_bytes), aligned(8), may_alias));  // anywhere in memory

REGRETLESS_INLINE Bits load_bits(const std::uint64_t* p) { return *reinterpret_cast<const LooseBits*>(p); }
REGRETLESS_INLINE void store_bits(std::uint64_t* p, const Bits& bits) { *reinterpret_cast<LooseBits*>(p) = bits; }

// a + b + c, bit by bit: the sum replaces a, the carry is given back.
REGRETLESS_INLINE Bits carry(Bits& a, const Bits& b, const Bits& c) {
  const Bits differ = a ^ b, both = a & b;
  a = differ ^ c;
  return both | (differ & c);
}

REGRETLESS_INLINE Bits bits_in_each(Bits x) {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  x += x >> 8;
  x += x >> 16;
  return (x + (x >> 32)) & 0x7f;
}

struct OneWord {
  static constexpr std::int64_t words = 1;
  static REGRETLESS_INLINE std::uint64_t load(const std::uint64_t* p) { return *p; }
  static REGRETLESS_INLINE void store(std::uint64_t* p, std::uint64_t bits) { *p = bits; }
};
struct ManyWords {
  static constexpr std::int64_t words = bit_words;
  static REGRETLESS_INLINE Bits load(const std::uint64_t* p) { return load_bits(p); }
  static REGRETLESS_INLINE void store(std::uint64_t* p, const Bits& bits) { store_bits(p, bits); }
};

// Bits set in f(how, w) of all places w below `words`: f loads from there, and may store, as `how` does: many words at
// a time, or one of them.
template <class F>
REGRETLESS_INLINE std::int64_t sum_bits(std::int64_t words, F f) {
  constexpr ManyWords many;
  Bits ones{}, twos{}, fours{}, eights{};
  std::int64_t w = 0;
  for (; w + 8 * bit_words <= words; w += 8 * bit_words) {
    const auto at = [&](int i) { return f(many, w + i * bit_words); };
    const auto pair = [&](int i) {
      const Bits first = at(i), second = at(i + 1);
      return carry(ones, first, second);
    };
    const auto four = [&](int i) {
      const Bits first = pair(i), second = pair(i + 2);
      return carry(twos, first, second);
    };
    const Bits first = four(0), second = four(4);
    eights += bits_in_each(carry(fours, first, second));
  }
  eights = 8 * eights + 4 * bits_in_each(fours) + 2 * bits_in_each(twos) + bits_in_each(ones);
  std::int64_t sum = 0;
  for (int i = 0; i < int(bit_words); ++i) sum += std::int64_t(eights[i]);
  for (; w < words; ++w) sum += std::popcount(f(OneWord{}, w));
  return sum;
}

}  // namespace regretless::REGRETLESS_ISA
