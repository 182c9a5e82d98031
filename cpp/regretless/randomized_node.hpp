// A version space whose randomised dimension is being worked out, and what is known of it so far.
#pragma once
#include "version_space.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

// Values are whole numbers of 2^-58.
inline constexpr int value_bits = 58;
inline constexpr Word one_mistake = Word(1) << value_bits;

// What no class of so many hypotheses is worth more than: with k = floor(log2 size), half of k - 1 + size / 2^k. It is
// what the evenest splits come to, for it is concave on whole numbers and (1 + most(a) + most(b)) / 2 is largest for
// even ones.
inline Word most_worth(std::int64_t size) {
  const int k = int(std::bit_width(std::uint64_t(size))) - 1;
  return (Word(k) << (value_bits - 1)) + (Word(size - (std::int64_t(1) << k)) << (value_bits - 1 - k));
}
// And no less than: splits that take off one hypothesis after another come to 1 - 2^(1 - size).
inline Word least_worth(std::int64_t size) {
  return one_mistake - (size > value_bits ? Word(1) : one_mistake >> (size - 1));
}

// Of what a split leaves; rounded up.
inline Word split_worth(Word zeros, Word ones) {
  const Word sum = one_mistake + zeros + ones;
  return sum / 2 + (sum & 1);
}

struct Worth {
  Word lower, upper;
};

struct RandomizedNode {
  const Frame* frame = nullptr;
  Room<Word> live;
  std::int64_t size = 0;
  int dimension = 0;  // the Littlestone dimension, or more
  Word needed = 0;    // a value no larger than this need not be known
  Worth worth{}, side[2]{};
  Word missed = 0;   // what the splits passed over may come to
  Room<Word> order;  // columns that split, the most even first
  std::int64_t count = 0, next = 0;
  Room<Word> key;
  int inside = -1;         // the side that the search went into
  bool bounding = false;   // its dimension is being asked for; nothing else is known yet
  Frame* inner = nullptr;  // the frame made for that side

  Word threshold() const { return worth.lower > needed ? worth.lower : needed; }
  std::int64_t column() const { return std::int64_t(order[next] & 0xffffffffu); }
  std::int64_t smaller() const { return size - std::int64_t(order[next] >> 32); }

  // Counts what each column leaves. False: no memory.
  bool list() {
    const Frame& f = *frame;
    if (!order.reach(f.columns)) return false;
    count = next = 0;
    for (std::int64_t c = 0; c < f.columns; ++c) {
      const Word* const column = f.column + c * f.words;
      std::int64_t ones = 0;
      for (std::int64_t i = 0; i < f.words; ++i) ones += std::popcount(column[i] & live[i]);
      const std::int64_t few = ones < size - ones ? ones : size - ones;
      if (few > 0) order[count++] = Word(size - few) << 32 | Word(c);
    }
    sort_words(order, count);
    return true;
  }
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
