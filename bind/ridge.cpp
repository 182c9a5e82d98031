// Ridge logistic regression.
#include "ridge.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "compiled.hpp"
#include "pieces.hpp"
#include "player.hpp"
#include "regretless/ridge_types.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

Report ridge_regression(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
                        const Signs& labels, double intercept, const Reals& tilt, double over, double reach,
                        const State1& best) {
  Rounds r = rounds_of(values, indices, starts, labels, std::nullopt, std::nullopt, 0, -1, 1);
  demand(!r.block.single, "values are in double precision");
  demand(std::isfinite(intercept) && over > 0 && std::isfinite(over) && reach > 0, "a parameter is out of its range");
  demand(tilt.size() > 0 && best.size() == tilt.size(), "a tilt and a weight of each column, and of the constant one");
  RidgeProblem p;
  p.tilt = tilt.data();
  p.best = best.data();
  p.intercept = intercept;
  p.over = over;
  p.reach = reach;
  p.columns = std::int64_t(tilt.size());
  nb::gil_scoped_release unlocked;
  std::optional<OwnRows> own;
  if (r.block.starts) r.block = own.emplace(r.block).block();
  const auto room =
      std::make_unique_for_overwrite<double[]>(std::size_t(ridge_room(r.block.rows, p.columns, r.block.entries)));
  p.room = room.get();
  return report(REGRETLESS_COMPILED(ridge_kernels).minimise(r.block, r.of, p));
}

}  // namespace

void bind_ridge(nb::module_& m) {
  m.def("ridge_regression", &ridge_regression, "values"_a.noconvert(), "indices"_a.noconvert().none(),
        "starts"_a.noconvert().none(), "labels"_a.noconvert(), "intercept"_a, "tilt"_a.noconvert(), "over"_a, "reach"_a,
        "best"_a.noconvert(), "About the minimiser of the log loss of rows in units of the penalty, and of a tilt.");
}

}  // namespace regretless
