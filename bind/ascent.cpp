// The search for comparators of rows in memory: linear support vector machines by coordinate ascent in the dual, and
// margins along directions.
#include "ascent.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "pieces.hpp"
#include "player.hpp"
#include "regretless/ascent_types.hpp"
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
  m.attr("PENALTIES") = penalties;
}

}  // namespace regretless
