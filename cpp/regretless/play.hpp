// THE loop: predict, suffer, update; write it down. Everything is revealed.
#pragma once
#include <cmath>
#include <variant>

#include "geometry.hpp"
#include "loss.hpp"
#include "many.hpp"
#include "rate.hpp"
#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE void largest(double& so_far, double value) { so_far = so_far < value ? value : so_far; }

// Whether a label of +1 is predicted; a score of zero stands for +1 unless `tie` says -1. No branch may hang on this: which
// way it goes is all but a coin's flip to the processor.
REGRETLESS_INLINE bool positive(double score, double tie) { return int(score > 0) | (int(score == 0) & int(tie >= 0)); }

// Suffer one round and say by how much of x the weights move.
template <Loss L>
REGRETLESS_INLINE double suffer(const L& loss, const Rate& rate, double y, double score, double norm2, double weight,
                                const Memory& memory, Ledger& book) {
  const double margin = y * score;
  book.rounds += 1;
  book.weighted += weight != 1;
  book.loss += weight * loss.value(margin);
  book.total_norm2 += norm2;
  largest(book.max_norm2, norm2);
  largest(book.reach2, memory.norm2);
  const double slope = weight * loss.slope(margin, y);
  if (slope == 0) return 0;
  const double slope2 = slope * slope * norm2;
  book.updates += 1;
  book.update_norm2 += norm2;
  book.slope2 += slope2;
  const double eta = rate(book);
  book.step2 += eta * slope2;
  if (book.first_rate == 0) book.first_rate = eta;  // a self-tuned rate is 0 until the first gradient
  book.last_rate = eta;
  return -eta * slope * y;
}

// w <- w + a x, and what the average of all weights so far needs to know of it.
template <class Row, Geometry G>
REGRETLESS_INLINE void step(const Row& row, double a, double score, double norm2, const G& geometry, double intercept,
                            const Weights& s) {
  Memory& m = s.memory;
  const double stored = a / geometry.scale(m);
  add(row, stored, s.w);
  m.bias += stored * intercept;
  if (s.lag) {
    add(row, m.clock * stored, s.lag);
    m.lag_bias += m.clock * stored * intercept;
  }
  geometry.after(s, score, norm2, a);
}

// A round is refused whose row is not finite, or that finds weights or a score that are not.
REGRETLESS_INLINE Complaint complain(double norm2, double score, const Memory& memory) {
  if (!(norm2 < infinity)) return Complaint::not_finite;
  return std::fabs(score) < infinity && memory.norm2 < infinity ? Complaint::none : Complaint::diverged;
}

// Weights of more bytes than a second-level cache holds are fetched a round ahead.
REGRETLESS_INLINE bool far(const State& state) { return state.columns * state.targets > 1 << 17; }

template <Rows X, Geometry G, Loss L>
Outcome play_one(const X& rows, const Labels& labels, const Rules& rules, const G& geometry, const L& loss, const Rate& rate,
                 const State& state, std::int64_t begin, std::int64_t end) {
  Memory& m = *state.memory;
  Ledger& book = *state.book;
  const Weights weights{state.weights, state.lag, state.columns, 1, m};
  const double b = rules.intercept;
  for (std::int64_t t = begin; t < end; ++t) {
    if (const Complaint c = rows.check(t, state.columns); c != Complaint::none) [[unlikely]] return {t, c};
    rows.prefetch(t, end);
    if (far(state) && t + 1 < end) rows.prefetch_weights(t + 1, state.weights);
    const auto row = rows[t];
    const Glance seen = glance(row, state.weights);
    const double score = geometry.scale(m) * (seen.dot + b * m.bias), norm2 = seen.norm2 + b * b;
    if (const Complaint c = complain(norm2, score, m); c != Complaint::none) [[unlikely]] return {t, c};

    const std::int64_t at = rows.at(t);
    const double y = labels.label[at], weight = labels.weight ? labels.weight[at] : 1;
    m.clock += geometry.scale(m);
    book.mistakes += positive(score, rules.tie) != (y > 0);
    const double a = suffer(loss, rate, y, score, norm2, weight, m, book);
    if (a != 0) step(row, a, score, norm2, geometry, b, weights);
  }
  return {end, Complaint::none};
}

// The first of the largest scores is the class that several one-against-rest targets agree on.
inline std::int64_t winner(const double* scores, std::int64_t targets) {
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < targets; ++c)
    if (scores[c] > scores[best]) best = c;
  return best;
}

// What every target of a round needs besides its own state.
struct Round {
  std::int32_t label;
  double weight, norm2;
};

// Several targets side by side, with room for one number each of four kinds.
struct Side {
  std::int64_t targets;
  double *scores, *moves, *stored, *lags;
  explicit Side(const State& s)
      : targets(s.targets), scores(s.scratch), moves(scores + targets), stored(moves + targets), lags(stored + targets) {}
};

template <class Row, Geometry G>
REGRETLESS_APART Complaint predict_many(const Row& row, const G& geometry, double intercept, const State& state, Side side,
                                        double& norm2) {
  norm2 = glance_many(row, state.weights, side.targets, side.scores) + intercept * intercept;
  Complaint complaint = Complaint::none;
  for (std::int64_t c = 0; c < side.targets; ++c) {
    const Memory& m = state.memory[c];
    side.scores[c] = geometry.scale(m) * (side.scores[c] + intercept * m.bias);
    if (const Complaint bad = complain(norm2, side.scores[c], m); bad != Complaint::none) complaint = bad;
  }
  return complaint;
}

// Whether any target moves.
template <Geometry G, Loss L>
REGRETLESS_APART bool suffer_many(const Round& round, const Rules& rules, const G& geometry, const L& loss, const Rate& rate,
                                  const State& state, Side side) {
  Ledger& whole = state.book[side.targets];
  whole.rounds += 1;
  whole.weighted += round.weight != 1;
  whole.mistakes += winner(side.scores, side.targets) != round.label;
  whole.total_norm2 += round.norm2;
  largest(whole.max_norm2, round.norm2);
  bool moves = false;
  for (std::int64_t c = 0; c < side.targets; ++c) {
    Memory& m = state.memory[c];
    const double y = c == round.label ? 1 : -1, score = side.scores[c];
    m.clock += geometry.scale(m);
    state.book[c].mistakes += positive(score, rules.tie) != (y > 0);
    side.moves[c] = suffer(loss, rate, y, score, round.norm2, round.weight, m, state.book[c]);
    side.stored[c] = side.moves[c] / geometry.scale(m);
    side.lags[c] = m.clock * side.stored[c];
    moves |= side.moves[c] != 0;
  }
  return moves;
}

template <class Row, Geometry G>
REGRETLESS_APART void step_many(const Row& row, double norm2, double intercept, const G& geometry, const State& state, Side side) {
  add_many(row, side.stored, side.targets, state.weights);
  if (state.lag) add_many(row, side.lags, side.targets, state.lag);
  for (std::int64_t c = 0; c < side.targets; ++c) {
    if (side.moves[c] == 0) continue;
    Memory& m = state.memory[c];
    m.bias += side.stored[c] * intercept;
    m.lag_bias += side.lags[c] * intercept;
    const Weights weights{state.weights + c, state.lag ? state.lag + c : nullptr, state.columns, side.targets, m};
    geometry.after(weights, side.scores[c], norm2, side.moves[c]);
  }
}

// One against the rest, all targets in one reading of each row: target by target the same bits as `play_one`.
template <Rows X, Geometry G, Loss L>
Outcome play_many(const X& rows, const Labels& labels, const Rules& rules, const G& geometry, const L& loss, const Rate& rate,
                  const State& state, std::int64_t begin, std::int64_t end) {
  const Side side(state);
  for (std::int64_t t = begin; t < end; ++t) {
    if (const Complaint c = rows.check(t, state.columns); c != Complaint::none) return {t, c};
    rows.prefetch(t, end);
    const auto row = rows[t];
    const std::int64_t at = rows.at(t);
    Round round{labels.label[at], labels.weight ? labels.weight[at] : 1, 0};
    if (const Complaint c = predict_many(row, geometry, rules.intercept, state, side, round.norm2); c != Complaint::none)
      return {t, c};
    if (suffer_many(round, rules, geometry, loss, rate, state, side))
      step_many(row, round.norm2, rules.intercept, geometry, state, side);
  }
  return {end, Complaint::none};
}

// Scores of all rows, the same bits that `play` sees.
template <Rows X, Geometry G>
Outcome score_all(const X& rows, std::int64_t count, const Rules& rules, const G& geometry, const State& state, double* out) {
  const double b = rules.intercept;
  for (std::int64_t t = 0; t < count; ++t) {
    if (const Complaint c = rows.check(t, state.columns); c != Complaint::none) return {t, c};
    rows.prefetch(t, count);
    if (far(state) && t + 1 < count) rows.prefetch_weights(t + 1, state.weights);
    const auto row = rows[t];
    double norm2 = 0;
    if (state.targets == 1) {
      const Glance seen = glance(row, state.weights);
      norm2 = seen.norm2;
      out[t] = geometry.scale(*state.memory) * (seen.dot + b * state.memory->bias);
    } else {
      double* scores = out + t * state.targets;
      norm2 = glance_many(row, state.weights, state.targets, scores);
      for (std::int64_t c = 0; c < state.targets; ++c)
        scores[c] = geometry.scale(state.memory[c]) * (scores[c] + b * state.memory[c].bias);
    }
    if (!(norm2 < infinity)) return {t, Complaint::not_finite};
  }
  return {count, Complaint::none};
}

}  // namespace regretless::REGRETLESS_ISA
