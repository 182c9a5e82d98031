// Ridge logistic regression for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/ridge.hpp"

namespace regretless::REGRETLESS_ISA {

static LinearVerdict minimise(const Block& block, const Labels& labels, const RidgeProblem& problem) {
  if (block.starts) return ridge(Sparse<double, std::int32_t>(block), block, labels, problem);
  return ridge(Dense<double>(block), block, labels, problem);
}

}  // namespace regretless::REGRETLESS_ISA

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(ridge_kernels_, isa)

namespace regretless {
const RidgeKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::minimise};
}  // namespace regretless
