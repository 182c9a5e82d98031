// Rounds of learners of finite classes: the vote of the hypotheses that are left, or the word of the first of them.
//
// Hypotheses that are kept are never none: a label that would leave none changes nothing but the book, which says from
// then on that none is alive, and in which round the last one died.
#pragma once
#include "shrinking.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE const std::uint64_t* column_of(const Voting& v, std::int64_t point) {
  return v.columns + point * v.words;
}
REGRETLESS_INLINE bool says_one(const std::uint64_t* set, std::int64_t hypothesis) {
  return set[hypothesis / 64] >> (hypothesis % 64) & 1;
}

inline void find_leader(Voting& v) {
  while (v.order && !says_one(v.voters.words, v.order[v.leader])) ++v.leader;
}

inline void begin_set(ShrinkingSet& set, std::int64_t words) {
  set.listed = -1;
  set.size = size_of(set, words);
  list_if_few(set, words);
}

inline void begin_votes(Voting& v) {
  begin_set(v.voters, v.words);
  if (v.alive.words) begin_set(v.alive, v.words);
  v.leader = 0;
  find_leader(v);
}

// The label that the learner predicts, when so many of those kept say 1.
REGRETLESS_INLINE std::uint8_t vote(const Voting& v, const std::uint64_t* column, std::int64_t ones) {
  if (v.order) return says_one(column, v.order[v.leader]);
  const std::int64_t zeros = v.voters.size - ones;
  return ones == zeros ? v.tie : ones > zeros;
}

inline std::int64_t count_ones(const Voting& v, std::int64_t point) {
  return count(v.voters, column_of(v, point), v.words);
}

inline std::uint8_t predict_by_vote(const Voting& v, std::int64_t point) {
  return vote(v, column_of(v, point), v.order ? 0 : count_ones(v, point));
}

// The set loses those that say otherwise; `ones` of it say 1. It comes to be how many say 1 in `next`. Whether any were
// left.
REGRETLESS_INLINE bool lose(ShrinkingSet& set, const std::uint64_t* column, std::uint8_t label, std::int64_t& ones,
                            const std::uint64_t* next, std::int64_t words) {
  const std::int64_t left = label ? ones : set.size - ones;
  if (left == 0 || left == set.size) {
    ones = count(set, next, words);
    return left > 0;
  }
  ones = cut(set, column, label, left, next, words);
  return true;
}

// How many of each set say 1 of the point that is played.
struct Ones {
  std::int64_t voters, alive;
};

inline Ones ones_of(const Voting& v, const std::uint64_t* column) {
  return {count(v.voters, column, v.words), v.alive.words ? count(v.alive, column, v.words) : 0};
}

inline void note_death(Voting& v) {
  if (!v.book[vote_died]) v.book[vote_died] = v.book[vote_rounds];
}

// A round of a point is over; `ones` become those of the next one.
inline void close_round(Voting& v, const std::uint64_t* column, std::uint8_t label, std::uint8_t predicted, Ones& ones,
                        const std::uint64_t* next) {
  const bool wrong = label != predicted;
  ++v.book[vote_rounds];
  v.book[vote_mistakes] += wrong;
  if (v.alive.words && !v.book[vote_died]) {
    if (!lose(v.alive, column, label, ones.alive, next, v.words)) note_death(v);
  }
  if (!v.lazy || wrong) {
    if (!lose(v.voters, column, label, ones.voters, next, v.words)) note_death(v);
    find_leader(v);
  } else {
    ones.voters = count(v.voters, next, v.words);
  }
  v.book[vote_voters] = v.voters.size;
  v.book[vote_alive] = v.book[vote_died] ? 0 : v.alive.words ? v.alive.size : v.voters.size;
}

inline void settle_votes(Voting& v, std::int64_t point, std::uint8_t label, std::uint8_t predicted) {
  const std::uint64_t* column = column_of(v, point);
  Ones ones = ones_of(v, column);
  close_round(v, column, label, predicted, ones, column);
}

inline void play_votes(Voting& v, const Asked& asked, std::int64_t begin, std::int64_t end) {
  if (begin == end) return;
  const std::uint64_t* column = column_of(v, asked.points[begin]);
  Ones ones = ones_of(v, column);
  for (std::int64_t t = begin; t < end; ++t) {
    const std::uint64_t* next = t + 1 < end ? column_of(v, asked.points[t + 1]) : column;
    asked.predictions[t] = vote(v, column, ones.voters);
    close_round(v, column, asked.labels[t], asked.predictions[t], ones, next);
    asked.alive[t] = v.book[vote_alive];
    column = next;
  }
}

}  // namespace regretless::REGRETLESS_ISA
