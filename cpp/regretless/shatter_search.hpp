// What the search for a shattered set is given and keeps, and the table of the kernels of one instruction set.
#pragma once
#include <cstdint>

namespace regretless {

enum class Shattered : int { open, exists, none, no_memory };

inline constexpr int largest_set = 62;  // 2^62 hypotheses are more than there can be
inline constexpr int largest_tail = 4;  // of points that are tried together, without sorting hypotheses by them first

// The points chosen so far cut the class into cells, hypotheses with the same labels on them, which are kept apart from
// each other: a cell has words of its own, the smallest cells first. Only so many of the smallest are kept: they rule
// out nearly all sets that others would. Candidates are the points that may go on cutting them.
struct ShatterLevel {
  std::int64_t cells, words, stride;  // of those kept; stride: words in whole eights
  std::int64_t singles;               // how many cells have one word; they come first
  std::int64_t count, next;           // of candidates, and the one to choose next
  std::int64_t* begins;               // (cells + 1): the first word of each cell
  std::int64_t* sizes;                // (cells)
  std::uint64_t* present;             // (stride): which bits stand for a hypothesis
  std::uint64_t* columns;             // (count, stride): what these hypotheses say of each candidate
  std::int64_t* candidates;           // (count): the points
  std::int64_t* least;                // (count): the smaller side of the worst cut of a cell
  std::int64_t* ranks;                // (count): candidates of the level above that pass on
  std::int64_t rooms[7];              // bytes at each pointer, in the same order
};

struct ShatterSearch {
  std::int64_t points, hypotheses;
  int target;  // points to find
  int depth;   // points chosen
  bool begun;
  bool diving, passing;        // a greedy choice, and whether its last point is being gone on from
  std::int64_t dived, copied;  // candidates of the level above that were passed on or not; of the level below, copied
  ShatterLevel levels[largest_set + 1];
  std::int64_t chosen[largest_set + 1];
  std::int64_t steps;  // sets looked at
  std::int64_t room;   // of a level, for cells
  // Work since more cells were kept, and the part of it that went into sets that cut all of them, but are not
  // shattered.
  std::int64_t searching, verifying;
  bool dropping;  // many candidates fail before the tail, so that it pays to look before cells are cut
  bool in_tail;
  int tail_depth;
  std::int64_t tail[largest_tail];  // places among the candidates
  alignas(64) std::uint64_t front[largest_tail][1 << (largest_tail - 1)][8];
  // Of each cell of the level above, while the next one is made: its sides and where these go.
  std::int64_t *sides, *places;
  std::uint8_t* seen;  // whether each labels of a set that is verified was met
  std::int64_t more_rooms[3];
  const std::uint64_t* class_columns;  // (points, words)
};

struct ShatterKernels {
  Shattered (*run)(ShatterSearch&, std::int64_t work);   // until found or none, or about as many words were looked at
  Shattered (*dive)(ShatterSearch&, std::int64_t work);  // the set that a greedy choice leads to, as far as it goes
};

extern const ShatterKernels shatter_kernels_v1, shatter_kernels_v3, shatter_kernels_v4, shatter_kernels_generic;

}  // namespace regretless
