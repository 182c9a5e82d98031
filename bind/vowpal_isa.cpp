// The reader of Vowpal Wabbit's text of one instruction set: this file is compiled once for each, REGRETLESS_ISA being
// its name.
#include "regretless/vowpal_lines.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_NAME(isa) REGRETLESS_PASTE(vowpal_, isa)

namespace regretless {
const VowpalKernels REGRETLESS_NAME(REGRETLESS_ISA) = {REGRETLESS_ISA::read_vowpal, REGRETLESS_ISA::count_vowpal,
                                                       REGRETLESS_ISA::order_features};
}  // namespace regretless
