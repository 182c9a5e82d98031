// Ridge logistic regression for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/ridge.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static LinearVerdict minimise(const Block& block, const Labels& labels, const RidgeProblem& problem) {
  if (block.starts) return ridge(Sparse<double, std::int32_t>(block), block, labels, problem);
  return ridge(Dense<double>(block), block, labels, problem);
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const RidgeKernels REGRETLESS_TABLE(ridge_kernels_) = {REGRETLESS_ISA::minimise};
}  // namespace regretless
