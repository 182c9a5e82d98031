// Rules that combine experts, on hostile advice and outcomes, with state from the start or from anywhere. What is kept
// here is what the binding demands of shapes and parameters. Rounds in two calls, and rounds that also write down their
// weights, leave the same bits; weights are shares of one; late outcomes stay in the slots they wait in.
#include "input.hpp"
#include "regretless/expert_types.hpp"

#include <algorithm>
#include <iterator>

namespace {

using namespace fuzz;
using namespace regretless;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Learner {
  std::int64_t experts, width;
  bool sound;
  Combination s{};
  std::vector<double> powers, state, memory, book, tallies, prior;

  explicit Learner(Input& in)
      : experts(in.within(1, 20)), width(in.byte() < 200 ? 1 : in.within(1, 4)), sound(in.byte() < 192) {
    const auto rules = KERNELS(combiners_).rules;
    s.place = int(in.below(std::int64_t(rules.size())));
    s.rule = rules[std::size_t(s.place)];
    s.charge = ChargeKind(in.below(std::ssize(charge_names)));
    s.schedule = ScheduleKind(in.below(std::ssize(schedule_names)));
    if (s.rule.counts) s.charge = ChargeKind::zero_one;
    if (s.charge != ChargeKind::square && s.charge != ChargeKind::log) width = 1;
    s.linear = s.charge != ChargeKind::zero_one && s.charge != ChargeKind::table && in.flag();
    s.linear |= s.charge == ChargeKind::wealth;
    s.rate = std::fabs(in.any());
    if (!(s.rate > 0)) s.rate = 1;
    s.span = std::fabs(in.any());
    s.alpha = in.unit();
    s.tau = in.unit();
    if (!(s.span >= 0)) s.span = 0;
    if (!(s.alpha < 1)) s.alpha = 0.5;
    if (!(s.tau > 0 && s.tau < 1)) s.tau = 0.5;
    if (s.rule.shares && s.schedule == ScheduleKind::self_tuned && s.alpha == 0) s.alpha = 0.25;
    s.low = -infinity;
    s.high = infinity;
    if (in.byte() < 100) {
      s.low = in.any();
      s.high = in.any();
      if (!(s.low <= s.high)) {
        s.low = 0;
        s.high = 1;
      }
    }
    const bool bounded =
        s.charge == ChargeKind::square && width == 1 && s.low > -infinity && s.high < infinity && s.low < s.high;
    s.substitute = in.flag() && s.rule.exponential && s.schedule == ScheduleKind::constant && !s.linear &&
                   (s.charge == ChargeKind::log || bounded);
    if (s.charge == ChargeKind::log || s.charge == ChargeKind::wealth) s.low = std::max(s.low, 0.0);
    if (s.charge == ChargeKind::log) s.high = std::min(s.high, 1.0);
    s.always = in.flag();
    s.experts = experts;
    s.width = width;
    const auto number = [&] { return sound ? 0.0 : in.any(); };
    powers = array<double>(in.within(2, 5), [&] { return in.unit(); });
    powers[0] = 1;
    state = array<double>(s.rule.rows * experts, number);
    memory = array<double>(combiner_memory_size, number);
    book = array<double>(expert_book_size, number);
    tallies = array<double>(tally_rows * experts, number);
    const bool even = in.flag();
    prior = array<double>(experts, [&] { return even ? 1.0 / double(experts) : sound ? in.unit() : in.any(); });
    if (sound) normalise();
    if (s.rule.shares && sound) std::copy(prior.begin(), prior.end(), state.begin());  // its first weights
  }
  // Prior weights sum to one: the caller sees to that.
  void normalise() {
    double sum = 0;
    for (const double one : prior) sum += one;
    for (double& one : prior) one = sum > 1e-3 ? one / sum : 1.0 / double(experts);
  }
  Combination combination(const Aligned& scratch) {
    Combination c = s;
    c.powers = at(powers);
    c.power_count = std::int64_t(powers.size());
    c.state = at(state);
    c.memory = reinterpret_cast<CombinerMemory*>(at(memory));
    c.book = reinterpret_cast<ExpertBook*>(at(book));
    c.tallies = at(tallies);
    c.prior = at(prior);
    c.scratch = at(scratch);
    return c;
  }
  bool is_like(const Learner& other) const {
    return same(state, other.state) && same(memory, other.memory) && same(book, other.book) &&
           same(tallies, other.tallies);
  }
};

struct Table {
  std::vector<double> numbers, outcomes;
  std::vector<float> floats;  // the same numbers, in place of which late rounds read them
  std::int64_t rounds;
  Advice advice{};

  Table(Input& in, const Learner& learner) : rounds(in.below(12)) {
    const std::int64_t size = rounds * learner.experts * learner.width;
    const std::uint8_t tame = in.byte();  // how many are shares rather than anything
    const auto number = [&] { return in.byte() < tame ? in.unit() : in.byte() < 128 ? double(in.flag()) : in.any(); };
    if (in.flag()) {
      floats = array<float>(size, [&] {
        const double x = number();
        return std::fabs(x) < 3e38 ? x : 1;
      });
      numbers.assign(floats.begin(), floats.end());
    } else {
      numbers = array<double>(size, number);
    }
    advice.values = at(numbers);
    outcomes = array<double>(rounds * learner.width, number);
    if (learner.s.charge != ChargeKind::table && learner.s.charge != ChargeKind::wealth) advice.outcomes = at(outcomes);
  }
};

void check_weights(const std::vector<double>& weights, std::int64_t experts) {
  for (std::size_t t = 0; t < weights.size(); t += std::size_t(experts)) {
    double sum = 0;
    for (std::int64_t i = 0; i < experts; ++i) {
      MUST(weights[t + std::size_t(i)] >= 0);
      sum += weights[t + std::size_t(i)];
    }
    MUST(std::fabs(sum - 1) < 1e-9);
  }
}

void check_plays(Input& in, Learner learner, const Table& table) {
  const Aligned scratch(scratch_size(learner.experts, learner.width));
  Learner split = learner, other = learner;
  std::vector<double> predictions = zeros(table.rounds * learner.width), losses = zeros(table.rounds);
  const Results plain{at(predictions), at(losses), nullptr, nullptr, nullptr};
  const ExpertVerdict verdict =
      KERNELS(combiners_).play(learner.combination(scratch), table.advice, plain, 0, table.rounds);
  MUST(verdict.row >= 0 && verdict.row <= table.rounds);
  MUST((verdict.refusal == ExpertRefusal::none) == (verdict.row == table.rounds));
  MUST(verdict.column >= -1 && verdict.column < learner.experts);

  const std::int64_t middle = in.within(0, verdict.row);
  MUST(KERNELS(combiners_).play(split.combination(scratch), table.advice, {}, 0, middle).row == middle);
  KERNELS(combiners_).play(split.combination(scratch), table.advice, {}, middle, table.rounds);
  MUST(split.is_like(learner));

  std::vector<double> weights = zeros(table.rounds * learner.experts);
  const Results all{nullptr, nullptr, at(weights), nullptr, nullptr};
  MUST(KERNELS(combiners_).play(other.combination(scratch), table.advice, all, 0, table.rounds).row == verdict.row);
  MUST(other.is_like(learner));
  if (!learner.sound) return;
  const auto& book = *reinterpret_cast<const ExpertBook*>(at(learner.book));
  MUST(book.rounds == double(verdict.row) && is_count(book.mistakes, book.rounds));
  weights.resize(std::size_t(verdict.row * learner.experts));
  check_weights(weights, learner.experts);
  for (std::int64_t t = 0; t < verdict.row; ++t) MUST(std::isfinite(losses[std::size_t(t)]));
}

void draw(Input& in, Learner learner, const Table& table) {
  const Aligned scratch(scratch_size(learner.experts, learner.width));
  const auto uniforms = array<double>(table.rounds, [&] { return in.any(); });
  std::vector<std::int64_t> chosen(std::size_t(table.rounds), 0);
  const Results to{nullptr, nullptr, nullptr, at(uniforms), at(chosen)};
  KERNELS(combiners_).play(learner.combination(scratch), table.advice, to, 0, table.rounds);
  for (const std::int64_t one : chosen) MUST(one >= 0 && one < learner.experts);
}

// Outcomes that are late by up to three rounds, each row in the slot of its number modulo four.
void play_late(Input& in, Learner learner, const Table& table) {
  const Aligned scratch(scratch_size(learner.experts, learner.width));
  std::vector<std::vector<std::int64_t>> due(std::size_t(table.rounds + 1));
  for (std::int64_t t = 0; t < table.rounds; ++t) {
    const std::int64_t late = t + 1 + in.below(4);
    if (late <= table.rounds) due[std::size_t(late)].push_back(t);
    else if (t + 4 < table.rounds) due[std::size_t(t + 4)].push_back(t);
  }
  std::vector<std::int64_t> settle, starts{0}, slots;
  for (std::int64_t t = 0; t <= table.rounds; ++t) {
    settle.insert(settle.end(), due[std::size_t(t)].begin(), due[std::size_t(t)].end());
    starts.push_back(std::int64_t(settle.size()));
    if (t < table.rounds) slots.push_back(t % 4);
  }
  std::vector<double> pool = zeros(4 * learner.experts), predictions = zeros(table.rounds * learner.width);
  std::vector<double> line = zeros(learner.experts * learner.width);
  const Results to{at(predictions), nullptr, nullptr, nullptr, nullptr};
  KERNELS(combiners_)
      .play_delayed(
          learner.combination(scratch), table.advice, to,
          {at(settle), at(starts), at(slots), at(pool), table.floats.empty() ? nullptr : at(table.floats), at(line)},
          table.rounds);
}

void one_by_one(Input& in, Learner learner) {
  const Aligned scratch(scratch_size(learner.experts, learner.width));
  const Combination c = learner.combination(scratch);
  std::vector<double> own, charges, p, out = zeros(learner.experts), prediction = zeros(learner.width);
  for (std::vector<double>* numbers : {&own, &charges, &p})
    *numbers = array<double>(learner.experts, [&] { return in.any(); });
  if (!learner.s.substitute) KERNELS(combiners_).settle_charges(c, {at(own), at(charges), at(p), in.any(), in.any()});
  KERNELS(combiners_).weights(c, at(out)), KERNELS(combiners_).rates(c, at(out));
  KERNELS(combiners_).rate(c), KERNELS(combiners_).log_potential(c), KERNELS(combiners_).gap(c);
  const auto row = array<double>(learner.experts * learner.width, [&] { return in.any(); });
  const auto outcome = array<double>(learner.width, [&] { return in.any(); });
  double loss = 0;
  KERNELS(combiners_).predict(c, at(row), at(out), at(prediction));
  KERNELS(combiners_).settle(c, {at(row), at(outcome)}, at(p), at(prediction), &loss);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const Learner learner(in);
  const Table table(in, learner);
  check_plays(in, learner, table);
  if (in.byte() < 64) draw(in, learner, table);
  if (in.byte() < 64) play_late(in, learner, table);
  if (in.byte() < 64) one_by_one(in, learner);
  return 0;
}
