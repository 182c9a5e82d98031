// The reader of Vowpal Wabbit's text of one instruction set: this file is compiled once for each, REGRETLESS_ISA being
// its name.
#include "regretless/table_name.hpp"
#include "regretless/vowpal_lines.hpp"

namespace regretless {
const VowpalKernels REGRETLESS_TABLE(vowpal_) = {REGRETLESS_ISA::read_vowpal, REGRETLESS_ISA::count_vowpal,
                                                 REGRETLESS_ISA::order_features};
}  // namespace regretless
