// Uniform numbers that are a pure function of a key and a position: Philox4x64-10 of Salmon, Moraes, Dror and Shaw
// (2011), in the order in which numpy's Generator(Philox(key=...)).random() gives them.
#pragma once
#include <cstdint>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE double unit_interval(std::uint64_t bits) { return double(std::int64_t(bits >> 11)) * 0x1p-53; }

// Four numbers at a time.
class Uniforms {
 public:
  REGRETLESS_INLINE Uniforms(std::uint64_t key0, std::uint64_t key1, std::uint64_t position)
      : key0_(key0), key1_(key1), position_(position) {
    if (position % 4 != 0) fill();
  }
  REGRETLESS_INLINE double next() {
    if (position_ % 4 == 0) fill();
    return four_[position_++ % 4];
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  // numpy counts a block up before it is used.
  REGRETLESS_INLINE void fill() {
    std::uint64_t c0 = position_ / 4 + 1, c1 = 0, c2 = 0, c3 = 0, k0 = key0_, k1 = key1_;
    for (int round = 0; round < 10; ++round) {
      const Wide a = Wide(0xD2E7470EE14C6C93u) * c0, b = Wide(0xCA5A826395121157u) * c2;
      c0 = std::uint64_t(b >> 64) ^ c1 ^ k0;
      c2 = std::uint64_t(a >> 64) ^ c3 ^ k1;
      c1 = std::uint64_t(b);
      c3 = std::uint64_t(a);
      k0 += 0x9E3779B97F4A7C15u;
      k1 += 0xBB67AE8584CAA73Bu;
    }
    four_[0] = unit_interval(c0), four_[1] = unit_interval(c1), four_[2] = unit_interval(c2),
    four_[3] = unit_interval(c3);
  }

  std::uint64_t key0_, key1_, position_;
  double four_[4];
};

// A number for each cell of a table that need not be kept: the finaliser of splitmix64.
REGRETLESS_INLINE double noise_at(std::uint64_t key, std::uint64_t cell) {
  std::uint64_t z = key + (cell + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return unit_interval(z ^ (z >> 31));
}

}  // namespace regretless::REGRETLESS_ISA
