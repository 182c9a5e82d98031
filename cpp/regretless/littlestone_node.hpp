// A version space in whose tree the search stands, and the points that could be the root of that tree.
#pragma once
#include "version_space.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

// A side of a split: the hypotheses that say `label` of a column.
struct Side {
  std::int64_t column;
  int label;
};

struct Node {
  const Frame* frame = nullptr;
  Word mask = 0;  // what lives, in a frame of one word; in wider ones all do
  std::int64_t size = 0;
  int wanted = 0;    // is there a tree of so many levels?
  Room<Word> order;  // columns that leave enough on either side, the most even first
  std::int64_t count = 0, next = 0;
  Room<Word> key;
  Room<Side> failed, held;  // sides known to have no tree of one level less, and those known to have one
  std::int64_t failures = 0, holds = 0;
  Side side{};  // the one that the search went into
  bool inside = false, other_open = false;

  Word live(std::int64_t word) const { return frame->narrow() ? mask : frame->all(word); }
  Word bits(Side s, std::int64_t word) const {
    const Word ones = frame->column[s.column * frame->words + word];
    return live(word) & (s.label ? ones : ~ones);
  }
  bool within(Side inner, Side outer, std::int64_t& looked) const {
    const Word *a = frame->column + inner.column * frame->words, *b = frame->column + outer.column * frame->words;
    const Word flip_a = inner.label ? 0 : ~Word(0), flip_b = outer.label ? ~Word(0) : 0;
    std::int64_t i = 0;
    while (i < frame->words && !(live(i) & (a[i] ^ flip_a) & (b[i] ^ flip_b))) ++i;
    looked += i + 1;
    return i == frame->words;
  }
  // What is known of more hypotheses and fails, fails of fewer; what holds of fewer, holds of more.
  bool must_fail(Side s, std::int64_t& looked) const {
    for (std::int64_t i = failures; i-- > 0;)
      if (within(s, failed[i], looked)) return true;
    return false;
  }
  const Side* must_hold(Side s, std::int64_t& looked) const {
    for (std::int64_t i = holds; i-- > 0;)
      if (within(held[i], s, looked)) return held + i;
    return nullptr;
  }

  // Counts what each column leaves. False: no memory.
  bool begin(const Frame& f, Word live_mask, int levels, std::int64_t key_words) {
    frame = &f;
    mask = live_mask;
    wanted = levels;
    size = f.narrow() ? std::popcount(mask) : f.rows;
    count = next = failures = holds = 0;
    inside = other_open = false;
    if (!order.reach(f.columns) || !key.reach(key_words) || !failed.reach(2 * f.columns) || !held.reach(2 * f.columns))
      return false;
    const std::int64_t least = std::int64_t(1) << (levels - 1);
    for (std::int64_t c = 0; c < f.columns; ++c) {
      std::int64_t ones = 0;
      if (f.narrow()) ones = std::popcount(f.column[c] & mask);
      else ones = counted(f.column + c * f.words, f.words);
      const std::int64_t smaller = ones < size - ones ? ones : size - ones;
      if (smaller >= least) order[count++] = Word(size - smaller) << 33 | Word(c) << 1 | Word(ones <= size - ones);
    }
    sort_words(order, count);
    return true;
  }
  Side smaller_side() const { return {std::int64_t(order[next] & 0xffffffffu) >> 1, int(order[next] & 1)}; }
  std::int64_t smaller_size() const { return size - std::int64_t(order[next] >> 33); }
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
