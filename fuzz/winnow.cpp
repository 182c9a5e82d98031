// Learners by mirror steps (Winnow, balanced Winnow, p-norms): hostile rows, and state that somebody else wrote. A
// fresh learner keeps its books in order and is left as it was by a round that is refused; dense rows, the same rows
// sparse, and rounds in two calls teach it the same bits.
#include "regretless/mirror.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Learner {
  std::int64_t columns, targets;
  bool sound;
  MirrorRules rules;
  std::vector<double> pairs, memory, books, scratch;

  explicit Learner(Input& in)
      : columns(in.below(20)), targets(in.byte() < 160 ? 1 : in.within(2, 5)), sound(in.byte() < 192) {
    rules.link = Link(in.below(3));
    rules.rate = sound ? std::fabs(in.finite()) : in.any();
    rules.intercept = sound ? std::fabs(in.finite()) : in.any();
    rules.tie = double(in.within(-1, 1));
    const double power = sound ? 2 + std::fabs(in.finite()) : in.any();
    const auto number = [&] { return sound ? 0.0 : in.any(); };
    pairs = array<double>(columns * 2 * targets, number);
    memory = array<double>(targets * mirror_memory_size, number);
    books = array<double>((targets + (targets > 1)) * ledger_size, number);
    scratch = zeros(2 * targets);
    for (std::int64_t c = 0; c < targets; ++c) {  // the binding looks at no more than this
      auto& m = *(reinterpret_cast<MirrorMemory*>(memory.data()) + c);
      m.columns = double(sound ? columns : in.below(columns + 1));
      if (sound) begin(m, power);
    }
    if (sound && rules.link == Link::simplex)
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t c = 0; c < targets; ++c) pairs[std::size_t(2 * j * targets + c)] = 1;
    if (sound) refresh();
  }
  void begin(MirrorMemory& m, double power) const {  // as Python does
    m.power = power;
    m.reference = rules.link == Link::power;
    m.base = rules.link != Link::power;
    m.bias_cached = rules.link == Link::simplex;
  }
  MirrorState state() {
    return {at(pairs),
            reinterpret_cast<MirrorMemory*>(at(memory)),
            reinterpret_cast<Ledger*>(at(books)),
            at(scratch),
            nullptr,
            columns,
            targets};
  }
  void refresh() { KERNELS(mirrors_).refresh(rules, state()); }
  LinearVerdict play(const Rounds& r, std::int64_t begin, std::int64_t end) {
    return KERNELS(mirrors_).play(r.block, r.of, rules, state(), begin, end);
  }
  bool is_like(const Learner& other) const {
    return same(pairs, other.pairs) && same(memory, other.memory) && same(books, other.books);
  }
  bool finite() const { return all_finite(pairs) && all_finite(memory) && all_finite(books); }
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

  if (learner.sound) {
    Learner unasked = before;
    MUST(unasked.play(r, r.begin, outcome.played).played == outcome.played);
    MUST(unasked.is_like(learner));
  }

  if (learner.sound && can_be_thinned(r, learner.columns) && learner.finite()) {
    Rounds sparse;
    thin(r, sparse);
    Learner twin = before;
    MUST(twin.play(sparse, r.begin, r.end).played == outcome.played);
    MUST(same(twin.books, learner.books));
  }
  Block all = r.block;
  all.order = nullptr;
  std::vector<double> scores = zeros(r.block.rows * learner.targets);
  KERNELS(mirrors_).score(all, learner.rules, learner.state(), at(scores));
  learner.refresh();
  KERNELS(mirrors_).score(all, learner.rules, learner.state(), at(scores));
  return 0;
}
