// The kernels of matrix games for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/basis.hpp"
#include "regretless/enclosure.hpp"
#include "regretless/tableau.hpp"

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(game_kernels_, isa)

namespace regretless {
const GameKernels REGRETLESS_TABLE(REGRETLESS_ISA) = {REGRETLESS_ISA::range, REGRETLESS_ISA::enclose,
                                                      REGRETLESS_ISA::load, REGRETLESS_ISA::pivot,
                                                      REGRETLESS_ISA::polish};
}  // namespace regretless
