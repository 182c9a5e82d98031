// The kernels of worst cases of learners of finite classes for one instruction set: compiled once for each,
// REGRETLESS_ISA being its name.
#include "regretless/table_name.hpp"
#include "regretless/worst_case.hpp"

namespace regretless {
const ForcingKernels REGRETLESS_TABLE(forcing_) = {REGRETLESS_ISA::open_forcer, REGRETLESS_ISA::close_forcer,
                                                   REGRETLESS_ISA::run_forcer, REGRETLESS_ISA::trace_forcer};
}  // namespace regretless
