// The words of text of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/table_name.hpp"
#include "regretless/word_kernels.hpp"

namespace regretless {
const WordKernels REGRETLESS_TABLE(words_) = {REGRETLESS_ISA::mark_words, REGRETLESS_ISA::add_words};
}  // namespace regretless
