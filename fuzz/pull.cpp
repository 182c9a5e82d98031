// Bandits: sum trees, tables of hostile losses, advice that may be none, masks, late and lost losses, with state from
// the start or from anywhere finite. What is kept here is what the binding demands of shapes, parameters and memory.
// Draws are of arms that are there (and awake), probabilities are some, and rounds in two calls leave the same bits.
#include "input.hpp"
#include "regretless/bandit_types.hpp"

#include <algorithm>

namespace {

using namespace fuzz;
using namespace regretless;

struct Bandit {
  std::int64_t arms, experts;
  bool sound;
  Pulling s{};
  std::vector<double> state, memory, book, tallies;
  Aligned nodes, room;

  static std::int64_t arms_of(Input& in) { return in.byte() < 200 ? in.within(1, 20) : in.within(1, 300); }
  Bandit(Input& in, int place, const PullRule& rule, std::int64_t n)
      : arms(n), experts(rule.advised ? in.within(1, 12) : n), sound(in.byte() < 160),
        nodes(pull_nodes(rule.cache, arms, experts)), room(pull_room(arms)) {
    s.place = place;
    s.rule = rule;
    s.schedule = PullSchedule(in.below(2));
    if (sound && rule.exact) s.schedule = PullSchedule::anytime;  // it knows no other
    const auto tangible = [&](double x) { return x >= (sound ? 1e-100 : 5e-324) && x <= (sound ? 1e100 : 1e300); };
    s.rate = std::fabs(in.finite());
    s.gamma = std::fabs(in.finite());
    if (!tangible(s.rate)) s.rate = 0.5;
    if (!tangible(s.gamma)) s.gamma = 0;
    s.beta = in.unit();
    s.explore = in.unit();
    s.share = in.unit();
    if (s.explore < 1e-290) s.explore = 0;
    if (s.share < 1e-290 || s.share == 1) s.share = rule.weighs ? 0.25 : 0;  // no rule with weights of its own has none
    s.reduced = in.flag();
    s.rewards = in.flag();
    s.low = in.finite();
    s.high = in.finite();
    if (in.flag() || !(s.low < s.high && std::isfinite(s.high - s.low))) {
      s.low = 0;
      s.high = 1;
    }
    s.arms = s.first_arms = arms;
    s.experts = experts;
    s.key0 = in.byte();
    s.key1 = in.byte();
    state = array<double>(rule.rows() * experts, [&] { return sound ? 0.0 : in.finite(); });
    if (rule.weighs) share_out();
    memory = zeros(pull_memory_size);
    book = zeros(pull_book_size);
    tallies = zeros(pull_tally_rows * arms);
    if (!sound) spoil(in);
    KERNELS(pullers_).rebuild(now());
  }
  Pulling now() {
    Pulling p = s;
    p.state = at(state);
    p.memory = reinterpret_cast<PullMemory*>(at(memory));
    p.book = reinterpret_cast<PullBook*>(at(book));
    p.tallies = at(tallies);
    p.nodes = at(nodes);
    p.room = at(room);
    return p;
  }
  const PullBook& books() const { return *reinterpret_cast<const PullBook*>(at(book)); }

 private:
  // Weights are shares of one, whatever else a state holds.
  void share_out() {
    double* const weights = at(state) + 2 * experts;
    double sum = 0;
    for (std::int64_t i = 0; i < experts; ++i) sum += weights[i] = std::min(std::fabs(weights[i]), 1.0) + 1e-3;
    for (std::int64_t i = 0; i < experts; ++i) weights[i] /= sum;
  }
  void spoil(Input& in) {
    const auto count = [&] {
      const double x = std::floor(std::fabs(in.finite()));
      return x <= 9007199254740000.0 ? x : 1;
    };  // rounds still are counted
    for (double& x : memory) x = in.any();
    for (double& x : book) x = in.any();
    auto& m = *reinterpret_cast<PullMemory*>(at(memory));
    m.position = count();
    m.rate = std::fabs(in.finite());
    m.offset = in.finite();
    m.open = 0;
    auto& b = *reinterpret_cast<PullBook*>(at(book));
    for (double* const number : {&b.rounds, &b.settled, &b.restricted, &b.late, &b.lost}) *number = count();
    // The present rate began with some draw, and will end after the last one; before the first there is none.
    m.epoch_begin = std::min(std::max(count(), 1.0), b.rounds);
    m.epoch_end = b.rounds > 0 ? b.rounds + 1 + std::fabs(in.finite()) : 0;
  }
};

struct Advisers {
  std::vector<double> shares;
  std::vector<std::int64_t> picks;
  PullAdvice advice;

  Advisers(Input& in, const Bandit& b, std::int64_t rounds) {
    if (!b.s.rule.advised) return;
    const std::int64_t n = rounds * b.experts;
    if (in.flag()) {
      picks = array<std::int64_t>(n, [&] { return in.byte() < 250 ? in.below(b.arms) : in.hostile(); });
      advice.picks = at(picks);
    } else {
      shares = zeros(n * b.arms);
      for (std::int64_t e = 0; e < n; ++e) {
        double* const share = at(shares) + e * b.arms;
        share[in.below(b.arms)] = 0.5;
        share[in.below(b.arms)] += 0.5;
        if (in.byte() >= 250) share[in.below(b.arms)] = in.any();
      }
      advice.shares = at(shares);
    }
  }
};

void check_shares(const double* p, std::int64_t n, const unsigned char* awake) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    MUST(p[i] >= 0 && (!awake || awake[i] || p[i] == 0));
    sum += p[i];
  }
  MUST(std::fabs(sum - 1) < 1e-9);
}

void check_sums(const Bandit& b) {
  if (!b.sound) return;
  double draws = 0;
  for (std::int64_t i = 0; i < b.arms; ++i) draws += b.tallies[std::size_t(arm_draws * b.arms + i)];
  MUST(draws == b.books().rounds && b.books().settled + b.books().lost <= b.books().rounds);
  MUST(b.books().loss >= 0 && b.books().loss <= b.books().settled);
}

// Plays `rounds` in calls that end at `middle`; what is left of the table then.
template <class Play>
PullVerdict play(const Bandit& b, std::int64_t middle, std::int64_t rounds, Play part) {
  const PullVerdict first = part(0, middle);
  if (first.refusal != PullRefusal::none) return first;
  MUST(first.played == middle);
  PullVerdict second = part(middle, rounds);
  MUST(second.column >= -1 && second.column < std::max(b.arms, b.experts));
  second.played += middle;
  return second;
}

void play_table(Input& in, Bandit& one, Bandit& two) {
  const std::int64_t rounds = in.below(20);
  const std::uint8_t tame = in.byte();
  const auto number = [&] { return in.byte() <= tame ? one.s.low + in.unit() * (one.s.high - one.s.low) : in.any(); };
  std::vector<double> doubles;
  std::vector<float> floats;
  PullTable table{nullptr, in.flag(), false};
  if (table.single)
    floats = array<float>(rounds * one.arms, [&] {
      const double x = number();
      return std::fabs(x) < 3e38 ? x : NAN;
    });
  else doubles = array<double>(rounds * one.arms, number);
  table.values = table.single ? static_cast<const void*>(at(floats)) : at(doubles);
  bool gaps = false;
  const PullVerdict fit = KERNELS(pullers_).inspect(table, one.s.low, one.s.high, rounds, one.arms, gaps);
  MUST(fit.played >= 0 && fit.played <= rounds);
  const Advisers advisers(in, one, rounds);
  const std::vector<std::int64_t> marks{1, 2, 3, 7, 15};
  std::vector<double> loss = zeros(5), certificate = zeros(5), shares = zeros(5 * one.arms);
  std::vector<std::int32_t> arms(std::size_t(rounds + 1), 0);
  const PullResults to{at(arms), at(marks), 5, at(loss), at(certificate), at(shares)};
  const PullVerdict verdict = play(one, 0, rounds, [&](std::int64_t begin, std::int64_t end) {
    return KERNELS(pullers_).play_table(one.now(), table, advisers.advice, to, begin, end);
  });
  MUST(verdict.played <= fit.played || one.s.rule.advised);
  for (std::int64_t t = 0; t < verdict.played; ++t) MUST(arms[std::size_t(t)] >= 0 && arms[std::size_t(t)] < one.arms);
  table.clean = fit.played == rounds && !gaps;
  const PullVerdict split = play(two, in.within(0, verdict.played), rounds, [&](std::int64_t begin, std::int64_t end) {
    return KERNELS(pullers_).play_table(two.now(), table, advisers.advice, {}, begin, end);
  });
  MUST(split.played == verdict.played && same(one.state, two.state) && same(one.book, two.book));
  MUST(same(one.tallies, two.tallies) && same(one.memory, two.memory));
  check_sums(one);
}

void play_noise(Input& in, Bandit& b) {
  const std::int64_t segments = in.within(1, 3);
  const auto means = array<double>(segments * b.arms, [&] { return in.any(); });
  std::int64_t start = -1;
  const auto starts = array<std::int64_t>(segments, [&] { return start = start < 0 ? 0 : start + 1 + in.below(9); });
  const Advisers advisers(in, b, 30);
  KERNELS(pullers_).play_noise(b.now(), {at(means), at(starts), segments, in.byte()}, advisers.advice, {}, 0,
                               in.below(31));
  check_sums(b);
}

void one_by_one(Input& in, Bandit& b) {
  const auto mask = array<unsigned char>(b.arms, [&] { return in.flag(); });
  const bool advised = b.s.rule.advised;
  const unsigned char* const awake = advised || in.flag() ? nullptr : at(mask);
  const Advisers advisers(in, b, 1);
  std::vector<double> p = zeros(b.arms);
  bool any = !awake;
  for (std::int64_t i = 0; i < b.arms; ++i) any |= mask[std::size_t(i)] != 0;
  if (!any) return;
  double rate = 0, gamma = 0;
  KERNELS(pullers_).rates(b.now(), rate, gamma);
  const PullVerdict previewed = KERNELS(pullers_).probabilities(b.now(), awake, advisers.advice, at(p));
  if (previewed.refusal == PullRefusal::none && b.sound) check_shares(at(p), b.arms, awake);
  Drawn d{};
  if (KERNELS(pullers_).open(b.now(), awake, advisers.advice, d).refusal != PullRefusal::none) return;
  MUST(d.arm >= 0 && d.arm < b.arms && (!b.sound || (d.p > 0 && d.p <= 1 && (!awake || awake[d.arm]))));
  if (!(d.p > 0 && d.p <= 1) || (awake && !awake[d.arm])) return;
  const auto row = array<double>(b.arms, [&] { return in.any(); });
  const double loss = in.flag() ? in.any() : b.s.low;
  KERNELS(pullers_).settle(b.now(), {d, b.books().rounds, loss, at(row), awake, advisers.advice});
  check_sums(b);
}

void find(Input& in) {
  const std::int64_t n = in.byte() < 128 ? in.within(1, 40) : in.within(1, 2000), count = in.below(10);
  const auto masses = array<double>(n, [&] { return in.byte() < 250 ? std::fabs(in.any()) : in.any(); });
  const auto uniforms = array<double>(count, [&] { return in.byte() < 250 ? in.unit() : in.any(); });
  std::vector<double> nodes = zeros(tree_size(n));
  std::vector<std::int64_t> out(std::size_t(count) + 1, 0);
  if (!KERNELS(pullers_).find(at(masses), n, at(nodes), at(uniforms), count, at(out))) return;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t arm = out[std::size_t(k)];
    MUST(arm >= 0 && arm < n && masses[std::size_t(arm)] > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  if (in.byte() >= 224) return find(in), 0;
  const auto rules = KERNELS(pullers_).rules;
  const int place = int(in.below(std::int64_t(rules.size())));
  const PullRule& rule = rules[std::size_t(place)];
  const std::int64_t arms = Bandit::arms_of(in);
  Input again = in;
  Bandit one(in, place, rule, arms), two(again, place, rule, arms);
  if (in.byte() < 160) play_table(in, one, two);
  if (in.byte() < 64) play_noise(in, one);
  for (std::int64_t times = in.below(6); times > 0; --times) one_by_one(in, one);
  if (!rule.advised && !rule.informed && in.flag()) {
    const std::int64_t arm = KERNELS(pullers_).draw(one.now());
    MUST(arm >= 0 && arm < one.arms);
    KERNELS(pullers_).update(one.now(), in.any());
  }
  return 0;
}
