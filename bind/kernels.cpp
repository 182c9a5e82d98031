// The kernels of one instruction set: this file is compiled once for each, REGRETLESS_ISA being its name.
#include <limits>

#include "regretless/any_rows.hpp"
#include "regretless/catalogue.hpp"
#include "regretless/fixed_vectors.hpp"
#include "regretless/multiclass.hpp"
#include "regretless/ray_histogram.hpp"
#include "regretless/selective.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static constexpr auto geometries = names_of(static_cast<AnyGeometry*>(nullptr));
static constexpr auto losses = names_of(static_cast<AnyLoss*>(nullptr), direct, selective);
static constexpr auto charges = charge_names(static_cast<AnyLoss*>(nullptr));

static LinearVerdict play(const Block& block, const Labels& labels, const Rules& rules, const State& state,
                          std::int64_t begin, std::int64_t end) {
  const Rate rate = AnyRate::named(rules);
  if (rules.loss == direct)
    return std::visit([&](const auto& rows) { return play_direct(rows, labels, rules, rate, state, begin, end); },
                      rows_of(block));
  if (rules.loss == selective)
    return std::visit([&](const auto& rows) { return play_selective(rows, labels, rules, rate, state, begin, end); },
                      rows_of(block));
  return std::visit(
      [&]<class G>(const auto& rows, const G& geometry, const auto& loss) {
        return state.targets == 1
                   ? play_one(rows, labels, rules, geometry, loss, rate, state, begin, end)
                   : play_many(rows, labels, rules, geometry, LossOfTargets<G>(loss), rate, state, begin, end);
      },
      rows_of(block), named<AnyGeometry>(rules.geometry, rules), named<AnyLoss>(rules.loss, rules));
}

static LinearVerdict score(const Block& block, const Rules& rules, const State& state, double* out) {
  return std::visit(
      [&](const auto& rows, const auto& geometry) { return score_all(rows, block.rows, rules, geometry, state, out); },
      rows_of(block), named<AnyGeometry>(rules.geometry, rules));
}

static LinearVerdict sight_rays(const Block& block, const Labels& labels, const Rules& rules, const Rays& rays) {
  return std::visit([&](const auto& rows) { return sight(rows, block.rows, labels, rules, rays); }, rows_of(block));
}

static LinearVerdict charge(const Block& block, const Labels& labels, const Rules& rules, const ChargedVectors& v) {
  return std::visit(
      [&](const auto& rows) {
        if (same_name(rules.loss, NoCharge::name)) return charge_all<NoCharge>(rows, block.rows, labels, rules, v);
        return std::visit(
            [&]<class L>(const L&) {
              using C = std::conditional_t<Charge<L>, L, NoCharge>;  // names of other losses were refused
              return charge_all<C>(rows, block.rows, labels, rules, v);
            },
            named<AnyLoss>(rules.loss, rules));
      },
      rows_of(block));
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const Kernels REGRETLESS_TABLE(kernels_) = {
    REGRETLESS_ISA::geometries, REGRETLESS_ISA::losses, REGRETLESS_ISA::AnyRate::facts, REGRETLESS_ISA::charges,
    REGRETLESS_ISA::play,       REGRETLESS_ISA::score,  REGRETLESS_ISA::sight_rays,     REGRETLESS_ISA::charge};
}  // namespace regretless
