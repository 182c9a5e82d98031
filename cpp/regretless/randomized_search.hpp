// The randomised Littlestone dimension: how many mistakes in expectation no learner that draws its labels can avoid.
//
// It is RL(V) = max over points that split V of (1 + RL(V0) + RL(V1)) / 2, and 0 of one hypothesis. RL grows with V, so a
// split is passed over when bounds of its sides show that it cannot come to more than is found already. Bounds go by sizes
// and by Littlestone dimensions, which are found much faster.
#pragma once
#include <new>

#include "littlestone_search.hpp"
#include "randomized_most.hpp"

namespace regretless::REGRETLESS_ISA {

class RandomizedSearch {
 public:
  RandomizedSearch() = default;
  RandomizedSearch(const RandomizedSearch&) = delete;
  RandomizedSearch& operator=(const RandomizedSearch&) = delete;
  ~RandomizedSearch() {
    for (std::int64_t i = 0; i < made_; ++i) nodes_[i]->~Level(), std::free(nodes_[i]);
  }

  bool make(const BitClass& c, std::int64_t bytes) {
    naming_ = Naming(c);
    if (!frame_class(c, naming_, root_, alike_) || !memo_.begin(naming_.words, 3, bytes - bytes / 4) ||
        !levels_.make(c, bytes / 4) || !spare_key_.reach(naming_.words) || !live_.reach(c.words) || !wanted_.reach(c.words) ||
        !level(0))
      return false;
    for (std::int64_t i = 0; i < root_.words; ++i) wanted_[i] = root_.all(i);
    return dimension(root_, wanted_, root_.rows, log2_floor(root_.rows), dimension_) && most_.make(root_.rows, dimension_);
  }
  const Memo& memo() const { return memo_; }

  // At most so many steps more on the hypotheses that live.
  LittlestoneOutcome run(const Word* live, std::int64_t steps, RandomizedStanding& s) {
    for (std::int64_t i = 0; i < root_.words; ++i) wanted_[i] = live ? live[i] : root_.all(i);
    if (!begun_ || std::memcmp(wanted_, live_, std::size_t(root_.words) * sizeof(Word))) {
      begun_ = false;
      if (!is_version_space(root_, wanted_, live_)) return LittlestoneOutcome::no_version_space;
      std::memcpy(live_, wanted_, std::size_t(root_.words) * sizeof(Word));
      top_ = -1;
      if (!enter(root_, live_, 0, dimension_)) return LittlestoneOutcome::no_memory;
      begun_ = true;
    }
    s.steps = 0;
    for (; top_ >= 0 && s.steps < steps; ++s.steps)
      if (!step()) return begun_ = false, LittlestoneOutcome::no_memory;
    const Worth worth = top_ >= 0 ? so_far(nodes_[0]->node) : arrived_;
    s.lower = worth.lower, s.upper = worth.upper, s.rounded = rounded_;
    return LittlestoneOutcome::done;
  }

 private:
  static constexpr std::int64_t few = 3;            // classes of no more hypotheses are worth what their number says
  static constexpr std::int64_t patience = 1 << 14;  // steps after which a bound of the dimension has to do

  struct Level {
    RandomizedNode node;
    Frame frame;
    Room<Word> side;
  };

  bool level(std::int64_t place) {
    while (made_ <= place) {
      if (!nodes_.reach(made_ + 1)) return false;
      void* const room = std::malloc(sizeof(Level));
      if (!room) return false;
      nodes_[made_++] = new (room) Level;
    }
    return true;
  }

  // What is remembered of a version space of no more than this dimension.
  Worth recall(const Word* key, std::int64_t size, int dimension) const {
    const Word* const facts = size > few ? memo_.find(key) : nullptr;
    return facts ? Worth{facts[1], facts[2]} : Worth{least_worth(size), most_.of(size, dimension)};
  }

  // The Littlestone dimension of what lives in a frame, which is no more than `most`; more where it is hard to find.
  bool dimension(const Frame& f, const Word* live, std::int64_t size, int most, int& found) {
    const Frame* alone = &f;
    if (!f.narrow() && size < f.rows) {
      if (!reframe(f, live, naming_.words, apart_, alike_)) return false;
      alone = &apart_;
    }
    const Word mask = !alone->narrow() ? 0 : alone == &f ? live[0] : alone->tail();
    for (found = most < log2_floor(size) ? most : log2_floor(size); found > 1; --found) {
      Verdict verdict = levels_.begin(*alone, mask, found);
      if (verdict == Verdict::open) verdict = levels_.go_on(patience);
      if (verdict == Verdict::no_memory) return false;
      if (verdict != Verdict::no) break;
    }
    return true;
  }

  // Goes into a version space of no more than this dimension; a value of no more than `needed` need not be known. False: no
  // memory.
  bool enter(const Frame& f, const Word* live, Word needed, int most) {
    if (!level(top_ + 1)) return false;
    Level& l = *nodes_[top_ + 1];
    RandomizedNode& n = l.node;
    n.size = counted(live, f.words);
    if (n.size <= few) return arrived_ = {least_worth(n.size), most_worth(n.size)}, true;
    // Fewer than half of a frame's rows are better off in a frame of their own.
    const bool apart = f.words > 1 && n.size <= f.rows / 2;
    if (apart && !reframe(f, live, naming_.words, l.frame, alike_)) return false;
    n.frame = apart ? &l.frame : &f;
    if (!n.live.reach(n.frame->words) || !n.key.reach(naming_.words) || !l.side.reach(n.frame->words)) return false;
    for (std::int64_t i = 0; i < n.frame->words; ++i) n.live[i] = apart ? n.frame->all(i) : live[i];
    name(naming_, *n.frame, n.live, n.key);
    n.worth = recall(n.key, n.size, most);
    if (n.worth.upper <= needed || n.worth.lower == n.worth.upper) return arrived_ = n.worth, true;
    n.needed = needed;
    if (!dimension(*n.frame, n.live, n.size, most, n.dimension)) return false;
    if (!bounded(n)) return arrived_ = n.worth, true;
    n.missed = 0, n.inside = -1;
    ++top_;
    return n.list();
  }

  // Whether bounds by size and dimension leave anything to be searched for.
  bool bounded(RandomizedNode& n) {
    const Word most = most_.of(n.size, n.dimension);
    if (most < n.worth.upper) n.worth.upper = most;
    // All trees of dimension 1 take off one hypothesis after another.
    if (n.dimension == 1) n.worth.lower = n.worth.upper, rounded_ |= n.size > value_bits + 1;
    if (n.worth.upper > n.needed && n.worth.lower < n.worth.upper) return true;
    remember(n);
    return false;
  }

  void remember(const RandomizedNode& n) {
    Word* const facts = memo_.place(n.key, Word(std::bit_width(std::uint64_t(n.size))));
    facts[1] = n.worth.lower, facts[2] = n.worth.upper;
  }

  bool step() {
    Level& l = *nodes_[top_];
    RandomizedNode& n = l.node;
    if (n.inside >= 0) {
      n.side[n.inside] = arrived_;
      n.inside = -1;
    } else {
      // The evenest split that is left bounds all of them.
      if (n.next == n.count || most_of(n) <= n.threshold() || n.worth.lower == n.worth.upper) return finish(n);
      const Word most = most_.of_split(n.smaller(), n.size - n.smaller(), n.dimension);
      if (most <= n.threshold()) return pass(n, most);
      look(l, 0), look(l, 1);
    }
    const Word threshold = n.threshold(), found = split_worth(n.side[0].upper, n.side[1].upper);
    if (found <= threshold) return pass(n, found);
    for (int s : {0, 1}) {
      const Worth &mine = n.side[s], &other = n.side[1 - s];
      if (mine.lower == mine.upper) continue;
      put_side(l, s);
      n.inside = s;
      // Both sides together must come to more than twice the threshold less one.
      const Word enough = 2 * threshold - one_mistake;
      return enter(*n.frame, l.side, 2 * threshold > one_mistake + other.upper ? enough - other.upper : 0, n.dimension);
    }
    rounded_ |= (n.side[0].upper ^ n.side[1].upper) & 1;
    n.worth.lower = found;
    return pass(n, found);
  }

  static Word most_of(const RandomizedNode& n) { return split_worth(most_worth(n.smaller()), most_worth(n.size - n.smaller())); }

  bool pass(RandomizedNode& n, Word most) {
    if (most > n.missed) n.missed = most;
    ++n.next;
    return true;
  }

  void put_side(Level& l, int s) {
    const RandomizedNode& n = l.node;
    const Word* const column = n.frame->column + n.column() * n.frame->words;
    for (std::int64_t i = 0; i < n.frame->words; ++i) l.side[i] = n.live[i] & (s ? column[i] : ~column[i]);
  }

  void look(Level& l, int s) {
    put_side(l, s);
    const std::int64_t size = counted(l.side, l.node.frame->words);
    if (size > few) name(naming_, *l.node.frame, l.side, spare_key_);
    l.node.side[s] = recall(spare_key_, size, l.node.dimension);
  }

  // What those passed over and those that are left may come to, or what is found already.
  static Worth so_far(const RandomizedNode& n) {
    Word most = n.missed > n.worth.lower ? n.missed : n.worth.lower;
    if (n.next < n.count && most_of(n) > most) most = most_of(n);
    return {n.worth.lower, most < n.worth.upper ? most : n.worth.upper};
  }

  bool finish(RandomizedNode& n) {
    n.worth = so_far(n);
    remember(n);
    arrived_ = n.worth;
    --top_;
    return true;
  }

  Naming naming_;
  Frame root_, apart_;
  Search levels_;
  MostWorth most_;
  int dimension_ = 0;
  Memo memo_;
  Alike alike_;
  Room<Level*> nodes_;
  std::int64_t made_ = 0, top_ = -1;
  Room<Word> spare_key_, live_, wanted_;
  Worth arrived_{};
  bool begun_ = false, rounded_ = false;
};

}  // namespace regretless::REGRETLESS_ISA
