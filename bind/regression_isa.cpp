// The regression kernels of one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/catalogue.hpp"
#include "regretless/regression.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static constexpr auto regression_losses = names_of(static_cast<AnyRegressionLoss*>(nullptr));

static LinearVerdict play_outcomes(const Block& block, const double* outcomes, const RegressionRules& rules,
                                   const Regression& state, std::int64_t begin, std::int64_t end) {
  return std::visit([&](const auto& rows,
                        const auto& loss) { return play_regression(rows, loss, outcomes, rules, state, begin, end); },
                    rows_of(block), named<AnyRegressionLoss>(rules.loss, rules.tau));
}

static LinearVerdict score_rows(const Block& block, const RegressionRules& rules, const Regression& state, double* out,
                                double* members) {
  return std::visit(
      [&](const auto& rows, const auto& loss) {
        return score_regression(rows, loss, block.rows, rules, state, out, members);
      },
      rows_of(block), named<AnyRegressionLoss>(rules.loss, rules.tau));
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const RegressionKernels REGRETLESS_TABLE(regression_) = {REGRETLESS_ISA::regression_losses,
                                                         REGRETLESS_ISA::play_outcomes, REGRETLESS_ISA::score_rows};
}  // namespace regretless
