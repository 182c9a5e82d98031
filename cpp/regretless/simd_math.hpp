// Arithmetic on eight lanes at once: what the weights of experts need beside sums and products. With AVX-512 all eight
// lie in one register, because long chains of arithmetic in flight run out of registers before they run out of units.
#pragma once
#include <limits>
#include <type_traits>

#include "simd_sum.hpp"
#include "numeric.hpp"

namespace regretless::REGRETLESS_ISA {

#define REGRETLESS_LAMBDA __attribute__((always_inline))

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// f applied lane by lane.
template <int N, class F, class... More>
REGRETLESS_INLINE Pack<double, N> apply(F f, const Pack<double, N>& a, const More&... more) {
  if constexpr (Halved<Pack<double, N>>) return {apply(f, a.low, more.low...), apply(f, a.high, more.high...)};
  else return {f(a.all, more.all...)};
}

#if defined(__AVX512F__)
struct Octet {
  typedef double Register __attribute__((vector_size(64)));
  Register all;
};
template <class F, class... More>
REGRETLESS_INLINE Octet apply(F f, const Octet& a, const More&... more) {
  return {f(a.all, more.all...)};
}
REGRETLESS_INLINE Octet eight(double a) { return {Octet::Register(_mm512_set1_pd(a))}; }
REGRETLESS_INLINE Octet at(const double* p, std::int64_t i) { return {Octet::Register(_mm512_loadu_pd(p + i))}; }
REGRETLESS_INLINE Octet at(const float* p, std::int64_t i) {
  return {Octet::Register(_mm512_cvtps_pd(_mm256_loadu_ps(p + i)))};
}
// The first `count` < 8 numbers, then `rest`.
REGRETLESS_INLINE Octet some_of(const double* p, std::int64_t count, double rest) {
  return {Octet::Register(_mm512_mask_loadu_pd(_mm512_set1_pd(rest), __mmask8((1 << count) - 1), p))};
}
REGRETLESS_INLINE Octet some_of(const float* p, std::int64_t count, double rest) {
  const __mmask8 mask = __mmask8((1 << count) - 1);
  return {Octet::Register(_mm512_mask_cvtps_pd(_mm512_set1_pd(rest), mask, _mm256_maskz_loadu_ps(mask, p)))};
}
REGRETLESS_INLINE void put(double* p, const Octet& a) { _mm512_storeu_pd(p, __m512d(a.all)); }
REGRETLESS_INLINE Eight in_halves(const Octet& a) {
  using Half = Pack<double, 4>::Register;
  return {{Half(_mm512_castpd512_pd256(__m512d(a.all)))}, {Half(_mm512_extractf64x4_pd(__m512d(a.all), 1))}};
}
#else
using Octet = Eight;
REGRETLESS_INLINE Octet eight(double a) { return spread<8>(a); }
template <class V>
REGRETLESS_INLINE Octet at(const V* p, std::int64_t i) {
  return load<8>(p + i);
}
template <class V>
REGRETLESS_INLINE Octet some_of(const V* p, std::int64_t count, double rest) {
  return apply([](auto mask, auto x, auto other) REGRETLESS_LAMBDA { return mask > decltype(mask){} ? x : other; },
               load<8>(ones_then_zeros + 8 - count), load_some(p, count), eight(rest));
}
REGRETLESS_INLINE void put(double* p, const Octet& a) { store(p, a); }
REGRETLESS_INLINE const Eight& in_halves(const Octet& a) { return a; }
#endif

using Quartet = Pack<double, 4>;
REGRETLESS_INLINE void put(double* p, const Quartet& a) { store(p, a); }

// The same number in every lane, and lanes from numbers in a row, for either width.
template <class P>
REGRETLESS_INLINE P everywhere(double a) {
  if constexpr (std::is_same_v<P, Octet>) return eight(a);
  else return spread<4>(a);
}
template <class P>
REGRETLESS_INLINE P read(const double* p) {
  if constexpr (std::is_same_v<P, Octet>) return at(p, 0);
  else return load<4>(p);
}

// Eight numbers of n, the one with number i first, then `rest`.
template <class V>
REGRETLESS_INLINE Octet eight_of(const V* row, std::int64_t i, std::int64_t n, double rest = missing) {
  return i + 8 <= n ? at(row, i) : some_of(row + i, n - i, rest);
}

// The larger and the smaller numbers; b where a is not a number. One instruction, which gcc does not always find.
template <class V>
REGRETLESS_INLINE V larger(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return V(_mm512_max_pd(__m512d(a), __m512d(b)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return V(_mm256_max_pd(__m256d(a), __m256d(b)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16) return V(_mm_max_pd(__m128d(a), __m128d(b)));
#endif
  return a > b ? a : b;
}
template <class V>
REGRETLESS_INLINE V smaller(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return V(_mm512_min_pd(__m512d(a), __m512d(b)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return V(_mm256_min_pd(__m256d(a), __m256d(b)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16) return V(_mm_min_pd(__m128d(a), __m128d(b)));
#endif
  return a < b ? a : b;
}
template <class V>
REGRETLESS_INLINE V root_of(V a) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return V(_mm512_sqrt_pd(__m512d(a)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return V(_mm256_sqrt_pd(__m256d(a)));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16) return V(_mm_sqrt_pd(__m128d(a)));
#endif
  V roots{};
  for (unsigned l = 0; l < sizeof(V) / sizeof(double); ++l) roots[l] = __builtin_sqrt(a[l]);
  return roots;
}

template <class P>
concept Lanes = requires(const P& a) { apply([](auto x) REGRETLESS_LAMBDA { return x; }, a); };

#if defined(__AVX512F__)
REGRETLESS_INLINE Octet operator+(const Octet& a, const Octet& b) { return {a.all + b.all}; }
REGRETLESS_INLINE Octet operator*(const Octet& a, const Octet& b) { return {a.all * b.all}; }
#endif
template <Lanes P>
REGRETLESS_INLINE P operator-(const P& a, const P& b) {
  return apply([](auto x, auto y) REGRETLESS_LAMBDA { return x - y; }, a, b);
}
template <Lanes P>
REGRETLESS_INLINE P operator/(const P& a, const P& b) {
  return apply([](auto x, auto y) REGRETLESS_LAMBDA { return x / y; }, a, b);
}
template <Lanes P>
REGRETLESS_INLINE P lower(const P& a, const P& b) {
  return apply([](auto x, auto y) REGRETLESS_LAMBDA { return smaller(x, y); }, a, b);
}
template <Lanes P>
REGRETLESS_INLINE P upper(const P& a, const P& b) {
  return apply([](auto x, auto y) REGRETLESS_LAMBDA { return larger(x, y); }, a, b);
}
template <Lanes P>
REGRETLESS_INLINE P root(const P& a) {
  return apply([](auto x) REGRETLESS_LAMBDA { return root_of(x); }, a);
}
// x where `by` is a number, else `otherwise`.
template <Lanes P>
REGRETLESS_INLINE P where_known(const P& by, const P& x, const P& otherwise) {
  return apply([](auto b, auto y, auto n) REGRETLESS_LAMBDA { return b == b ? y : n; }, by, x, otherwise);
}
// x where `by` is above zero, else `otherwise`.
template <Lanes P>
REGRETLESS_INLINE P where_positive(const P& by, const P& x, const P& otherwise) {
  return apply([](auto b, auto y, auto n) REGRETLESS_LAMBDA { return b > decltype(b){} ? y : n; }, by, x,
               otherwise);
}

// The sum of the lanes by the tree; the smallest and the largest of them.
REGRETLESS_INLINE double in_all(const Octet& a) { return tree(in_halves(a)); }
template <int N>
REGRETLESS_INLINE double largest_lane(const Pack<double, N>& a) {
  if constexpr (N == 1) return a.all;
  else return largest_lane(upper(low_half(a), high_half(a)));
}
template <int N>
REGRETLESS_INLINE double smallest_lane(const Pack<double, N>& a) {
  if constexpr (N == 1) return a.all;
  else return smallest_lane(lower(low_half(a), high_half(a)));
}
REGRETLESS_INLINE double largest_of(const Octet& a) { return largest_lane(in_halves(a)); }
REGRETLESS_INLINE double smallest_of(const Octet& a) { return smallest_lane(in_halves(a)); }

// ln(1 + x) for |x| <= 1/2.
template <Lanes P>
REGRETLESS_INLINE P log_plus(const P& x) {
  return apply([](auto v) REGRETLESS_LAMBDA { return log_of_one_plus(v); }, x);
}
// ln(1 + x) for 0 <= x <= 1, as `log_one_plus` has it.
template <Lanes P>
REGRETLESS_INLINE P log_one_plus_of(const P& x) {
  return apply([](auto v) REGRETLESS_LAMBDA { return log_of_one_plus_to_one(v); }, x);
}
// exp(x) for x <= 0; 0 below -708.
template <Lanes P>
REGRETLESS_INLINE P exp_of(const P& x) {
  return apply(
      []<class V>(V v) REGRETLESS_LAMBDA { return v < V{} - 708.0 ? V{} : value_of(exponential(v)); }, x);
}
// exp(x) - 1 for x <= 700.
template <Lanes P>
REGRETLESS_INLINE P exp_less_one(const P& x) {
  return apply([]<class V>(V v) REGRETLESS_LAMBDA { return value_less_one(exponential(larger(v, V{} - 708.0))); },
               x);
}

}  // namespace regretless::REGRETLESS_ISA
