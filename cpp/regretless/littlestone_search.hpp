// Whether a version space shatters a tree of so many levels, decided on a stack that can be left and taken up again.
//
// V does if some point leaves on either side a version space that shatters a tree of one level less. What was decided
// is remembered; within one version space, what fails on a side fails on every side inside it, and what holds on a side
// holds on every side around it.
#pragma once
#include "littlestone_few.hpp"
#include "littlestone_node.hpp"
#include "version_memo.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

enum class Answer : std::uint8_t { no, yes, open, no_memory };

inline constexpr int most_levels = 64;

// How a tree begins: at its root, or below the side that a label leaves, which is enough.
struct Move {
  std::int64_t point;
  bool split;
  int label;
};

// What is remembered of a version space.
struct Known {
  int lower, upper;
  Move move;  // of a tree of `lower` levels, if that is more than 0
};

inline int log2_floor(std::int64_t size) { return int(std::bit_width(std::uint64_t(size))) - 1; }

class Search {
 public:
  // False: no memory.
  bool make(const BitClass& c, std::int64_t bytes) {
    class_ = c;
    naming_ = Naming(c);
    words_ += c.points * c.words;
    return frame_class(c, naming_, root_, alike_) && memo_.begin(naming_.words, 2, bytes) &&
           spare_key_.reach(naming_.words) && spare_live_.reach(root_.words + 1);
  }

  const Naming& naming() const { return naming_; }
  const Frame& root() const { return root_; }
  const Memo& memo() const { return memo_; }
  Alike& alike() { return alike_; }
  const Move& winning_move() const { return winning_move_; }
  std::int64_t steps() const { return steps_; }
  std::int64_t words() const { return words_; }  // that were looked at
  void count(std::int64_t words) { words_ += words; }
  int says(std::int64_t hypothesis, std::int64_t point) const {
    return int((class_.columns[point * class_.words + hypothesis / 64] >> (hypothesis % 64)) & 1);
  }

  Known recall(const Word* key, std::int64_t size) const {
    Known k{0, log2_floor(size), {}};
    if (const Word* const facts = memo_.find(key)) {
      k.lower = int(facts[0] & 0xff);
      k.upper = int((facts[0] >> 8) & 0xff);
      k.move = {std::int64_t(facts[1] >> 2), bool(facts[1] & 2), int(facts[1] & 1)};
    }
    return k;
  }

  // Begins: whether what lives in a frame shatters a tree; frame and mask as of a node.
  Answer begin(const Frame& f, Word mask, int levels) {
    top_ = -1;
    return enter(f, mask, levels);
  }

  // Until so many words more have been looked at; the last step may go through all of a frame.
  Answer go_on(std::int64_t words) {
    for (const std::int64_t end = words_ + words; top_ >= 0; ++steps_, ++words_) {
      if (words_ >= end) return Answer::open;
      const Answer verdict = step(nodes_[top_]);
      if (verdict == Answer::no_memory) return verdict;
    }
    return arrived_;
  }

 private:
  // Goes into a version space; what it comes to if that is seen at once.
  Answer enter(const Frame& f, Word mask, int levels) {
    const std::int64_t size = f.narrow() ? std::popcount(mask) : f.rows;
    if (levels < 1) return arrive(size > 0);
    if (size >> levels == 0) return arrive(false);
    if (f.narrow() && levels <= few_levels) {
      const std::int64_t column = few_levels_root(f, mask, levels, words_);
      if (column >= 0) winning_move_ = {f.point[column], true, 0};
      return arrive(column >= 0);
    }
    words_ += 2 * f.cells();
    Node& n = nodes_[top_ + 1];
    if (!n.begin(f, mask, levels, naming_.words) || !spare_live_.reach(f.words)) return Answer::no_memory;
    for (std::int64_t i = 0; i < f.words; ++i) spare_live_[i] = n.live(i);
    name(naming_, f, spare_live_, n.key);
    const Known known = recall(n.key, size);
    if (known.lower >= levels || known.upper < levels) return arrive(known.lower >= levels);
    ++top_;
    return Answer::open;
  }
  Answer arrive(bool holds) { return arrived_ = holds ? Answer::yes : Answer::no; }

  // One candidate for the root of a tree, or what became of one.
  Answer step(Node& n) {
    if (n.inside) {
      n.inside = false;
      note(n, n.side, arrived_);
      if (arrived_ == Answer::no) return ++n.next, Answer::open;
      if (!n.other_open) return finish(n, {n.frame->point[n.side.column], true, 0});
      return go_into(n, {n.side.column, 1 - n.side.label}, false);
    }
    if (n.next == n.count) return finish(n, {-1, false, 0});
    const Side smaller = n.smaller_side(), larger{smaller.column, 1 - smaller.label};
    const Answer first = judge(n, smaller, n.smaller_size());
    if (first == Answer::no) return ++n.next, Answer::open;
    const Answer second = judge(n, larger, n.size - n.smaller_size());
    if (second == Answer::no) return ++n.next, Answer::open;
    if (first == Answer::open) return go_into(n, smaller, second == Answer::open);
    if (second == Answer::open) return go_into(n, larger, false);
    return finish(n, {n.frame->point[smaller.column], true, 0});
  }

  void note(Node& n, Side side, Answer verdict) {
    if (verdict == Answer::no) n.failed[n.failures++] = side;
    if (verdict == Answer::yes) n.held[n.holds++] = side;
  }

  // What is known of a side without going into it.
  Answer judge(Node& n, Side side, std::int64_t size) {
    const int levels = n.wanted - 1;
    if (levels <= 1) return size > levels ? Answer::yes : Answer::no;
    if (n.must_fail(side, words_)) return Answer::no;
    const Frame& f = *n.frame;
    if (f.narrow() && levels <= few_levels) {
      const Answer verdict = few_levels_root(f, n.bits(side, 0), levels, words_) >= 0 ? Answer::yes : Answer::no;
      note(n, side, verdict);
      return verdict;
    }
    for (std::int64_t i = 0; i < f.words; ++i) spare_live_[i] = n.bits(side, i);
    words_ += naming_.cost(f);
    name(naming_, f, spare_live_, spare_key_);
    const Known known = recall(spare_key_, size);
    if (known.upper < levels) return note(n, side, Answer::no), Answer::no;
    if (known.lower >= levels) return note(n, side, Answer::yes), Answer::yes;
    if (const Side* const inner = n.must_hold(side, words_)) {
      remember(spare_key_, size, levels, true, {f.point[inner->column], false, said(n, *inner)});
      return Answer::yes;
    }
    return Answer::open;
  }

  // The label of a side: frames may have turned a column over.
  int said(const Node& n, Side side) const { return side.label ^ says(n.frame->row[0], n.frame->point[side.column]); }

  Answer go_into(Node& n, Side side, bool other_open) {
    n.side = side;
    n.other_open = other_open;
    n.inside = true;
    const Frame& f = *n.frame;
    const int levels = n.wanted - 1;
    if (f.narrow()) return enter(f, n.bits(side, 0), levels) == Answer::no_memory ? Answer::no_memory : Answer::open;
    for (std::int64_t i = 0; i < f.words; ++i) spare_live_[i] = n.bits(side, i);
    Frame& inner = frames_[top_ + 1];
    words_ += f.cells();
    if (!reframe(f, spare_live_, naming_.shared, inner, alike_)) return Answer::no_memory;
    return enter(inner, inner.narrow() ? inner.tail() : 0, levels) == Answer::no_memory ? Answer::no_memory
                                                                                        : Answer::open;
  }

  Answer finish(Node& n, Move move) {
    const bool holds = move.point >= 0;
    if (holds) winning_move_ = move;
    remember(n.key, n.size, n.wanted, holds, move);
    --top_;
    arrive(holds);
    return Answer::open;
  }

  void remember(const Word* key, std::int64_t size, int levels, bool holds, Move move) {
    Word* const facts = memo_.place(key, Word(levels));
    Word lower = facts[0] & 0xff, upper = (facts[0] >> 8) & 0xff, worth = facts[0] >> 56;
    if (!(facts[0] & 0xffff)) upper = Word(log2_floor(size));
    if (holds && Word(levels) > lower) {
      lower = Word(levels);
      facts[1] = Word(move.point) << 2 | Word(move.split) << 1 | Word(move.label);
    }
    if (!holds && Word(levels) <= upper) upper = Word(levels - 1);
    if (Word(levels) > worth) worth = Word(levels);
    facts[0] = worth << 56 | upper << 8 | lower;
  }

  BitClass class_{};
  Naming naming_;
  Frame root_;
  Memo memo_;
  Alike alike_;
  Node nodes_[most_levels];
  Frame frames_[most_levels];
  Room<Word> spare_key_, spare_live_;
  Move winning_move_{};
  int top_ = -1;
  Answer arrived_ = Answer::no;
  std::int64_t steps_ = 0, words_ = 0;
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
