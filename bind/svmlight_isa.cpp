// The svmlight reader of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/svmlight.hpp"

namespace regretless::REGRETLESS_ISA {

static void read_svmlight(SvmlightJob& job) {
  if (job.single) SvmlightReader<float>(job).read();
  else SvmlightReader<double>(job).read();
}

}  // namespace regretless::REGRETLESS_ISA

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_NAME(isa) REGRETLESS_PASTE(svmlight_, isa)

namespace regretless {
const SvmlightKernel REGRETLESS_NAME(REGRETLESS_ISA) = REGRETLESS_ISA::read_svmlight;
}  // namespace regretless
