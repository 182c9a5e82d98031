// Linear learners: hostile rows, and state that somebody else wrote. A fresh learner keeps its books in order, and
// dense rows, the same rows sparse, and rounds in two calls teach it the same bits.
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

template <class Fact>
const Fact& any_of(Input& in, std::span<const Fact> facts) {
  return facts[std::size_t(in.below(std::int64_t(facts.size())))];
}

struct Learner {
  std::int64_t columns, targets;
  bool sound;
  Rules rules;
  std::vector<double> weights, lag, memory, books, scratch, moves, asking;

  explicit Learner(Input& in)
      : columns(in.below(20)), targets(in.byte() < 160 ? 1 : in.within(2, 9)), sound(in.byte() < 192) {
    const Kernels& known = KERNELS(kernels_);
    const RateFacts& rate = any_of(in, known.rates);
    rules.rate = rate.name;
    rules.loss = rate.towards_no_loss ? "hinge" : any_of(in, known.losses);
    if (targets == 1 && rules.loss == direct) rules.loss = selective;  // direct is of several classes
    const bool alone = rules.loss == direct || rules.loss == selective;
    rules.geometry = alone ? "euclidean" : any_of(in, known.geometries);
    for (double* x : {&rules.radius, &rules.eta, &rules.limit, &rules.margin, &rules.intercept})
      *x = sound ? std::fabs(in.finite()) : in.any();
    if (sound && rules.radius == 0) rules.radius = 1;
    rules.tie = double(in.within(-1, 1));
    const bool averaged = in.flag();
    const auto number = [&] { return sound ? 0.0 : in.any(); };
    weights = array<double>(columns * targets, number);
    if (averaged) lag = array<double>(columns * targets, number);
    memory = array<double>(targets * memory_size, number);
    if (sound)
      for (std::int64_t c = 0; c < targets; ++c) memory[std::size_t(c * memory_size)] = 1;  // the scale
    books = array<double>((targets + (targets > 1)) * ledger_size, number);
    scratch = zeros(4 * targets);
    if (rules.loss == selective) sample(in);
  }

  // How labels are asked, and the book of that, whose pace begins with 1.
  void sample(Input& in) {
    rules.rate = "constant";
    rules.sampling.b = sound ? std::fabs(in.finite()) : in.any();
    if (sound && rules.sampling.b == 0) rules.sampling.b = 1;
    rules.sampling.share = in.flag() ? in.unit() : 0;
    rules.sampling.most = in.flag() ? double(in.below(8)) : std::numeric_limits<double>::infinity();
    rules.sampling.key = in.raw<std::uint64_t>();
    asking = array<double>(asking_size, [&] { return sound ? 0.0 : in.any(); });
    if (sound) book().pace = 1;
  }
  Asking& book() { return *reinterpret_cast<Asking*>(at(asking)); }

  State state() {
    State s;
    s.weights = at(weights);
    s.lag = lag.empty() ? nullptr : at(lag);
    s.memory = reinterpret_cast<Memory*>(at(memory));
    s.book = reinterpret_cast<Ledger*>(at(books));
    s.scratch = at(scratch);
    s.columns = columns;
    s.targets = targets;
    s.moves = moves.empty() ? nullptr : moves.data();
    s.asking = asking.empty() ? nullptr : &book();
    return s;
  }
  LinearVerdict play(const Rounds& r, std::int64_t begin, std::int64_t end) {
    return KERNELS(kernels_).play(r.block, r.of, rules, state(), begin, end);
  }
  bool is_like(const Learner& other) const {
    return same(weights, other.weights) && same(lag, other.lag) && same(memory, other.memory) &&
           same(books, other.books) && same(asking, other.asking);
  }
  bool finite() const {
    return all_finite(weights) && all_finite(lag) && all_finite(memory) && all_finite(books) && all_finite(asking);
  }
};

// What is written down of questions: no more than rounds, and learned no more than could be.
void check_asking(const Asking& book, double rounds) {
  MUST(is_count(book.asked, rounds) && is_count(book.closed, rounds - book.asked));
  MUST(is_count(book.unlabelled, rounds));
  MUST(book.pace > 0 && book.pace <= 1 && book.expected >= 0 && book.expected <= rounds);
  MUST(book.learned <= book.weighed);
}

// What vectors of the learner's targets are read with.
struct Read {
  std::int64_t count;
  std::vector<double> vectors, biases, times, norms = zeros(3), scratch;
  std::vector<std::int32_t> whose;
  Read(Input& in, const Learner& learner, std::int64_t count)
      : count(count), vectors(array<double>(learner.columns * count, [&] { return in.any(); })),
        biases(array<double>(count, [&] { return in.any(); })),
        times(array<double>(count, [&] { return double(in.within(0, 2)); })), scratch(zeros(count)),
        whose(array<std::int32_t>(count, [&] { return std::int32_t(in.within(0, learner.targets)); })) {}
  FixedVectors first(std::int64_t some, const Learner& learner) {
    return {at(vectors), at(biases), at(whose), at(times), at(norms), at(scratch), learner.columns, count, some};
  }
};

Block in_their_order(const Rounds& r) {
  Block all = r.block;
  all.order = nullptr;
  return all;
}

void sight(Input& in, const Rounds& r, const Learner& learner) {
  Read read(in, learner, in.within(1, 3));
  const std::int64_t count = in.within(1, read.count);
  std::vector<double> bins = zeros(count * ray_bins * 3), least = zeros(count);
  const Rays rays{read.first(count, learner), at(bins), at(least)};
  const LinearVerdict outcome = KERNELS(kernels_).sight(in_their_order(r), r.of, learner.rules, rays);
  MUST(read.norms[0] == double(outcome.played));
}

void charge(Input& in, const Rounds& r, const Learner& learner) {
  const Kernels& known = KERNELS(kernels_);
  Read read(in, learner, 4 * in.within(1, 3));
  std::vector<double> sums = zeros(3 * read.count), ends = zeros(2 * read.count);
  const ChargedVectors v{read.first(read.count, learner), at(sums), at(ends)};
  Rules rules = learner.rules;
  rules.loss = any_of(in, known.charges);
  const LinearVerdict outcome = known.charge(in_their_order(r), r.of, rules, v);
  MUST(read.norms[0] == double(outcome.played));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Learner learner(in);
  Rounds r;
  fill(in, r, learner.columns, learner.targets, learner.sound);
  if (learner.rules.loss == selective)
    for (std::int32_t& label : r.labels)
      if (in.byte() >= 224) label = unknown_label;
  if (in.flag()) learner.moves = zeros(r.count * learner.targets);
  const Learner before = learner;
  const LinearVerdict outcome = learner.play(r, r.begin, r.end);
  MUST(outcome.played >= r.begin && outcome.played <= r.end);
  MUST((outcome.refusal == LinearRefusal::none) == (outcome.played == r.end));
  if (learner.sound) check_books(learner.books, learner.targets, outcome.played - r.begin);
  if (learner.sound && !learner.asking.empty()) check_asking(learner.book(), double(outcome.played - r.begin));

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
  std::vector<double> scores = zeros(r.block.rows * learner.targets);
  KERNELS(kernels_).score(in_their_order(r), learner.rules, learner.state(), at(scores));
  if (in.flag()) charge(in, r, learner);
  if (in.byte() >= 250) sight(in, r, learner);  // its bins take long to clear
  return 0;
}
