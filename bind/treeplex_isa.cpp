// The kernels of games in sequence form for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
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

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(tree_players_, isa)

namespace regretless {
const TreePlayers REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::play, REGRETLESS_ISA::settle};
}  // namespace regretless
