// The kernels of tables of bits for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/bit_tables.hpp"

#include "regretless/rank_of_set.hpp"
#include "regretless/table_name.hpp"
#include "regretless/transposing.hpp"

namespace regretless {

namespace REGRETLESS_ISA {
inline std::int64_t rank_of_all(std::uint64_t* rows, std::int64_t count, std::int64_t words) {
  return rank_of_rows(rows, count, words, count);
}
}  // namespace REGRETLESS_ISA

const BitTableKernels REGRETLESS_TABLE(bit_tables_) = {REGRETLESS_ISA::transpose_bits, REGRETLESS_ISA::rank_of_all};

}  // namespace regretless
