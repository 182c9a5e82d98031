// The kernels of VC dimensions for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/shatter.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(shatter_kernels_, isa)

namespace regretless {
const ShatterKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::run_shatter, REGRETLESS_ISA::dive};
}  // namespace regretless
