// The loop of learners that also remember how well each direction is known: predict, suffer, update; write it down.
#pragma once
#include <cmath>
#include <concepts>
#include <cstring>

#include "any_rows.hpp"
#include "loss.hpp"
#include "play.hpp"
#include "second_order_kinds.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr Memory no_memory{};  // of the losses here none asks for them
inline constexpr Ledger no_ledger{};

// A round is refused that is so long, weighs so much or could cost so much that sums over many like it would not be
// floats.
inline constexpr double most = 1e290;

template <Loss L>
REGRETLESS_INLINE LinearRefusal too_much(const L& loss, double norm2, double score, double weight,
                                         const SecondOrder& state) {
  if (!(norm2 < infinity)) return LinearRefusal::not_finite;
  const double prior = state.memory->prior, times = state.sized && prior > 1 ? prior : 1;
  const double worst = -std::fabs(score), slope = weight * loss.slope(worst, 1, no_memory, no_ledger);
  const bool fits = norm2 * times * (weight > 1 ? weight : 1) < most * (prior < 1 ? prior : 1);
  const bool cheap = weight * loss.value(worst, no_memory, no_ledger) < most && slope * slope * norm2 < most;
  return fits && cheap ? LinearRefusal::none : LinearRefusal::diverged;
}

// Records are fetched a round ahead if so many numbers of theirs would fill the second-level cache several times over:
// what comes often is there anyway, and asking for it is not free.
inline constexpr std::int64_t several_caches = 1 << 20;

// Checks the row of round t, and fetches what it and the next will read.
template <Rows X>
REGRETLESS_INLINE LinearRefusal prepare(const X& rows, std::int64_t t, std::int64_t end, const SecondOrder& s) {
  const LinearRefusal refusal = rows.check(t, s.columns);
  if (refusal != LinearRefusal::none) return refusal;
  rows.prefetch(t, end);
  if (s.columns * s.numbers > several_caches && t + 1 < end)
    rows.prefetch_weights(t + 1, s.records, s.numbers * std::int64_t(sizeof(double)));
  return LinearRefusal::none;
}

// What a round costs that teaches; the others cost nothing. `doubt` is what learning told of the row.
template <Loss L>
REGRETLESS_INLINE double charge(const L& loss, double y, double score, double weight, double doubt) {
  if constexpr (std::same_as<L, PerceptronLoss>) score /= 1 + doubt;
  return weight * loss.value(y * score, no_memory, no_ledger);
}

// Suffer one round, but for what it costs; whether it teaches.
template <Loss L>
REGRETLESS_INLINE bool judge(const L& loss, double tie, double y, double score, double norm2, double weight,
                             Ledger& book) {
  const double margin = y * score, slope = weight * loss.slope(margin, y, no_memory, no_ledger);
  book.rounds += 1;
  if (weight != 1) book.weighted += 1;
  book.mistakes += positive(score, tie) != (y > 0);
  book.total_norm2 += norm2;
  if (norm2 > book.max_norm2) book.max_norm2 = norm2;
  if (slope == 0) return false;
  book.updates += 1;
  book.update_norm2 += norm2;
  book.slope2 += slope * slope * norm2;
  return true;
}

// Plays one row of one target, unless it has zeros in it, which take no place in the order of sums; `sieved` is one
// that had.
template <class Row, Matrix M, Loss L>
REGRETLESS_INLINE LinearRefusal play_row(const Row& row, M& matrix, const L& loss, const Rules& rules,
                                         const SecondOrder& state, double y, double weight, std::int64_t t,
                                         bool& sieved) {
  const double b = rules.intercept;
  const RowSums sums = matrix.row_sums(row, b);
  if (sums.zeros && !sieved) {
    sieved = true;
    return LinearRefusal::none;
  }
  const double norm2 = sums.norm2 + b * b;
  const LinearRefusal refusal = too_much(loss, norm2, sums.score, weight, state);
  if (state.scores) [[unlikely]]
    state.scores[t] = sums.score;
  if (refusal == LinearRefusal::none && judge(loss, rules.tie, y, sums.score, norm2, weight, *state.book))
    state.book->loss += charge(loss, y, sums.score, weight, matrix.learn(row, Lesson{b, weight}, y, sums.score));
  return refusal;
}

// The same for a row without its zeros, for loops over all types of rows alike.
using Sieved = SparseRow<double, std::int32_t>;
template <Matrix M, Loss L>
REGRETLESS_APART static LinearRefusal play_sieved(const Sieved& row, M matrix, const L& loss, const Rules& rules,
                                                  const SecondOrder& state, double y, double weight, std::int64_t t) {
  bool sieved = true;
  return play_row(row, matrix, loss, rules, state, y, weight, t, sieved);
}
template <Matrix M>
REGRETLESS_APART static RowSums sums_of_sieved(const Sieved& row, M matrix, double b) {
  return matrix.row_sums_only(row, b);
}

// Room for a row without its zeros, in the scratch behind what the kinds of state need.
struct Sieve {
  double* values;
  std::int32_t* columns;
  bool in_use = false;  // once a row had zeros, the next ones will too
  explicit Sieve(const SecondOrder& s) : values(s.scratch + 5 * s.targets + s.columns + 8) {
    columns = reinterpret_cast<std::int32_t*>(values + s.columns + 8);
  }
};
// The same in memory of its own, once it is needed: others may score meanwhile.
struct OwnSieve {
  Buffer<double> values;
  Buffer<std::int32_t> columns;
  template <class Row>
  auto operator()(const Row& row) {
    if (row.n > values.room) {
      values.make(row.n);
      columns.make(row.n);
    }
    return without_zeros(row, values.at, columns.at);
  }
};

template <Rows X, Matrix M, Loss L>
LinearVerdict play_one_target(const X& rows, const Labels& labels, const Rules& rules, M matrix, const L& loss,
                              const SecondOrder& state, std::int64_t begin, std::int64_t end) {
  Sieve sieve(state);
  for (std::int64_t t = begin; t < end; ++t) {
    LinearRefusal refusal = prepare(rows, t, end, state);
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
    const std::int64_t at = rows.at(t);
    const double y = labels.label[at], weight = labels.weight ? labels.weight[at] : 1;
    if (!sieve.in_use) refusal = play_row(rows[t], matrix, loss, rules, state, y, weight, t, sieve.in_use);
    if (sieve.in_use)
      refusal =
          play_sieved(without_zeros(rows[t], sieve.values, sieve.columns), matrix, loss, rules, state, y, weight, t);
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
  }
  return {end, LinearRefusal::none};
}

// One against the rest, all targets in one reading of each row: target by target the same bits as `play_one_target`.
template <Rows X, Matrix M, Loss L>
LinearVerdict play_targets(const X& rows, const Labels& labels, const Rules& rules, const M& matrix, const L& loss,
                           const SecondOrder& state, std::int64_t begin, std::int64_t end) {
  const Moves moves(state);
  const double b = rules.intercept;
  Ledger& whole = state.book[state.targets];
  for (std::int64_t t = begin; t < end; ++t) {
    if (const LinearRefusal c = prepare(rows, t, end, state); c != LinearRefusal::none) [[unlikely]]
      return {t, c};
    const auto row = rows[t];
    const std::int64_t at = rows.at(t);
    const double weight = labels.weight ? labels.weight[at] : 1, norm2 = matrix.scores(row, b, moves.scores) + b * b;
    for (std::int64_t c = 0; c < state.targets; ++c)
      if (const LinearRefusal bad = too_much(loss, norm2, moves.scores[c], weight, state); bad != LinearRefusal::none)
          [[unlikely]]
        return {t, bad};
    if (state.scores) [[unlikely]]
      std::memcpy(state.scores + t * state.targets, moves.scores, std::size_t(state.targets) * sizeof(double));
    whole.rounds += 1;
    whole.weighted += weight != 1;
    whole.mistakes += winner(moves.scores, state.targets) != labels.label[at];
    whole.total_norm2 += norm2;
    largest(whole.max_norm2, norm2);
    bool any = false;
    for (std::int64_t c = 0; c < state.targets; ++c) {
      const double y = c == labels.label[at] ? 1 : -1;
      const bool teaches = judge(loss, rules.tie, y, moves.scores[c], norm2, weight, state.book[c]);
      moves.confidences[c] = teaches ? weight : 0;
      moves.sums[c] = teaches ? weight * y : 0;
      any |= teaches;
    }
    if (any) matrix.learn_many(row, Lesson{b, weight}, labels.label[at], moves);
    for (std::int64_t c = 0; c < state.targets; ++c)
      if (moves.confidences[c] > 0)
        state.book[c].loss += charge(loss, c == labels.label[at] ? 1 : -1, moves.scores[c], weight, moves.steps[c]);
  }
  return {end, LinearRefusal::none};
}

// Scores of all rows, the same bits that `play` sees.
template <Rows X, Matrix M>
LinearVerdict score_rows(const X& rows, std::int64_t count, const Rules& rules, M matrix, const SecondOrder& state,
                         double* out) {
  OwnSieve sieve;
  bool sieved = false;  // once a row had zeros, the next ones will too
  const double b = rules.intercept;
  for (std::int64_t t = 0; t < count; ++t) {
    if (const LinearRefusal c = prepare(rows, t, count, state); c != LinearRefusal::none) return {t, c};
    double* const scores = out + t * state.targets;
    RowSums sums;
    if (state.targets > 1) {
      sums.norm2 = matrix.scores(rows[t], b, scores);
    } else {
      if (!sieved) {
        sums = matrix.row_sums_only(rows[t], b);
        sieved = sums.zeros;
      }
      if (sieved) sums = sums_of_sieved(sieve(rows[t]), matrix, b);
      *scores = sums.score;
    }
    if (!(sums.norm2 < infinity)) return {t, LinearRefusal::not_finite};
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
