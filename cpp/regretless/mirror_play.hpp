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
  REGRETLESS_INLINE void put8(double* w, std::int64_t k, const Octet& a) const {
    double one[8];
    put(one, a);
    for (int l = 0; l < 8; ++l) w[2 * Row::column(k + l)] = one[l];
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

REGRETLESS_INLINE Octet together(const Eight& a) {
#if defined(__AVX512F__)
  return {Octet::Register(_mm512_insertf64x4(_mm512_castpd256_pd512(__m256d(a.low.all)), __m256d(a.high.all), 1))};
#else
  return a;
#endif
}

// What a step does to the features, eight by eight, and what is to be known of it afterwards.
template <class L>
struct Step {
  const L link;
  const Octet by;
  Octet gain = eight(0), more = eight(0), most = eight(nowhere), far = eight(0), reach;

  Step(const MirrorRules& rules, const MirrorMemory& m, double how_far)
      : link(m), by(eight(how_far)), reach(eight(std::fabs(rules.intercept))) {}

  REGRETLESS_INLINE void take(const Octet& value, Octet& theta, Octet& cached) {
    const Octet next = theta + by * value, weight = link.weigh(next);
    gain = gain + (link.mass(next, weight) - link.mass(theta, cached));
    more = more + (where_moved(next, eight(1)) - where_moved(theta, eight(1)));
    most = upper(most, where_moved(value, L::extent(next), eight(nowhere)));
    far = upper(far, size_of(next));
    reach = upper(reach, size_of(value));
    theta = next;
    cached = weight;
  }
  REGRETLESS_INLINE void take(const double* value, double* theta, double* cached) {
    Octet t = at(theta, 0), c = at(cached, 0);
    take(at(value, 0), t, c);
    put(theta, t);
    put(cached, c);
  }
};

template <class Row>
REGRETLESS_INLINE bool has_zeros(const Row& row) {
  Octet zeros = eight(0);
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) zeros = zeros + where_moved(at(row.x, k), eight(0), eight(1));
  bool any = in_all(zeros) > 0;
  for (; k < row.n; ++k) any |= row.x[k] == 0;
  return any;
}

template <class L, class Row>
REGRETLESS_INLINE void step_features(const Row& row, Step<L>& step, const Duals& s) {
  std::int64_t k = 0;
  if (s.stride == 2 && !has_zeros(row)) {
    const auto pairs = paired(row);
    for (; k + 8 <= row.n; k += 8) {
      Octet theta = together(pairs.pick8(s.theta, k)), cached = together(pairs.pick8(s.cached, k));
      step.take(at(row.x, k), theta, cached);
      pairs.put8(s.theta, k, theta);
      pairs.put8(s.cached, k, cached);
    }
    if (k == row.n) return;
    // Lanes beyond the last entry repeat it with a value of 0, which moves nothing.
    Octet theta = together(pairs.pick_some(s.theta, k)), cached = together(pairs.pick_some(s.cached, k));
    step.take(some_of(row.x + k, row.n - k, 0), theta, cached);
    double to_theta[8], to_cached[8];
    put(to_theta, theta);
    put(to_cached, cached);
    for (std::int64_t l = 0; k < row.n; ++k, ++l) {
      s.theta[pairs.column(k)] = to_theta[l];
      s.cached[pairs.column(k)] = to_cached[l];
    }
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

template <Rows X>
REGRETLESS_INLINE LinearRefusal ready(const X& rows, std::int64_t t, std::int64_t end, const MirrorState& state) {
  const LinearRefusal refusal = rows.check(t, state.columns);
  if (refusal != LinearRefusal::none) return refusal;
  rows.prefetch(t, end);
  const bool far = state.columns * state.targets > 1 << 16;  // more than a second-level cache holds
  if (far && t + 1 < end) rows.prefetch_weights(t + 1, state.pairs, 2 * state.targets * std::int64_t(sizeof(double)));
  return LinearRefusal::none;
}

template <class L>
REGRETLESS_INLINE double factor_for(const MirrorRules& rules, const MirrorMemory& m, double features) {
  return L(m).factor(total_mass(m, features + (rules.intercept != 0)));
}

template <class L, class Row>
REGRETLESS_INLINE double with_bias(const Row& row, double dot, const MirrorRules& rules, const Duals& s) {
  dot += rules.intercept * s.memory.bias_cached;
  return std::fabs(dot) < faint ? product_apart<L>(row, dot, rules, s) : dot;
}

REGRETLESS_INLINE LinearRefusal complain_of(double norm2, double dot, const MirrorMemory& m) {
  if (!(norm2 < infinity)) return LinearRefusal::not_finite;
  return std::fabs(dot) < infinity && std::fabs(m.reference) < infinity ? LinearRefusal::none : LinearRefusal::diverged;
}

// Writes down one round of one target; by how much of x theta moves.
template <class L>
REGRETLESS_INLINE double write_down(double dot, double y, double norm2, double weight, const MirrorRules& rules,
                                    const MirrorMemory& m, Ledger& book) {
  book.rounds += 1;
  if (weight != 1) book.weighted += 1;
  book.total_norm2 += norm2;
  if (book.max_norm2 < norm2) book.max_norm2 = norm2;
  book.mistakes += positive(dot, rules.tie) != (y > 0);
  if (y * dot > 0 || (dot == 0 && rules.tie == y) || weight == 0) return 0;
  if (dot != 0) book.loss += weight * std::fabs(dot) * factor_for<L>(rules, m, m.met);
  book.updates += 1;
  book.update_norm2 += norm2;
  book.slope2 += weight * weight * norm2;
  book.step2 += rules.rate * weight * weight * norm2;
  book.first_rate = book.last_rate = rules.rate;
  return rules.rate * weight * y;
}

// Whether a round need not be tried out: what it adds is far below 1e290.
REGRETLESS_INLINE bool is_mild(double norm2, double dot, double weight, const MirrorRules& rules,
                               const MirrorMemory& m) {
  return norm2 < tame_size && std::fabs(dot) < tame_size && weight < tame_rule && rules.rate < tame_rule &&
         std::fabs(m.reference) < tame_size;
}

// What keeps a target from playing a round: it is tried out on a copy of the book, and on the coordinates.
template <class L, class Row>
REGRETLESS_APART static LinearRefusal try_out(const Row& row, double dot, double y, double norm2, double weight,
                                              const MirrorRules& rules, const Duals& s, Ledger book) {
  const MirrorMemory& m = s.memory;
  if (const LinearRefusal c = complain_of(norm2, dot, m); c != LinearRefusal::none) return c;
  const double by = write_down<L>(dot, y, norm2, weight, rules, m, book);
  bool bears = is_kept(book) && is_kept(m.bias + by * rules.intercept);
  for (std::int64_t k = 0; k < row.n; ++k)
    bears &= is_kept(s.theta[std::int64_t(row.column(k)) * s.stride] + by * row.x[k]);
  return bears ? LinearRefusal::none : LinearRefusal::diverged;
}

template <class L, Rows X>
LinearVerdict mirror_one(const X& rows, const Labels& labels, const MirrorRules& rules, const MirrorState& state,
                         std::int64_t begin, std::int64_t end) {
  const Duals duals(state, 0);
  MirrorMemory before;  // the reference moved
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = ready(rows, t, end, state); c != LinearRefusal::none) [[unlikely]]
      return {t, c};
    const auto row = rows[t];
    double row2, product = product_and_norm(paired(row), state.pairs, row2);
    const double norm2 = row2 + rules.intercept * rules.intercept;
    if (!(norm2 < std::numeric_limits<double>::infinity())) [[unlikely]]
      return {t, LinearRefusal::not_finite};
    const double met = state.memory->met;
    const bool sunk = meet<L>(row, *state.memory);
    if (sunk) [[unlikely]] {
      before = *state.memory;
      move_reference<L>(rules, duals);
      product = product_and_norm(paired(row), state.pairs, row2);
    }
    const double dot = with_bias<L>(row, product, rules, duals);
    const std::int64_t at = rows.at(t);
    const double y = labels.label[at], weight = labels.weight ? labels.weight[at] : 1;
    if (!is_mild(norm2, dot, weight, rules, *state.memory)) [[unlikely]] {
      const LinearRefusal c = try_out<L>(row, dot, y, norm2, weight, rules, duals, *state.book);
      if (c != LinearRefusal::none) {
        if (sunk) move_back<L>(before, duals);
        state.memory->met = met;
        return {t, c};
      }
    }
    if (state.scores) [[unlikely]]
      state.scores[t] = dot * factor_for<L>(rules, *state.memory, state.memory->met);
    const double by = write_down<L>(dot, y, norm2, weight, rules, *state.memory, *state.book);
    if (by != 0) move<L>(row, by, norm2, rules, duals);
  }
  return {end, LinearRefusal::none};
}

// One against the rest, all targets in one reading of each row.
template <class L, Rows X>
LinearVerdict mirror_many(const X& rows, const Labels& labels, const MirrorRules& rules, const MirrorState& state,
                          std::int64_t begin, std::int64_t end) {
  double *dots = state.scratch, *scores = state.scratch + state.targets;
  Ledger& whole = state.book[state.targets];
  const auto duals = [&](std::int64_t c) { return Duals(state, c); };
  Buffer<double> met;
  Buffer<MirrorMemory> before;  // their references moved
  met.make(state.targets);
  before.make(state.targets);
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = ready(rows, t, end, state); c != LinearRefusal::none) [[unlikely]]
      return {t, c};
    const auto row = rows[t];
    const auto glance_all = [&] {
      return products_and_norm(paired(row), state.pairs, state.targets, dots) + rules.intercept * rules.intercept;
    };
    const double norm2 = glance_all();
    if (!(norm2 < std::numeric_limits<double>::infinity())) [[unlikely]]
      return {t, LinearRefusal::not_finite};
    bool changed = false;
    for (std::int64_t c = 0; c < state.targets; ++c) {
      met.at[c] = state.memory[c].met;
      changed |= meet<L>(row, state.memory[c]);
    }
    if (changed) [[unlikely]] {
      std::memcpy(before.at, state.memory, std::size_t(state.targets) * sizeof *before.at);
      for (std::int64_t c = 0; c < state.targets; ++c)
        if (L(before.at[c]).sinks(before.at[c].reference, 0) && before.at[c].met > met.at[c])
          move_reference<L>(rules, duals(c));
      glance_all();
    }
    const std::int64_t at = rows.at(t);
    const double weight = labels.weight ? labels.weight[at] : 1;
    const auto sign = [&](std::int64_t c) { return c == labels.label[at] ? 1.0 : -1.0; };
    bool mild = true;
    for (std::int64_t c = 0; c < state.targets; ++c) {
      dots[c] = with_bias<L>(row, dots[c], rules, duals(c));
      scores[c] = dots[c] * factor_for<L>(rules, state.memory[c], state.memory[c].met);
      mild &= is_mild(norm2, dots[c], weight, rules, state.memory[c]);
    }
    LinearRefusal bad = mild || is_kept(whole.total_norm2 + norm2) ? LinearRefusal::none : LinearRefusal::diverged;
    for (std::int64_t c = 0; c < state.targets && !mild && bad == LinearRefusal::none; ++c)
      bad = try_out<L>(row, dots[c], sign(c), norm2, weight, rules, duals(c), state.book[c]);
    if (bad != LinearRefusal::none) [[unlikely]] {
      for (std::int64_t c = 0; c < state.targets; ++c) {
        if (changed) move_back<L>(before.at[c], duals(c));
        state.memory[c].met = met.at[c];
      }
      return {t, bad};
    }
    if (state.scores) [[unlikely]]
      std::memcpy(state.scores + t * state.targets, scores, std::size_t(state.targets) * sizeof *scores);
    whole.rounds += 1;
    whole.weighted += weight != 1;
    whole.mistakes += winner(scores, state.targets) != labels.label[at];
    whole.total_norm2 += norm2;
    if (whole.max_norm2 < norm2) whole.max_norm2 = norm2;
    for (std::int64_t c = 0; c < state.targets; ++c) {
      const double by = write_down<L>(dots[c], sign(c), norm2, weight, rules, state.memory[c], state.book[c]);
      if (by != 0) move<L>(row, by, norm2, rules, duals(c));
    }
  }
  return {end, LinearRefusal::none};
}

// Computes all that follows from dual coordinates which someone else has put there, and counted. Where there are none
// all is as at the beginning.
template <class L>
void refresh_all(const MirrorRules& rules, const MirrorState& state) {
  for (std::int64_t c = 0; c < state.targets; ++c)
    if (state.memory[c].touched > 0) move_reference<L>(rules, Duals(state, c));
}

// Scores of all rows under the normalised weights, all features that there are included.
template <class L, Rows X>
LinearVerdict mirror_scores(const X& rows, std::int64_t count, const MirrorRules& rules, const MirrorState& state,
                            double* out) {
  Buffer<double> factors;  // its own: others may score meanwhile
  factors.make(state.targets);
  for (std::int64_t c = 0; c < state.targets; ++c)
    factors.at[c] = factor_for<L>(rules, state.memory[c], state.memory[c].columns);
  for (std::int64_t t = 0; t < count; ++t) {
    if (const LinearRefusal c = ready(rows, t, count, state); c != LinearRefusal::none) return {t, c};
    const auto row = rows[t];
    double *scores = out + t * state.targets, norm2;
    if (state.targets == 1) *scores = product_and_norm(paired(row), state.pairs, norm2);
    else norm2 = products_and_norm(paired(row), state.pairs, state.targets, scores);
    if (!(norm2 < std::numeric_limits<double>::infinity())) return {t, LinearRefusal::not_finite};
    for (std::int64_t c = 0; c < state.targets; ++c) {
      const Duals duals(state, c);
      const double dot = with_bias<L>(row, scores[c], rules, duals), score = dot * factors.at[c];
      // A score may be too small for a float, its sign may not.
      scores[c] = score == 0 && dot != 0 ? (dot < 0 ? -1e-300 : 1e-300) : score;
    }
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
