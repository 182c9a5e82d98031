// THE loop: predict, suffer, update; write it down. Everything is revealed.
#pragma once
#include <cmath>
#include <variant>

#include "geometry.hpp"
#include "limits.hpp"
#include "loss.hpp"
#include "multi_target.hpp"
#include "rate.hpp"
#include "rows.hpp"
#include "prediction.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE void largest(double& so_far, double value) { so_far = so_far < value ? value : so_far; }

// Suffer one round and say by how much of x the weights move.
template <Loss L>
REGRETLESS_INLINE double suffer(const L& loss, const Rate& rate, double y, double score, double norm2, double weight,
                                const Memory& memory, Ledger& book) {
  const double margin = y * score;
  book.rounds += 1;
  if (weight != 1) book.weighted += 1;
  book.total_norm2 += norm2;
  if (norm2 > book.max_norm2) book.max_norm2 = norm2;
  largest(book.reach2, memory.norm2);
  const double charged = loss.value(margin, memory, book);
  book.loss += weight * charged;
  const double slope = weight * loss.slope(margin, y, memory, book);
  if (slope == 0) return 0;
  book.update_norm2 += norm2;
  return rate({charged, slope, y, norm2, weight}, book);
}

// w <- w + a x, and what the average of all weights so far needs to know of it.
template <class Row, Geometry G>
REGRETLESS_INLINE void step(const Row& row, double a, double score, double norm2, const G& geometry, double intercept,
                            const Weights& s) {
  Memory& m = s.memory;
  const double stored = a / geometry.scale(m);
  m.bias += stored * intercept;
  if (s.lag) {
    add_both(row, stored, s.w, m.clock * stored, s.lag);
    m.lag_bias += m.clock * stored * intercept;
  } else {
    add(row, stored, s.w);
  }
  geometry.after(s, score, norm2, a);
}

// A round is refused whose row is not finite, or that finds weights or a score that are not.
REGRETLESS_INLINE LinearRefusal refusal_of(double norm2, double score, const Memory& memory) {
  if (!(norm2 < infinity)) return LinearRefusal::not_finite;
  return std::fabs(score) < infinity && memory.norm2 < infinity ? LinearRefusal::none : LinearRefusal::diverged;
}

// Whether a round need not be tried out: the longest step, 2 eta |score| weight |x|, is then below 1e110, and its
// square, which enters |w|^2, is the most that is added to anything. Rates and margins are looked at once a block.
REGRETLESS_INLINE bool are_tame(const Rules& rules) {
  return std::fabs(rules.eta) < tame_rule && std::fabs(rules.margin) < tame_rule;
}
REGRETLESS_INLINE bool is_tame(double norm2, double score, double weight, const Memory& memory) {
  return norm2 > 1 / tame_size && norm2 < tame_size && std::fabs(score) < tame_size &&
         memory.norm2 < tame_size * tame_size && weight < tame_rule;
}

// Whether weights stay numbers that move by `a` times the row, which is what their squared length tells; in a ball they
// are longer for a moment. The step itself, times the clock, goes to the average.
template <Geometry G>
REGRETLESS_APART bool bears_step(const G& geometry, const Memory& m, double a, double score, double norm2) {
  const double scale = geometry.scale(m), more = std::fabs(a) * (2 * std::fabs(score) + std::fabs(a) * norm2);
  return is_storable((m.norm2 + more) / (scale * scale)) && is_storable(m.rounding + m.norm2 + more) &&
         is_storable(m.clock * a / scale);
}

// Whether a row has numbers whose squares are all nothing: to a rate that asks for its length it looks like zeros.
template <class Row>
REGRETLESS_APART bool vanishes(const Row& row, double norm2) {
  bool zeros = true;
  for (std::int64_t k = 0; k < row.n && norm2 == 0; ++k) zeros &= row.x[k] == 0;
  return !zeros;
}

// Whether a target may suffer a round: it is suffered by copies. What is charged for a row that is not zeros must teach
// something, as a rate may be lost that is divided by lengths.
template <Geometry G, Loss L>
REGRETLESS_APART bool bears(const G& geometry, const L& loss, const Rate& rate, double y, double score, double norm2,
                            double weight, bool vanished, Memory memory, Ledger book) {
  memory.clock += geometry.scale(memory);
  const double updates = book.updates, slope = weight * loss.slope(y * score, y, memory, book);
  const double a = suffer(loss, rate, y, score, norm2, weight, memory, book);
  if (slope != 0 && book.updates == updates && (vanished || (norm2 > 0 && book.slope2 > 0))) return false;
  return is_storable(book) && bears_step(geometry, memory, a, score, norm2);
}

// Checks the row of round t before anything reads it, and fetches what the rounds to come will read. Weights are
// fetched, a round ahead, if they are more than a second-level cache holds.
template <Rows X>
REGRETLESS_INLINE LinearRefusal make_ready(const X& rows, std::int64_t t, std::int64_t end, const State& state) {
  const LinearRefusal refusal = rows.check(t, state.columns);
  if (refusal != LinearRefusal::none) return refusal;
  rows.prefetch(t, end);
  const bool far = state.columns * state.targets > 1 << 17;
  if (far && t + 1 < end) rows.prefetch_weights(t + 1, state.weights, state.targets * std::int64_t(sizeof(double)));
  return LinearRefusal::none;
}

// What is known of the row of a round besides its product with the weights.
struct RowSummary {
  double norm2;
  LinearRefusal refusal;
  bool tame;  // of several targets: whether the round is tame to all of them
};

// Makes the row of round t ready and multiplies it with the weights. One copy for each kind of rows serves all
// compositions of the loop; the product, for which everything waits, comes back in a register.
template <Rows X>
REGRETLESS_APART static double row_product(const X& rows, std::int64_t t, std::int64_t end, const State& state,
                                           RowSummary& summary) {
  summary.refusal = make_ready(rows, t, end, state);
  return product_and_norm(summary.refusal == LinearRefusal::none ? rows[t] : typename X::Row{}, state.weights,
                          summary.norm2);
}

// The score of a row under the average of the weights so far, but for a factor that is not negative.
template <class Row>
REGRETLESS_APART static double average_score(const Row& row, double dot, double b, const State& state) {
  const Memory& m = *state.memory;
  double norm2;
  return (m.clock + state.ahead) * (dot + b * m.bias) - (product_and_norm(row, state.lag, norm2) + b * m.lag_bias);
}

// The same of several targets; `scores` are those of the weights.
template <class Row>
REGRETLESS_APART static void average_scores(const Row& row, const double* scores, double b, const State& state,
                                            double* out) {
  products_and_norm(row, state.lag, state.targets, out);
  for (std::int64_t c = 0; c < state.targets; ++c) {
    const Memory& m = state.memory[c];
    const double rounds = state.book[c].rounds > 1 ? state.book[c].rounds : 1;
    out[c] = ((m.clock + state.ahead) * scores[c] - (out[c] + b * m.lag_bias)) / rounds;
  }
}

template <class Row>
REGRETLESS_APART static void note_scores(const Row& row, const double* scores, double b, const State& state,
                                         double* out) {
  if (state.averages && state.lag) return average_scores(row, scores, b, state, out);
  for (std::int64_t c = 0; c < state.targets; ++c) out[c] = scores[c];
}

template <Rows X, Geometry G, Loss L>
LinearVerdict play_one(const X& rows, const Labels& labels, const Rules& rules, const G& geometry, const L& loss,
                       const Rate& rate, const State& state, std::int64_t begin, std::int64_t end) {
  Memory& m = *state.memory;
  Ledger& book = *state.book;
  const Weights weights{state.weights, state.lag, state.columns, 1, m};
  const double b = rules.intercept;
  const bool tame = are_tame(rules);
  RowSummary summary;
  for (std::int64_t t = begin; t < end; ++t) {
    const double dot = row_product(rows, t, end, state, summary);
    if (summary.refusal != LinearRefusal::none) [[unlikely]]
      return {t, summary.refusal};
    const double score = geometry.scale(m) * (dot + b * m.bias), norm2 = summary.norm2 + b * b;
    const std::int64_t at = rows.at(t);
    const double y = labels.label[at], weight = labels.weight ? labels.weight[at] : 1;
    if (!(tame && is_tame(norm2, score, weight, m))) [[unlikely]] {
      if (const LinearRefusal c = refusal_of(norm2, score, m); c != LinearRefusal::none) return {t, c};
      if (!bears(geometry, loss, rate, y, score, norm2, weight, vanishes(rows[t], norm2), m, book))
        return {t, LinearRefusal::diverged};
    }
    if (state.scores) [[unlikely]]
      state.scores[t] = state.averages && state.lag ? average_score(rows[t], dot, b, state) : score;
    m.clock += geometry.scale(m);
    book.mistakes += positive(score, rules.tie) != (y > 0);
    const double a = suffer(loss, rate, y, score, norm2, weight, m, book);
    if (state.moves) [[unlikely]]
      state.moves[t] = a;
    if (a != 0) step(rows[t], a, score, norm2, geometry, b, weights);
  }
  return {end, LinearRefusal::none};
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
      : targets(s.targets), scores(s.scratch), moves(scores + targets), stored(moves + targets),
        lags(stored + targets) {}
};

template <Rows X>
REGRETLESS_APART static void row_products(const X& rows, std::int64_t t, std::int64_t end, const State& state,
                                          RowSummary& summary, double* dots) {
  summary.refusal = make_ready(rows, t, end, state);
  if (summary.refusal == LinearRefusal::none)
    summary.norm2 = products_and_norm(rows[t], state.weights, state.targets, dots);
}

// From products to scores.
template <Geometry G>
REGRETLESS_APART static void predict_many(const G& geometry, const Rules& rules, const State& state, Side side,
                                          RowSummary& summary) {
  summary.norm2 += rules.intercept * rules.intercept;
  summary.tame = are_tame(rules);
  for (std::int64_t c = 0; c < side.targets; ++c) {
    const Memory& m = state.memory[c];
    side.scores[c] = geometry.scale(m) * (side.scores[c] + rules.intercept * m.bias);
    summary.tame &= is_tame(summary.norm2, side.scores[c], 1, m);
  }
  for (std::int64_t c = 0; c < side.targets && !summary.tame; ++c)
    if (const LinearRefusal bad = refusal_of(summary.norm2, side.scores[c], state.memory[c]);
        bad != LinearRefusal::none)
      summary.refusal = bad;
}

// Whether all targets may suffer a round that is not tame.
template <Geometry G, Loss L>
REGRETLESS_APART bool bear_many(const Round& round, bool vanished, const G& geometry, const L& loss, const Rate& rate,
                                const State& state, Side side) {
  for (std::int64_t c = 0; c < side.targets; ++c)
    if (!bears(geometry, loss, rate, c == round.label ? 1 : -1, side.scores[c], round.norm2, round.weight, vanished,
               state.memory[c], state.book[c]))
      return false;
  return is_storable(state.book[side.targets].total_norm2 + round.norm2);
}

// Whether any target moves.
template <Geometry G, Loss L>
REGRETLESS_APART bool suffer_many(const Round& round, const Rules& rules, const G& geometry, const L& loss,
                                  const Rate& rate, const State& state, Side side) {
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
    moves |= side.moves[c] != 0;
  }
  return moves;
}

// The loss of several targets: its type is known to two functions, which are called once a round, and not to the loop.
template <Geometry G>
struct LossOfTargets {
  const void* loss;
  bool (*bear)(const void*, const Round&, bool vanished, const G&, const Rate&, const State&, Side);
  bool (*suffer)(const void*, const Round&, const Rules&, const G&, const Rate&, const State&, Side);
  template <Loss L>
  explicit LossOfTargets(const L& of)
      : loss(&of), bear([](const void* l, const Round& round, bool vanished, const G& geometry, const Rate& rate,
                           const State& state, Side side) {
          return bear_many(round, vanished, geometry, *static_cast<const L*>(l), rate, state, side);
        }),
        suffer([](const void* l, const Round& round, const Rules& rules, const G& geometry, const Rate& rate,
                  const State& state, Side side) {
          return suffer_many(round, rules, geometry, *static_cast<const L*>(l), rate, state, side);
        }) {}
};

REGRETLESS_INLINE void write_down(Side side, double* moves) {
  for (std::int64_t c = 0; c < side.targets; ++c) moves[c] = side.moves[c];
}

template <class Row, Geometry G>
REGRETLESS_APART void step_many(const Row& row, double norm2, double intercept, const G& geometry, const State& state,
                                Side side) {
  for (std::int64_t c = 0; c < side.targets; ++c) {
    const Memory& m = state.memory[c];
    side.stored[c] = side.moves[c] / geometry.scale(m);
    side.lags[c] = m.clock * side.stored[c];
  }
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

// All targets in one reading of each row. `bears` says whether a round that is not tame leaves finite numbers, `suffer`
// whether weights move.
template <Rows X, Geometry G, class Bears, class Suffer>
LinearVerdict play_side(const X& rows, const Labels& labels, const Rules& rules, const G& geometry, const State& state,
                        Side side, std::int64_t begin, std::int64_t end, const Bears& bears, const Suffer& suffer) {
  RowSummary summary;
  for (std::int64_t t = begin; t < end; ++t) {
    const std::int64_t at = rows.at(t);
    row_products(rows, t, end, state, summary, side.scores);
    if (summary.refusal == LinearRefusal::none) predict_many(geometry, rules, state, side, summary);
    if (summary.refusal != LinearRefusal::none) [[unlikely]]
      return {t, summary.refusal};
    const Round round{labels.label[at], labels.weight ? labels.weight[at] : 1, summary.norm2};
    const bool tame = summary.tame && round.weight < tame_rule;
    if (!tame && !bears(rows[t], round)) [[unlikely]]
      return {t, LinearRefusal::diverged};
    if (state.scores) [[unlikely]]
      note_scores(rows[t], side.scores, rules.intercept, state, state.scores + t * state.targets);
    const bool moved = suffer(round);
    if (state.moves) [[unlikely]]
      write_down(side, state.moves + t * state.targets);
    if (moved) step_many(rows[t], round.norm2, rules.intercept, geometry, state, side);
  }
  return {end, LinearRefusal::none};
}

// One against the rest: target by target the same bits as `play_one`.
template <Rows X, Geometry G>
LinearVerdict play_many(const X& rows, const Labels& labels, const Rules& rules, const G& geometry,
                        const LossOfTargets<G>& loss, const Rate& rate, const State& state, std::int64_t begin,
                        std::int64_t end) {
  const Side side(state);
  return play_side(
      rows, labels, rules, geometry, state, side, begin, end,
      [&](const auto& row, const Round& round) {
        return loss.bear(loss.loss, round, vanishes(row, round.norm2), geometry, rate, state, side);
      },
      [&](const Round& round) { return loss.suffer(loss.loss, round, rules, geometry, rate, state, side); });
}

// Scores of all rows, the same bits that `play` sees.
template <Rows X, Geometry G>
LinearVerdict score_all(const X& rows, std::int64_t count, const Rules& rules, const G& geometry, const State& state,
                        double* out) {
  RowSummary summary;
  for (std::int64_t t = 0; t < count; ++t) {
    double* scores = out + t * state.targets;
    if (state.targets == 1) *scores = row_product(rows, t, count, state, summary);
    else row_products(rows, t, count, state, summary, scores);
    if (summary.refusal != LinearRefusal::none) return {t, summary.refusal};
    for (std::int64_t k = 0; k < state.targets; ++k)
      scores[k] = geometry.scale(state.memory[k]) * (scores[k] + rules.intercept * state.memory[k].bias);
    if (!(summary.norm2 < infinity)) return {t, LinearRefusal::not_finite};
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
