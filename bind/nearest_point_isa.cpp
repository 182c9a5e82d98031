// The search for the nearest point of a convex hull for one instruction set: compiled once for each, REGRETLESS_ISA
// being its name.
#include "regretless/nearest_point.hpp"
#include "regretless/table_name.hpp"

namespace regretless {
const HullKernels REGRETLESS_TABLE(hull_kernels_) = {REGRETLESS_ISA::nearest_point};
}  // namespace regretless
