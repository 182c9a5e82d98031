// How far the Littlestone dimension of a version space is known, narrowed from below and from above; and trees of it.
#pragma once
#include "littlestone.hpp"
#include "littlestone_search.hpp"

namespace regretless::REGRETLESS_ISA {

class LittlestoneTask {
 public:
  bool make(const BitClass& c, std::int64_t bytes) {
    return search_.make(c, bytes) && live_.reach(c.words) && wanted_.reach(c.words) && key_.reach(search_.naming().words);
  }
  const Memo& memo() const { return search_.memo(); }

  LittlestoneOutcome run(const Word* live, std::int64_t steps, LittlestoneStanding& s) {
    const LittlestoneOutcome ready = stand_on(live);
    if (ready != LittlestoneOutcome::done) return ready;
    const std::int64_t before = search_.steps();
    LittlestoneOutcome outcome = LittlestoneOutcome::done;
    while (lower_ < upper_ && search_.steps() - before < steps && outcome == LittlestoneOutcome::done)
      outcome = narrow(steps - (search_.steps() - before));
    s = {lower_, upper_, search_.steps() - before};
    return outcome;
  }

  LittlestoneOutcome tree(const Word* live, int depth, std::int64_t* points, std::int64_t* leaves) {
    const LittlestoneOutcome ready = stand_on(live);
    if (ready != LittlestoneOutcome::done) return ready;
    for (; lower_ < depth;) {
      if (upper_ < depth) return LittlestoneOutcome::not_shattered;
      const LittlestoneOutcome outcome = narrow(1 << 20);
      if (outcome != LittlestoneOutcome::done) return outcome;
    }
    asking_ = false;
    depth_ = depth, points_ = points, leaves_ = leaves;
    return grow(start_, start_.narrow() ? start_.tail() : 0, 0, 0);
  }

 private:
  static constexpr std::int64_t first_patience = 1 << 14;

  // Turns to the hypotheses that live; null: to all of them.
  LittlestoneOutcome stand_on(const Word* live) {
    const Frame& root = search_.root();
    for (std::int64_t i = 0; i < root.words; ++i) wanted_[i] = live ? live[i] : root.all(i);
    if (begun_ && !std::memcmp(wanted_, live_, std::size_t(root.words) * sizeof(Word))) return LittlestoneOutcome::done;
    begun_ = asking_ = false;
    if (!is_version_space(root, wanted_, live_)) return LittlestoneOutcome::no_version_space;
    if (!reframe(root, wanted_, search_.naming().words, start_, search_.alike())) return LittlestoneOutcome::no_memory;
    std::memcpy(live_, wanted_, std::size_t(root.words) * sizeof(Word));
    name(search_.naming(), root, live_, key_);
    const Known known = search_.recall(key_, start_.rows);
    lower_ = known.lower, upper_ = known.upper;
    if (!lower_ && start_.rows > 1) lower_ = 1;
    patience_ = first_patience, begun_ = true;
    return LittlestoneOutcome::done;
  }

  // Asks for a level more than is known, and by turns for as many as are possible: the one proves, the other refutes.
  LittlestoneOutcome narrow(std::int64_t steps) {
    if (!asking_) {
      asked_ = from_above_ ? upper_ : lower_ + 1;
      left_ = patience_;
      asking_ = true;
      const Verdict seen = search_.begin(start_, start_.narrow() ? start_.tail() : 0, asked_);
      if (seen != Verdict::open) return settle(seen);
    }
    const bool alone = lower_ + 1 == upper_;
    const std::int64_t allowed = alone || steps < left_ ? steps : left_, before = search_.steps();
    const Verdict verdict = search_.go_on(allowed);
    left_ -= search_.steps() - before;
    if (verdict != Verdict::open) return settle(verdict);
    if (left_ <= 0 && !alone) {
      asking_ = false;
      if (from_above_) patience_ *= 2;
      from_above_ = !from_above_;
    }
    return LittlestoneOutcome::done;
  }

  LittlestoneOutcome settle(Verdict verdict) {
    asking_ = false;
    if (verdict == Verdict::no_memory) return LittlestoneOutcome::no_memory;
    if (verdict == Verdict::yes) lower_ = asked_;
    else upper_ = asked_ - 1;
    return LittlestoneOutcome::done;
  }

  // The tree of what lives in a frame, from a place of the heap down.
  LittlestoneOutcome grow(const Frame& f, Word mask, int level, std::int64_t place) {
    if (level == depth_) {
      leaves_[place - ((std::int64_t(1) << depth_) - 1)] = f.row[f.narrow() ? std::countr_zero(mask) : 0];
      return LittlestoneOutcome::done;
    }
    Move move{};
    const LittlestoneOutcome found = root_of(f, mask, depth_ - level, move);
    if (found != LittlestoneOutcome::done) return found;
    if (move.split) points_[place] = move.point;
    for (int label = 0; label < 2; ++label) {
      if (!move.split && label != move.label) continue;
      Frame& inner = below_[level][move.split ? 0 : &f == &below_[level][1] ? 2 : 1];
      if (!part(f, mask, move.point, label, inner)) return LittlestoneOutcome::no_memory;
      const Word all = inner.narrow() ? inner.tail() : 0;
      const LittlestoneOutcome grown = move.split ? grow(inner, all, level + 1, 2 * place + 1 + label) : grow(inner, all, level, place);
      if (grown != LittlestoneOutcome::done) return grown;
    }
    return LittlestoneOutcome::done;
  }

  LittlestoneOutcome root_of(const Frame& f, Word mask, int levels, Move& move) {
    if (f.narrow() && levels <= few_levels) {
      const std::int64_t column = few_levels_root(f, mask, levels);
      if (column < 0) return LittlestoneOutcome::not_shattered;
      move = {f.point[column], true, 0};
      return LittlestoneOutcome::done;
    }
    if (!bits_.reach(f.words)) return LittlestoneOutcome::no_memory;
    for (std::int64_t i = 0; i < f.words; ++i) bits_[i] = f.narrow() ? mask : f.all(i);
    name(search_.naming(), f, bits_, key_);
    const Known known = search_.recall(key_, f.rows);
    if (known.lower >= levels) {
      move = known.move;
      return LittlestoneOutcome::done;
    }
    Verdict verdict = search_.begin(f, mask, levels);
    while (verdict == Verdict::open) verdict = search_.go_on(1 << 20);
    if (verdict == Verdict::no_memory) return LittlestoneOutcome::no_memory;
    if (verdict == Verdict::no) return LittlestoneOutcome::not_shattered;
    move = search_.found();
    return LittlestoneOutcome::done;
  }

  // The frame of those in a frame that give a point a label.
  bool part(const Frame& f, Word mask, std::int64_t point, int label, Frame& inner) {
    if (!bits_.reach(f.words)) return false;
    for (std::int64_t i = 0; i < f.words; ++i) {
      bits_[i] = 0;
      for (Word left = f.narrow() ? mask : f.all(i); left; left &= left - 1) {
        const int bit = std::countr_zero(left);
        if (search_.says(f.row[64 * i + bit], point) == label) bits_[i] |= Word(1) << bit;
      }
    }
    return reframe(f, bits_, search_.naming().words, inner, search_.alike());
  }

  Search search_;
  Room<Word> live_, wanted_, key_, bits_;
  Frame start_;
  Frame below_[most_levels][3];  // what a split leaves, and two by turns for what comes before it
  int lower_ = 0, upper_ = 0, asked_ = 0, depth_ = 0;
  bool begun_ = false, asking_ = false, from_above_ = false;
  std::int64_t patience_ = first_patience, left_ = 0;
  std::int64_t *points_ = nullptr, *leaves_ = nullptr;
};

}  // namespace regretless::REGRETLESS_ISA
