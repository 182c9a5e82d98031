// Second-order learners, their matrix whole or diagonal: hostile rows, and state that somebody else wrote. A fresh
// learner keeps its books in order, and dense rows, the same rows sparse, and rounds in two calls teach it the same
// bits.
#include "regretless/second_order_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Learner {
  std::int64_t columns, targets, numbers = 0;
  bool sound, whole, sized;
  Rules rules;
  std::vector<double> records, sums, weights, scales, factor, memory, books, scratch;

  explicit Learner(Input& in)
      : columns(in.below(20)), targets(in.byte() < 160 ? 1 : in.within(2, 5)), sound(in.byte() < 192), whole(in.flag()),
        sized(in.flag()) {
    const bool by_sums = in.flag();
    rules.loss = by_sums ? "perceptron" : "squared-hinge";
    rules.tie = double(in.within(-1, 1));
    rules.intercept = sound ? std::fabs(in.finite()) : in.any();
    const double prior = sound ? std::fabs(in.finite()) : in.any();
    const auto number = [&] { return sound ? 0.0 : in.any(); };
    memory = array<double>(targets * second_order_memory_size, number);
    if (sound)
      for (std::int64_t c = 0; c < targets; ++c)
        memory[std::size_t(c * second_order_memory_size)] = prior > 0 ? prior : 1;  // sizes are 0
    const std::int64_t n = columns + 1;
    if (whole) {
      for (std::vector<double>* of : {&sums, &weights, &scales}) *of = array<double>(targets * n, number);
      if (sound) scales = array<double>(targets * n, [&] { return 1 / (prior > 0 ? prior : 1); });
      factor = array<double>(targets * factor_size(n), number);
    } else {
      numbers = by_sums        ? numbers_by_sums * targets
                : targets == 1 ? numbers_by_one_weight
                : sized        ? numbers_by_sizes * targets
                               : numbers_by_weights * targets;
      records = array<double>(columns * numbers, number);
    }
    books = array<double>((targets + (targets > 1)) * ledger_size, number);
    scratch = zeros(5 * targets + 4 * (columns + 8));
  }
  SecondOrder state() {
    SecondOrder s;
    if (whole) {
      s.sums = at(sums);
      s.weights = at(weights);
      s.scales = at(scales);
      s.factor = at(factor);
    } else {
      s.records = at(records);
      s.numbers = numbers;
      s.sized = sized;
    }
    s.memory = reinterpret_cast<SecondOrderMemory*>(at(memory));
    s.book = reinterpret_cast<Ledger*>(at(books));
    s.scratch = at(scratch);
    s.columns = columns;
    s.targets = targets;
    return s;
  }
  LinearVerdict play(const Rounds& r, std::int64_t begin, std::int64_t end) {
    return KERNELS(second_order_).play(r.block, r.of, rules, state(), begin, end);
  }
  bool is_like(const Learner& other) const {
    return same(records, other.records) && same(sums, other.sums) && same(weights, other.weights) &&
           same(scales, other.scales) && same(factor, other.factor) && same(memory, other.memory) &&
           same(books, other.books);
  }
  bool finite() const {
    return all_finite(records) && all_finite(sums) && all_finite(weights) && all_finite(scales) && all_finite(factor) &&
           all_finite(memory) && all_finite(books);
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
  KERNELS(second_order_).score(all, learner.rules, learner.state(), at(scores));
  return 0;
}
