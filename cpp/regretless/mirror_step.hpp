// Mirror steps in dual coordinates: theta <- theta + rate y x on a mistake, and weights that follow from theta by a
// link. What the link asks of a feature is computed when its theta moves and cached, so that a round without an update
// is one product, and a round with one costs as much as the row has entries, whatever the number of features.
//
// Three safeguards: the normaliser is kept by differences of the masses of stored weights, in a compensated sum, and
// added up afresh when it has shrunk so much that its digits are gone; the reference of the cached weights moves before
// any of them overflows or all of them vanish; a row whose own weights have all vanished beside others' is multiplied
// in a scale of its own. Nothing depends on how many features there are beyond those that rounds have shown, so a
// stream that reveals its columns block by block gives the same bits as one that is read at once.
#pragma once
#include <cmath>
#include <cstring>

#include "limits.hpp"
#include "multi_target.hpp"
#include "mirror_links.hpp"
#include "rows.hpp"
#include "prediction.hpp"
#include "transpose_two.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double afresh_after = 1 << 20;  // updates; the sum's own rounding is then added up anew
inline constexpr double shrink = 1e-3;           // of the normaliser, before its digits are doubted
inline constexpr double nowhere = -std::numeric_limits<double>::infinity();
inline constexpr double faint = 1e-200;  // a product so small may be what underflow has left of a larger one

// One target's arrays inside (columns, 2, targets).
struct Duals {
  double *cached, *theta;
  std::int64_t stride;
  MirrorMemory& memory;
  Duals(const MirrorState& s, std::int64_t target)
      : cached(s.pairs + target), theta(cached + s.targets), stride(2 * s.targets), memory(s.memory[target]) {}
};

// Eight numbers in one register, where there are such.
REGRETLESS_INLINE Octet together(const Eight& a) {
#if defined(__AVX512F__)
  return {Octet::Register(_mm512_insertf64x4(_mm512_castpd256_pd512(__m256d(a.low.all)), __m256d(a.high.all), 1))};
#else
  return a;
#endif
}

// A row whose features lie two numbers apart.
template <class Row>
struct Paired : Row {
  static constexpr bool narrow = requires(const Row& row) { requires sizeof(*row.j) == 4; };
  REGRETLESS_INLINE std::int64_t column(std::int64_t k) const { return 2 * Row::column(k); }
  REGRETLESS_INLINE Eight pick8(const double* w, std::int64_t k) const {
#if defined(__x86_64__)
    if constexpr (narrow)  // two columns are read as one word, as elsewhere; here they are doubled as well
      return collect<8>([&](int l) {
        std::uint64_t two;
        std::memcpy(&two, this->j + k + (l & ~1), sizeof two);
        return w[l & 1 ? (two >> 31) & ~std::uint64_t{1} : 2 * (two & 0xffffffff)];
      });
#endif
    return collect<8>([&](int l) { return w[2 * Row::column(k + l)]; });
  }
  REGRETLESS_INLINE Eight pick_some(const double* w, std::int64_t k) const {
    const std::uint8_t* place = places[this->n - k];
    return collect<8>([&](int l) { return w[2 * Row::column(k + place[l])]; });
  }
  // Both numbers of eight features, the one of lane l being that of entry place(l).
  template <class Place>
  REGRETLESS_INLINE void pick_both(const double* pairs, const Place& place, Octet& first, Octet& second) const {
    Eight a, b;
    out_of_twos([&](int l) REGRETLESS_LAMBDA { return pairs + column(place(l)); }, 0, a, b);
    first = together(a);
    second = together(b);
  }
  REGRETLESS_INLINE void put_both(double* pairs, std::int64_t k, std::int64_t here, const Octet& first,
                                  const Octet& second) const {
    in_twos(in_halves(first), in_halves(second), 0,
            [&](int l, const Pack<double, 2>& pair) REGRETLESS_LAMBDA {
              if (l < here) store(pairs + column(k + l), pair);
            });
  }
};
template <class Row>
REGRETLESS_INLINE Paired<Row> paired(const Row& row) {
  return {row};
}

// Sum, with its rounding error kept beside it (Neumaier).
REGRETLESS_INLINE void add_to(MirrorMemory& m, double gain) {
  const double total = m.sum + gain;
  m.rest += std::fabs(m.sum) >= std::fabs(gain) ? (m.sum - total) + gain : (gain - total) + m.sum;
  m.sum = total;
}

REGRETLESS_INLINE double total_mass(const MirrorMemory& m, double features) {
  const double moved = m.sum + m.rest;
  return (moved > 0 ? moved : 0) + (features > m.touched ? features - m.touched : 0) * m.base;
}

// The sum of all masses, afresh. Features whose theta is 0 weigh nothing here, however many there are.
template <class L>
REGRETLESS_APART static void add_afresh(const L& link, const Duals& s) {
  MirrorMemory& m = s.memory;
  Octet sum = link.mass(eight(0), eight(0));
  const std::int64_t columns = std::int64_t(m.columns);
  double theta[8], cached[8];
  for (std::int64_t j = 0; j < columns; j += 8) {
    for (std::int64_t l = 0; l < 8; ++l) {
      const bool there = j + l < columns;
      theta[l] = there ? s.theta[(j + l) * s.stride] : 0;
      cached[l] = there ? s.cached[(j + l) * s.stride] : 0;
    }
    sum = sum + link.mass(at(theta, 0), at(cached, 0));
  }
  double bias[8];
  put(bias, link.mass(eight(m.bias), eight(m.bias_cached)));
  m.sum = in_all(sum) + bias[0];
  m.rest = 0;
  m.peak = m.sum;
  m.steps = 0;
}

// Computes every cached weight anew.
template <class L>
REGRETLESS_APART static void weigh_all(const L& link, const Duals& s) {
  const std::int64_t columns = std::int64_t(s.memory.columns);
  double theta[8], cached[8];
  for (std::int64_t j = 0; j < columns; j += 8) {
    for (std::int64_t l = 0; l < 8; ++l) theta[l] = j + l < columns ? s.theta[(j + l) * s.stride] : 0;
    put(cached, link.weigh(at(theta, 0)));
    for (std::int64_t l = 0; l < 8 && j + l < columns; ++l) s.cached[(j + l) * s.stride] = cached[l];
  }
}

// Moves the reference to the largest theta and computes every cached weight anew.
template <class L>
REGRETLESS_APART static void move_reference(const MirrorRules& rules, const Duals& s) {
  MirrorMemory& m = s.memory;
  const std::int64_t columns = std::int64_t(m.columns);
  double theta[8];
  Octet most = eight(m.bias != 0 ? L::extent(m.bias) : nowhere);
  for (std::int64_t j = 0; j < columns; j += 8) {
    for (std::int64_t l = 0; l < 8; ++l) theta[l] = j + l < columns ? s.theta[(j + l) * s.stride] : 0;
    most = upper(most, where_moved(at(theta, 0), L::extent(at(theta, 0)), eight(nowhere)));
  }
  const double largest = largest_of(most);
  const bool unmoved = m.met + (rules.intercept != 0) > m.touched;
  m.reference = L::settle(largest, unmoved);
  const L link(m.power, m.reference);
  m.base = link.base();
  weigh_all(link, s);
  m.bias_cached = one_lane(m.bias, [&](const Octet& v) { return link.weigh(v); });
  add_afresh(link, s);
}

// A stretch of entries that are not zero, and what was stored for their features.
struct Touch {
  static constexpr std::int64_t room = 128;
  std::int64_t place[room];
  double value[room], theta[room], cached[room];

  // Fills it from entry k of the row on; how many it holds, the last eight made up with zeros.
  template <class Row>
  REGRETLESS_INLINE std::int64_t fill(const Row& row, std::int64_t& k, std::int64_t stride) {
    std::int64_t count = 0;
    for (; k < row.n && count < room; ++k) {
      place[count] = std::int64_t(row.column(k)) * stride;
      value[count] = row.x[k];
      count += row.x[k] != 0;
    }
    for (std::int64_t i = count; i % 8 != 0; ++i) value[i] = theta[i] = cached[i] = 0;
    return count;
  }
};

// |x|_p of a row and its constant feature, scaled so that nothing overflows.
template <class Row>
REGRETLESS_APART static double p_norm(const Row& row, double intercept, double largest, double p) {
  if (largest == 0) return 0;
  const auto powers = [&](const Octet& value) {
    const Octet share = size_of(value) / eight(largest);
    return where_moved(share, exp_any(log_lanes(share) * eight(p)));
  };
  Octet sum = eight(0);
  Touch t;
  for (std::int64_t k = 0; k < row.n;) {
    const std::int64_t count = t.fill(row, k, 1);
    for (std::int64_t i = 0; i < count; i += 8) sum = sum + powers(at(t.value, i));
  }
  return largest * power_one(in_all(sum) + one_lane(intercept, powers), 1 / p);
}

// Takes note of a row's norm, if it may be the largest so far: of a p-norm, which is dear, what it cannot exceed is
// looked at first.
template <class Row>
REGRETLESS_INLINE void note_reach(const Row& row, double largest, double norm2, const MirrorRules& rules,
                                  MirrorMemory& m) {
  double norm = largest;
  if (rules.link == Link::power) {
    norm = std::sqrt(norm2);
    if (m.power != 2 || norm2 < 1e-280) {
      const double at_most = largest * power_one(double(row.n + 1), 1 / m.power) * (1 + 1e-12);
      if (at_most < m.reach || norm * (1 + 1e-12) < m.reach) return;
      norm = p_norm(row, rules.intercept, largest, m.power);
    }
  }
  if (m.reach < norm) m.reach = norm;
}

// What a step does to the features, eight by eight, and what is to be known of it afterwards.
template <class L>
struct Step {
  const L link;
  const Octet by;
  Octet gain = eight(0), more = eight(0), most = eight(nowhere), far = eight(0), reach;

  Step(const MirrorRules& rules, const MirrorMemory& m, double how_far)
      : link(m), by(eight(how_far)), reach(eight(std::fabs(rules.intercept))) {}

  // `reached` are the extents of the features that move.
  template <class Reached>
  REGRETLESS_INLINE void take(const Octet& value, Octet& theta, Octet& cached, const Reached& reached) {
    const Octet next = theta + by * value, weight = link.weigh(next);
    gain = gain + (link.mass(next, weight) - link.mass(theta, cached));
    more = more + (where_moved(next, eight(1)) - where_moved(theta, eight(1)));
    most = upper(most, reached(L::extent(next)));
    far = upper(far, size_of(next));
    reach = upper(reach, size_of(value));
    theta = next;
    cached = weight;
  }
  REGRETLESS_INLINE void take_all(const Octet& value, Octet& theta, Octet& cached) {
    take(value, theta, cached, [](const Octet& extents) REGRETLESS_LAMBDA { return extents; });
  }
  // A value of 0 moves nothing.
  REGRETLESS_INLINE void take_some(const Octet& value, Octet& theta, Octet& cached) {
    take(value, theta, cached, [&](const Octet& extents) REGRETLESS_LAMBDA {
      return where_moved(value, extents, eight(nowhere));
    });
  }
  REGRETLESS_INLINE void take(const double* value, double* theta, double* cached) {
    Octet t = at(theta, 0), c = at(cached, 0);
    take_some(at(value, 0), t, c);
    put(theta, t);
    put(cached, c);
  }
};

template <class V>
REGRETLESS_INLINE bool has_zeros(const V* x, std::int64_t n) {
  using Numbers = Pack<V, breadth<V>>;
  typename Numbers::Register none{};
  auto zeros = none != none;
  std::int64_t k = 0;
  for (; k + breadth<V> <= n; k += breadth<V>)
    zeros |= *reinterpret_cast<const typename Numbers::Loose*>(x + k) == none;
  bool any = any_bit(zeros);
  for (; k < n; ++k) any |= x[k] == 0;
  return any;
}

template <class L, class Row>
REGRETLESS_INLINE void step_features(const Row& row, Step<L>& step, const Duals& s) {
  std::int64_t k = 0;
  if (s.stride == 2 && !has_zeros(row.x, row.n)) {
    const auto pairs = paired(row);
    Octet theta, cached;
    for (; k + 8 <= row.n; k += 8) {
      pairs.pick_both(s.cached, [k](int l) REGRETLESS_LAMBDA { return k + l; }, cached, theta);
      step.take_all(at(row.x, k), theta, cached);
      pairs.put_both(s.cached, k, 8, cached, theta);
    }
    if (k == row.n) return;
    // Lanes beyond the last entry repeat it with a value of 0, which moves nothing.
    const std::uint8_t* const place = places[row.n - k];
    pairs.pick_both(s.cached, [&](int l) REGRETLESS_LAMBDA { return k + place[l]; }, cached, theta);
    step.take_some(some_of(row.x + k, row.n - k, 0), theta, cached);
    pairs.put_both(s.cached, k, row.n - k, cached, theta);
    return;
  }
  Touch t;
  while (k < row.n) {
    const std::int64_t count = t.fill(row, k, s.stride);
    for (std::int64_t i = 0; i < count; ++i) {
      t.theta[i] = s.theta[t.place[i]];
      t.cached[i] = s.cached[t.place[i]];
    }
    for (std::int64_t i = 0; i < count; i += 8) step.take(t.value + i, t.theta + i, t.cached + i);
    for (std::int64_t i = 0; i < count; ++i) {
      s.theta[t.place[i]] = t.theta[i];
      s.cached[t.place[i]] = t.cached[i];
    }
  }
}

// theta <- theta + by x, and all that follows from it.
template <class L, class Row>
REGRETLESS_APART static void move(const Row& row, double by, double norm2, const MirrorRules& rules, const Duals& s) {
  MirrorMemory& m = s.memory;
  Step<L> step(rules, m, by);
  step_features(row, step, s);
  if (rules.intercept != 0) {
    double value[8] = {rules.intercept}, theta[8] = {m.bias}, cached[8] = {m.bias_cached};
    step.take(value, theta, cached);
    m.bias = theta[0];
    m.bias_cached = cached[0];
  }
  m.touched += in_all(step.more);
  note_reach(row, largest_of(step.reach), norm2, rules, m);
  if (!(largest_of(step.far) < 1e300)) {  // the next round will find it
    m.reference = std::numeric_limits<double>::infinity();
    return;
  }
  m.steps += 1;
  if (step.link.beyond(largest_of(step.most))) [[unlikely]]
    return move_reference<L>(rules, s);
  add_to(m, in_all(step.gain));
  if (m.peak < m.sum) m.peak = m.sum;
  const double total = total_mass(m, m.met + (rules.intercept != 0));
  if (total < lightest && m.touched > 0) [[unlikely]]
    return move_reference<L>(rules, s);
  if (total < shrink * m.peak || m.steps > afresh_after) [[unlikely]]
    add_afresh(step.link, s);
}

// The product of a row with weights that have all but vanished beside others: its sign at least is right.
template <class L, class Row>
REGRETLESS_APART static double product_apart(const Row& row, double dot, const MirrorRules& rules, const Duals& s) {
  const MirrorMemory& m = s.memory;
  double largest = rules.intercept != 0 ? L::extent(m.bias) : nowhere;
  for (std::int64_t k = 0; k < row.n; ++k) {
    if (row.x[k] == 0) continue;
    const double here = L::extent(s.theta[std::int64_t(row.column(k)) * s.stride]);
    if (largest < here) largest = here;
  }
  if (largest == nowhere || !L(m).sinks(largest, m.reference)) return dot;
  const L link(m.power, largest);
  const auto weight = [&](double theta) { return one_lane(theta, [&](const Octet& v) { return link.weigh(v); }); };
  double sum = rules.intercept != 0 ? weight(m.bias) * rules.intercept : 0;
  for (std::int64_t k = 0; k < row.n; ++k)
    if (row.x[k] != 0) sum += weight(s.theta[std::int64_t(row.column(k)) * s.stride]) * row.x[k];
  const double shown = link.rescaled(sum, m.reference);
  return std::fabs(shown) < 1e-300 && sum != 0 ? (sum < 0 ? -1e-300 : 1e-300) : shown;
}

// Takes note of the features that a row shows; whether one of them is heavier by far than all that were met, so that
// the reference must move up to it.
template <class L, class Row>
REGRETLESS_INLINE bool meet(const Row& row, MirrorMemory& m) {
  std::int64_t n = row.n;
  while (n > 0 && row.x[n - 1] == 0) --n;
  if (n == 0 || double(row.column(n - 1)) < m.met) return false;
  m.met = double(row.column(n - 1)) + 1;
  return L(m).sinks(m.reference, 0);
}

// Puts back what there was before the reference moved for a round that is then refused: thetas have not moved yet, and
// cached weights follow from them.
template <class L>
REGRETLESS_APART static void move_back(const MirrorMemory& before, const Duals& s) {
  s.memory = before;
  weigh_all(L(before), s);
}

}  // namespace regretless::REGRETLESS_ISA
