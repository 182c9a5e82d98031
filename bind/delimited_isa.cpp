// The reader of delimited text of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its
// name.
#include "regretless/delimited.hpp"
#include "regretless/table_name.hpp"

namespace regretless {
const DelimitedKernels REGRETLESS_TABLE(delimited_) = {REGRETLESS_ISA::read_delimited, REGRETLESS_ISA::cut_delimited,
                                                       REGRETLESS_ISA::quotes_delimiter, REGRETLESS_ISA::lines_of};
}  // namespace regretless
