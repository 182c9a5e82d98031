// Members that keep a few numbers a feature: dual averagings of four rates, and a coin bettor.
#pragma once
#include <cmath>

#include "aggregated_types.hpp"
#include "rows.hpp"
#include "simd_math.hpp"

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

// f of four numbers in single precision.
typedef float Singles __attribute__((vector_size(16)));
template <class P, class F>
REGRETLESS_INLINE P in_single(const P& a, const F& f) {
  if constexpr (Halved<P>) {
    using Half = decltype(a.low.all);
    typedef float Pair __attribute__((vector_size(8)));
    const Pair low = __builtin_convertvector(a.low.all, Pair), high = __builtin_convertvector(a.high.all, Pair);
    const Singles b = f(__builtin_shufflevector(low, high, 0, 1, 2, 3));
    return {{__builtin_convertvector(__builtin_shufflevector(b, b, 0, 1), Half)},
            {__builtin_convertvector(__builtin_shufflevector(b, b, 2, 3), Half)}};
  } else return {__builtin_convertvector(f(__builtin_convertvector(a.all, Singles)), decltype(a.all))};
}
REGRETLESS_INLINE Singles single_root(Singles a) {
#if defined(__SSE2__)
  return Singles(_mm_sqrt_ps(__m128(a)));
#else
  for (int l = 0; l < 4; ++l) a[l] = __builtin_sqrtf(a[l]);
  return a;
#endif
}

// The entries of one row that are not zero, the constant feature first; with room for what is computed on the way.
struct Entries {
  std::int64_t n = 0;
  Buffer<double> numbers;
  Buffer<AggregatedCell*> cells;
  double *x = nullptr, *square = nullptr, *sum = nullptr, *wealth = nullptr, *bet = nullptr;

  void reserve(std::int64_t room) {
    room = (room + 8) & ~std::int64_t(7);
    if (room <= cells.room) return;
    cells.make(room);
    numbers.make(5 * cells.room);
    double** const parts[] = {&x, &square, &sum, &wealth, &bet};
    for (std::int64_t k = 0; k < 5; ++k) *parts[k] = numbers.at + k * cells.room;
  }
};

// The size of a feature takes in one more value.
REGRETLESS_INLINE void measure(AggregatedCell& f, double x, double weight) {
  using Two = Pack<double, 2>;
  const double size = std::fabs(x) * weight;
  f.most = size > f.most ? size : f.most;
  const Two sums = load<2>(&f.squares) + Two{typename Two::Register{x * x, 1}};
  store(&f.squares, sums);
  if (sums.all[0] > f.mean * sums.all[1]) [[unlikely]] {
    f.mean = sums.all[0] / sums.all[1];
    f.root = __builtin_sqrt(f.mean);
  }
}

// Between these sizes of a feature the rates' metric is computed in single precision, which rounds as steadily as
// double precision and takes half as long; beyond, in double precision, stretched so that it grows where the two meet.
inline constexpr double single_from = 1e-12, single_to = 1e12, stretch = 0x1p-20;

REGRETLESS_APART static Quartet inverse_in_double(const AggregatedCell& f) {
  const double by = f.root * (f.most > 1 ? 1 + stretch : 1 - stretch);
  return spread<4>(1) / (spread<4>(by) * root(load<4>(f.square) + spread<4>(f.most * f.most)));
}

// 1 / a of each rate, a = root * sqrt(square + most^2). Whatever the rounding, a never shrinks.
REGRETLESS_INLINE Quartet inverse_metric(const AggregatedCell& f) {
  if (!(f.most >= single_from && f.most <= single_to)) [[unlikely]]
    return inverse_in_double(f);
  return in_single(load<4>(f.square) + spread<4>(f.most * f.most), [&](auto squared) REGRETLESS_LAMBDA {
    using V = decltype(squared);
    return V(1.0f / (float(f.root) * single_root(squared)));
  });
}

struct Outlook {
  Quartet score{}, energy{};  // of the rates, but for the factor of the rate; energy: sum of x^2 / a
};

// Takes the entries of a row that are not zero: where their cells are, and their numbers.
template <class Row>
REGRETLESS_INLINE void gather_entries(const Row& row, AggregatedCell* cells, std::int64_t stride,
                                      AggregatedCell* constant, double intercept, Entries& e) {
  AggregatedCell** const at = e.cells.at;
  double* const __restrict x = e.x;
  std::int64_t n = 0;
  if (intercept > 0) {
    at[n] = constant;
    x[n++] = intercept;
  }
  for (std::int64_t k = 0; k < row.n; ++k) {
    at[n] = cells + std::int64_t(row.column(k)) * stride;
    x[n] = row.x[k];
    n += row.x[k] != 0;
  }
  e.n = n;
}

// What the rates think of a row, whose features it measures first, and what the bettor will need.
REGRETLESS_INLINE Outlook look_at(double weight, Entries& e) {
  AggregatedCell** const cells = e.cells.at;
  const double* const __restrict x = e.x;
  double* const __restrict square = e.square, * const __restrict sum = e.sum, * const __restrict wealth = e.wealth;
  Quartet score{}, energy{};
  for (std::int64_t k = 0; k < e.n; ++k) {
    AggregatedCell& f = *cells[k];
    measure(f, x[k], weight);
    const Quartet inverse = inverse_metric(f) * spread<4>(x[k]);
    score = score + load<4>(f.sum) * inverse;
    energy = energy + inverse * spread<4>(x[k]);
    square[k] = f.coin_square + f.most * f.most;
    sum[k] = f.coin_sum;
    wealth[k] = 1 + f.gain;
  }
  return {score, energy};
}

// The bettor's score; its bets are kept for when the outcome is known.
REGRETLESS_INLINE double bets(Entries& e) {
  for (std::int64_t k = e.n; k % 8 != 0; ++k) {
    e.square[k] = 1;
    e.x[k] = e.sum[k] = e.wealth[k] = 0;
  }
  Octet score{};
  for (std::int64_t k = 0; k < e.n; k += 8) {
    const Octet inverse = inverse_root(at(e.square, k));
    const Octet share = lower(upper(at(e.sum, k) * inverse, eight(-1)), eight(1));
    const Octet bet = share * inverse * (at(e.wealth, k) * eight(0.5));
    put(e.bet + k, bet);
    score = score + bet * at(e.x, k);
  }
  return in_all(score);
}

// Of a bettor that is none.
REGRETLESS_INLINE void no_bets(Entries& e) {
  for (std::int64_t k = 0; k < e.n; ++k) e.bet[k] = 0;
}

// All of them learn; `slope` of each lane at its own score.
REGRETLESS_INLINE void learn(Entries& e, const double* slope) {
  using Two = Pack<double, 2>;
  const Quartet slopes = load<4>(slope);
  const double coin = slope[coin_lane];
  AggregatedCell** const cells = e.cells.at;
  const double* const __restrict x = e.x, * const __restrict bet = e.bet;
  for (std::int64_t k = 0; k < e.n; ++k) {
    AggregatedCell& f = *cells[k];
    const double one = coin * x[k];
    const Quartet gradient = slopes * spread<4>(x[k]);
    store(f.sum, load<4>(f.sum) - gradient);
    store(f.square, load<4>(f.square) + gradient * gradient);
    store(&f.coin_sum, load<2>(&f.coin_sum) + Two{typename Two::Register{-one, one * one}});
    f.gain -= one * bet[k];
  }
}

}  // namespace regretless::REGRETLESS_ISA
