// The kernels of games in sequence form for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/table_name.hpp"
#include "regretless/treeplex_play.hpp"

namespace regretless::REGRETLESS_ISA {

static void play(const TreePlay& g, std::int64_t rounds) {
  switch (g.rule) {
    case TreeRule::cfr: return play_tree<TreeRule::cfr>(g, rounds);
    case TreeRule::cfr_plus: return play_tree<TreeRule::cfr_plus>(g, rounds);
    case TreeRule::predictive: return play_tree<TreeRule::predictive>(g, rounds);
  }
}

static void settle(const TreePlay& g) { settle_tree(g); }

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const TreePlayers REGRETLESS_TABLE(tree_players_) = {REGRETLESS_ISA::play, REGRETLESS_ISA::settle};
}  // namespace regretless
