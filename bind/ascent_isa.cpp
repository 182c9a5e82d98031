// The search for comparators of rows in memory for one instruction set: compiled once for each, REGRETLESS_ISA being
// its name.
#include <variant>

#include "regretless/cell_columns.hpp"
#include "regretless/column_ranks.hpp"
#include "regretless/dual_ascent.hpp"
#include "regretless/joined_columns.hpp"
#include "regretless/leads.hpp"
#include "regretless/table_name.hpp"
#include "regretless/vector_tables.hpp"
#include "regretless/written_margins.hpp"

namespace regretless::REGRETLESS_ISA {

static LinearVerdict climb_block(const Block& block, const Labels& labels, double intercept, const Ascent& ascent,
                                 std::int64_t begin, std::int64_t end) {
  return std::visit(
      [&](const auto& rows) {
        if (ascent.penalties == 1) return climb<1>(rows, labels, intercept, ascent, begin, end);
        if (ascent.penalties == 2 * penalties) return climb<2 * penalties>(rows, labels, intercept, ascent, begin, end);
        return climb<penalties>(rows, labels, intercept, ascent, begin, end);
      },
      rows_of(block));
}

static LinearVerdict climb_classes_of_block(const Block& block, const Labels& labels, double intercept,
                                            const Ascent& ascent, std::int64_t begin, std::int64_t end) {
  return std::visit([&](const auto& rows) { return climb_classes(rows, labels, intercept, ascent, begin, end); },
                    rows_of(block));
}

static LinearVerdict squares_of_block(const Block& block, const double* inverse, std::int64_t columns, double& sum) {
  return std::visit([&](const auto& rows) { return add_squares(rows, block.rows, inverse, columns, sum); },
                    rows_of(block));
}

static LinearVerdict margins_of_block(const Block& block, const Labels& labels, double intercept,
                                      const WrittenRays& rays) {
  return std::visit([&](const auto& rows) { return write_margins(rows, block.rows, labels, intercept, rays); },
                    rows_of(block));
}

static LinearVerdict leads_of_block(const Block& block, const Labels& labels, double intercept,
                                    const FixedVectors& vectors, std::int64_t classes, double* leads) {
  return std::visit(
      [&](const auto& rows) { return write_leads(rows, block.rows, labels, intercept, vectors, classes, leads); },
      rows_of(block));
}

static LinearVerdict mark_block(const Block& block, std::int64_t columns, ColumnMarks* marks) {
  return std::visit([&](const auto& rows) { return mark_entries(rows, block.rows, columns, marks); }, rows_of(block));
}

static bool join_block(const Block& block, std::int64_t shared, const RankWord* words, JoinedRows& to) {
  return std::visit([&](const auto& rows) { return join_lone(rows, block.rows, shared, words, to); }, rows_of(block));
}

template <int N>
static constexpr TableKernels of_tables{column_squares<N>, divide_columns<N>, size_columns<N>, share_columns<N>};

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const AscentKernels REGRETLESS_TABLE(ascent_kernels_) = {REGRETLESS_ISA::climb_block,
                                                         REGRETLESS_ISA::climb_classes_of_block,
                                                         REGRETLESS_ISA::squares_of_block,
                                                         REGRETLESS_ISA::margins_of_block,
                                                         REGRETLESS_ISA::leads_of_block,
                                                         REGRETLESS_ISA::bin_margins,
                                                         REGRETLESS_ISA::take_bins,
                                                         REGRETLESS_ISA::add_hinges,
                                                         REGRETLESS_ISA::squares,
                                                         REGRETLESS_ISA::mark_columns<std::int32_t>,
                                                         REGRETLESS_ISA::mark_columns<std::int64_t>,
                                                         REGRETLESS_ISA::rank_columns<std::int32_t>,
                                                         REGRETLESS_ISA::rank_columns<std::int64_t>,
                                                         REGRETLESS_ISA::mark_block,
                                                         REGRETLESS_ISA::join_block,
                                                         REGRETLESS_ISA::join_table,
                                                         REGRETLESS_ISA::of_tables<1>,
                                                         REGRETLESS_ISA::of_tables<4>,
                                                         REGRETLESS_ISA::of_tables<8>,
                                                         REGRETLESS_ISA::take_positive,
                                                         REGRETLESS_ISA::take_rows,
                                                         REGRETLESS_ISA::read_diagonal,
                                                         REGRETLESS_ISA::turn_cells};
}  // namespace regretless
