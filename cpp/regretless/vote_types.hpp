// What learners of finite classes keep between rounds. Sets of hypotheses are bits, 64 to a word.
#pragma once
#include <cstdint>

namespace regretless {

// A set that only shrinks. Once few of its words are left that hold anything, they are listed.
struct ShrinkingSet {
  std::uint64_t* words = nullptr;
  std::int32_t* places = nullptr;  // room for as many places as there are words
  std::int64_t listed = -1;        // how many are listed; below 0: none, so that all words are looked at
  std::int64_t size = 0;           // hypotheses in it
};

enum VoteField { vote_rounds, vote_mistakes, vote_alive, vote_voters, vote_died, vote_fields };

struct Voting {
  const std::uint64_t* columns = nullptr;  // (points, words): who says 1 of a point
  std::int64_t points = 0, words = 0, hypotheses = 0;
  ShrinkingSet voters;                  // whom the learner goes by: never empty
  ShrinkingSet alive;                   // who agrees with all labels, where that may be fewer; else it has no words
  const std::int64_t* order = nullptr;  // of the learner that follows the first one: the hypotheses in its order
  std::int64_t leader = 0;              // its place in there
  std::int64_t* book = nullptr;         // (vote_fields)
  std::uint8_t tie = 1;                 // of the majority
  bool lazy = false;                    // whether only mistakes cost hypotheses their vote
};

struct Asked {
  const std::int64_t* points;
  const std::uint8_t* labels;
  std::uint8_t* predictions;
  std::int64_t* alive;
};

struct VoteKernels {
  void (*begin)(Voting&);  // after the sets were filled from outside
  std::int64_t (*ones)(const Voting&, std::int64_t point);
  std::uint8_t (*predict)(const Voting&, std::int64_t point);
  void (*settle)(Voting&, std::int64_t point, std::uint8_t label, std::uint8_t predicted);
  void (*play)(Voting&, const Asked&, std::int64_t begin, std::int64_t end);
};

extern const VoteKernels vote_kernels_v1, vote_kernels_v3, vote_kernels_v4, vote_kernels_generic;

}  // namespace regretless
