// What a player's strategies win against the other's mixed one: products of a matrix and a vector, each sum in one
// fixed order. Strategies that are not played are passed over where rows of the matrix belong to them.
#pragma once
#include "duel_types.hpp"
#include "simd_math.hpp"
#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

// A strategy, zero beyond its end up to whole sixteens; the same in floats; and the places where it is not zero.
struct Mixed {
  const double* play;
  const float* narrow;
  const std::int32_t* places;
  std::int64_t placed;
};

// Sixteen floats, also from short whole numbers.
#if defined(__AVX512F__)
struct Sixteen {
  typedef float Register __attribute__((vector_size(64)));
  Register all;
};
REGRETLESS_INLINE Sixteen sixteen(float a) { return {Sixteen::Register(_mm512_set1_ps(a))}; }
REGRETLESS_INLINE Sixteen sixteen_at(const float* p) { return {Sixteen::Register(_mm512_loadu_ps(p))}; }
REGRETLESS_INLINE Sixteen sixteen_at(const std::int16_t* p) {
  const __m256i shorts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {Sixteen::Register(_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(shorts)))};
}
REGRETLESS_INLINE void put(float* p, const Sixteen& a) { _mm512_storeu_ps(p, __m512(a.all)); }
REGRETLESS_INLINE Sixteen operator+(const Sixteen& a, const Sixteen& b) { return {a.all + b.all}; }
REGRETLESS_INLINE Sixteen operator*(const Sixteen& a, const Sixteen& b) { return {a.all * b.all}; }
#else
using Sixteen = Pack<float, 16>;
template <int N>
REGRETLESS_INLINE Pack<float, N> floats(float a) {
  if constexpr (Halved<Pack<float, N>>) return {floats<N / 2>(a), floats<N / 2>(a)};
  else return {typename Pack<float, N>::Register{} + a};
}
template <int N>
REGRETLESS_INLINE Pack<float, N> floats(const float* p) {
  if constexpr (Halved<Pack<float, N>>) return {floats<N / 2>(p), floats<N / 2>(p + N / 2)};
  else return {*reinterpret_cast<const typename Pack<float, N>::Loose*>(p)};
}
template <int N>
REGRETLESS_INLINE Pack<float, N> floats(const std::int16_t* p) {
  using P = Pack<float, N>;
  if constexpr (Halved<P>) return {floats<N / 2>(p), floats<N / 2>(p + N / 2)};
#if defined(__AVX2__)
  else
    return {typename P::Register(
        _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))))};
#elif defined(__SSE2__)
  else {
    const __m128i shorts = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return {typename P::Register(_mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(shorts, shorts), 16)))};
  }
#else
  else
    return {__builtin_convertvector(*reinterpret_cast<const typename Pack<std::int16_t, N>::Loose*>(p),
                                    typename P::Register)};
#endif
}
template <int N>
REGRETLESS_INLINE void put(float* p, const Pack<float, N>& a) {
  if constexpr (Halved<Pack<float, N>>) {
    put(p, a.low);
    put(p + N / 2, a.high);
  } else *reinterpret_cast<typename Pack<float, N>::Loose*>(p) = a.all;
}
template <int N>
REGRETLESS_INLINE Pack<float, N> operator+(const Pack<float, N>& a, const Pack<float, N>& b) {
  if constexpr (Halved<Pack<float, N>>) return {a.low + b.low, a.high + b.high};
  else return {a.all + b.all};
}
template <int N>
REGRETLESS_INLINE Pack<float, N> operator*(const Pack<float, N>& a, const Pack<float, N>& b) {
  if constexpr (Halved<Pack<float, N>>) return {a.low * b.low, a.high * b.high};
  else return {a.all * b.all};
}
REGRETLESS_INLINE Sixteen sixteen(float a) { return floats<16>(a); }
template <class V>
REGRETLESS_INLINE Sixteen sixteen_at(const V* p) {
  return floats<16>(p);
}
#endif

// Lanes l and l + 8 are added in doubles, then the tree.
REGRETLESS_INLINE double in_all(const Sixteen& a) {
  alignas(64) float lanes[16];
  put(lanes, a);
  return in_all(at(lanes, 0) + at(lanes, 8));
}

inline constexpr int rows_at_once = 4;   // of dots: so that the strategy is read once for all of them
inline constexpr int rows_together = 8;  // of combinations: so that the sums are read and written once for all of them

// Rows of doubles or floats, as doubles.
template <class V>
struct DoubleRows {
  const V* values;
  std::int64_t stride, columns;

  template <int rows>
  REGRETLESS_INLINE void dot(std::int64_t first, const Mixed& by, double sign, double* out) const {
    const V* const a = values + first * stride;
    const std::int64_t rest = columns & 7, whole = columns - rest;
    Octet sum[rows]{};
    for (std::int64_t k = 0; k < whole; k += 8) {
      const Octet p = at(by.play, k);
      for (int r = 0; r < rows; ++r) sum[r] = sum[r] + at(a + r * stride, k) * p;
    }
    if (rest) {
      const Octet p = at(by.play, whole);
      for (int r = 0; r < rows; ++r) sum[r] = sum[r] + some_of(a + r * stride + whole, rest, 0) * p;
    }
    for (int r = 0; r < rows; ++r) out[first + r] = sign * in_all(sum[r]);
  }

  // Adds `rows_together` rows, each by its weight.
  REGRETLESS_INLINE void combine(const std::int32_t* places, const double* weights, double* out) const {
    const V* row[rows_together];
    Octet w[rows_together];
    for (int r = 0; r < rows_together; ++r) {
      row[r] = values + places[r] * stride;
      w[r] = eight(weights[r]);
    }
    const std::int64_t rest = columns & 7, whole = columns - rest;
    const auto sum = [&](auto of) REGRETLESS_LAMBDA {
      return ((of(0) * w[0] + of(1) * w[1]) + (of(2) * w[2] + of(3) * w[3])) +
             ((of(4) * w[4] + of(5) * w[5]) + (of(6) * w[6] + of(7) * w[7]));
    };
    for (std::int64_t k = 0; k < whole; k += 8)
      put(out + k, at(out, k) + sum([&](int r) REGRETLESS_LAMBDA { return at(row[r], k); }));
    if (rest)
      put(out + whole,
          at(out, whole) + sum([&](int r) REGRETLESS_LAMBDA { return some_of(row[r] + whole, rest, 0); }));
  }
};

// Rows of short whole numbers that are multiplied as floats; they are zero beyond their end, up to the stride. Floats
// are summed over strips of the columns only, so that their rounding does not grow with the game.
struct ShortRows {
  static constexpr std::int64_t strip = 1024;
  const std::int16_t* values;
  std::int64_t stride, columns;

  template <int rows>
  REGRETLESS_INLINE void dot(std::int64_t first, const Mixed& by, double sign, double* out) const {
    const std::int16_t* const a = values + first * stride;
    double totals[rows]{};
    for (std::int64_t begin = 0; begin < stride; begin += strip) {
      const std::int64_t end = begin + strip < stride ? begin + strip : stride;
      Sixteen sum[rows]{};
      for (std::int64_t k = begin; k < end; k += 16) {
        const Sixteen p = sixteen_at(by.narrow + k);
        for (int r = 0; r < rows; ++r) sum[r] = sum[r] + sixteen_at(a + r * stride + k) * p;
      }
      for (int r = 0; r < rows; ++r) totals[r] += in_all(sum[r]);
    }
    for (int r = 0; r < rows; ++r) out[first + r] = sign * totals[r];
  }

  REGRETLESS_INLINE void combine(const std::int32_t* places, const double* weights, double* out) const {
    const std::int16_t* row[rows_together];
    Sixteen w[rows_together];
    for (int r = 0; r < rows_together; ++r) {
      row[r] = values + places[r] * stride;
      w[r] = sixteen(float(weights[r]));
    }
    for (std::int64_t k = 0; k < stride; k += 16) {
      const auto part = [&](int r) REGRETLESS_LAMBDA { return sixteen_at(row[r] + k) * w[r]; };
      alignas(64) float lanes[16];
      put(lanes, ((part(0) + part(1)) + (part(2) + part(3))) + ((part(4) + part(5)) + (part(6) + part(7))));
      put(out + k, at(out, k) + at(lanes, 0));
      put(out + k + 8, at(out, k + 8) + at(lanes, 8));
    }
  }
};

template <class Rows>
REGRETLESS_APART void dots(const Rows& rows, const Gains& g, const Mixed& by, double* out) {
  std::int64_t i = 0;
  for (; i + rows_at_once <= g.mine; i += rows_at_once) rows.template dot<rows_at_once>(i, by, g.sign, out);
  for (; i < g.mine; ++i) rows.template dot<1>(i, by, g.sign, out);
}

// Groups of rows that are played; the last one is filled up with its first row at weight zero.
template <class Rows>
REGRETLESS_APART void combinations(const Rows& rows, const Gains& g, const Mixed& by, double* out) {
  const std::int64_t padded = duel_padded(g.mine);
  for (std::int64_t k = 0; k < padded; k += 8) put(out + k, eight(0));
  for (std::int64_t i = 0; i < by.placed; i += rows_together) {
    std::int32_t places[rows_together];
    double weights[rows_together];
    for (int r = 0; r < rows_together; ++r) {
      const bool there = i + r < by.placed;
      places[r] = by.places[there ? i + r : i];
      weights[r] = there ? by.play[places[r]] : 0;
    }
    rows.combine(places, weights, out);
  }
  const Octet sign = eight(g.sign);
  for (std::int64_t k = 0; k < padded; k += 8) put(out + k, sign * at(out, k));
}

template <class V>
REGRETLESS_APART void sparse_dots(const Gains& g, const Mixed& by, double* out) {
  for (std::int64_t i = 0; i < g.mine; ++i) {
    const std::int64_t begin = g.starts[i];
    const SparseRow<V, std::int32_t> row{static_cast<const V*>(g.values) + begin, g.indices + begin,
                                         g.starts[i + 1] - begin};
    Eight sum{};
    std::int64_t k = 0;
    for (; k + 8 <= row.n; k += 8) sum = sum + row.pick8(by.play, k) * load<8>(row.x + k);
    if (k < row.n) sum = sum + row.pick_some(by.play, k) * load_some(row.x + k, row.n - k);
    out[i] = g.sign * tree(sum);
  }
}

template <class Rows>
REGRETLESS_INLINE void dense_gains(const Rows& rows, const Gains& g, const Mixed& by, double* out) {
  if (g.kind == GainKind::dots) dots(rows, g, by, out);
  else combinations(rows, g, by, out);
}

// What each strategy wins, or false if the multiplication failed. Beyond the last one `out` holds anything finite.
inline bool gains_against(const Gains& g, const Mixed& by, double* out) {
  if (g.kind == GainKind::calls) {
    if (!g.call(g.context, by.play, out)) return false;
    for (std::int64_t i = 0; i < g.mine; ++i) out[i] *= g.sign;
    return true;
  }
  const std::int64_t columns = g.kind == GainKind::dots ? g.others : g.mine;
  if (g.kind == GainKind::sparse) {
    if (g.numbers == GainNumbers::doubles) sparse_dots<double>(g, by, out);
    else sparse_dots<float>(g, by, out);
  } else if (g.numbers == GainNumbers::doubles) {
    dense_gains(DoubleRows<double>{static_cast<const double*>(g.values), g.stride, columns}, g, by, out);
  } else if (g.numbers == GainNumbers::floats) {
    dense_gains(DoubleRows<float>{static_cast<const float*>(g.values), g.stride, columns}, g, by, out);
  } else {
    dense_gains(ShortRows{static_cast<const std::int16_t*>(g.values), g.stride, columns}, g, by, out);
  }
  return true;
}

}  // namespace regretless::REGRETLESS_ISA
