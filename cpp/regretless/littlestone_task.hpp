// How far the Littlestone dimension of a version space is known, narrowed from below and from above; and trees of it.
#pragma once
#include "littlestone.hpp"
#include "littlestone_search.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

class LittlestoneTask {
 public:
  bool make(const BitClass& c, std::int64_t bytes) {
    return search_.make(c, bytes) && live_.reach(c.words) && wanted_.reach(c.words) &&
           key_.reach(search_.naming().words);
  }
  const Memo& memo() const { return search_.memo(); }
  std::int64_t words() const { return search_.words(); }

  // Until so many words more have been looked at, and little more; a tree of `least` levels is known from elsewhere.
  LittlestoneStatus run(const Word* live, std::int64_t words, int least, LittlestoneStanding& s) {
    const LittlestoneStatus ready = stand_on(live);
    if (ready != LittlestoneStatus::done) return ready;
    growing_ = false;
    if (lower_ < least && least <= upper_) {
      lower_ = least;
      asking_ = asking_ && asked_ > lower_;
    }
    const std::int64_t steps = search_.steps(), end = search_.words() + words;
    LittlestoneStatus outcome = LittlestoneStatus::done;
    while (lower_ < upper_ && search_.words() < end && outcome == LittlestoneStatus::done)
      outcome = narrow(end - search_.words());
    s = {lower_, upper_, search_.steps() - steps};
    return outcome;
  }

  // The same for a tree: `open` is an outcome until all of it is there, if nothing else is asked for in between.
  LittlestoneStatus tree(const Word* live, int depth, std::int64_t words, std::int64_t* points, std::int64_t* leaves) {
    const LittlestoneStatus ready = stand_on(live);
    if (ready != LittlestoneStatus::done) return ready;
    const std::int64_t end = search_.words() + words;
    while (lower_ < depth) {
      if (upper_ < depth) return LittlestoneStatus::not_shattered;
      if (search_.words() >= end) return LittlestoneStatus::open;
      const LittlestoneStatus outcome = narrow(end - search_.words());
      if (outcome != LittlestoneStatus::done) return outcome;
    }
    if (!growing_ || depth_ != depth) {
      asking_ = seeking_ = false;
      depth_ = depth;
      at_ = 0;
      growing_ = true;
      growth_[0] = {start_, start_->narrow() ? start_->tail() : 0, -1, 0, 0};
    }
    points_ = points;
    leaves_ = leaves;
    LittlestoneStatus outcome = LittlestoneStatus::done;
    while (at_ >= 0 && outcome == LittlestoneStatus::done) {
      if (search_.words() >= end) return LittlestoneStatus::open;
      outcome = grow(growth_[at_], end - search_.words());
    }
    if (outcome != LittlestoneStatus::open) growing_ = false;
    return outcome;
  }

 private:
  // Words after which a question makes way for the next one: these, or so many looks at all of the frame.
  static constexpr std::int64_t first_patience = 1 << 20, looks = 16;

  // A place of a tree that is being taken out: the version space there, what is asked, and the label whose side comes
  // next.
  struct Growth {
    const Frame* frame;
    Word mask;
    std::int64_t point;
    int label;
    std::int64_t place;
  };

  // Turns to the hypotheses that live; null: to all of them.
  LittlestoneStatus stand_on(const Word* live) {
    const Frame& root = search_.root();
    for (std::int64_t i = 0; i < root.words; ++i) wanted_[i] = live ? live[i] : root.all(i);
    if (begun_ && !std::memcmp(wanted_, live_, std::size_t(root.words) * sizeof(Word))) return LittlestoneStatus::done;
    begun_ = asking_ = growing_ = false;
    start_ = &root;
    if (live) {
      search_.count(2 * root.cells());
      if (!is_version_space(root, wanted_, live_)) return LittlestoneStatus::no_version_space;
      if (!reframe(root, wanted_, search_.naming().shared, some_, search_.alike())) return LittlestoneStatus::no_memory;
      start_ = &some_;
    }
    std::memcpy(live_, wanted_, std::size_t(root.words) * sizeof(Word));
    search_.count(search_.naming().cost(root));
    name(search_.naming(), root, live_, key_);
    const Known known = search_.recall(key_, start_->rows);
    lower_ = known.lower;
    upper_ = known.upper;
    if (!lower_ && start_->rows > 1) lower_ = 1;
    patience_ = looks * start_->cells() > first_patience ? looks * start_->cells() : first_patience;
    begun_ = true;
    return LittlestoneStatus::done;
  }

  // Asks for a level more than is known, and by turns for as many as are possible: the one proves, the other refutes.
  LittlestoneStatus narrow(std::int64_t words) {
    const std::int64_t before = search_.words();
    growing_ = false;
    if (!asking_) {
      asked_ = from_above_ ? upper_ : lower_ + 1;
      left_ = patience_;
      asking_ = true;
      const Answer seen = search_.begin(*start_, start_->narrow() ? start_->tail() : 0, asked_);
      if (seen != Answer::open) return settle(seen);
    }
    const bool alone = lower_ + 1 == upper_;
    const std::int64_t begun = search_.words() - before, allowed = alone || words < left_ ? words : left_;
    const Answer verdict = search_.go_on(allowed - begun);
    left_ -= search_.words() - before;
    if (verdict != Answer::open) return settle(verdict);
    if (left_ <= 0 && !alone) {
      asking_ = false;
      if (from_above_) patience_ *= 2;
      from_above_ = !from_above_;
    }
    return LittlestoneStatus::done;
  }

  LittlestoneStatus settle(Answer verdict) {
    asking_ = false;
    if (verdict == Answer::no_memory) return LittlestoneStatus::no_memory;
    if (verdict == Answer::yes) lower_ = asked_;
    else upper_ = asked_ - 1;
    return LittlestoneStatus::done;
  }

  // One thing more of the tree below a place: what is asked there, one of its sides, or that there is nothing left.
  LittlestoneStatus grow(Growth& g, std::int64_t words) {
    const Frame& f = *g.frame;
    search_.count(1);
    if (at_ == depth_) {
      leaves_[g.place - ((std::int64_t(1) << depth_) - 1)] = f.row[f.narrow() ? std::countr_zero(g.mask) : 0];
      --at_;
      return LittlestoneStatus::done;
    }
    if (g.point < 0) {
      Move move{};
      const LittlestoneStatus status = root_of(f, g.mask, depth_ - at_, words, move);
      if (status != LittlestoneStatus::done) return status;
      if (move.split) {
        points_[g.place] = g.point = move.point;
        return LittlestoneStatus::done;
      }
      Frame& inner = below_[at_][&f == &below_[at_][1] ? 2 : 1];
      if (!part(f, g.mask, move.point, move.label, inner)) return LittlestoneStatus::no_memory;
      g.frame = &inner;
      g.mask = inner.narrow() ? inner.tail() : 0;
      return LittlestoneStatus::done;
    }
    if (g.label == 2) return --at_, LittlestoneStatus::done;
    Frame& inner = below_[at_][0];
    const int label = g.label++;
    if (!part(f, g.mask, g.point, label, inner)) return LittlestoneStatus::no_memory;
    growth_[++at_] = {&inner, inner.narrow() ? inner.tail() : 0, -1, 0, 2 * g.place + 1 + label};
    return LittlestoneStatus::done;
  }

  LittlestoneStatus root_of(const Frame& f, Word mask, int levels, std::int64_t words, Move& move) {
    if (f.narrow() && levels <= few_levels) {
      std::int64_t looked = 0;
      const std::int64_t column = few_levels_root(f, mask, levels, looked);
      search_.count(looked);
      if (column < 0) return LittlestoneStatus::not_shattered;
      move = {f.point[column], true, 0};
      return LittlestoneStatus::done;
    }
    Answer verdict = Answer::open;
    if (!seeking_) {
      if (!bits_.reach(f.words)) return LittlestoneStatus::no_memory;
      for (std::int64_t i = 0; i < f.words; ++i) bits_[i] = f.narrow() ? mask : f.all(i);
      search_.count(search_.naming().cost(f));
      name(search_.naming(), f, bits_, key_);
      const Known known = search_.recall(key_, f.rows);
      if (known.lower >= levels) {
        move = known.move;
        return LittlestoneStatus::done;
      }
      // It was forgotten.
      verdict = search_.begin(f, mask, levels);
    }
    if (verdict == Answer::open) verdict = search_.go_on(words);
    seeking_ = verdict == Answer::open;
    if (seeking_) return LittlestoneStatus::open;
    if (verdict == Answer::no_memory) return LittlestoneStatus::no_memory;
    if (verdict == Answer::no) return LittlestoneStatus::not_shattered;
    move = search_.winning_move();
    return LittlestoneStatus::done;
  }

  // The frame of those in a frame that give a point a label.
  bool part(const Frame& f, Word mask, std::int64_t point, int label, Frame& inner) {
    if (!bits_.reach(f.words)) return false;
    search_.count(f.rows + f.cells());
    for (std::int64_t i = 0; i < f.words; ++i) {
      bits_[i] = 0;
      for (Word left = f.narrow() ? mask : f.all(i); left; left &= left - 1) {
        const int bit = std::countr_zero(left);
        if (search_.says(f.row[64 * i + bit], point) == label) bits_[i] |= Word(1) << bit;
      }
    }
    return reframe(f, bits_, search_.naming().shared, inner, search_.alike());
  }

  Search search_;
  Room<Word> live_, wanted_, key_, bits_;
  Frame some_;
  const Frame* start_ = nullptr;  // of what lives: some, or all
  Frame below_[most_levels][3];   // what a split leaves, and two by turns for what comes before it
  Growth growth_[most_levels + 1];
  int lower_ = 0, upper_ = 0, asked_ = 0, depth_ = 0, at_ = -1;
  bool begun_ = false, asking_ = false, from_above_ = false, growing_ = false, seeking_ = false;
  std::int64_t patience_ = first_patience, left_ = 0;
  std::int64_t *points_ = nullptr, *leaves_ = nullptr;
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
