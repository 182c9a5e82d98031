// The nearest point of a convex hull: hostile rows, and weights to begin with. Of rows of moderate size, it is the mean
// of the rows by weights that are not negative and sum to 1, and none of them lies before it.
#include <cmath>

#include "input.hpp"
#include "regretless/nearest_point_types.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Search {
  std::int64_t rows, width;
  bool sound;
  std::vector<double> values, weights, point, room;
  std::vector<std::int64_t> places;
  Hull hull{};

  explicit Search(Input& in) : rows(in.within(1, 12)), width(in.within(1, 9)), sound(in.byte() < 192) {
    values = array<double>(rows * width, [&] { return sound ? double(in.within(-9, 9)) / 2 : in.any(); });
    const bool begun = in.flag();
    weights = array<double>(rows, [&] { return begun ? in.unit() : 0.0; });
    point = zeros(width);
    hull.rows = rows;
    hull.width = width;
    hull.tolerance = sound ? 1e-9 : std::fabs(in.finite());
    hull.nothing = sound ? 1e-9 : std::fabs(in.finite());
    hull.most_work = sound ? 1e6 : std::fabs(in.finite());
    room = zeros(hull_room(hull));
    places = array<std::int64_t>(corral_rows(hull), [] { return 0; });
    hull.values = at(values);
    hull.weights = at(weights);
    hull.point = at(point);
    hull.room = at(room);
    hull.places = at(places);
  }
  double product(std::int64_t row) const {
    double sum = 0;
    for (std::int64_t j = 0; j < width; ++j) sum += values[std::size_t(row * width + j)] * point[std::size_t(j)];
    return sum;
  }
  // No row is longer than 13.5, and the point is not either.
  void check(HullEnd end) const {
    constexpr double rounding = 1e-9;
    double total = 0, squares = 0;
    for (const double weight : weights) {
      MUST(weight >= 0);
      total += weight;
    }
    MUST(std::fabs(total - 1) < rounding);
    for (std::int64_t j = 0; j < width; ++j) {
      double mean = 0;
      for (std::int64_t i = 0; i < rows; ++i) mean += weights[std::size_t(i)] * values[std::size_t(i * width + j)];
      MUST(std::fabs(mean - point[std::size_t(j)]) < rounding);
      squares += point[std::size_t(j)] * point[std::size_t(j)];
    }
    const double size = std::sqrt(squares);
    if (end == HullEnd::nothing) MUST(size <= hull.nothing * (1 + rounding));
    for (std::int64_t i = 0; end == HullEnd::near && i < rows; ++i)
      MUST(product(i) >= squares * (1 - hull.tolerance) - rounding * size);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Search search(in);
  const HullEnd end = KERNELS(hull_kernels_).nearest(search.hull);
  MUST(search.hull.work >= 0);
  if (search.sound && (end == HullEnd::near || end == HullEnd::nothing)) search.check(end);
  return 0;
}
