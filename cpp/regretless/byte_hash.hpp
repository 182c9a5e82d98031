// The hash by which distinct texts are told apart. No result depends on it.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace regretless {

// `last(at, left)` has the one to seven bytes that are left in the highest bytes of a word, in their order. It is
// static: each instruction set has its own.
template <class Last>
[[gnu::always_inline]] static inline std::uint64_t byte_hash(const char* at, std::size_t size, std::uint64_t seed,
                                                             Last last) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = (seed ^ size) * odd, word;
  for (; size >= 8; at += 8, size -= 8) {
    std::memcpy(&word, at, 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    hash = std::rotl((hash ^ word) * odd, 29);
  }
  if (size) hash = (hash ^ last(at, size)) * odd;
  hash ^= hash >> 32;
  return hash * odd >> 32;
}

}  // namespace regretless
