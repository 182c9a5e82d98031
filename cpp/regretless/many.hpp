// One row against the weights of several targets, which lie feature by target: each target's sums run in the order that
// `glance` uses, so they come out the same, bit for bit.
#pragma once
#include <cstddef>
#include <utility>

#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

// A stretch of a row's entries that are not zero, unpacked once for all targets. Its length is a multiple of eight unless
// it is the row's last, so that lanes carry on from stretch to stretch.
struct Stretch {
  static constexpr std::int64_t room = 256;
  std::int64_t n;
  std::int64_t place[room];  // of the column's first target
  double value[room];
};

// Unpacks from entry k on; returns the entry where the next stretch begins.
template <class Row>
REGRETLESS_APART static std::int64_t unpack(const Row& row, std::int64_t k, std::int64_t targets, Stretch& stretch) {
  std::int64_t n = 0;
  for (; k < row.n && n < Stretch::room; ++k) {
    stretch.place[n] = std::int64_t(row.column(k)) * targets;
    stretch.value[n] = row.x[k];
    n += row.x[k] != 0;
  }
  stretch.n = n;
  return k;
}

// f(0), ..., f(7), written out, so that what they name by these numbers can live in registers.
template <class F>
REGRETLESS_INLINE void eight_times(const F& f) {
  [&]<std::size_t... l>(std::index_sequence<l...>) { (f(std::integral_constant<int, int(l)>{}), ...); }
  (std::make_index_sequence<8>{});
}

inline constexpr std::int64_t company = 64;  // so many targets have their sums at hand at once

// sums[l * company + c]: lane l of target c. N targets, whose first weights are at w.
template <int N>
REGRETLESS_INLINE void add_products(const Stretch& s, const double* w, double* sums) {
  Pack<double, N> lane[8];
  eight_times([&](auto l) { lane[l] = load<N>(sums + l * company); });
  const auto one = [&](std::int64_t k, auto l) {
    lane[l] = lane[l] + load<N>(w + s.place[k + l]) * spread<N>(s.value[k + l]);
  };
  std::int64_t k = 0;
  for (; k + 8 <= s.n; k += 8) eight_times([&](auto l) { one(k, l); });
  eight_times([&](auto l) {
    if (k + l < s.n) one(k, l);
  });
  eight_times([&](auto l) { store(sums + l * company, lane[l]); });
}

// Calls f for groups of `widest` targets, then for ever smaller ones: f(first target, size as a constant).
template <int N, class F>
REGRETLESS_INLINE void grouped(std::int64_t c, std::int64_t targets, const F& f) {
  for (; c + N <= targets; c += N) f(c, std::integral_constant<int, N>{});
  if constexpr (N > 1) grouped<N / 2>(c, targets, f);
}
inline constexpr int widest = register_bytes / int(sizeof(double));

REGRETLESS_APART static void products_of_stretch(const Stretch& s, const double* w, std::int64_t targets, double* sums) {
  grouped<widest>(0, targets, [&](std::int64_t c, auto size) { add_products<size>(s, w + c, sums + c); });
}

REGRETLESS_APART static void climb_trees(const double* sums, std::int64_t targets, double* dots) {
  grouped<widest>(0, targets, [&](std::int64_t c, auto size) {
    const auto lane = [&](int l) { return load<size>(sums + l * company + c); };
    store(dots + c, ((lane(0) + lane(4)) + (lane(2) + lane(6))) + ((lane(1) + lane(5)) + (lane(3) + lane(7))));
  });
}

REGRETLESS_APART static void add_squares(const Stretch& s, double* lanes) {
  Eight norm = load<8>(lanes);
  std::int64_t k = 0;
  for (; k + 8 <= s.n; k += 8) norm = norm + load<8>(s.value + k) * load<8>(s.value + k);
  store(lanes, norm);
  for (int l = 0; k + l < s.n; ++l) lanes[l] += s.value[k + l] * s.value[k + l];
}

// All products of a row, and its squared length.
template <class Row>
REGRETLESS_APART static double glance_many(const Row& row, const double* w, std::int64_t targets, double* dots) {
  Stretch stretch;
  double norm[8] = {};
  for (std::int64_t c = 0; c < targets; c += company) {
    const std::int64_t here = targets - c < company ? targets - c : company;
    double sums[8 * company] = {};
    for (std::int64_t k = 0; k < row.n;) {
      k = unpack(row, k, targets, stretch);
      products_of_stretch(stretch, w + c, here, sums);
      if (c == 0) add_squares(stretch, norm);
    }
    climb_trees(sums, here, dots + c);
  }
  return tree(load<8>(norm));
}

REGRETLESS_APART static void add_stretch(const Stretch& s, const double* a, std::int64_t targets, double* w) {
  grouped<widest>(0, targets, [&](std::int64_t c, auto size) {
    bool moves = false;
    for (int i = 0; i < size; ++i) moves |= a[c + i] != 0;
    if (!moves) return;
    const auto by = load<size>(a + c);
    for (std::int64_t k = 0; k < s.n; ++k) {
      double* at = w + s.place[k] + c;
      store(at, load<size>(at) + by * spread<size>(s.value[k]));
    }
  });
}

// w[:, c] <- w[:, c] + a[c] x for all targets c. Adding a zero of either sign changes nothing, as no weight is -0.
template <class Row>
REGRETLESS_APART static void add_many(const Row& row, const double* a, std::int64_t targets, double* w) {
  Stretch stretch;
  for (std::int64_t k = 0; k < row.n;) {
    k = unpack(row, k, targets, stretch);
    add_stretch(stretch, a, targets, w);
  }
}

}  // namespace regretless::REGRETLESS_ISA
