// Learners that are mixed: hostile rows, and state that somebody else wrote. A fresh learner keeps its books in order,
// and dense rows, the same rows sparse, and rounds in two calls teach it the same bits; scoring leaves it as it was.
#include "regretless/aggregated_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Learner {
  std::int64_t columns, targets;
  bool sound, whole;
  AggregatedRules rules;
  std::vector<double> cells, memory, weights, scales, factor, books;

  explicit Learner(Input& in)
      : columns(in.below(20)), targets(in.byte() < 160 ? 1 : in.within(2, 5)), sound(in.byte() < 192),
        whole(in.flag()) {
    for (double& rate : rules.rates) rate = sound ? in.unit() : in.any();
    for (double& curvature : rules.curvature) curvature = sound ? 0.1 + 0.9 * in.unit() : in.any();
    rules.stack_curvature = sound ? 0.1 + 0.9 * in.unit() : in.any();
    rules.full_prior = sound ? 0.01 : in.any();
    rules.intercept = sound ? double(in.below(3)) : in.any();
    rules.tie = 1;
    rules.share = in.flag();
    const auto number = [&] { return sound ? 0.0 : in.any(); };
    cells = array<double>(columns * targets * aggregated_cell_size, number);
    memory = array<double>(targets * aggregated_memory_size, number);
    if (sound) enlist(in);
    if (whole) {
      const std::int64_t n = 1 + columns, rows = targets * full_lanes;
      weights = array<double>(rows * n, number);
      scales = array<double>(rows * n, number);
      factor = array<double>(rows * factor_size(n), number);
    }
    books = array<double>((targets + (targets > 1)) * ledger_size, number);
  }
  // Some of the members, and one at least, with equal weights.
  void enlist(Input& in) {
    bool there[aggregated_lanes];
    int members = 0;
    for (int k = 0; k < aggregated_lanes; ++k)
      members += there[k] = k == 0 || (in.byte() < 192 && (k < full_lane || k == stack_lane || whole));
    for (std::int64_t c = 0; c < targets; ++c)
      for (int k = 0; k < aggregated_lanes; ++k)
        if (there[k]) of_target(c).prior[k] = of_target(c).weight[k] = 1.0 / members;
    for (std::int64_t c = 0; c < targets; ++c)
      for (double& scale : of_target(c).stack_scales) scale = 5;
  }
  AggregatedMemory& of_target(std::int64_t c) { return reinterpret_cast<AggregatedMemory*>(at(memory))[c]; }
  Aggregated state() {
    Aggregated s;
    s.cells = at(cells);
    s.memory = reinterpret_cast<AggregatedMemory*>(at(memory));
    s.book = reinterpret_cast<Ledger*>(at(books));
    s.columns = columns;
    s.targets = targets;
    if (whole) {
      s.weights = at(weights);
      s.scales = at(scales);
      s.factor = at(factor);
    }
    return s;
  }
  LinearVerdict play(const Rounds& r, std::int64_t begin, std::int64_t end) {
    return KERNELS(aggregated_).play(r.block, r.of, rules, state(), begin, end);
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Learner learner(in);
  Rounds r;
  fill(in, r, learner.columns, learner.targets, learner.sound);
  const Learner before = learner;
  const LinearVerdict outcome = learner.play(r, r.begin, r.end);
  MUST(outcome.played >= r.begin && outcome.played <= r.end);
  MUST((outcome.refusal == LinearRefusal::none) == (outcome.played == r.end));
  if (learner.sound) check_books(learner.books, learner.targets, outcome.played - r.begin);

  Learner again = before;
  const std::int64_t middle = in.within(r.begin, outcome.played);
  MUST(again.play(r, r.begin, middle).played == middle);
  again.play(r, middle, r.end);
  MUST(again.is_like(learner));

  if (can_be_thinned(r, learner.columns) && learner.finite() && before.finite()) {
    Rounds sparse;
    thin(r, sparse);
    Learner twin = before;
    MUST(twin.play(sparse, r.begin, r.end).played == outcome.played);
    MUST(twin.is_like(learner));
  }
  Block all = r.block;
  all.order = nullptr;
  std::vector<double> scores = zeros(r.block.rows * learner.targets);
  const Learner unmoved = learner;
  KERNELS(aggregated_).score(all, learner.rules, learner.state(), at(scores));
  MUST(learner.is_like(unmoved));
  return 0;
}
