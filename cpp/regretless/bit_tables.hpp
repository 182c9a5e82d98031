// Tables of bits, 64 to a word, and what is done to them as a whole.
#pragma once
#include <cstdint>

namespace regretless {

struct BitTableKernels {
  // (points, words of hypotheses) from (hypotheses, words of points). Bits beyond the last hypothesis are 0.
  void (*transpose)(const std::uint64_t* rows, std::int64_t hypotheses, std::int64_t points, std::uint64_t* columns);
  // How many rows are no sums of others over GF(2). The rows are used up.
  std::int64_t (*rank)(std::uint64_t* rows, std::int64_t count, std::int64_t words);
};

extern const BitTableKernels bit_tables_v1, bit_tables_v3, bit_tables_v4, bit_tables_generic;

}  // namespace regretless
