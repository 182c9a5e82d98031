// The svmlight reader of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/svmlight.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static void read_svmlight(SvmlightJob& job) {
  if (job.single) SvmlightReader<float>(job).read();
  else SvmlightReader<double>(job).read();
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const SvmlightKernel REGRETLESS_TABLE(svmlight_) = REGRETLESS_ISA::read_svmlight;
}  // namespace regretless
