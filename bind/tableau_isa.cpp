// The kernels of matrix games for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/basis.hpp"
#include "regretless/enclosure.hpp"
#include "regretless/table_name.hpp"
#include "regretless/tableau.hpp"

namespace regretless {
const GameKernels REGRETLESS_TABLE(game_kernels_) = {REGRETLESS_ISA::range, REGRETLESS_ISA::enclose,
                                                     REGRETLESS_ISA::load, REGRETLESS_ISA::pivot,
                                                     REGRETLESS_ISA::polish};
}  // namespace regretless
