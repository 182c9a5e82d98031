// E-detectors: a column of losses, and the state before and after it.
#include "detector.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <optional>

#include "handed_over.hpp"
#include "regretless/detector.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

constexpr std::int64_t few_losses = 1024;  // a call on fewer keeps the interpreter's lock

using OfBets = std::array<double, detector_bets>;
using Starts = std::array<std::int64_t, detector_bets>;
using RaisedAlarms = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Detected = std::tuple<Array1<double>, OfBets, OfBets, Starts, RaisedAlarms>;

Detected detect_column(const Reals& losses, const std::array<std::pair<double, double>, detector_bets>& factors,
                       const OfBets& capitals, const OfBets& products, const Starts& starts, double mean_rounds,
                       std::int64_t rounds) {
  DetectorBets bets{};
  for (int b = 0; b < detector_bets; ++b) std::tie(bets.rest[b], bets.gain[b]) = factors[b];
  Detector state{capitals, products, starts};
  std::unique_ptr<double[]> evidence(new double[losses.size()]);
  std::vector<DetectorAlarm> alarms;
  const std::int64_t count = std::int64_t(losses.size());
  demand(rounds >= 0 && rounds <= std::numeric_limits<std::int64_t>::max() - count, "rounds that can be counted");
  {
    std::optional<nb::gil_scoped_release> unlock;
    if (count > few_losses) unlock.emplace();
    detect(state, bets, mean_rounds, rounds, losses.data(), count, evidence.get(), alarms);
  }
  RaisedAlarms raised;
  for (const DetectorAlarm& alarm : alarms) raised.emplace_back(alarm.round, alarm.since);
  return {handed_over(evidence, losses.size()), state.capitals, state.products, state.starts, std::move(raised)};
}

}  // namespace

void bind_detector(nb::module_& m) {
  m.def("detect", &detect_column, "losses"_a.noconvert(), "factors"_a, "capitals"_a, "products"_a, "starts"_a,
        "mean_rounds"_a, "rounds"_a,
        "An e-detector's evidence after each loss, its capitals, products and starts after the last, and the round of "
        "each alarm with the one since which losses are worse. Of factors (rest, gain), one for each bet, a loss x "
        "multiplies by rest + gain x; `rounds` are those before.");
}

}  // namespace regretless
