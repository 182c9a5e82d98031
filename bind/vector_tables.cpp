// Vectors that lie side by side, measured and scaled where they lie; and tables of what learners know of their columns.
#include "vector_tables.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "pieces.hpp"
#include "player.hpp"
#include "regretless/ascent_types.hpp"
#include "room.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

double squares(const Reals& vector) {
  return REGRETLESS_COMPILED(ascent_kernels).squares(vector.data(), std::int64_t(vector.size()));
}

// Vectors of columns, one alone or some side by side.
const TableKernels& table_kernels(std::size_t count) {
  demand(count == 1 || count == penalties || count == 2 * penalties, "one vector, or four or eight side by side");
  const AscentKernels& kernels = REGRETLESS_COMPILED(ascent_kernels);
  return count == 1 ? kernels.alone : count == penalties ? kernels.four : kernels.eight;
}

std::vector<double> column_squares(const Reals2& table, const std::optional<Reals>& roots) {
  const TableKernels& kernels = table_kernels(table.shape(1));
  demand(!roots || roots->size() == table.shape(0), "a root for each column");
  std::vector<double> sums(table.shape(1));
  const nb::gil_scoped_release unlocked;
  kernels.squares(table.data(), roots ? roots->data() : nullptr, std::int64_t(table.shape(0)), sums.data());
  return sums;
}

void divide_columns(const State2& table, const std::vector<double>& lengths, double size) {
  const TableKernels& kernels = table_kernels(table.shape(1));
  demand(lengths.size() == table.shape(1), "a length for each vector");
  const nb::gil_scoped_release unlocked;
  kernels.divide(table.data(), lengths.data(), size, std::int64_t(table.shape(0)));
}

using FourLists = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>>;

FourLists simplex_sums(const Reals2& table, const Reals& duals, const std::vector<double>& rests,
                       const std::optional<Reals2>& groups) {
  const std::size_t count = table.shape(1);
  const TableKernels& kernels = table_kernels(count);
  demand(duals.size() == table.shape(0) && rests.size() == count, "a dual coordinate for each column, and a rest");
  demand(!groups || (groups->shape(0) <= table.shape(0) && groups->shape(1) == 3), "three sums for each group");
  const auto grouped = std::int64_t(groups ? groups->shape(0) : 0), first = std::int64_t(table.shape(0)) - grouped;
  const double* const of = groups ? groups->data() : nullptr;
  const double* const after = table.data() + first * std::int64_t(count);
  std::vector<double> products(count), sums(count), counts(count), totals = rests, part(count), other(count);
  const auto add = [count](std::vector<double>& to, const std::vector<double>& more) {
    for (std::size_t k = 0; k < count; ++k) to[k] += more[k];
  };
  const nb::gil_scoped_release unlocked;
  kernels.sizes(table.data(), duals.data(), nullptr, first, part.data(), products.data());
  add(totals, part);
  kernels.sizes(after, duals.data() + first, of, grouped, part.data(), other.data());
  add(totals, part);
  add(products, other);
  kernels.shares(table.data(), totals.data(), nullptr, first, sums.data(), counts.data());
  kernels.shares(after, totals.data(), of, grouped, part.data(), other.data());
  add(sums, part);
  add(counts, other);
  return {totals, products, sums, counts};
}

void take_positive(const State2& table) {
  const nb::gil_scoped_release unlocked;
  REGRETLESS_COMPILED(ascent_kernels).take_positive(table.data(), std::int64_t(table.size()));
}

std::pair<Array2, bool> rows_of(const Reals2& table, const Order& numbers) {
  const auto rows = std::int64_t(table.shape(0)), width = std::int64_t(table.shape(1));
  const std::size_t count = numbers.size();
  const auto checked = own(numbers);
  for (std::size_t k = 0; k < count; ++k)
    demand(checked[k] > (k ? checked[k - 1] : -1) && checked[k] < rows, "ascending numbers of rows");
  Room room = room_for(std::int64_t(count * table.shape(1)));
  double* const begin = room.get();
  bool clean;
  {
    const nb::gil_scoped_release unlocked;
    clean = REGRETLESS_COMPILED(ascent_kernels)
                .take_rows(table.data(), rows, width, checked.data(), std::int64_t(count), begin);
  }
  return {Array2(begin, {count, table.shape(1)}, owner_of(room)), clean};
}

using Diagonal = std::tuple<Array1<double>, Array1<double>, Array1<double>, double, double>;

Diagonal read_diagonal(const Reals2& records, double prior, bool sized, double least) {
  demand(records.shape(1) == 4, "records of four numbers");
  const std::size_t columns = records.shape(0);
  Room weights = room_for(std::int64_t(columns)), roots = room_for(std::int64_t(columns)),
       inverse = room_for(std::int64_t(columns));
  DiagonalParts parts{weights.get(), roots.get(), inverse.get()};
  {
    const nb::gil_scoped_release unlocked;
    REGRETLESS_COMPILED(ascent_kernels)
        .read_diagonal(records.data(), std::int64_t(columns), {prior, sized, least}, parts);
  }
  return {handed_over(weights, columns), handed_over(roots, columns), handed_over(inverse, columns), parts.energy,
          parts.volume};
}

// The cells of one target beginning at `first`; what the tables have from their second column on.
void turn_cells(const Reals2& cells, std::int64_t first, std::int64_t squares, std::int64_t most, std::int64_t root,
                const std::tuple<double, double, double>& single, const State2& table, const State2& metric) {
  CellPlaces p;
  p.width = std::int64_t(cells.shape(1));
  p.numbers = std::int64_t(table.shape(0));
  p.room = std::int64_t(table.shape(1));
  std::tie(p.least, p.largest, p.stretch) = single;
  p.squares = squares, p.most = most, p.root = root;
  const auto columns = std::int64_t(cells.shape(0));
  demand(p.room == columns + 1 && metric.shape(0) == cell_rates && std::int64_t(metric.shape(1)) == p.room,
         "a column for each cell, and one more");
  const auto within = [&](std::int64_t place, std::int64_t count) {
    return place >= 0 && place <= p.width && place + count <= p.width - first;
  };
  demand(first >= 0 && first <= p.width && within(0, p.numbers) && within(squares, cell_rates) && within(most, 1) &&
             within(root, 1),
         "a place beyond the cells");
  const nb::gil_scoped_release unlocked;
  REGRETLESS_COMPILED(ascent_kernels).turn_cells(cells.data() + first, columns, p, table.data() + 1, metric.data() + 1);
}

}  // namespace

void bind_vector_tables(nb::module_& m) {
  m.def("squares", &squares, "vector"_a.noconvert(), "The sum of the squares of a vector.");
  m.def("column_squares", &column_squares, "table"_a.noconvert(), "roots"_a.noconvert().none() = nb::none(),
        "The sum of squares of a vector, or of each of four or eight that lie side by side; of their entries times "
        "those of `roots`, if there are some. The same as `squares` gives of each.");
  m.def("divide_columns", &divide_columns, "table"_a.noconvert(), "lengths"_a, "size"_a,
        "Divide vectors that lie side by side by their lengths, and multiply them by a size.");
  m.def("simplex_sums", &simplex_sums, "table"_a.noconvert(), "duals"_a.noconvert(), "rests"_a,
        "groups"_a.noconvert().none() = nb::none(),
        "Of each of the vectors that lie side by side: the sum of the sizes of its entries, and of a rest; its product "
        "with `duals`; the sum of s ln s over the shares s of these sizes in that sum; how many of them are above 0. "
        "The last columns may stand for `groups` of others where vectors have multiples of shares; of the sizes s of "
        "these the sum is given, that of s ln s, and their number.");
  m.def("take_positive", &take_positive, "table"_a.noconvert(), "Put 0 in the place of negative numbers.");
  m.def("rows_of", &rows_of, "table"_a.noconvert(), "numbers"_a.noconvert(),
        "Some rows of a table, by ascending numbers, and whether all others hold nothing but zeros.");
  m.def("read_diagonal", &read_diagonal, "records"_a.noconvert(), "prior"_a, "sized"_a, "least"_a,
        "Of records of a weight, a sum of squares, a sum of y x and a largest square: the weights, the roots of the "
        "entries of the diagonal matrix A, the inverses of these, u'A^-1 u and ln det A over what A started with.");
  m.def(
      "turn_cells", &turn_cells, "cells"_a.noconvert(), "first"_a, "squares"_a, "most"_a, "root"_a, "single"_a,
      "table"_a.noconvert(), "metric"_a.noconvert(),
      "Each number of the cells of a mixture beside that of the next column, from the second place of each row of the "
      "table on, and what its rates divide by.");
}

}  // namespace regretless
