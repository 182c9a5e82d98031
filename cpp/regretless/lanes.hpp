// Sums in one fixed order: eight lanes, lane l takes the entries l, l + 8, l + 16, ... that are not zero, then one fixed
// tree. No fused multiply-add. So every instruction set, layout and machine gives the same bits.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define REGRETLESS_INLINE inline __attribute__((always_inline))
#define REGRETLESS_APART __attribute__((noinline))

namespace regretless::REGRETLESS_ISA {

typedef double Eight __attribute__((vector_size(64)));
typedef float EightSingles __attribute__((vector_size(32)));
typedef std::int64_t EightMasks __attribute__((vector_size(64)));

REGRETLESS_INLINE Eight load8(const double* p) {
  Eight v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
REGRETLESS_INLINE Eight load8(const float* p) {
  EightSingles v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Eight);
}

// Beyond the second-level cache a gather waits for its slowest line; plain loads overlap better.
template <class I>
REGRETLESS_INLINE Eight gather8(const double* w, const I* j) {
  return Eight{w[j[0]], w[j[1]], w[j[2]], w[j[3]], w[j[4]], w[j[5]], w[j[6]], w[j[7]]};
}

#if defined(__AVX512F__) && defined(__AVX512VL__)
REGRETLESS_INLINE Eight gather8(const double* w, const std::int32_t* j) {
  return Eight(_mm512_i32gather_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(j)), w, 8));
}
#endif

REGRETLESS_INLINE double tree(const Eight& a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

}  // namespace regretless::REGRETLESS_ISA
