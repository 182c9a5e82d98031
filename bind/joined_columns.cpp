// Columns of sparse rows: numbered afresh, and lone entries joined to one number a row.
#include "joined_columns.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <variant>
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

inline constexpr std::int64_t most_an_entry = 64;  // columns, up to which they are marked: a bit of each is read

using Numbers = std::variant<Array1<std::int32_t>, Array1<std::int64_t>>;

template <class I, class Mark, class Rank>
std::pair<Numbers, Array1<std::int64_t>> numbered(const Any& indices, std::int64_t columns, Mark mark, Rank rank) {
  const auto entries = std::int64_t(indices.size());
  auto numbers = room_for<I>(entries);
  RoomOf<std::int64_t> used;
  std::int64_t count;
  {
    const nb::gil_scoped_release unlocked;
    std::vector<RankWord> words(std::size_t(rank_words(columns)));
    count = mark(static_cast<const I*>(indices.data()), numbers.get(), entries, columns, words.data());
    demand(count >= 0, "a column is out of range");
    used = room_for<std::int64_t>(count);
    rank(numbers.get(), entries, columns, words.data(), used.get());
  }
  return {handed_over(numbers, std::size_t(entries)), handed_over(used, std::size_t(count))};
}

std::pair<Numbers, Array1<std::int64_t>> number_columns(const Any& indices, std::int64_t columns) {
  const bool wide = is_wide(indices, "indices");
  demand(columns >= 0 && columns / most_an_entry <= std::int64_t(indices.size()), "too many columns to mark them");
  const AscentKernels& kernels = REGRETLESS_COMPILED(ascent_kernels);
  if (wide) return numbered<std::int64_t>(indices, columns, kernels.mark_wide, kernels.rank_wide);
  return numbered<std::int32_t>(indices, columns, kernels.mark_narrow, kernels.rank_narrow);
}

// Of columns, those that have two entries or more: which they are, and their ranks.
struct SharedColumns {
  std::vector<RankWord> words;
  std::vector<std::int64_t> columns;
  std::int64_t lone = 0;  // how many have one entry

  explicit SharedColumns(const std::vector<ColumnMarks>& marks) : words(marks.size()) {
    std::int64_t count = 0;
    for (std::size_t w = 0; w < marks.size(); ++w) {
      words[w] = {marks[w].again, count};
      count += std::popcount(marks[w].again);
      lone += std::popcount(marks[w].once & ~marks[w].again);
    }
    columns.resize(std::size_t(count));
    std::int64_t* to = columns.data();
    for (std::size_t w = 0; w < marks.size(); ++w)
      for (std::uint64_t bits = marks[w].again; bits != 0; bits &= bits - 1)
        *to++ = std::int64_t(64 * w) + std::countr_zero(bits);
  }
};

using Lone = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Joined = std::tuple<Array1<double>, Array1<std::int32_t>, Array1<std::int64_t>, Array1<std::int64_t>,
                          Array1<std::int32_t>, Array1<double>, Array1<std::int64_t>, Array1<std::int64_t>, Array2>;

inline constexpr std::int64_t most_a_lone_entry = 4;  // entries, up to which shorter rows are worth to be made

std::optional<Joined> join_columns(const Any& values, const Any& indices, const Any& starts, std::int64_t columns,
                                   std::int64_t most, const std::optional<Reals>& inverse, bool sums, bool apart) {
  const Block block = block_of(values, indices, starts);
  demand(columns >= 0 && columns <= most_columns, "there are too many columns");
  demand(!inverse || std::int64_t(inverse->size()) == columns, "an entry of the inverse for each column");
  demand(!inverse || (!sums && !apart), "sums of shares, or signs apart, of rows as they are");
  const std::int64_t most_joined = (apart ? 2 : 1) * block.rows, width = sums ? 3 : 2;
  const auto rows = std::size_t(block.rows);
  Room numbers, shares, metric;
  RoomOf<std::int32_t> places, lone;
  RoomOf<std::int64_t> bounds, lone_starts, leads;
  std::vector<std::int64_t> used;
  JoinedRows to;
  {
    const nb::gil_scoped_release unlocked;
    const AscentKernels& kernels = REGRETLESS_COMPILED(ascent_kernels);
    const OwnRows own(block);
    std::vector<ColumnMarks> marks(std::size_t(rank_words(columns)));
    if (kernels.mark_entries(own.block(), columns, marks.data()).refusal != LinearRefusal::none) return std::nullopt;
    SharedColumns shared(marks);
    if (std::int64_t(shared.columns.size()) + std::min(shared.lone, most_joined) > most ||
        shared.lone < block.entries / most_a_lone_entry)
      return std::nullopt;
    const auto make = [&]<class T>(RoomOf<T>& array, std::int64_t size) {
      array = room_for<T>(size);
      return array.get();
    };
    const std::int64_t left = block.entries - shared.lone + most_joined;
    to.values = make(numbers, left + 1);
    to.indices = make(places, left + 1);
    to.starts = make(bounds, block.rows + 1);
    to.shares = make(shares, shared.lone + 1);
    to.lone = make(lone, shared.lone + 1);
    to.lone_starts = make(lone_starts, most_joined + 1);
    to.leads = make(leads, most_joined);
    to.inverse = inverse ? inverse->data() : nullptr;
    to.metric = make(metric, inverse || sums ? width * most_joined : 0);
    to.sums = sums ? to.metric : nullptr;
    to.apart = apart;
    if (!kernels.join_lone(own.block(), std::int64_t(shared.columns.size()), shared.words.data(), to))
      return std::nullopt;
    used = std::move(shared.columns);
  }
  const auto n = std::size_t(to.starts[rows]), alone = std::size_t(to.lone_starts[to.joined]);
  const auto joined = std::size_t(to.joined);
  return Joined{handed_over(numbers, n),
                handed_over(places, n),
                handed_over(bounds, rows + 1),
                handed_over(std::move(used)),
                handed_over(lone, alone),
                handed_over(shares, alone),
                handed_over(lone_starts, joined + 1),
                handed_over(leads, joined),
                Array2(to.metric, {inverse || sums ? joined : 0, std::size_t(width)}, owner_of(metric))};
}

// The rows of a table as the joined rows have columns: those that are shared, then the sums of lone ones.
Array2 join_table(const Reals2& table, const Order& shared, const Lone& lone, const Reals& shares,
                  const Order& starts) {
  demand(starts.size() > 0 && shares.size() == lone.size(), "a share of each lone column, and where they begin");
  const auto which = own(shared), bounds = own(starts);
  const auto alone = own(lone);
  demand_columns(which, table.shape(0));
  demand_columns(alone, table.shape(0));
  for (std::size_t m = 0; m + 1 < bounds.size(); ++m)
    demand(bounds[m] >= 0 && bounds[m + 1] <= std::int64_t(alone.size()), "lone columns beyond their end");
  const std::size_t rows = which.size() + bounds.size() - 1, width = table.shape(1);
  demand(width == 0 || rows <= std::size_t(PTRDIFF_MAX) / sizeof(double) / width, "a table of too many numbers");
  Room joined = room_for(std::int64_t(rows * width));
  {
    const nb::gil_scoped_release unlocked;
    REGRETLESS_COMPILED(ascent_kernels)
        .join_table(table.data(), std::int64_t(width), which.data(), std::int64_t(which.size()),
                    {alone.data(), shares.data(), bounds.data(), std::int64_t(bounds.size()) - 1}, joined.get());
  }
  double* const data = joined.get();
  return Array2(data, {rows, width}, owner_of(joined));
}

}  // namespace

void bind_joined_columns(nb::module_& m) {
  m.def("number_columns", &number_columns, "indices"_a.noconvert(), "columns"_a,
        "The columns of entries numbered afresh, of those that occur, and which these are, ascending. There may be "
        "64 columns an entry, at most.");
  m.def(
      "join_columns", &join_columns, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(),
      "columns"_a, "most"_a, "inverse"_a.noconvert().none() = nb::none(), "sums"_a = false, "apart"_a = false,
      "Rows whose lone entries, those of columns that have no other, are joined to one number a row: values, columns "
      "numbered afresh, starts; which columns keep their entries; the lone columns, the unit vectors along A^-1 x of "
      "the lone entries x of each row, A a diagonal with that inverse or I, where those of each joined number begin, "
      "and where the largest of them is; with an inverse, of each joined number its own, and x'x over its square; with "
      "`sums`, of the sizes s in its unit vector the sum, that of s ln s, and their number. Positive and "
      "negative entries `apart` are joined to a number each, by vectors without negative entries. None "
      "where more than `most` columns would be left, or few of the entries are lone, or rows cannot be used, as where "
      "lone entries are not 0 whose squares are.");
  m.def("join_table", &join_table, "table"_a.noconvert(), "shared"_a.noconvert(), "lone"_a.noconvert(),
        "shares"_a.noconvert(), "starts"_a.noconvert(),
        "Of a table with a row each column, the rows of shared columns, then the sums of those of lone columns times "
        "their shares.");
  m.attr("MOST_COLUMNS_AN_ENTRY") = most_an_entry;
}

}  // namespace regretless
