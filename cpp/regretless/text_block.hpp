// Bytes of text looked at eight or 64 at a time.
#pragma once
#if defined(REGRETLESS_ISA)
#include <bit>
#include <cstdint>
#include <cstring>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE std::uint64_t load_word(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline constexpr std::uint64_t every_byte = 0x0101010101010101;

// The high bit of each byte that is `wanted`.
template <class Word>
REGRETLESS_INLINE Word equal_bytes(Word word, char wanted) {
  word ^= std::uint8_t(wanted) * every_byte;
  return ~(((word & 0x7F * every_byte) + 0x7F * every_byte) | word | 0x7F * every_byte);
}

REGRETLESS_INLINE int count_ones(std::uint64_t x) {
#if defined(__POPCNT__) || !defined(__x86_64__)
  return std::popcount(x);
#else  // would be a call of a library function
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return int(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
#endif
}

// 64 bytes; bit i of a mask stands for byte i.
struct TextBlock {
#if defined(__AVX512BW__)
  explicit TextBlock(const char* p) : bytes(_mm512_loadu_si512(p)) {}
  REGRETLESS_INLINE std::uint64_t equal(char c) const { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c)); }
  REGRETLESS_INLINE std::uint64_t between(char first, char last) const {
    const __m512i from_first = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first));
    return _mm512_cmple_epu8_mask(from_first, _mm512_set1_epi8(char(last - first)));
  }
  REGRETLESS_INLINE std::uint64_t beyond_ascii() const { return _mm512_movepi8_mask(bytes); }
  // Writes the bytes, the capital letters of ASCII as small ones.
  REGRETLESS_INLINE void write_small(char* p) const {
    _mm512_storeu_si512(p, _mm512_mask_add_epi8(bytes, between('A', 'Z'), bytes, _mm512_set1_epi8(' ')));
  }
  __m512i bytes;
#elif defined(__AVX2__)
  explicit TextBlock(const char* p)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))) {}
  REGRETLESS_INLINE std::uint64_t equal(char c) const {
    const __m256i wanted = _mm256_set1_epi8(c);
    return mask(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
  }
  REGRETLESS_INLINE std::uint64_t between(char first, char last) const {
    return mask(within(low, first, last), within(high, first, last));
  }
  REGRETLESS_INLINE std::uint64_t beyond_ascii() const { return mask(low, high); }
  REGRETLESS_INLINE void write_small(char* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), small(low));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 32), small(high));
  }
  __m256i low, high;

 private:
  static std::uint64_t mask(__m256i low, __m256i high) {
    return std::uint64_t(std::uint32_t(_mm256_movemask_epi8(high))) << 32 | std::uint32_t(_mm256_movemask_epi8(low));
  }
  static __m256i within(__m256i x, char first, char last) {
    x = _mm256_sub_epi8(x, _mm256_set1_epi8(first));
    return _mm256_cmpeq_epi8(x, _mm256_min_epu8(x, _mm256_set1_epi8(char(last - first))));
  }
  static __m256i small(__m256i x) {
    return _mm256_add_epi8(x, _mm256_and_si256(within(x, 'A', 'Z'), _mm256_set1_epi8(' ')));
  }
#else
  explicit TextBlock(const char* p) {
    for (int k = 0; k < 8; ++k) words[k] = load_word(p + 8 * k);
  }
  REGRETLESS_INLINE std::uint64_t equal(char c) const {
    return mask([c](std::uint64_t word) { return equal_bytes(word, c); });
  }
  REGRETLESS_INLINE std::uint64_t between(char first, char last) const {
    return mask([=](std::uint64_t word) { return within(word, first, last); });
  }
  REGRETLESS_INLINE std::uint64_t beyond_ascii() const {
    return mask([](std::uint64_t word) { return word & 0x80 * every_byte; });
  }
  REGRETLESS_INLINE void write_small(char* p) const {
    for (int k = 0; k < 8; ++k) store_word(p + 8 * k, words[k] + (within(words[k], 'A', 'Z') >> 2));
  }
  std::uint64_t words[8];

 private:
  template <class HighBits>
  REGRETLESS_INLINE std::uint64_t mask(HighBits high_bits) const {
    std::uint64_t result = 0;
    for (int k = 0; k < 8; ++k) result |= ((high_bits(words[k]) >> 7) * 0x0102040810204080 >> 56) << (8 * k);
    return result;
  }
  // The high bit of each byte from one to another, of ASCII both.
  REGRETLESS_INLINE static std::uint64_t within(std::uint64_t word, char first, char last) {
    const std::uint64_t low = word & 0x7F * every_byte;
    const std::uint64_t reaches = low + (0x80 - std::uint64_t(first)) * every_byte;
    const std::uint64_t passes = low + (0x7F - std::uint64_t(last)) * every_byte;
    return reaches & ~passes & ~word & 0x80 * every_byte;
  }
  REGRETLESS_INLINE static void store_word(char* p, std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(p, &word, sizeof word);
  }
#endif
};

}  // namespace regretless::REGRETLESS_ISA
#endif
