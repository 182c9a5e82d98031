// Sums in one fixed order: eight lanes, lane l takes the entries l, l + 8, l + 16, ... that are not zero, then one
// fixed tree. No fused multiply-add. So every instruction set, layout and machine gives the same bits. (A lane starts
// at +0 and never becomes -0, so that adding a zero of either sign changes nothing.)
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__x86_64__)  // what plain x86-64 has, in a ninth of the lines
#include <emmintrin.h>
#endif

#ifdef __SANITIZE_ADDRESS__  // a check at every step, many times inlined, would take the compiler minutes a file
#define REGRETLESS_INLINE inline
#else
#define REGRETLESS_INLINE inline __attribute__((always_inline))
#endif
#define REGRETLESS_APART __attribute__((noinline))

namespace regretless::REGRETLESS_ISA {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

#if defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

// N numbers in one register where they fit, else in two halves: left to itself, gcc takes wider vectors through memory.
template <class T, int N>
struct Pack {
  typedef T Register __attribute__((vector_size(N * sizeof(T))));
  typedef T Loose __attribute__((vector_size(N * sizeof(T)), aligned(alignof(T)), may_alias));  // anywhere in memory
  Register all;
};
template <class T, int N>
  requires(N * sizeof(T) > register_bytes)
struct Pack<T, N> {
  Pack<T, N / 2> low, high;
};
template <class T>
struct Pack<T, 1> {
  typedef T Register, Loose;
  Register all;
};
template <class P>
concept Halved = requires(P p) { p.low; };

using Eight = Pack<double, 8>;

// f applied lane by lane.
template <int N, class F>
REGRETLESS_INLINE Pack<double, N> each(const Pack<double, N>& a, const Pack<double, N>& b, F f) {
  if constexpr (Halved<Pack<double, N>>) return {each(a.low, b.low, f), each(a.high, b.high, f)};
  else return {f(a.all, b.all)};
}
template <int N>
REGRETLESS_INLINE Pack<double, N> operator+(const Pack<double, N>& a, const Pack<double, N>& b) {
  return each(a, b, [](auto x, auto y) { return x + y; });
}
template <int N>
REGRETLESS_INLINE Pack<double, N> operator*(const Pack<double, N>& a, const Pack<double, N>& b) {
  return each(a, b, [](auto x, auto y) { return x * y; });
}
template <int N>
REGRETLESS_INLINE Pack<double, N> least(const Pack<double, N>& a, const Pack<double, N>& b) {
  return each(a, b, [](auto x, auto y) { return x < y ? x : y; });
}

// N doubles from numbers that lie in a row.
template <int N, class V>
REGRETLESS_INLINE Pack<double, N> load(const V* p) {
  using P = Pack<double, N>;
  constexpr bool single = sizeof(V) == 4;
  if constexpr (Halved<P>) return {load<N / 2>(p), load<N / 2>(p + N / 2)};
  else if constexpr (N == 1) return {double(*p)};
#if defined(__AVX2__)
  else if constexpr (N == 4 && single) return {typename P::Register(_mm256_cvtps_pd(_mm_loadu_ps(p)))};
#endif
#if defined(__SSE2__)
  else if constexpr (N == 2 && single)
    return {typename P::Register(_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))))};
#endif
  else return {__builtin_convertvector(*reinterpret_cast<const typename Pack<V, N>::Loose*>(p), typename P::Register)};
}
template <int N>
REGRETLESS_INLINE void store(double* p, const Pack<double, N>& a) {
  if constexpr (Halved<Pack<double, N>>) {
    store(p, a.low);
    store(p + N / 2, a.high);
  } else *reinterpret_cast<typename Pack<double, N>::Loose*>(p) = a.all;
}

// Lane l holds at(l).
template <int N, int first = 0, class At>
REGRETLESS_INLINE Pack<double, N> collect(const At& at) {
  using P = Pack<double, N>;
  constexpr int f = first;
  if constexpr (Halved<P>) return {collect<N / 2, f>(at), collect<N / 2, f + N / 2>(at)};
  else if constexpr (N == 2) return {typename P::Register{at(f), at(f + 1)}};
  else if constexpr (N == 4) return {typename P::Register{at(f), at(f + 1), at(f + 2), at(f + 3)}};
  else
    return {typename P::Register{at(f), at(f + 1), at(f + 2), at(f + 3), at(f + 4), at(f + 5), at(f + 6), at(f + 7)}};
}

// The same number in every lane.
template <int N>
REGRETLESS_INLINE Pack<double, N> spread(double a) {
  if constexpr (N == 1) return {a};
  else return collect<N>([a](int) { return a; });
}

// w[j[0]], ..., w[j[7]] by plain loads: few machines gather faster, and none does from beyond its caches. Two narrow
// columns are read as one word, because what limits the loop is the number of loads. The columns are known to be
// positive.
template <class I>
REGRETLESS_INLINE Eight gather8(const double* w, const I* j) {
#if defined(__x86_64__)
  if constexpr (sizeof(I) == 4)
    return collect<8>([&](int l) {
      std::uint64_t two;
      std::memcpy(&two, j + (l & ~1), sizeof two);
      return w[l & 1 ? two >> 32 : two & 0xffffffff];
    });
#endif
  return collect<8>([&](int l) { return w[j[l]]; });
}

// For 0 < count < 8 entries, which entry each of the eight lanes reads; the lanes that are left over repeat the last
// one, with the value zero.
static constexpr std::uint8_t places[8][8] = {{},
                                              {},
                                              {0, 1, 1, 1, 1, 1, 1, 1},
                                              {0, 1, 2, 2, 2, 2, 2, 2},
                                              {0, 1, 2, 3, 3, 3, 3, 3},
                                              {0, 1, 2, 3, 4, 4, 4, 4},
                                              {0, 1, 2, 3, 4, 5, 5, 5},
                                              {0, 1, 2, 3, 4, 5, 6, 6}};
static constexpr double ones_then_zeros[16] = {1, 1, 1, 1, 1, 1, 1, 1};
static constexpr std::int32_t ones_bits_then_zeros[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
static constexpr double zeros_then_ones[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

template <class I>
REGRETLESS_INLINE Eight gather_some(const double* w, const I* j, std::int64_t count) {
  const std::uint8_t* place = places[count];
  return collect<8>([&](int l) { return w[j[place[l]]]; });
}

// The first `count` numbers, then zeros.
template <class V>
REGRETLESS_INLINE Eight load_some(const V* p, std::int64_t count) {
#if defined(__AVX2__)
  const auto mask = [&](int l) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(ones_bits_then_zeros + 8 - count + l));
  };
  if constexpr (sizeof(V) == 4)
    return {{_mm256_cvtps_pd(_mm_maskload_ps(p, mask(0)))}, {_mm256_cvtps_pd(_mm_maskload_ps(p + 4, mask(4)))}};
  else
    return {{_mm256_maskload_pd(p, _mm256_cvtepi32_epi64(mask(0)))},
            {_mm256_maskload_pd(p + 4, _mm256_cvtepi32_epi64(mask(4)))}};
#else
  const std::uint8_t* place = places[count];
  return collect<8>([&](int l) { return double(p[place[l]]); }) * load<8>(ones_then_zeros + 8 - count);
#endif
}

// Whether a bit of a register is set.
template <class R>
REGRETLESS_INLINE bool any_bit(R bits) {
#if defined(__AVX2__)
  return !_mm256_testz_si256(__m256i(bits), __m256i(bits));
#elif defined(__SSE2__)
  return _mm_movemask_epi8(_mm_cmpeq_epi8(__m128i(bits), _mm_setzero_si128())) != 0xffff;
#else
  bool any = false;
  for (std::size_t l = 0; l < sizeof(bits) / sizeof(bits[0]); ++l) any |= bits[l] != 0;
  return any;
#endif
}

template <int N>
REGRETLESS_INLINE Pack<double, N / 2> low_half(const Pack<double, N>& a) {
  if constexpr (Halved<Pack<double, N>>) return a.low;
#if defined(__AVX2__)
  else if constexpr (N == 4) return {typename Pack<double, 2>::Register(_mm256_castpd256_pd128(__m256d(a.all)))};
#endif
  else return {a.all[0]};
}
template <int N>
REGRETLESS_INLINE Pack<double, N / 2> high_half(const Pack<double, N>& a) {
  if constexpr (Halved<Pack<double, N>>) return a.high;
#if defined(__AVX2__)
  else if constexpr (N == 4) return {typename Pack<double, 2>::Register(_mm256_extractf128_pd(__m256d(a.all), 1))};
#endif
  else return {a.all[1]};
}

// The tree: lanes l and l + 4, then l and l + 2, then the last two.
template <int N>
REGRETLESS_INLINE double tree(const Pack<double, N>& a) {
  if constexpr (N == 1) return a.all;
  else return tree(low_half(a) + high_half(a));
}

// The least numbers, in one register; and the least of them all.
inline constexpr int one_register = register_bytes / 8;
template <int N>
REGRETLESS_INLINE Pack<double, one_register> narrowed(const Pack<double, N>& a) {
  if constexpr (N == one_register) return a;
  else return narrowed(least(low_half(a), high_half(a)));
}
template <int N>
REGRETLESS_INLINE double smallest(const Pack<double, N>& a) {
  if constexpr (N == 1) return a.all;
  else return smallest(least(low_half(a), high_half(a)));
}

// How many columns are compared at once, and which of them are above the column before: their bits are all set.
template <class I>
inline constexpr int breadth = register_bytes / sizeof(I);

template <class I>
REGRETLESS_INLINE auto rises(const I* c) {
  using Columns = typename Pack<I, breadth<I>>::Loose;
  return *reinterpret_cast<const Columns*>(c) > *reinterpret_cast<const Columns*>(c - 1);
}

// Whether all bits of a register are set.
template <class R>
REGRETLESS_INLINE bool full(R all) {
#if defined(__AVX2__)
  return _mm256_movemask_epi8(__m256i(all)) == -1;
#elif defined(__SSE2__)
  return _mm_movemask_epi8(__m128i(all)) == 0xffff;
#else
  bool every = true;
  for (std::size_t l = 0; l < sizeof(all) / sizeof(all[0]); ++l) every &= all[l] != 0;
  return every;
#endif
}

// Do the columns of a row ascend? The last ones are compared once more rather than one by one.
template <class I>
REGRETLESS_APART static bool few_ascend(const I* c, std::int64_t n) {
  bool any = false;
  for (std::int64_t k = 1; k < n; ++k) any |= c[k] <= c[k - 1];
  return !any;
}
template <class I>
REGRETLESS_INLINE bool ascends(const I* c, std::int64_t n) {
  constexpr int N = breadth<I>;
  if (n <= N) return few_ascend(c, n);
  auto all = rises(c + n - N);
  for (std::int64_t k = 1; k + N <= n; k += N) all &= rises(c + k);
  return full(all);
}

// The last number of one register, then the first of the next.
template <class R>
REGRETLESS_INLINE R moved_on(const R& before, const R& here) {
  if constexpr (sizeof(R) / sizeof(before[0]) == 8)
    return __builtin_shufflevector(before, here, 7, 8, 9, 10, 11, 12, 13, 14);
  else if constexpr (sizeof(R) / sizeof(before[0]) == 4) return __builtin_shufflevector(before, here, 3, 4, 5, 6);
  else return __builtin_shufflevector(before, here, 1, 2);
}

}  // namespace regretless::REGRETLESS_ISA
