// What crosses the border between the binding and the kernels of games in sequence form: plain borrowed data, no
// templates.
//
// A player's sequences are numbered so that 0 is the empty one, those of an information set lie in a row, and a set
// comes after the sequence that leads to it.
#pragma once
#include <cstdint>

#include "game_book.hpp"

namespace regretless {

struct Treeplex {
  std::int64_t sequences, sets;
  const std::int32_t*
      first;  // (sets + 1): first[i] .. first[i + 1] - 1 are the sequences that end in set i; first[0] == 1
  const std::int32_t* parent;  // (sets): the sequence that leads to the set
};

// Rows of numbers that are not zero: one for each sequence of a player, against those of the other.
struct TreePayoffs {
  const std::int64_t* starts;   // (rows + 1)
  const std::int32_t* columns;  // ascending in a row
  const double* values;
};

// The row player wants much of x' A y, the column player little.
struct TreeGame {
  Treeplex row, column;
  TreePayoffs by_row, by_column;  // A and its transpose
};

enum class TreeRule { cfr, cfr_plus, predictive };

// Rows of a player's state, each with one number for each sequence.
enum TreeState {
  tree_regrets,    // sums of regrets, of cfr+ and its kin never below zero
  tree_last,       // regrets of the last round
  tree_behaviour,  // probabilities in each information set
  tree_plan,       // the same multiplied along the sequences
  tree_average,    // weighted sums of plans
  tree_rows
};

// What travels with the state besides.
struct TreeMemory {
  double met;          // sum of w_t x_t' A y_t
  double met_earlier;  // sum of w_t x_t' A y'_t, y'_t being what the column player held when it met x_t
};
inline constexpr int tree_memory_size = sizeof(TreeMemory) / sizeof(double);

struct TreePlay {
  TreeGame game;
  TreeRule rule;
  bool alternate;
  int power;    // a round counts as its number to this power in the averages
  double* row;  // (tree_rows, sequences)
  double* column;
  GameBook* book;
  TreeMemory* memory;
  double* room;  // (2, the larger number of sequences)
};

struct TreePlayers {
  void (*play)(const TreePlay&, std::int64_t rounds);
  void (*settle)(const TreePlay&);  // what the book says of the averages: regrets, lengths, gap
};

#if defined(__x86_64__)
extern const TreePlayers tree_players_v1, tree_players_v3, tree_players_v4;
#else
extern const TreePlayers tree_players_generic;
#endif

}  // namespace regretless
