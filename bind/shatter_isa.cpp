// The kernels of VC dimensions for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/shatter.hpp"
#include "regretless/table_name.hpp"

namespace regretless {
const ShatterKernels REGRETLESS_TABLE(shatter_kernels_) = {REGRETLESS_ISA::run_shatter, REGRETLESS_ISA::dive};
}  // namespace regretless
