// The reader of delimited text of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its
// name.
#include "regretless/delimited.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_NAME(isa) REGRETLESS_PASTE(delimited_, isa)

namespace regretless {
const DelimitedKernels REGRETLESS_NAME(REGRETLESS_ISA) = {REGRETLESS_ISA::read_delimited, REGRETLESS_ISA::cut_delimited,
                                                          REGRETLESS_ISA::quotes_delimiter, REGRETLESS_ISA::lines_of};
}  // namespace regretless
