// The kernels of bandits that draw by features, of one instruction set: compiled once for each, REGRETLESS_ISA being
// its name.
#include "regretless/explore.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

// Models are of one of two losses.
template <class Do>
static auto by_loss(const Explore& s, const Do& act) {
  return same_name(s.rules.loss, LogisticLoss::name) ? act(LogisticLoss(0)) : act(SquaredError(0));
}

static LinearVerdict foresee(const Explore& s, const Block& block) {
  RegressionBench bench(s.models[0]);
  const LinearRefusal refusal = by_loss(s, [&](const auto& loss) {
    return std::visit([&](const auto& rows) { return foresee_round(loss, rows, 0, s, bench); }, rows_of(block));
  });
  return {refusal == LinearRefusal::none, refusal};
}

static LinearRefusal learn(const Explore& s, const Block& block, std::int64_t arm, double loss) {
  RegressionBench bench(s.models[0]);
  return by_loss(s, [&](const auto& charge) {
    return std::visit([&](const auto& rows) { return learn_loss(charge, rows, 0, s, arm, loss, bench); },
                      rows_of(block));
  });
}

static LinearRefusal settle(const Explore& s, const Block& block, const Settlement& settlement) {
  const LinearRefusal refusal =
      settlement.learns ? learn(s, block, settlement.arm, settlement.loss) : LinearRefusal::none;
  if (refusal == LinearRefusal::none) note_loss(s, settlement);
  return refusal;
}

static LinearRefusal teach(const Explore& s, const Block& block, std::int64_t arm, double loss) {
  const LinearRefusal refusal = learn(s, block, arm, loss);
  s.book->taught += refusal == LinearRefusal::none;
  return refusal;
}

static ExploreVerdict play(const Explore& s, const Block& block, const Trial& trial, std::int64_t begin,
                           std::int64_t end) {
  return by_loss(s, [&](const auto& charge) {
    return std::visit([&](const auto& rows) { return play_trial(charge, rows, s, trial, begin, end); }, rows_of(block));
  });
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const ExploreKernels REGRETLESS_TABLE(explore_) = {
    REGRETLESS_ISA::explore_rules, REGRETLESS_ISA::foresee, REGRETLESS_ISA::choose_arm, REGRETLESS_ISA::note_decision,
    REGRETLESS_ISA::settle,        REGRETLESS_ISA::teach,   REGRETLESS_ISA::play};
}  // namespace regretless
