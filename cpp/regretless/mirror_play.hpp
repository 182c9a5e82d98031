// Rounds of mirror steps: predict, charge what a mistake costs, and step; or refuse a row and leave all as it was.
#pragma once
#include "mirror_step.hpp"

namespace regretless::REGRETLESS_ISA {

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

// A score, which may be too small for a float; its sign may not.
REGRETLESS_INLINE double scored(double dot, double factor) {
  const double score = dot * factor;
  return score == 0 && dot != 0 ? (dot < 0 ? -1e-300 : 1e-300) : score;
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
  bool bears = is_storable(book) && is_storable(m.bias + by * rules.intercept);
  for (std::int64_t k = 0; k < row.n; ++k)
    bears &= is_storable(s.theta[std::int64_t(row.column(k)) * s.stride] + by * row.x[k]);
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
      state.scores[t] = scored(dot, factor_for<L>(rules, *state.memory, state.memory->met));
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
      scores[c] = scored(dots[c], factor_for<L>(rules, state.memory[c], state.memory[c].met));
      mild &= is_mild(norm2, dots[c], weight, rules, state.memory[c]);
    }
    LinearRefusal bad = mild || is_storable(whole.total_norm2 + norm2) ? LinearRefusal::none : LinearRefusal::diverged;
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
      scores[c] = scored(with_bias<L>(row, scores[c], rules, duals), factors.at[c]);
    }
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
