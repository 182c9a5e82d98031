// Selective sampling: the label of a round is asked with probability b / (b + gap), where the gap is how far the
// prediction is from another one, and only a label that was asked moves the weights. The perceptron else: of two
// classes, or of several in one.
#pragma once
#include "multiclass.hpp"
#include "random.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double pace_step = 0.1;  // by what share a label more or less than there should be changes the pace
inline constexpr double at_once = 30;     // labels that may be asked before their share of the rounds has come

REGRETLESS_INLINE Ledger& whole_book(const State& state) { return state.book[state.targets > 1 ? state.targets : 0]; }

// How far the scores are from another prediction: half of the lead of the best, which for two classes that are each
// other's opposite is the size of the one score.
REGRETLESS_INLINE double gap_of(Side side) {
  if (side.targets == 1) return std::fabs(side.scores[0]);
  const std::int64_t best = winner(side.scores, side.targets);
  return 0.5 * (side.scores[best] - side.scores[best_rival(side.scores, side.targets, best)]);
}

// What decides whether a label is asked: b in units of the longest squared row, 0 where the budget allows no question.
struct Odds {
  double reach, chance;
};

REGRETLESS_INLINE Odds odds_of(const Sampling& s, const Asking& asking, const Ledger& book, double norm2, double gap) {
  const double due = s.share * (book.rounds + 1);
  const bool open = asking.asked < s.most && (s.share == 0 || asking.asked + 1 <= (due < at_once ? at_once : due));
  const double reach = open ? asking.pace * (book.max_norm2 < norm2 ? norm2 : book.max_norm2) : 0;
  return {reach, reach > 0 ? 1 / (1 + gap / (s.b * reach)) : 0};
}

// Writes a question down, or that there was none; the pace of the next one follows.
REGRETLESS_INLINE bool ask(const Sampling& s, const Odds& odds, const Ledger& book, Asking& asking) {
  const bool asks = Uniforms(s.key, selective_stream, std::uint64_t(book.rounds)).next() < odds.chance;
  asking.asked += asks;
  asking.expected += odds.chance;
  asking.closed += odds.reach == 0;
  if (s.share > 0) {
    asking.pace *= 1 + pace_step * (s.share - (asks ? 1 : 0));
    if (asking.pace > 1) asking.pace = 1;
  }
  return asks;
}

// What a round adds to the books whether its label is asked or not.
REGRETLESS_APART static void open_round(const Round& round, const Euclidean& geometry, const State& state, Side side) {
  Ledger& whole = whole_book(state);
  whole.total_norm2 += round.norm2;
  largest(whole.max_norm2, round.norm2);
  whole.weighted += round.weight != 1;
  if (side.targets > 1) {
    whole.rounds += 1;
    return open_books(geometry, state, side, whole);
  }
  whole.rounds += 1;
  side.moves[0] = 0;
  state.memory->clock += geometry.scale(*state.memory);
  largest(whole.reach2, state.memory->norm2);
}

// By how much the best other class is above the right one; 0 and more is an update.
REGRETLESS_INLINE double behind(const Round& round, Side side) {
  if (side.targets == 1) return -round.label * side.scores[0];
  return side.scores[best_rival(side.scores, side.targets, round.label)] - side.scores[round.label];
}

// What the label shows, where the caller knows it: it is counted, and nothing is learned from it.
REGRETLESS_INLINE void count_mistake(const Round& round, const Odds& odds, const State& state, Side side) {
  if (round.label == unknown_label) {
    state.asking->unlabelled += 1;
    return;
  }
  const bool right = side.targets == 1 ? positive(side.scores[0], 0) == (round.label > 0)
                                       : winner(side.scores, side.targets) == round.label;
  whole_book(state).mistakes += !right;
  if (behind(round, side) >= 0) state.asking->weighed += odds.reach;
}

// Learns a label that was asked; whether the weights move.
REGRETLESS_APART static bool learn_asked(const Round& round, const Odds& odds, const Rate& rate, const State& state,
                                         Side side) {
  const double lost = behind(round, side);
  if (lost < 0) return false;
  Asking& asking = *state.asking;
  asking.learned += odds.reach;
  asking.estimate += 1 / odds.chance;
  Ledger& whole = whole_book(state);
  whole.loss += round.weight * lost;
  if (round.weight == 0) return false;
  whole.update_norm2 += round.norm2;
  const bool one = side.targets == 1;
  const double y = one ? round.label : 1, norm2 = one ? round.norm2 : 2 * round.norm2;
  const double a = rate({lost, -round.weight, y, norm2, round.weight}, whole);
  if (a == 0) return false;
  side.moves[one ? 0 : round.label] = a;
  if (one) return true;
  const std::int64_t rival = best_rival(side.scores, side.targets, round.label);
  side.moves[rival] = -a;
  state.book[round.label].updates += 1;
  state.book[rival].updates += 1;
  return true;
}

// Whether the weights bear the round, should its label be asked: of what is unknown, either one.
REGRETLESS_APART static bool bear_asked(Round round, bool vanished, const Rules& rules, const Rate& rate,
                                        const State& state, Side side) {
  const Euclidean geometry(rules);
  const auto bears_label = [&](std::int32_t label) {
    round.label = label;
    if (side.targets > 1) return bear_direct(round, geometry, rate, state, side);
    return bears(geometry, PerceptronLoss(rules), rate, label, side.scores[0], round.norm2, round.weight, vanished,
                 *state.memory, *state.book);
  };
  if (round.label != unknown_label) return bears_label(round.label);
  return side.targets > 1 ? bears_label(0) : bears_label(1) && bears_label(-1);
}

template <Rows X>
LinearVerdict play_selective(const X& rows, const Labels& labels, const Rules& rules, const Rate& rate,
                             const State& state, std::int64_t begin, std::int64_t end) {
  const Euclidean geometry(rules);
  const Side side(state);
  const auto suffer = [&](const Round& round) {
    const Odds odds = odds_of(rules.sampling, *state.asking, whole_book(state), round.norm2, gap_of(side));
    const bool asks = ask(rules.sampling, odds, whole_book(state), *state.asking);
    open_round(round, geometry, state, side);
    count_mistake(round, odds, state, side);
    return asks && round.label != unknown_label && learn_asked(round, odds, rate, state, side);
  };
  return play_side(
      rows, labels, rules, geometry, state, side, begin, end,
      [&](const auto& row, const Round& round) {
        return bear_asked(round, vanishes(row, round.norm2), rules, rate, state, side);
      },
      suffer);
}

}  // namespace regretless::REGRETLESS_ISA
