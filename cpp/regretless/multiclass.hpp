// Several classes at once, one vector of weights each: the largest score is predicted. When the true class is not
// strictly above all others its weights take the row, and those of its best rival give it away.
#pragma once
#include "play.hpp"

namespace regretless::REGRETLESS_ISA {

// The first of the largest scores among the classes that are not `label`.
inline std::int64_t best_rival(const double* scores, std::int64_t targets, std::int64_t label) {
  std::int64_t best = label == 0 ? 1 : 0;
  for (std::int64_t c = best + 1; c < targets; ++c)
    if (c != label && scores[c] > scores[best]) best = c;
  return best;
}

// What each class writes down whether it moves or not.
template <Geometry G>
REGRETLESS_APART void open_books(const G& geometry, const State& state, Side side, Ledger& whole) {
  double norm2 = 0;
  for (std::int64_t c = 0; c < side.targets; ++c) {
    Memory& m = state.memory[c];
    m.clock += geometry.scale(m);
    norm2 += m.norm2;
    side.moves[c] = 0;
    state.book[c].rounds += 1;
  }
  largest(whole.reach2, norm2);
}

// Whether the two classes that may move bear a round that is not tame: it is suffered by a copy of the book.
REGRETLESS_APART static bool bear_direct(const Round& round, const Euclidean& geometry, const Rate& rate,
                                         const State& state, Side side) {
  const std::int64_t rival = best_rival(side.scores, side.targets, round.label);
  Ledger whole = state.book[side.targets];
  const double behind = side.scores[rival] - side.scores[round.label], loss = behind > 0 ? behind : 0;
  whole.loss += round.weight * loss;
  whole.total_norm2 += round.norm2;
  whole.update_norm2 += round.norm2;
  largest(whole.max_norm2, round.norm2);
  const double a = round.weight == 0 ? 0 : rate({loss, -round.weight, 1, 2 * round.norm2, round.weight}, whole);
  const auto bears_it = [&](std::int64_t c) {
    return bears_step(geometry, state.memory[c], a, side.scores[c], round.norm2);
  };
  return is_storable(whole) && bears_it(round.label) && bears_it(rival);
}

// Whether two classes move. All weights are one long vector, and its gradient is the row twice over.
template <Geometry G>
REGRETLESS_APART bool suffer_direct(const Round& round, const G& geometry, const Rate& rate, const State& state,
                                    Side side) {
  Ledger& whole = state.book[side.targets];
  const std::int64_t rival = best_rival(side.scores, side.targets, round.label);
  const double behind = side.scores[rival] - side.scores[round.label], loss = behind > 0 ? behind : 0;
  whole.rounds += 1;
  whole.weighted += round.weight != 1;
  whole.mistakes += winner(side.scores, side.targets) != round.label;
  whole.loss += round.weight * loss;
  whole.total_norm2 += round.norm2;
  largest(whole.max_norm2, round.norm2);
  open_books(geometry, state, side, whole);
  if (behind < 0 || round.weight == 0) return false;
  whole.update_norm2 += round.norm2;
  const double a = rate({loss, -round.weight, 1, 2 * round.norm2, round.weight}, whole);
  if (a == 0) return false;
  side.moves[round.label] = a;
  side.moves[rival] = -a;
  state.book[round.label].updates += 1;
  state.book[rival].updates += 1;
  return true;
}

template <Rows X>
LinearVerdict play_direct(const X& rows, const Labels& labels, const Rules& rules, const Rate& rate, const State& state,
                          std::int64_t begin, std::int64_t end) {
  const Euclidean geometry(rules);
  const Side side(state);
  return play_side(
      rows, labels, rules, geometry, state, side, begin, end,
      [&](const auto&, const Round& round) { return bear_direct(round, geometry, rate, state, side); },
      [&](const Round& round) { return suffer_direct(round, geometry, rate, state, side); });
}

}  // namespace regretless::REGRETLESS_ISA
