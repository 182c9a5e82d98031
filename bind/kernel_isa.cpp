// The kernel perceptron on one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/kernel_play.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

// f(values, place of a round) with what finds the values of the kernel.
template <class F>
static KernelVerdict with_values(const Block& b, const KernelRules& rules, KernelState& s, const F& f) {
  const auto row_of = [&](std::int64_t t) { return b.order ? b.order[t] : t; };
  if (s.support.rows) {
    DenseValues values(rows_of(b), rules, s);
    return f(values, row_of);
  }
  SparseValues values(rows_of(b), rules, s);
  return f(values, row_of);
}

static KernelVerdict play(const Block& block, const GramTable& table, const Labels& labels, const KernelRules& rules,
                          KernelState& s, const Known& known, std::int64_t begin, std::int64_t end) {
  const auto all = [&](auto& values, const auto& row_of) {
    return play_blocks(values, labels, rules, s, known, begin, end, row_of);
  };
  if (!table.gram) return with_values(block, rules, s, all);
  GramValues values(table, block.order, s);
  return all(values, [&](std::int64_t t) { return values.row(t); });
}

static KernelVerdict score(const Block& block, const GramTable& table, const KernelRules& rules, KernelState& s,
                           double* out) {
  if (!table.gram)
    return with_values(block, rules, s,
                       [&](auto& values, const auto&) { return score_blocks(values, s, block.rows, out); });
  GramValues values(table, nullptr, s);
  return score_blocks(values, s, table.rows, out);
}

static KernelVerdict gram(const Block& block, const KernelRules& rules, KernelState& s, double* out, double* self) {
  return with_values(block, rules, s,
                     [&](auto& values, const auto&) { return gram_blocks(values, s, block.rows, out, self); });
}

static KernelVerdict adopt(const Block& block, const KernelRules& rules, KernelState& s) {
  return with_values(block, rules, s, [&](auto& values, const auto&) { return adopt_blocks(values, s, block.rows); });
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const KernelFunctions REGRETLESS_TABLE(kernel_) = {REGRETLESS_ISA::play, REGRETLESS_ISA::score, REGRETLESS_ISA::gram,
                                                   REGRETLESS_ISA::adopt};
}  // namespace regretless
