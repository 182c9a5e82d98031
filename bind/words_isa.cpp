// The words of text of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/word_kernels.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_NAME(isa) REGRETLESS_PASTE(words_, isa)

namespace regretless {
const WordKernels REGRETLESS_NAME(REGRETLESS_ISA) = {REGRETLESS_ISA::mark_words, REGRETLESS_ISA::add_words};
}  // namespace regretless
