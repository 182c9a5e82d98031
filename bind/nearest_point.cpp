// The nearest point of a convex hull of few columns.
#include "nearest_point.hpp"

#include <cmath>

#include "compiled.hpp"
#include "player.hpp"
#include "regretless/nearest_point_types.hpp"
#include "room.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

constexpr std::int64_t most_columns = 1 << 12;  // the factor takes their square
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const char* name_of(HullEnd end) {
  switch (end) {
    case HullEnd::near: return "near";
    case HullEnd::nothing: return "nothing";
    case HullEnd::late: return "late";
    case HullEnd::stalled: break;
  }
  return "stalled";
}

std::pair<std::string, double> nearest_point(const Rows& rows, const State1& weights, const State1& point,
                                             double tolerance, double nothing, double most_work) {
  Hull hull{};
  hull.values = rows.data();
  hull.rows = std::int64_t(rows.shape(0));
  hull.width = std::int64_t(rows.shape(1));
  demand(hull.rows > 0 && hull.width > 0 && hull.width <= most_columns, "from one row, and from one column to 4096");
  demand(std::int64_t(weights.size()) == hull.rows, "one weight per row");
  demand(std::int64_t(point.size()) == hull.width, "one number of the point per column");
  demand(tolerance >= 0 && nothing >= 0 && most_work >= 0, "tolerances and work are not negative");
  for (std::int64_t i = 0; i < hull.rows; ++i)
    demand(weights.data()[i] >= 0 && std::isfinite(weights.data()[i]), "weights are finite and not negative");
  hull.tolerance = tolerance;
  hull.nothing = nothing;
  hull.most_work = most_work;
  hull.weights = weights.data();
  hull.point = point.data();
  const Room room = room_for(hull_room(hull));
  std::vector<std::int64_t> places(std::size_t(corral_rows(hull)), 0);
  hull.room = room.get();
  hull.places = places.data();
  nb::gil_scoped_release unlock;
  const HullEnd end = REGRETLESS_COMPILED(hull_kernels).nearest(hull);
  return {name_of(end), hull.work};
}

}  // namespace

void bind_nearest_point(nb::module_& m) {
  m.def("nearest_point", &nearest_point, "rows"_a.noconvert(), "weights"_a.noconvert(), "point"_a.noconvert(),
        "tolerance"_a, "nothing"_a, "most_work"_a,
        "The weights of the point of the rows' convex hull that is nearest to the origin, and the point, are written "
        "into the arrays; the search begins at the weights, or anywhere if all are zero. How it ended, near, nothing, "
        "stalled or late, and its multiplications.");
}

}  // namespace regretless
