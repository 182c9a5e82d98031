// Members that keep a few numbers a feature: dual averagings of four rates, and a coin bettor.
#pragma once
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
  const double size = std::fabs(x) * weight;
  f.most = size > f.most ? size : f.most;
  f.squares += x * x;
  f.count += 1;
  if (f.squares > f.mean * f.count) [[unlikely]] {
    f.mean = f.squares / f.count;
    f.inverse = 1 / __builtin_sqrt(f.mean);
  }
}

struct Outlook {
  Quartet score{}, energy{};  // of the rates; energy: sum of x^2 / a
};

// What the rates think of one entry, and what the bettor will need.
REGRETLESS_INLINE void look_at(const AggregatedCell& f, double x, const Quartet& rates, Outlook& of, Entries& e,
                               std::int64_t k) {
  const double size2 = f.most * f.most, scaled = x * f.inverse;
  const Quartet inverse = inverse_root(load<4>(f.square) + spread<4>(size2));
  of.score = of.score + rates * load<4>(f.sum) * inverse * spread<4>(scaled);
  of.energy = of.energy + inverse * spread<4>(scaled * x);
  e.square[k] = f.coin_square + size2;
  e.sum[k] = f.coin_sum;
  e.wealth[k] = 1 + f.gain;
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

// All of them learn; `slope` of each lane at its own score.
REGRETLESS_INLINE void learn(Entries& e, const double* slope) {
  const Quartet slopes = load<4>(slope);
  const double coin = slope[coin_lane];
  for (std::int64_t k = 0; k < e.n; ++k) {
    AggregatedCell& f = *e.cells.at[k];
    const double x = e.x[k], one = coin * x;
    const Quartet gradient = slopes * spread<4>(x);
    store(f.sum, load<4>(f.sum) - gradient);
    store(f.square, load<4>(f.square) + gradient * gradient);
    f.coin_sum -= one;
    f.coin_square += one * one;
    f.gain -= one * e.bet[k];
  }
}

}  // namespace regretless::REGRETLESS_ISA
