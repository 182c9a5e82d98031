// The kernels of worst cases of learners of finite classes for one instruction set: compiled once for each,
// REGRETLESS_ISA being its name.
#include "regretless/worst_case.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(forcing_, isa)

namespace regretless {
const ForcingKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::open_forcer, REGRETLESS_ISA::close_forcer,
                                                         REGRETLESS_ISA::run_forcer, REGRETLESS_ISA::trace_forcer};
}  // namespace regretless
