// The kernels of learners of finite classes for one instruction set: compiled once for each, REGRETLESS_ISA being its
// name.
#include "regretless/table_name.hpp"
#include "regretless/vote.hpp"

namespace regretless {
const VoteKernels REGRETLESS_TABLE(vote_kernels_) = {REGRETLESS_ISA::begin_votes, REGRETLESS_ISA::count_ones,
                                                     REGRETLESS_ISA::predict_by_vote, REGRETLESS_ISA::settle_votes,
                                                     REGRETLESS_ISA::play_votes};
}  // namespace regretless
