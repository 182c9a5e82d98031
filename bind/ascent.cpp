// Linear support vector machines by coordinate ascent in the dual.
#include "ascent.hpp"

#include <cmath>

#include "compiled.hpp"
#include "pieces.hpp"
#include "player.hpp"
#include "regretless/ascent_types.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

Report climb(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
             const Signs& labels, const std::optional<Order>& order, double intercept, const State2& vectors,
             const State1& biases, const State2& multipliers, const Reals& most, bool last) {
  constexpr std::size_t one = penalties, both = 2 * penalties;
  const Rounds r = rounds_of(values, indices, starts, labels, std::nullopt, order, 0, -1, 1);
  demand(vectors.shape(1) == both && biases.size() == both, "each vector beside what its mean lacks");
  demand(most.size() == one && multipliers.shape(1) == one, "four penalties");
  for (std::size_t k = 0; k < one; ++k)
    demand(most.data()[k] > 0 && std::isfinite(most.data()[k]), "the most of a multiplier is a finite number above 0");
  demand(std::int64_t(multipliers.shape(0)) == r.block.rows, "multipliers for each row");
  Ascent a;
  a.vectors = vectors.data();
  a.biases = biases.data();
  a.most = most.data();
  a.columns = std::int64_t(vectors.shape(0));
  a.rounds = r.count;
  a.last = last;
  nb::gil_scoped_release unlocked;
  return report(
      in_pieces(r, [&](const Block& rows, const Labels& of, std::int64_t begin, std::int64_t end, std::int64_t first) {
        a.multipliers = multipliers.data() + penalties * first;
        a.before = first;
        return REGRETLESS_COMPILED(ascent_kernels).climb(rows, of, intercept, a, begin, end);
      }));
}

}  // namespace

void bind_ascent(nb::module_& m) {
  m.def("climb", &climb, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
        "labels"_a.noconvert(), "order"_a.noconvert().none(), "intercept"_a, "vectors"_a.noconvert(),
        "biases"_a.noconvert(), "multipliers"_a.noconvert(), "most"_a.noconvert(), "last"_a,
        "One pass of coordinate ascent in the dual of four linear support vector machines.");
  m.attr("PENALTIES") = penalties;
}

}  // namespace regretless
