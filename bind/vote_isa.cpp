// The kernels of learners of finite classes for one instruction set: compiled once for each, REGRETLESS_ISA being its
// name.
#include "regretless/vote.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(vote_kernels_, isa)

namespace regretless {
const VoteKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::begin_votes, REGRETLESS_ISA::count_ones,
                                                      REGRETLESS_ISA::predict_by_vote, REGRETLESS_ISA::settle_votes,
                                                      REGRETLESS_ISA::play_votes};
}  // namespace regretless
