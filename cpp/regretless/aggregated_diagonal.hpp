// Members that keep a few numbers a feature: dual averagings of four rates, and a coin bettor.
#pragma once
#include <concepts>
#include <cstring>

#include "aggregated_types.hpp"
#include "rows.hpp"
#include "transpose_four.hpp"

namespace regretless::REGRETLESS_ISA {

// 1 / sqrt(a) for positive a that are neither tiny nor huge, relative error below 4e-11, in products and differences:
// three steps of Newton's from a guess that halves the exponent. Roots and quotients take a processor several times as
// long, and its own approximations differ from one maker to the other.
template <Lanes P>
REGRETLESS_INLINE P inverse_root(const P& a) {
  return apply(
      [](auto v) REGRETLESS_LAMBDA {
        using V = decltype(v);
        typedef std::uint64_t Bits __attribute__((vector_size(sizeof(V))));
        V y = V(0x5fe6eb50c7b537a9ull - (Bits(v) >> 1));
        const V half = v * 0.5;
        y = y * (1.5 - half * y * y);
        y = y * (1.5 - half * y * y);
        return V(y * (1.5 - half * y * y));
      },
      a);
}

// Whether a is above b in any lane.
REGRETLESS_INLINE bool any_above(const Quartet& a, const Quartet& b) {
#if defined(__AVX2__)
  return _mm256_movemask_pd(__m256d(a.all > b.all)) != 0;
#else
  const auto any = (a.low.all > b.low.all) | (a.high.all > b.high.all);
#if defined(__SSE2__)
  return _mm_movemask_pd(__m128d(any)) != 0;
#else
  return any[0] != 0 || any[1] != 0;
#endif
#endif
}

// The same numbers in single precision.
REGRETLESS_INLINE void put_single(float* to, const Quartet& a) {
#if defined(__AVX2__)
  _mm_storeu_ps(to, _mm256_cvtpd_ps(__m256d(a.all)));
#else
#pragma GCC unroll 2
  for (int l = 0; l < 2; ++l) {
    to[l] = float(a.low.all[l]);
    to[l + 2] = float(a.high.all[l]);
  }
#endif
}

// 1 / (root * sqrt(a)) of two entries, in single precision, four numbers of each after the other.
#if defined(__AVX2__)
REGRETLESS_INLINE void put_metrics(float* to, const Quartet& a, const Quartet& b, const float* roots) {
  const __m128 first = _mm256_cvtpd_ps(__m256d(a.all)), second = _mm256_cvtpd_ps(__m256d(b.all));
  const __m256 by = _mm256_blend_ps(_mm256_broadcast_ss(roots), _mm256_broadcast_ss(roots + 1), 0xf0);
  const __m256 metric = _mm256_mul_ps(by, _mm256_sqrt_ps(_mm256_set_m128(second, first)));
  _mm256_storeu_ps(to, _mm256_div_ps(_mm256_set1_ps(1), metric));
}
#else
REGRETLESS_INLINE void put_metric(float* to, const Quartet& a, float root) {
  typedef float Pair __attribute__((vector_size(8)));
  typedef float Singles __attribute__((vector_size(16)));
  const Pair low = __builtin_convertvector(a.low.all, Pair), high = __builtin_convertvector(a.high.all, Pair);
  Singles b = __builtin_shufflevector(low, high, 0, 1, 2, 3);
#if defined(__SSE2__)
  b = Singles(_mm_sqrt_ps(__m128(b)));
#else
  for (int l = 0; l < 4; ++l) b[l] = __builtin_sqrtf(b[l]);
#endif
  b = 1.0f / (root * b);
  std::memcpy(to, &b, sizeof b);
}
REGRETLESS_INLINE void put_metrics(float* to, const Quartet& a, const Quartet& b, const float* roots) {
  put_metric(to, a, roots[0]);
  put_metric(to + 4, b, roots[1]);
}
#endif

// Between these sizes of a feature the rates' metric is computed in single precision, which rounds as steadily as
// double precision and takes half as long; beyond, in double precision, stretched so that it grows where the two meet.
// Whatever the rounding, it never shrinks.
inline constexpr double single_from = 1e-12, single_to = 1e12, stretch = 0x1p-20;

REGRETLESS_APART static Quartet double_metric(const AggregatedCell& f, double most, double mean_root) {
  const double by = mean_root * (most > 1 ? 1 + stretch : 1 - stretch);
  return spread<4>(1) / (spread<4>(by) * root(load<4>(f.square) + spread<4>(most * most)));
}

// An entry whose square is larger than those of its feature were: from `before` it grew to `after`.
struct Growth {
  std::int64_t entry;
  double before, after;
};

// The entries of one row that are not zero, the constant feature first; with room for what is computed on the way. They
// are taken four at a time: the last ones of four may be zeros of no feature.
struct Entries {
  std::int64_t n = 0, first = 0;  // first: 1 if the constant feature is there
  Buffer<double> numbers;
  Buffer<std::int64_t> offsets;  // of their cells, in bytes
  double *x = nullptr, *coin_sum = nullptr, *coin_square = nullptr, *gain = nullptr, *most = nullptr,
         *squared = nullptr, *root = nullptr, *bet = nullptr;  // squared: of most; root: of the largest mean square
  float *single_root = nullptr, *inverse = nullptr;            // inverse: 1 / a of each rate
  AggregatedCell no_feature;
  std::int64_t bytes = 0;  // of the cells of a feature
  bool watched = false;    // whether somebody asks which entries are larger than before
  Buffer<Growth> grown;    // these
  std::int64_t growths = 0;

  void reserve(std::int64_t room) {
    room = (room + 8) & ~std::int64_t(7);
    if (room <= offsets.room) return;
    offsets.make(room);
    numbers.make(11 * offsets.room);
    grown.make(offsets.room);
    double** const parts[] = {&x, &coin_sum, &coin_square, &gain, &most, &squared, &root, &bet};
    for (std::int64_t k = 0; k < 8; ++k) *parts[k] = numbers.at + k * offsets.room;
    single_root = reinterpret_cast<float*>(numbers.at + 8 * offsets.room);
    inverse = reinterpret_cast<float*>(numbers.at + 9 * offsets.room);
  }
  // For the target whose cells begin at `cells`.
  void begin(const AggregatedCell* cells, const AggregatedCell* constant) {
    const auto offset = [&](const AggregatedCell* cell) {
      return std::int64_t(reinterpret_cast<std::uintptr_t>(cell) - reinterpret_cast<std::uintptr_t>(cells));
    };
    if (first) offsets.at[0] = offset(constant);
    if (n % 4 == 0) return;
    no_feature = {};
    no_feature.most = no_feature.mean = no_feature.root = 1;
    for (std::int64_t k = n; k % 4 != 0; ++k) {
      offsets.at[k] = offset(&no_feature);
      x[k] = 0;
    }
  }
  // Where entry k stands in a whole row, the constant feature first.
  std::int64_t feature(std::int64_t k) const { return k < first ? 0 : 1 + offsets.at[k] / bytes; }
  REGRETLESS_APART void note_growth(std::int64_t k, const Quartet& sizes, const Quartet& before) {
    double size[4], most[4];
    store(size, sizes);
    store(most, before);
    for (int l = 0; l < 4; ++l)
      if (size[l] > most[l]) grown.at[growths++] = {k + l, most[l] * most[l], size[l] * size[l]};
  }
  REGRETLESS_APART void leave_out_zeros() {
    std::int64_t count = first;
    for (std::int64_t k = first; k < n; ++k) {
      x[count] = x[k];
      offsets.at[count] = offsets.at[k];
      count += x[k] != 0;
    }
    n = count;
  }
};

// The cell at an offset.
REGRETLESS_INLINE AggregatedCell& cell_at(AggregatedCell* cells, std::int64_t offset) {
  return *reinterpret_cast<AggregatedCell*>(reinterpret_cast<std::uintptr_t>(cells) + std::uintptr_t(offset));
}

// What comes of a row: something will be learned from it, or cells stay as they are.
struct Learning {};
struct Scoring {};

// Two numbers of each of four cells.
REGRETLESS_INLINE void put_pairs(AggregatedCell* const* f, double AggregatedCell::* first, const Quartet& a,
                                 const Quartet& b) {
  Quartet pairs[4] = {a, b, a, b};
  transpose(pairs);
#pragma GCC unroll 4
  for (int l = 0; l < 4; ++l) store(&(f[l]->*first), low_half(pairs[l]));
}

// The root of the largest mean square of four features, some of which have a larger one than before.
template <class Access>
REGRETLESS_INLINE Quartet mean_roots(AggregatedCell* const* f, const Quartet& squares, const Quartet& count,
                                     const Quartet& mean, const Quartet& before) {
  const Quartet grown = squares - mean * count, now = where_positive(grown, squares / count, mean);
  const Quartet roots = where_positive(grown, root(now), before);
  if constexpr (std::same_as<Access, Learning>) put_pairs(f, &AggregatedCell::mean, now, roots);
  return roots;
}

// The features of a row take in its numbers: their largest sizes, sums of squares and counts. The largest are stored
// when the row is learned; which grow is noted. Whether single precision bears all sizes.
template <class Access>
REGRETLESS_APART static bool measure(double weight, AggregatedCell* cells, Entries& e) {
  const std::int64_t* const __restrict at = e.offsets.at;
  const double* const __restrict entry = e.x;
  double* const __restrict coin_sum = e.coin_sum, * const __restrict coin_square = e.coin_square, * const __restrict gain = e.gain, * const __restrict sizes = e.most, * const __restrict squared = e.squared, * const __restrict root = e.root;
  float* const __restrict single_root = e.single_root;
  const std::int64_t n = e.n;
  const bool watched = e.watched;
  e.growths = 0;
  Quartet least = spread<4>(single_to), largest = spread<4>(single_from);
  for (std::int64_t k = 0; k < n; k += 4) {
    AggregatedCell* const f[4] = {&cell_at(cells, at[k]), &cell_at(cells, at[k + 1]), &cell_at(cells, at[k + 2]),
                                  &cell_at(cells, at[k + 3])};
    Quartet bettor[4] = {load<4>(&f[0]->coin_sum), load<4>(&f[1]->coin_sum), load<4>(&f[2]->coin_sum),
                         load<4>(&f[3]->coin_sum)};
    Quartet size[4] = {load<4>(&f[0]->squares), load<4>(&f[1]->squares), load<4>(&f[2]->squares),
                       load<4>(&f[3]->squares)};
    transpose(bettor);
    transpose(size);
    const Quartet x = load<4>(entry + k);
    const Quartet length = upper(x, spread<4>(0) - x) * spread<4>(weight), most = upper(length, bettor[3]);
    if (watched && any_above(length, bettor[3])) e.note_growth(k, length, bettor[3]);
    const Quartet squares = size[0] + x * x, count = size[1] + spread<4>(1);
    if (any_above(squares, size[2] * count)) [[unlikely]]
      size[3] = mean_roots<Access>(f, squares, count, size[2], size[3]);
    if constexpr (std::same_as<Access, Learning>) put_pairs(f, &AggregatedCell::squares, squares, count);
    store(coin_sum + k, bettor[0]);
    store(coin_square + k, bettor[1]);
    store(gain + k, bettor[2]);
    store(sizes + k, most);
    store(squared + k, most * most);
    store(root + k, size[3]);
    put_single(single_root + k, size[3]);
    least = lower(most, least);
    largest = upper(most, largest);
  }
  return !any_above(spread<4>(single_from), least) && !any_above(largest, spread<4>(single_to));
}

// The inverse metric of entry k, whose size single precision may not bear.
REGRETLESS_APART static Quartet inverse_of(const AggregatedCell* f, const Entries& e, std::int64_t k) {
  if (e.most[k] >= single_from && e.most[k] <= single_to) return load<4>(e.inverse + 4 * k);
  return double_metric(*f, e.most[k], e.root[k]);
}

struct RateScores {
  Quartet score{}, energy{};  // but for the factor of the rate; energy: sum of x^2 / a
};

// Scores of the rates for a row whose features have been measured. Roots and quotients, which take long, are all begun
// before the first is needed.
REGRETLESS_APART static RateScores rate_scores(AggregatedCell* cells, const Entries& e, bool in_single) {
  const std::int64_t* const __restrict at = e.offsets.at;
  const double* const __restrict entry = e.x, * const __restrict squared = e.squared;
  float* const __restrict inverse = e.inverse;
  const std::int64_t n = e.n;
  for (std::int64_t k = 0; k < n; k += 2)
    put_metrics(inverse + 4 * k, load<4>(cell_at(cells, at[k]).square) + spread<4>(squared[k]),
                load<4>(cell_at(cells, at[k + 1]).square) + spread<4>(squared[k + 1]), e.single_root + k);
  Quartet score{}, energy{};
  const auto add = [&](const AggregatedCell& f, double one, Quartet by) REGRETLESS_LAMBDA {
    const Quartet x = spread<4>(one);
    by = by * x;
    score = score + load<4>(f.sum) * by;
    energy = energy + by * x;
  };
  if (in_single) [[likely]]
    for (std::int64_t k = 0; k < n; k += 2) {
      add(cell_at(cells, at[k]), entry[k], load<4>(inverse + 4 * k));
      add(cell_at(cells, at[k + 1]), entry[k + 1], load<4>(inverse + 4 * k + 4));
    }
  else
    for (std::int64_t k = 0; k < n; ++k) add(cell_at(cells, at[k]), entry[k], inverse_of(&cell_at(cells, at[k]), e, k));
  return {score, energy};
}

// The bettor's score for such a row; its bets are kept for when the outcome is known.
REGRETLESS_APART static double coin_score(Entries& e) {
  if (((e.n + 3) & 4) != 0) {  // the last four of eight are of no feature
    const std::int64_t rest = (e.n + 3) & ~std::int64_t(3);
    for (double* const part : {e.x, e.coin_sum, e.gain}) store(part + rest, Quartet{});
    for (double* const part : {e.coin_square, e.squared}) store(part + rest, spread<4>(1));
  }
  Octet score{};
  for (std::int64_t k = 0; k < e.n; k += 8) {
    const Octet inverse = inverse_root(at(e.coin_square, k) + at(e.squared, k));
    const Octet share = lower(upper(at(e.coin_sum, k) * inverse, eight(-1)), eight(1));
    const Octet bet = share * inverse * ((eight(1) + at(e.gain, k)) * eight(0.5));
    put(e.bet + k, bet);
    score = score + bet * at(e.x, k);
  }
  return in_all(score);
}

// All of them learn; `slope` of each lane at its own score.
REGRETLESS_APART static void learn(AggregatedCell* cells, const Entries& e, const double* slope) {
  const std::int64_t* const __restrict at = e.offsets.at;
  const double* const __restrict x = e.x, * const __restrict bet = e.bet, * const __restrict coin_sum = e.coin_sum, * const __restrict coin_square = e.coin_square, * const __restrict gain = e.gain, * const __restrict most = e.most;
  const std::int64_t n = e.n;
  const Quartet slopes = load<4>(slope), coin = spread<4>(slope[coin_lane]);
  for (std::int64_t k = 0; k < n; k += 4) {
    const Quartet one = coin * load<4>(x + k);
    Quartet bettor[4] = {load<4>(coin_sum + k) - one, load<4>(coin_square + k) + one * one,
                         load<4>(gain + k) - one * load<4>(bet + k), load<4>(most + k)};
    transpose(bettor);
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l) {
      AggregatedCell& f = cell_at(cells, at[k + l]);
      const Quartet gradient = slopes * spread<4>(x[k + l]);
      store(f.sum, load<4>(f.sum) - gradient);
      store(f.square, load<4>(f.square) + gradient * gradient);
      store(&f.coin_sum, bettor[l]);
    }
  }
}

}  // namespace regretless::REGRETLESS_ISA
