// The search for comparators of rows in memory: linear support vector machines by coordinate ascent in the dual, and
// margins along directions.
#include "ascent.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
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

constexpr std::int64_t most_counted = std::int64_t(1) << 31;  // rows of a bin

// What rows of so many machines climb with, checked.
Ascent ascent_of(const State2& vectors, const State1& biases, const std::optional<State2>& lacks,
                 const std::optional<Reals>& inverse, double inverse_constant) {
  const std::size_t count = vectors.shape(1);
  demand(biases.size() == count, "a bias for each vector");
  demand(!lacks || (lacks->shape(0) == vectors.shape(0) + 1 && lacks->shape(1) == count),
         "what the means of the vectors lack, and of the biases after them");
  demand(!inverse || inverse->size() == vectors.shape(0), "an entry of the inverse for each column");
  Ascent a;
  a.inverse = inverse ? inverse->data() : nullptr;
  a.inverse_constant = inverse_constant;
  a.vectors = vectors.data();
  a.biases = biases.data();
  a.columns = std::int64_t(vectors.shape(0));
  a.lacks = lacks ? lacks->data() : nullptr;
  a.bias_lacks = lacks ? lacks->data() + vectors.size() : nullptr;
  return a;
}

// The same from a row on.
Ascent from_row(Ascent a, std::int64_t first) {
  a.multipliers += a.classes * a.penalties * first;
  a.before = first;
  return a;
}

Report climb(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
             const Signs& labels, const std::optional<Order>& order, double intercept, const State2& vectors,
             const State1& biases, const State2& multipliers, const Reals& most, const std::optional<State2>& lacks,
             const std::optional<Reals>& inverse, double inverse_constant, const std::optional<State1>& gains) {
  Ascent a = ascent_of(vectors, biases, lacks, inverse, inverse_constant);
  const std::size_t count = most.size(), width = vectors.shape(1);
  demand(count == 1 || count == penalties || count == 2 * penalties, "one penalty, or four or eight");
  demand(width % count == 0 && multipliers.shape(1) == width, "vectors of each penalty side by side");
  a.penalties = int(count);
  a.classes = std::int64_t(width / count);
  demand(a.classes == 1 || (a.classes > 2 && count == penalties && !inverse),
         "machines of more than two classes have four penalties, and no inverse");
  const Rounds r = rounds_of(values, indices, starts, labels, std::nullopt, order, 0, -1, a.classes);
  for (std::size_t k = 0; k < most.size(); ++k)
    demand(most.data()[k] > 0 && std::isfinite(most.data()[k]), "the most of a multiplier is a finite number above 0");
  demand(std::int64_t(multipliers.shape(0)) == r.block.rows, "multipliers for each row");
  demand(!gains || gains->size() == width, "a gain for each vector");
  a.multipliers = multipliers.data();
  a.most = most.data();
  a.gains = gains ? gains->data() : nullptr;
  a.rounds = r.count;
  std::vector<double> products(a.classes > 1 ? width : 0);
  a.products = products.data();
  const AscentKernels& kernels = REGRETLESS_COMPILED(ascent_kernels);
  const auto climbs = a.classes > 1 ? kernels.climb_classes : kernels.climb;
  nb::gil_scoped_release unlocked;
  return report(
      in_pieces(r, [&](const Block& rows, const Labels& of, std::int64_t begin, std::int64_t end, std::int64_t first) {
        return climbs(rows, of, intercept, from_row(a, first), begin, end);
      }));
}

std::pair<double, Report> sum_of_squares(const Any& values, const std::optional<Any>& indices,
                                         const std::optional<Any>& starts, const Reals& inverse) {
  const Block block = block_of(values, indices, starts);
  double sum = 0;
  nb::gil_scoped_release unlocked;
  const LinearVerdict verdict = in_pieces(block, [&](const Block& rows, std::int64_t) {
    return REGRETLESS_COMPILED(ascent_kernels).add_squares(rows, inverse.data(), std::int64_t(inverse.size()), sum);
  });
  return {sum, report(verdict)};
}

using Array2 = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
// Places, bins, what is below, and two totals: see `TakenBins`.
using Histogram = std::tuple<Array1<std::int64_t>, Array2, Array2, double, double>;

Array2 table_of(std::unique_ptr<double[]>& numbers, std::int64_t rows) {
  double* const begin = numbers.get();
  return Array2(begin, {std::size_t(rows), 3}, owner_of(numbers));
}

Histogram histogram_of(const AscentKernels& kernels, const WrittenRays& rays, std::int64_t ray) {
  FilledBins filled;
  std::unique_ptr<std::int64_t[]> places;
  std::unique_ptr<double[]> bins, below;
  TakenBins taken;
  {
    const nb::gil_scoped_release unlocked;
    filled = kernels.bin_margins(rays, ray);
    places = std::make_unique_for_overwrite<std::int64_t[]>(std::size_t(filled.count));
    bins = std::make_unique_for_overwrite<double[]>(std::size_t(filled.count) * 3);
    below = std::make_unique_for_overwrite<double[]>(std::size_t(filled.positive + 1) * 3);
    taken = {places.get(), bins.get(), below.get()};
    kernels.take_bins(rays, ray, taken);
  }
  return {handed_over(places, std::size_t(filled.count)), table_of(bins, filled.count),
          table_of(below, filled.positive + 1), taken.total, taken.squares};
}

std::tuple<std::int64_t, std::optional<std::string>, std::vector<Histogram>> sight_margins(
    const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, const Signs& labels,
    double intercept, const State2& directions, const Reals& biases, const Signs& whose, const Reals& times,
    const State1& least, const State1& norms, const State2& margins) {
  const Block block = block_of(values, indices, starts);
  const std::size_t count = margins.shape(0);
  demand(count > 0 && biases.size() == count && whose.size() == count && times.size() == count,
         "a bias, a label and a number of times for each direction");
  demand(directions.shape(1) >= count && least.size() == count && norms.size() == 3,
         "the rays' arrays do not fit each other");
  demand(std::int64_t(margins.shape(1)) == block.rows && block.rows < most_counted,
         "room for one margin of each ray and row, and not too many of them to be counted");
  std::vector<double> scratch(directions.shape(1)), sums(std::size_t(ray_bins) * 2);
  std::vector<std::int32_t> counts(std::size_t(ray_counts), 0);
  const FixedVectors along{directions.data(),
                           biases.data(),
                           whose.data(),
                           times.data(),
                           norms.data(),
                           scratch.data(),
                           std::int64_t(directions.shape(0)),
                           std::int64_t(directions.shape(1)),
                           std::int64_t(count)};
  const WrittenRays rays{{along, nullptr, least.data()}, margins.data(), counts.data(), sums.data(), block.rows};
  const Labels of = labels_of(block, labels, std::nullopt);
  const AscentKernels& kernels = REGRETLESS_COMPILED(ascent_kernels);
  LinearVerdict verdict;
  {
    const nb::gil_scoped_release unlocked;
    verdict = in_pieces(block, [&](const Block& rows, std::int64_t first) {
      WrittenRays piece = rays;
      piece.margins += first;
      return kernels.write_margins(rows, {of.label + first, nullptr}, intercept, piece);
    });
  }
  std::vector<Histogram> histograms;
  if (verdict.refusal == LinearRefusal::none)
    for (std::int64_t ray = 0; ray < std::int64_t(count); ++ray) histograms.push_back(histogram_of(kernels, rays, ray));
  const auto [row, why] = report(verdict);
  return {row, why, std::move(histograms)};
}

Report leads(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
             const Signs& labels, double intercept, const State2& vectors, const Reals& biases, std::int64_t classes,
             const State2& leads) {
  const Block block = block_of(values, indices, starts);
  const auto width = std::int64_t(vectors.shape(1));
  demand(classes > 1 && width % classes == 0 && std::int64_t(biases.size()) == width, "a vector and bias a class");
  demand(std::int64_t(leads.shape(0)) == block.rows && std::int64_t(leads.shape(1)) == width / classes,
         "room for a lead of each row and matrix");
  const Labels of = labels_of(block, labels, std::nullopt);
  check_labels(of, block.rows, classes);
  std::vector<double> scratch(vectors.shape(1));
  double norms[3] = {};
  const FixedVectors v{.vectors = vectors.data(),
                       .biases = biases.data(),
                       .norms = norms,
                       .scratch = scratch.data(),
                       .columns = std::int64_t(vectors.shape(0)),
                       .room = width,
                       .count = width};
  const AscentKernels& kernels = REGRETLESS_COMPILED(ascent_kernels);
  const nb::gil_scoped_release unlocked;
  return report(in_pieces(block, [&](const Block& rows, std::int64_t first) {
    const Labels its{of.label + first, nullptr};
    return kernels.write_leads(rows, its, intercept, v, classes, leads.data() + first * (width / classes));
  }));
}

std::pair<double, double> hinge_sums(const Reals& margins, double scale) {
  double hinges = 0, squares = 0;
  REGRETLESS_COMPILED(ascent_kernels).add_hinges(margins.data(), std::int64_t(margins.size()), scale, hinges, squares);
  return {hinges, squares};
}

double squares(const Reals& vector) {
  return REGRETLESS_COMPILED(ascent_kernels).squares(vector.data(), std::int64_t(vector.size()));
}

inline constexpr std::int64_t most_an_entry = 64;  // columns, up to which they are marked: a bit of each is read

using Reals2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
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

// A copy, which no other thread writes to between its check and its use.
template <class T>
auto own(const T& numbers) {
  return std::vector(numbers.data(), numbers.data() + numbers.size());
}

template <class T>
void demand_columns(const std::vector<T>& columns, std::size_t count) {
  bool within = true;
  for (const T column : columns) within &= column >= 0 && std::size_t(column) < count;
  demand(within, "a column is out of range");
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

void bind_ascent(nb::module_& m) {
  m.def(
      "climb", &climb, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
      "labels"_a.noconvert(), "order"_a.noconvert().none(), "intercept"_a, "vectors"_a.noconvert(),
      "biases"_a.noconvert(), "multipliers"_a.noconvert(), "most"_a.noconvert(),
      "lacks"_a.noconvert().none() = nb::none(), "inverse"_a.noconvert().none() = nb::none(),
      "inverse_constant"_a = 1.0, "gains"_a.noconvert().none() = nb::none(),
      "One pass of coordinate ascent in the dual of a linear support vector machine, or of four or eight, or of four "
      "of each class against the rest, those of a class side by side, where labels are classes; to `lacks` is added "
      "by how much the vectors, and after them the biases, are above their means over the pass. With the inverse of a "
      "diagonal A they are machines of the rows A^-1/2 x, by vectors that give the rows x the same scores. To `gains` "
      "is added by how much the "
      "pass raised the dual of each.");
  m.def("sum_of_squares", &sum_of_squares, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "inverse"_a.noconvert(), "The sum of x'A^-1 x over all rows x, A a diagonal.");
  m.def(
      "sight_margins", &sight_margins, "values"_a.noconvert(), "indices"_a.noconvert().none(),
      "starts"_a.noconvert().none(), "labels"_a.noconvert(), "intercept"_a, "directions"_a.noconvert(),
      "biases"_a.noconvert(), "whose"_a.noconvert(), "times"_a.noconvert(), "least"_a.noconvert(),
      "norms"_a.noconvert(), "margins"_a.noconvert(),
      "What `sight` does, with the margins of all rows written down, a row each direction. Of each direction the "
      "bins that have any, those of positive margins first: their places; rounds, sum of margins and sum of their "
      "squares; the same of all negative margins, and of all up to each positive bin; and the sums over all of them.");
  m.def("leads", &leads, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
        "labels"_a.noconvert(), "intercept"_a, "vectors"_a.noconvert(), "biases"_a.noconvert(), "classes"_a,
        "leads"_a.noconvert(),
        "Write by how much the class of each row is above the best other one, in the scores of matrices: the vectors "
        "of the classes of one, then those of the next.");
  m.def("hinge_sums", &hinge_sums, "margins"_a.noconvert(), "scale"_a,
        "The sums of the hinge losses of `scale` times the margins, and of their squares.");
  m.def("squares", &squares, "vector"_a.noconvert(), "The sum of the squares of a vector.");
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
  m.attr("MOST_COLUMNS_AN_ENTRY") = most_an_entry;
  m.attr("PENALTIES") = penalties;
}

}  // namespace regretless
