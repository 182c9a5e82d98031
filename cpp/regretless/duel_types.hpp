// What crosses the border between the binding and the kernels of self-play: plain borrowed data, no templates.
#pragma once
#include <cstdint>
#include <span>

#include "game_book.hpp"

namespace regretless {

// How a player learns: its name, and whether its weights are exponential. See `DuelMethods` in duel_rules.hpp.
struct DuelMethod {
  const char* name;
  bool exponential;
};

// What else is carried from round to round; all zero at the start.
struct DuelMemory {
  double row_won, column_won;      // weighted sums of what the players won
  double row_moved, column_moved;  // squared moves to strategies that have not been played yet
  double next_look;                // the round after which the gap is looked at next
  double broken;                   // whether a product failed in the middle of a round
};
inline constexpr int duel_memory_size = sizeof(DuelMemory) / sizeof(double);

// Rows of a player's state, each padded to whole sixteens.
enum DuelRow {
  duel_regrets,  // summed regrets; of RM+ and PRM+ never below zero
  duel_last,     // last payoffs of exponential weights, last regrets of PRM+
  duel_play,     // the strategy of the next round; of the alternating column player, of the last one too
  duel_sum,      // weighted sum of the strategies
  duel_won,      // weighted sum of what each strategy would have won
  duel_prior,    // what is played while there is no regret; of exponential weights the logarithm of the first strategy
  duel_rows
};
constexpr std::int64_t duel_padded(std::int64_t n) { return (n + 15) / 16 * 16; }

enum class GainKind {
  dots,          // one row of the matrix for each of the player's strategies
  combinations,  // one row of the matrix for each of the other's strategies
  sparse,        // like dots, but compressed rows
  calls          // somebody else multiplies
};
enum class GainNumbers { doubles, floats, shorts };  // shorts are multiplied in floats, all else in doubles

// How a player's payoffs are made from the other's strategy: sign times a product.
struct Gains {
  GainKind kind;
  GainNumbers numbers;
  double sign;
  std::int64_t mine, others;  // strategies
  const void* values;
  std::int64_t stride;          // of rows; of shorts a multiple of 16, zero beyond their end
  const std::int32_t* indices;  // sparse
  const std::int64_t* starts;   // sparse
  bool (*call)(void* context, const double* others, double* mine);  // false: it failed
  void* context;
};

struct DuelSide {
  std::int64_t count;
  double rate;    // of exponential weights; where it falls, that of the first round
  double* state;  // (duel_rows, duel_padded(count))
  double* room;   // duel_room(count), aligned like a cache line: nothing is kept there from call to call
};
// Payoffs, the next strategy on its way, the present one in floats, and the places where it is not zero.
constexpr std::int64_t duel_room(std::int64_t n) { return 3 * duel_padded(n); }

struct Dueling {
  int method;      // its place in the catalogue
  bool alternate;  // the column player moves second
  bool zero_sum;
  bool falls;  // rates fall like the inverse root of the round
  int power;   // of the round: its weight
  DuelSide row, column;
  Gains row_gains, column_gains;
  DuelMemory* memory;
  GameBook* book;
  double* joint;  // (rows, columns), weighted sum of the products of the strategies; or null
};

struct DuelVerdict {
  std::int64_t played = 0;
  bool reached = false;  // the gap is at most what was asked for
  bool failed = false;   // a product failed
};

struct Duelists {
  std::span<const DuelMethod> methods;  // the catalogue, the same for every instruction set
  DuelVerdict (*play)(const Dueling&, std::int64_t rounds, double target);
  bool (*gains)(const Gains&, const double* others, double* room, double* mine);
  void (*shorten)(const void* values, bool single, std::int64_t rows, std::int64_t columns, double centre,
                  double factor, std::int16_t* out);
};

extern const Duelists duelists_v1, duelists_v3, duelists_v4, duelists_generic;

}  // namespace regretless
