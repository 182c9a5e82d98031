// The aggregating kernels of one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/aggregated.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static LinearVerdict play_members(const Block& block, const Labels& labels, const AggregatedRules& rules,
                                  const Aggregated& state, std::int64_t begin, std::int64_t end) {
  return std::visit([&](const auto& rows) { return play_aggregated(rows, labels, rules, state, begin, end); },
                    rows_of(block));
}

static LinearVerdict score_members(const Block& block, const AggregatedRules& rules, const Aggregated& state,
                                   double* out) {
  return std::visit([&](const auto& rows) { return score_aggregated(rows, block.rows, rules, state, out); },
                    rows_of(block));
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const AggregatedKernels REGRETLESS_TABLE(aggregated_) = {REGRETLESS_ISA::play_members, REGRETLESS_ISA::score_members};
}  // namespace regretless
