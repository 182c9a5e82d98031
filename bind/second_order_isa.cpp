// The second-order kernels of one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/second_order.hpp"
#include "regretless/second_order_sketch.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

// The kind of state and the loss become types; f takes them. `work` is of a full matrix.
template <class F>
static LinearVerdict with_kind(const SecondOrder& state, const Rules& rules, WholeWorkspace& work, F f) {
  const PerceptronLoss on_mistake(rules);
  const SquaredHinge below_one(rules);
  if (state.factor) {
    const ByAll all(state, work);
    const LinearVerdict verdict = rules.loss == PerceptronLoss::name ? f(all, on_mistake) : f(all, below_one);
    all.whole.settle();
    return verdict;
  }
  if (state.rows) return f(Sketched(state), below_one);
  if (rules.loss == PerceptronLoss::name) return f(BySums(state), on_mistake);
  if (state.sized) return f(ByWeights<InSizes>(state), below_one);
  return f(ByWeights<InUnits>(state), below_one);
}

static LinearVerdict play_second_order(const Block& block, const Labels& labels, const Rules& rules,
                                       const SecondOrder& state, std::int64_t begin, std::int64_t end) {
  WholeWorkspace work;
  if (state.factor && begin < end) work.make(state);
  return with_kind(state, rules, work, [&](const auto& matrix, const auto& loss) {
    return std::visit(
        [&](const auto& rows) {
          return state.targets == 1 ? play_one_target(rows, labels, rules, matrix, loss, state, begin, end)
                                    : play_targets(rows, labels, rules, matrix, loss, state, begin, end);
        },
        rows_of(block));
  });
}

static LinearVerdict score_second_order(const Block& block, const Rules& rules, const SecondOrder& state, double* out) {
  WholeWorkspace work;
  return with_kind(state, rules, work, [&](const auto& matrix, const auto&) {
    return std::visit([&](const auto& rows) { return score_rows(rows, block.rows, rules, matrix, state, out); },
                      rows_of(block));
  });
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const SecondOrderKernels REGRETLESS_TABLE(second_order_) = {REGRETLESS_ISA::play_second_order,
                                                            REGRETLESS_ISA::score_second_order};
}  // namespace regretless
