// What two learners write down of a play, on one matrix or in turns.
#pragma once

namespace regretless {

// Running totals in the row player's payoffs, each round by its weight: the fields of GameLedger in their order.
struct GameBook {
  double rounds, weight, last_weight;
  double row_regret, column_regret;  // by how much the best fixed strategy would have won more
  double turn;                       // what the column player owes to moving second
  double row_norm,
      column_norm;  // lengths of the positive parts of what regret matchers keep; of games in turns the most
                    // that they add up to over the information sets that one plan comes to
  double row_square, column_square;  // summed squared lengths of regrets, or of the errors of their predictions
  double row_shift, column_shift;    // exponential weights: summed squared half ranges of the payoffs' changes
  double row_move, column_move;      // exponential weights: summed squared moves of the strategies
  double gap;                        // of the average strategies; of a general game the larger regret per weight
};
inline constexpr const char* game_fields[] = {"rounds",        "weight",        "last_weight", "row_regret",
                                              "column_regret", "turn",          "row_norm",    "column_norm",
                                              "row_square",    "column_square", "row_shift",   "column_shift",
                                              "row_move",      "column_move",   "gap"};
inline constexpr int game_book_size = sizeof(GameBook) / sizeof(double);
static_assert(game_book_size == sizeof(game_fields) / sizeof(game_fields[0]));

}  // namespace regretless
