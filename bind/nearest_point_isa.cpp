// The search for the nearest point of a convex hull for one instruction set: compiled once for each, REGRETLESS_ISA
// being its name.
#include "regretless/nearest_point.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(hull_kernels_, isa)

namespace regretless {
const HullKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::nearest_point};
}  // namespace regretless
