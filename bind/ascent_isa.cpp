// Coordinate ascent in the dual for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include <variant>

#include "regretless/dual_ascent.hpp"

namespace regretless::REGRETLESS_ISA {

static LinearVerdict climb_block(const Block& block, const Labels& labels, double intercept, const Ascent& ascent,
                                 std::int64_t begin, std::int64_t end) {
  return std::visit([&](const auto& rows) { return climb(rows, labels, intercept, ascent, begin, end); },
                    rows_of(block));
}

}  // namespace regretless::REGRETLESS_ISA

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(ascent_kernels_, isa)

namespace regretless {
const AscentKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::climb_block};
}  // namespace regretless
