// Tables of bits: turned over, and what they have of rank.
#include "bit_tables.hpp"

#include "compiled.hpp"
#include "borrowed_class.hpp"
#include "regretless/bit_tables.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Table = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Room = nb::ndarray<std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const BitTableKernels& bit_table_kernels() { return REGRETLESS_COMPILED(bit_tables); }

void transpose_bits(const Table& rows, const Room& columns) {
  check_aligned(Any(rows));
  check_aligned(Any(columns));
  const std::int64_t hypotheses = std::int64_t(rows.shape(0)), points = std::int64_t(columns.shape(0));
  demand(std::int64_t(rows.shape(1)) == words_for_bits(points), "one bit per point");
  demand(std::int64_t(columns.shape(1)) == words_for_bits(hypotheses), "one bit per hypothesis");
  const nb::gil_scoped_release unlock;
  bit_table_kernels().transpose(rows.data(), hypotheses, points, columns.data());
}

std::int64_t rank_of_bits(const Room& rows) {
  check_aligned(Any(rows));
  const nb::gil_scoped_release unlock;
  return bit_table_kernels().rank(rows.data(), std::int64_t(rows.shape(0)), std::int64_t(rows.shape(1)));
}

}  // namespace

void bind_bit_tables(nb::module_& m) {
  m.def("transpose_bits", &transpose_bits, "rows"_a.noconvert(), "columns"_a.noconvert(),
        "Fills the columns from the rows of a table of bits, 64 to a word.");
  m.def("rank_of_bits", &rank_of_bits, "rows"_a.noconvert(),
        "How many rows are no sums over GF(2) of others; the rows are used up.");
}

}  // namespace regretless
