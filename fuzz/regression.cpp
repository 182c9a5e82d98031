// Learners of numbers: hostile rows and outcomes, and state that somebody else wrote. A fresh learner forecasts finite
// numbers within the range of the outcomes so far; dense rows, the same rows sparse, and rounds in two calls teach it
// the same bits; scoring leaves it as it was.
#include "regretless/aggregated_types.hpp"
#include "regretless/regression_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

constexpr double largest = 1e70;  // of outcomes: what the binding's callers see to

struct Learner {
  std::int64_t columns;
  bool sound;
  RegressionRules rules;
  std::vector<double> cells, memory, weights, scales, factor, books;

  explicit Learner(Input& in) : columns(in.below(20)), sound(in.byte() < 192) {
    constexpr std::string_view losses[] = {"square", "pinball", "absolute", "huber", "poisson"};
    constexpr std::string_view schedules[] = {"", "constant", "inverse-sqrt", "scale-free"};
    const auto kind = in.below(6);
    if (kind < 4) rules.schedule = schedules[kind];
    else rules.matrix = kind == 4 ? "diagonal" : "newton";
    const bool squares = rules.diagonal() || rules.newton();  // which know of no other loss
    rules.loss = losses[squares ? 0 : in.below(rules.descends() ? 5 : 2)];
    rules.fulls = rules.loss != "square" || rules.descends() || rules.diagonal() ? 0 : int(in.below(4));
    if (rules.newton() && rules.fulls == 0) rules.fulls = 1;
    const auto positive = [&] { return sound ? 1e-3 + in.unit() : in.any(); };
    if (kind == 0 && (rules.fulls == 0 || in.flag()))
      for (double& rate : rules.rates) rate = &rate == rules.rates || in.flag() ? positive() : 0;
    for (int k = 0; k < rules.fulls; ++k) rules.priors[k] = positive();
    rules.tau = rules.loss == "pinball" ? (sound ? 0.01 + 0.98 * in.unit() : in.any()) : positive();
    rules.step = positive();
    rules.intercept = sound ? double(in.below(3)) : in.any();
    rules.share = in.flag();
    const auto number = [&] { return sound ? 0.0 : in.any(); };
    cells = array<double>(columns * regression_cell_size, number);
    memory = array<double>(regression_memory_size, number);
    const std::int64_t n = 1 + columns;
    weights = array<double>(rules.fulls * n, number);
    scales = array<double>(rules.fulls * n, number);
    factor = array<double>(rules.fulls * factor_size(n), number);
    books = array<double>(ledger_size, number);
    if (sound) enlist();
  }
  RegressionMemory& record() { return *reinterpret_cast<RegressionMemory*>(at(memory)); }
  // The members that the rules name, with equal weights.
  void enlist() {
    bool there[regression_lanes] = {};
    int members = 0;
    for (int k = 0; k < regression_rates; ++k) there[k] = rules.rates[k] > 0;
    if (rules.descends() || rules.diagonal()) there[0] = true;
    for (int k = 0; k < rules.fulls; ++k) there[regression_full_lane + k] = true;
    for (const bool one : there) members += one;
    for (int k = 0; k < regression_lanes; ++k)
      if (there[k]) record().prior[k] = record().weight[k] = 1.0 / members;
  }
  Regression state() {
    Regression s;
    s.cells = at(cells);
    s.memory = &record();
    s.book = reinterpret_cast<Ledger*>(at(books));
    s.columns = columns;
    if (rules.fulls) {
      s.weights = at(weights);
      s.scales = at(scales);
      s.factor = at(factor);
    }
    return s;
  }
  LinearVerdict play(const Block& block, const std::vector<double>& outcomes, std::int64_t begin, std::int64_t end,
                     std::vector<double>& forecasts) {
    Regression s = state();
    s.forecasts = at(forecasts);
    return KERNELS(regression_).play(block, at(outcomes), rules, s, begin, end);
  }
  bool is_like(const Learner& other) const {
    return same(cells, other.cells) && same(memory, other.memory) && same(weights, other.weights) &&
           same(scales, other.scales) && same(factor, other.factor) && same(books, other.books);
  }
  bool finite() const {
    return all_finite(cells) && all_finite(memory) && all_finite(weights) && all_finite(scales) && all_finite(factor) &&
           all_finite(books);
  }
};

std::vector<double> outcomes_of(Input& in, const Learner& learner, std::int64_t rows) {
  return array<double>(rows, [&] {
    const double y = in.any();
    if (!learner.sound) return y;
    const double outcome = std::fabs(y) <= largest ? y : 1;
    return learner.rules.loss == "poisson" ? std::fabs(outcome) : outcome;
  });
}

// Forecasts of a fresh learner lie within the outcomes before them; the first is a number.
void check_forecasts(const std::vector<double>& forecasts, const std::vector<double>& outcomes, std::int64_t begin,
                     std::int64_t end) {
  for (std::int64_t t = begin; t < end; ++t) MUST(std::isfinite(forecasts[std::size_t(t)]));
  double low = outcomes[std::size_t(begin)], high = low;
  for (std::int64_t t = begin + 1; t < end; ++t) {
    const double p = forecasts[std::size_t(t)], room = 1e-9 * (std::fabs(low) + std::fabs(high));
    MUST(p >= low - room && p <= high + room);
    low = std::fmin(low, outcomes[std::size_t(t)]);
    high = std::fmax(high, outcomes[std::size_t(t)]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Learner learner(in);
  Rounds r;
  fill(in, r, learner.columns, 1, learner.sound);
  r.block.order = nullptr;
  r.count = r.block.rows;
  r.end = r.end < r.count ? r.end : r.count;
  r.begin = r.begin < r.end ? r.begin : r.end;
  const std::vector<double> outcomes = outcomes_of(in, learner, r.count);
  const Learner before = learner;
  std::vector<double> forecasts = zeros(r.count), others = forecasts;
  const LinearVerdict outcome = learner.play(r.block, outcomes, r.begin, r.end, forecasts);
  MUST(outcome.played >= r.begin && outcome.played <= r.end);
  MUST((outcome.refusal == LinearRefusal::none) == (outcome.played == r.end));
  if (learner.sound) {
    check_books(learner.books, 1, outcome.played - r.begin);
    if (outcome.played > r.begin && learner.rules.loss != "poisson")
      check_forecasts(forecasts, outcomes, r.begin, outcome.played);
  }

  Learner again = before;
  const std::int64_t middle = in.within(r.begin, outcome.played);
  MUST(again.play(r.block, outcomes, r.begin, middle, others).played == middle);
  again.play(r.block, outcomes, middle, r.end, others);
  MUST(again.is_like(learner) && same(forecasts, others));

  if (can_be_thinned(r, learner.columns) && learner.finite() && before.finite()) {
    Rounds sparse;
    thin(r, sparse);
    Learner twin = before;
    MUST(twin.play(sparse.block, outcomes, r.begin, r.end, others).played == outcome.played);
    MUST(twin.is_like(learner) && same(forecasts, others));
  }
  const Learner unmoved = learner;
  std::vector<double> scores = zeros(r.count), members = zeros(r.count * regression_lanes);
  KERNELS(regression_).score(r.block, learner.rules, learner.state(), at(scores), in.flag() ? at(members) : nullptr);
  MUST(learner.is_like(unmoved));
  return 0;
}
