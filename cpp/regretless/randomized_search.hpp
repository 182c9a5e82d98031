// The randomised Littlestone dimension: how many mistakes in expectation no learner that draws its labels can avoid.
//
// It is RL(V) = max over points that split V of (1 + RL(V0) + RL(V1)) / 2, and 0 of one hypothesis. RL grows with V, so
// a split is passed over when bounds of its sides show that it cannot come to more than is found already. Bounds go by
// sizes and by Littlestone dimensions, which are found much faster.
#pragma once
#include <new>

#include "littlestone_search.hpp"
#include "littlestone.hpp"
#include "randomized_most.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

class RandomizedSearch {
 public:
  RandomizedSearch() = default;
  RandomizedSearch(const RandomizedSearch&) = delete;
  RandomizedSearch& operator=(const RandomizedSearch&) = delete;
  ~RandomizedSearch() {
    for (std::int64_t i = 0; i < made_; ++i) nodes_[i]->~Level(), std::free(nodes_[i]);
  }

  // False: no memory.
  bool make(const BitClass& c, std::int64_t bytes) {
    if (!levels_.make(c, bytes / 4) || !memo_.begin(naming().words, 3, bytes - bytes / 4) ||
        !spare_key_.reach(naming().words) || !live_.reach(c.words) || !wanted_.reach(c.words) || !level(0))
      return false;
    dimension_ = log2_floor(root().rows);
    for (std::int64_t i = 0; i < root().words; ++i) live_[i] = root().all(i);
    return stand_apart(root(), live_, root().rows);
  }
  const Memo& memo() const { return memo_; }
  std::int64_t words() const { return words_ + levels_.words(); }

  // Until so many words more have been looked at, the last step being finished. All that takes long is done here, the
  // class's own dimension first.
  LittlestoneStatus run(const Word* live, std::int64_t words, RandomizedStanding& s) {
    for (std::int64_t i = 0; i < root().words; ++i) wanted_[i] = live ? live[i] : root().all(i);
    if (!standing_ || std::memcmp(wanted_, live_, std::size_t(root().words) * sizeof(Word))) {
      standing_ = begun_ = false;
      words_ += live ? root().cells() : 0;
      if (live && !is_version_space(root(), wanted_, live_)) return LittlestoneStatus::no_version_space;
      std::memcpy(live_, wanted_, std::size_t(root().words) * sizeof(Word));
      size_ = counted(live_, root().words);
      asking_ = asking_ && !ready_;
      top_ = -1;
      standing_ = true;
    }
    s.steps = 0;
    for (const std::int64_t end = this->words() + words; this->words() < end && !(begun_ && top_ < 0);)
      if (!go_on(end - this->words(), s.steps)) return standing_ = false, LittlestoneStatus::no_memory;
    const Worth worth = !begun_     ? Worth{least_worth(size_), most_worth(size_)}
                        : top_ >= 0 ? so_far(nodes_[0]->node)
                                    : arrived_;
    s.lower = worth.lower;
    s.upper = worth.upper;
    s.rounded = rounded_;
    return LittlestoneStatus::done;
  }

 private:
  static constexpr std::int64_t few = 3;  // classes of no more hypotheses are worth what their number says
  // Words after which a bound of the dimension has to do: these, or so many looks at all of the frame.
  static constexpr std::int64_t patience = 1 << 20, looks = 16;

  const Naming& naming() const { return levels_.naming(); }
  const Frame& root() const { return levels_.root(); }
  Alike& alike() { return levels_.alike(); }

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

  // A frame of their own for those in a frame whose Littlestone dimension is asked for.
  bool stand_apart(const Frame& f, const Word* live, std::int64_t size) {
    alone_ = &f;
    if (!f.narrow() && size < f.rows) {
      words_ += f.cells();
      if (!reframe(f, live, naming().shared, apart_, alike())) return false;
      alone_ = &apart_;
    }
    alone_mask_ = !alone_->narrow() ? 0 : alone_ == &f ? live[0] : alone_->tail();
    asking_ = false;
    return true;
  }

  // Narrows the dimension of those apart from above: `open` while it may become less; it stays more where it is hard to
  // find.
  Answer lower(int& dimension, std::int64_t words) {
    if (dimension <= 1) return Answer::yes;
    const std::int64_t before = levels_.words();
    Answer verdict = Answer::open;
    if (!asking_) {
      verdict = levels_.begin(*alone_, alone_mask_, dimension);
      left_ = looks * alone_->cells() > patience ? looks * alone_->cells() : patience;
      asking_ = true;
    } else {
      verdict = levels_.go_on(words < left_ ? words : left_);
    }
    left_ -= levels_.words() - before;
    if (verdict == Answer::open && left_ > 0) return verdict;
    asking_ = false;
    if (verdict != Answer::no) return verdict == Answer::no_memory ? verdict : Answer::yes;
    --dimension;
    return Answer::open;
  }

  // One thing more. False: no memory.
  bool go_on(std::int64_t words, std::int64_t& steps) {
    if (!ready_) {
      const Answer verdict = lower(dimension_, words);
      if (verdict == Answer::open) return true;
      words_ += most_.cost(root().rows, dimension_);
      return ready_ = verdict != Answer::no_memory && most_.make(root().rows, dimension_);
    }
    if (!begun_) return begun_ = enter(root(), live_, 0, dimension_);
    RandomizedNode& n = nodes_[top_]->node;
    if (!n.bounding) return ++steps, ++words_, step();
    const Answer verdict = lower(n.dimension, words);
    if (verdict == Answer::open) return true;
    n.bounding = false;
    if (verdict == Answer::no_memory) return false;
    if (bounded(n)) return words_ += n.frame->cells(), n.list();
    arrived_ = n.worth;
    --top_;
    return true;
  }

  // Goes into a version space of no more than this dimension; a value of no more than `needed` need not be known.
  // False: no memory.
  bool enter(const Frame& f, const Word* live, Word needed, int most) {
    if (!level(top_ + 1)) return false;
    Level& l = *nodes_[top_ + 1];
    RandomizedNode& n = l.node;
    n.size = counted(live, f.words);
    words_ += f.words;
    if (n.size <= few) return arrived_ = {least_worth(n.size), most_worth(n.size)}, true;
    // Fewer than half of a frame's rows are better off in a frame of their own.
    const bool apart = f.words > 1 && n.size <= f.rows / 2;
    if (apart) words_ += f.cells();
    if (apart && !reframe(f, live, naming().shared, l.frame, alike())) return false;
    n.frame = apart ? &l.frame : &f;
    if (!n.live.reach(n.frame->words) || !n.key.reach(naming().words) || !l.side.reach(n.frame->words)) return false;
    for (std::int64_t i = 0; i < n.frame->words; ++i) n.live[i] = apart ? n.frame->all(i) : live[i];
    words_ += naming().cost(*n.frame);
    name(naming(), *n.frame, n.live, n.key);
    n.worth = recall(n.key, n.size, most);
    if (n.worth.upper <= needed || n.worth.lower == n.worth.upper) return arrived_ = n.worth, true;
    n.needed = needed;
    n.dimension = most < log2_floor(n.size) ? most : log2_floor(n.size);
    n.missed = 0;
    n.count = n.next = 0;
    n.inside = -1;
    n.bounding = true;
    ++top_;
    return stand_apart(*n.frame, n.live, n.size);
  }

  // Whether bounds by size and dimension leave anything to be searched for.
  bool bounded(RandomizedNode& n) {
    const Word most = most_.of(n.size, n.dimension);
    if (most < n.worth.upper) n.worth.upper = most;
    // All trees of dimension 1 take off one hypothesis after another.
    if (n.dimension == 1) {
      n.worth.lower = n.worth.upper;
      rounded_ |= n.size > value_bits + 1;
    }
    if (n.worth.upper > n.needed && n.worth.lower < n.worth.upper) return true;
    remember(n);
    return false;
  }

  void remember(const RandomizedNode& n) {
    Word* const facts = memo_.place(n.key, Word(std::bit_width(std::uint64_t(n.size))));
    facts[1] = n.worth.lower;
    facts[2] = n.worth.upper;
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
      look(l, 0);
      look(l, 1);
    }
    const Word threshold = n.threshold(), value = split_worth(n.side[0].upper, n.side[1].upper);
    if (value <= threshold) return pass(n, value);
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
    n.worth.lower = value;
    return pass(n, value);
  }

  static Word most_of(const RandomizedNode& n) {
    return split_worth(most_worth(n.smaller()), most_worth(n.size - n.smaller()));
  }

  bool pass(RandomizedNode& n, Word most) {
    if (most > n.missed) n.missed = most;
    ++n.next;
    return true;
  }

  void put_side(Level& l, int s) {
    const RandomizedNode& n = l.node;
    words_ += n.frame->words;
    const Word* const column = n.frame->column + n.column() * n.frame->words;
    for (std::int64_t i = 0; i < n.frame->words; ++i) l.side[i] = n.live[i] & (s ? column[i] : ~column[i]);
  }

  void look(Level& l, int s) {
    put_side(l, s);
    const std::int64_t size = counted(l.side, l.node.frame->words);
    if (size > few) {
      words_ += naming().cost(*l.node.frame);
      name(naming(), *l.node.frame, l.side, spare_key_);
    }
    l.node.side[s] = recall(spare_key_, size, l.node.dimension);
  }

  // What those passed over and those that are left may come to, or what is found already.
  static Worth so_far(const RandomizedNode& n) {
    if (n.bounding) return n.worth;
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

  Search levels_;
  Frame apart_;
  const Frame* alone_ = nullptr;  // where the Littlestone dimension is asked for
  Word alone_mask_ = 0;
  std::int64_t left_ = 0;
  MostWorth most_;
  int dimension_ = 0;  // of the class, or more
  Memo memo_;
  Room<Level*> nodes_;
  std::int64_t made_ = 0, top_ = -1, size_ = 0, words_ = 0;
  Room<Word> spare_key_, live_, wanted_;
  Worth arrived_{};
  // Whether the class's own dimension is known, what lives is known, it was gone into, a dimension is being asked for;
  // and whether a value was rounded.
  bool ready_ = false, standing_ = false, begun_ = false, asking_ = false, rounded_ = false;
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
