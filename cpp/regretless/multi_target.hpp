// One row against the weights of several targets, which lie feature by target: each target's sums run in the order that
// `product_and_norm` uses, so they come out the same, bit for bit.
#pragma once
#include <type_traits>

#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

// A stretch of a row's entries, those that are zero left out, unpacked once for all targets.
struct Stretch {
  static constexpr std::int64_t room = 256;
  std::int64_t n = 0;
  std::int64_t lane = 0;     // of the first entry
  std::int64_t place[room];  // of the column's first target
  double value[room];
};

REGRETLESS_APART static void drop_zeros(Stretch& s) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < s.n; ++i) {
    s.place[count] = s.place[i];
    s.value[count] = s.value[i];
    count += s.value[i] != 0;
  }
  s.n = count;
}

// The stretch that begins at entry k of the row and follows `s`.
template <class Row>
REGRETLESS_APART static void unpack(const Row& row, std::int64_t k, std::int64_t targets, Stretch& s) {
  s.lane = (s.lane + s.n) & 7;
  s.n = row.n - k < Stretch::room ? row.n - k : Stretch::room;
  for (std::int64_t i = 0; i < s.n; ++i) s.place[i] = std::int64_t(row.column(k + i)) * targets;
  int zeros = 0;
  for (std::int64_t i = 0; i < s.n; ++i) {
    s.value[i] = row.x[k + i];
    zeros += row.x[k + i] == 0;
  }
  if (zeros) drop_zeros(s);
}

// Calls f for groups of N targets, then for ever smaller ones: f(first target, size of the group as a constant).
template <int N, class F>
REGRETLESS_INLINE void grouped(std::int64_t c, std::int64_t targets, const F& f) {
  for (; c + N <= targets; c += N) f(c, std::integral_constant<int, N>{});
  if constexpr (N > 1) grouped<N / 2>(c, targets, f);
}

inline constexpr std::int64_t company = 64;  // so many targets have their sums at hand at once
inline constexpr int eight_registers = 8 * one_register;

// sums[l * company + c]: lane l of target c. Lane by lane, so that all weights of an entry are read at once: they lie
// side by side, and few of them in the cache.
template <int N>
REGRETLESS_APART static void add_products(const Stretch& s, bool first, const double* w, double* sums) {
  for (std::int64_t l = 0; l < 8; ++l) {
    auto lane = first ? Pack<double, N>{} : load<N>(sums + l * company);
    for (std::int64_t k = (l - s.lane) & 7; k < s.n; k += 8)
      lane = lane + load<N>(w + s.place[k]) * spread<N>(s.value[k]);
    store(sums + l * company, lane);
  }
}

static void climb_trees(const double* sums, std::int64_t targets, double* dots) {
  grouped<one_register>(0, targets, [&](std::int64_t c, auto size) {
    const auto lane = [&](int l) { return load<size>(sums + l * company + c); };
    store(dots + c, ((lane(0) + lane(4)) + (lane(2) + lane(6))) + ((lane(1) + lane(5)) + (lane(3) + lane(7))));
  });
}

static void add_squares(const Stretch& s, double* lanes) {
  std::int64_t k = 0;
  if (s.lane == 0) {
    Eight norm = load<8>(lanes);
    for (; k + 8 <= s.n; k += 8) norm = norm + load<8>(s.value + k) * load<8>(s.value + k);
    store(lanes, norm);
  }
  for (; k < s.n; ++k) lanes[(s.lane + k) & 7] += s.value[k] * s.value[k];
}

// The same for so few targets that their sums stay in registers, in one go. False if the row may have zeros in it.
template <int N, class Row>
REGRETLESS_APART static bool few_products(const Row& row, const double* w, double* dots, double& norm2) {
  Pack<double, N> sums[8] = {};
  Eight norm{};
  Pack<double, one_register> shortest = spread<one_register>(1);
  const auto weights = [&](std::int64_t k) { return load<N>(w + std::int64_t(row.column(k)) * N); };
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) {
    const Eight v = load<8>(row.x + k), square = v * v;
    norm = norm + square;
    shortest = least(narrowed(square), shortest);
    double value[8];  // that each is converted once
    store(value, v);
#pragma GCC unroll 8
    for (int l = 0; l < 8; ++l) sums[l] = sums[l] + weights(k + l) * spread<N>(value[l]);
  }
  if (k < row.n) {
    const Eight v = load_some(row.x + k, row.n - k), square = v * v;
    norm = norm + square;
    shortest = least(narrowed(square + load<8>(zeros_then_ones + 8 - (row.n - k))), shortest);
    double value[8];
    store(value, v);
    const std::uint8_t* const place = places[row.n - k];
#pragma GCC unroll 8
    for (int l = 0; l < 8; ++l) sums[l] = sums[l] + weights(k + place[l]) * spread<N>(value[l]);
  }
  norm2 = tree(norm);
  store(dots, ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])));
  return smallest(shortest) != 0;
}

// All products of a row, and its squared length.
template <class Row>
REGRETLESS_APART static double products_and_norm(const Row& row, const double* w, std::int64_t targets, double* dots) {
  double norm2;
  if (targets == 1) {
    dots[0] = product_and_norm(row, w, norm2);
    return norm2;
  }
  if constexpr (one_register >= 4) {
    if (targets == 4 && few_products<4>(row, w, dots, norm2)) return norm2;
    if (targets == 8 && few_products<8>(row, w, dots, norm2)) return norm2;
  }
  double norm[8] = {}, sums[8 * company];
  for (std::int64_t c = 0; c < targets; c += company) {
    const std::int64_t here = targets - c < company ? targets - c : company;
    Stretch s;
    std::int64_t k = 0;
    do {
      unpack(row, k, targets, s);
      grouped<eight_registers>(0, here,
                               [&](std::int64_t d, auto size) { add_products<size>(s, k == 0, w + c + d, sums + d); });
      if (c == 0) add_squares(s, norm);
      k += Stretch::room;
    } while (k < row.n);
    climb_trees(sums, here, dots + c);
  }
  return tree(load<8>(norm));
}

// w[:, c] <- w[:, c] + a[c] x for all targets c. Adding a zero of either sign changes nothing, as no weight is -0.
template <int N>
REGRETLESS_APART static void add_stretch(const Stretch& s, const double* a, double* w) {
  const auto by = load<N>(a);
  for (std::int64_t k = 0; k < s.n; ++k) {
    double* at = w + s.place[k];
    store(at, load<N>(at) + by * spread<N>(s.value[k]));
  }
}
template <class Row>
REGRETLESS_APART static void add_many(const Row& row, const double* a, std::int64_t targets, double* w) {
  Stretch s;
  for (std::int64_t k = 0; k < row.n; k += Stretch::room) {
    unpack(row, k, targets, s);
    grouped<one_register>(0, targets, [&](std::int64_t c, auto size) {
      bool moves = false;
      for (int i = 0; i < size; ++i) moves |= a[c + i] != 0;
      if (moves) add_stretch<size>(s, a + c, w + c);
    });
  }
}

}  // namespace regretless::REGRETLESS_ISA
