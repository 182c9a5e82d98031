// Multiples of directions in one table, and the least of what a formula makes of them.
#include "multiples.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "handed_over.hpp"
#include "regretless/multiples.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Sums = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Five = std::tuple<double, double, double, double, double>;
using RayGiven = std::tuple<Order, Sums, Five>;
using EdgeSpan = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
using SpanStarts = std::vector<std::int64_t>;

std::vector<SummedRay> summed(const std::vector<RayGiven>& given) {
  std::vector<SummedRay> rays;
  for (const auto& [places, below, numbers] : given) {
    demand(below.shape(0) == places.size() + 1 && below.shape(1) == 3, "sums of margins up to each bin");
    const auto& [size, least, own, product, divergence] = numbers;
    rays.push_back({places.data(), below.data(), std::int64_t(places.size()), size, least, own, product, divergence});
  }
  return rays;
}

std::tuple<SpanStarts, Array1<std::int64_t>, Table> multiples(
    const std::vector<RayGiven>& given, const std::vector<EdgeSpan>& spans, std::int64_t step,
    const std::vector<std::pair<std::int64_t, double>>& ends) {
  const std::vector<SummedRay> rays = summed(given);
  const auto known = [&](std::int64_t ray) {
    demand(ray >= 0 && ray < std::int64_t(rays.size()), "no such ray");
    return std::size_t(ray);
  };
  demand(step > 0 && step < ray_side, "a step upwards, to another edge");
  SpanStarts starts{0};
  for (const auto& [ray, first, last] : spans) {
    demand(first >= 0 && last < ray_side - 1, "edges beyond the last one");
    starts.push_back(starts.back() + (last < first ? 0 : (last - first) / step + 1));
  }
  for (std::size_t k = 0; k < ends.size(); ++k) starts.push_back(starts.back() + 1);
  const auto count = std::size_t(starts.back());
  auto edges = std::make_unique_for_overwrite<std::int64_t[]>(count);
  auto numbers = std::make_unique_for_overwrite<double[]>(MultiplesTable::numbers_of_a_multiple * count);
  std::fill_n(edges.get(), count, -1);
  MultiplesTable table{numbers.get(), std::int64_t(count)};
  for (const auto& [ray, first, last] : spans) table.add_edges(rays[known(ray)], first, last, step, edges.get());
  for (const auto& [ray, s] : ends) table.add_end(rays[known(ray)], s);
  double* const data = numbers.get();
  return {std::move(starts), handed_over(edges, count),
          Table(data, {MultiplesTable::numbers_of_a_multiple, count}, owner_of(numbers))};
}

std::vector<std::vector<std::pair<double, std::int64_t>>> least_by_span(const std::vector<Reals>& each,
                                                                        const SpanStarts& starts) {
  std::vector<std::vector<std::pair<double, std::int64_t>>> all;
  demand(!starts.empty() && starts[0] == 0 && std::is_sorted(starts.begin(), starts.end()), "spans in their order");
  for (const Reals& numbers : each) {
    demand(starts.back() == std::int64_t(numbers.size()), "a number of each multiple");
    auto& its = all.emplace_back();
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
      const Least least = least_of(numbers.data(), starts[k], starts[k + 1]);
      its.emplace_back(least.number, least.place);
    }
  }
  return all;
}

}  // namespace

void bind_multiples(nb::module_& m) {
  m.def("multiples", &multiples, "rays"_a, "spans"_a, "step"_a, "ends"_a,
        "Multiples of the directions of rays, which are given as the places of bins of positive margins, what is below "
        "each of them, and size, smallest margin, own length, product and divergence: of each span, a ray with its "
        "first and last edge, at every `step`th edge; and of each end, a ray with a scale, v = 0 or the multiple whose "
        "smallest margin is 1. Where those of each begin; at which edge each is, -1 at none; and a table of scales, "
        "sums of hinge losses and of their squares, lengths, smallest margins, own lengths, products, divergences.");
  m.def("least_by_span", &least_by_span, "each"_a, "starts"_a,
        "The least of those numbers of each span that are finite, and where it stands; infinity where none is.");
}

}  // namespace regretless
