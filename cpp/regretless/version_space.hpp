// Version spaces as bits: the hypotheses that are left, and what each point still says of them.
//
// A frame holds the hypotheses of one version space side by side: points that no longer tell them apart are dropped,
// and of points that tell them apart in the same way, whatever they call the two sides, one is left. Version spaces
// inside a frame of one word are masks. The labels that all hypotheses of a version space agree on name it: they are
// its key, the same in every frame; where there are fewer hypotheses than labels, the hypotheses themselves are, and
// frames do without keys.
#pragma once
#include <utility>

#include "bit_class.hpp"
#include "version_words.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

struct Frame {
  std::int64_t rows = 0, words = 0, columns = 0;
  Room<Word> column;              // (columns, words): never constant, no two alike, and the first row says 0
  Room<Word> zero, one;           // (columns, shared words): what the key gains when the column is 0 or 1 throughout
  Room<Word> base;                // (shared words): what all rows agree on
  Room<std::int32_t> point, row;  // which they are in the class

  bool narrow() const { return words == 1; }
  std::int64_t cells() const { return columns * words; }
  Word tail() const { return ~Word(0) >> (-rows & 63); }
  Word all(std::int64_t word) const { return word + 1 == words ? tail() : ~Word(0); }

  bool reach(std::int64_t most_columns, std::int64_t shared) {
    return column.reach(most_columns * words) && zero.reach(most_columns * shared) &&
           one.reach(most_columns * shared) && base.reach(shared) && point.reach(most_columns) && row.reach(rows);
  }
};

// Finds a column among those before it.
class Alike {
 public:
  bool clear(std::int64_t columns) {
    const std::int64_t size = std::int64_t(std::bit_ceil(std::uint64_t(2 * columns + 2)));
    if (!places_.reach(size)) return false;
    mask_ = std::uint64_t(size - 1);
    std::memset(places_, 0xff, std::size_t(size) * sizeof(std::int32_t));
    return true;
  }
  // The earlier column that is the same; itself if there is none.
  std::int64_t find(const Word* columns, std::int64_t words, std::int64_t mine) {
    const Word* const own = columns + mine * words;
    Word hash = 0;
    for (std::int64_t i = 0; i < words; ++i) hash = (hash ^ own[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
    for (std::uint64_t place = hash & mask_;; place = (place + 1) & mask_) {
      const std::int32_t other = places_[place];
      if (other < 0) return places_[place] = std::int32_t(mine), mine;
      if (!std::memcmp(columns + other * words, own, std::size_t(words) * sizeof(Word))) return other;
    }
  }

 private:
  Room<std::int32_t> places_;
  std::uint64_t mask_ = 0;
};

inline void put_key(Word* to, const Word* from, std::int64_t words) {
  for (std::int64_t i = 0; i < words; ++i) to[i] = from[i];
}
// Keys are merged into keys.
inline void add_key(Word* to, const Word* from, std::int64_t words) {
  for (std::int64_t i = 0; i < words; ++i) to[i] |= from[i];
}

// The frame of some rows of another, which costs a look at all of its words. False: no memory.
inline bool reframe(const Frame& from, const Word* chosen, std::int64_t shared, Frame& to, Alike& alike) {
  to.rows = counted(chosen, from.words);
  to.words = (to.rows + 63) / 64;
  if (!to.reach(from.columns, shared) || !alike.clear(from.columns)) return false;
  put_key(to.base, from.base, shared);
  std::int64_t m = 0;
  for (std::int64_t c = 0; c < from.columns; ++c) {
    Word* const column = to.column + m * to.words;
    gather(from.column + c * from.words, chosen, from.words, column);
    const Word *zero = from.zero + c * shared, *one = from.one + c * shared;
    if (column[0] & 1) {
      for (std::int64_t i = 0; i < to.words; ++i) column[i] ^= to.all(i);
      std::swap(zero, one);
    }
    Word any = 0;
    for (std::int64_t i = 0; i < to.words; ++i) any |= column[i];
    if (!any) {
      add_key(to.base, zero, shared);
      continue;
    }
    const std::int64_t same = alike.find(to.column, to.words, m);
    if (same < m) {
      add_key(to.zero + same * shared, zero, shared);
      add_key(to.one + same * shared, one, shared);
      continue;
    }
    put_key(to.zero + m * shared, zero, shared);
    put_key(to.one + m * shared, one, shared);
    to.point[m++] = from.point[c];
  }
  to.columns = m;
  std::int32_t* row = to.row;
  for (std::int64_t i = 0; i < from.words; ++i)
    for (Word left = chosen[i]; left; left &= left - 1) *row++ = from.row[64 * i + std::countr_zero(left)];
  return true;
}

// What names a version space.
struct Naming {
  std::int64_t words = 0;
  std::int64_t shared =
      0;  // words of what rows agree on that frames keep: all of them, or none where rows are the names
  bool by_rows = false;

  Naming() = default;
  explicit Naming(const BitClass& c) {
    by_rows = c.hypotheses <= 2 * c.points;
    words = by_rows ? c.words : (2 * c.points + 63) / 64;
    shared = by_rows ? 0 : words;
  }
  // Words looked at to name what lives in a frame.
  std::int64_t cost(const Frame& f) const { return by_rows ? f.rows + words : f.cells() + words; }
};

// The hypotheses and points of a class as they were given. False: no memory.
inline bool frame_class(const BitClass& c, const Naming& naming, Frame& root, Alike& alike) {
  root.rows = c.hypotheses;
  root.words = c.words;
  const std::int64_t k = naming.shared;
  if (!root.reach(c.points, k) || !alike.clear(c.points)) return false;
  for (std::int64_t i = 0; i < k; ++i) root.base[i] = 0;
  std::int64_t m = 0;
  for (std::int64_t x = 0; x < c.points; ++x) {
    Word* const column = root.column + m * c.words;
    const Word turned = c.columns[x * c.words] & 1;
    Word any = 0;
    for (std::int64_t i = 0; i < c.words; ++i)
      any |= column[i] = c.columns[x * c.words + i] ^ (turned ? root.all(i) : 0);
    const std::int64_t place = any ? alike.find(root.column, c.words, m) : -1;
    if (place == m) {
      for (std::int64_t i = m * k; i < (m + 1) * k; ++i) root.zero[i] = root.one[i] = 0;
      root.point[m++] = std::int32_t(x);
    }
    if (naming.by_rows) continue;
    const Word says_0 = Word(1) << (2 * (x % 32)), says_1 = says_0 << 1;
    if (place < 0) {
      root.base[x / 32] |= turned ? says_1 : says_0;
      continue;
    }
    root.zero[place * k + x / 32] |= turned ? says_1 : says_0;
    root.one[place * k + x / 32] |= turned ? says_0 : says_1;
  }
  root.columns = m;
  for (std::int64_t h = 0; h < c.hypotheses; ++h) root.row[h] = std::int32_t(h);
  return true;
}

// The key of the hypotheses of a frame that live.
inline void name(const Naming& naming, const Frame& f, const Word* live, Word* key) {
  if (naming.by_rows) {
    std::memset(key, 0, std::size_t(naming.words) * sizeof(Word));
    for (std::int64_t i = 0; i < f.words; ++i)
      for (Word left = live[i]; left; left &= left - 1) {
        const std::int32_t row = f.row[64 * i + std::countr_zero(left)];
        key[row / 64] |= Word(1) << (row % 64);
      }
    return;
  }
  std::memcpy(key, f.base, std::size_t(naming.words) * sizeof(Word));
  if (f.narrow() && naming.words == 1) {
    Word labels = key[0];
    const Word *column = f.column, *zero = f.zero, *one = f.one, all = live[0];
    for (std::int64_t c = 0; c < f.columns; ++c) {
      const Word ones = column[c] & all;
      labels |= (ones == 0 ? zero[c] : 0) | (ones == all ? one[c] : 0);
    }
    key[0] = labels;
    return;
  }
  for (std::int64_t c = 0; c < f.columns; ++c) {
    const Word* const column = f.column + c * f.words;
    Word ones = 0, zeros = 0;
    for (std::int64_t i = 0; i < f.words && !(ones && zeros); ++i) {
      ones |= column[i] & live[i];
      zeros |= ~column[i] & live[i];
    }
    if (!ones) add_key(key, f.zero + c * naming.words, naming.words);
    else if (!zeros) add_key(key, f.one + c * naming.words, naming.words);
  }
}

// Whether every hypothesis that agrees with all labels that some of them share is one of them, and there are any.
// `others` is room for as many words.
inline bool is_version_space(const Frame& root, const Word* live, Word* others) {
  Word beyond = 0;
  for (std::int64_t i = 0; i < root.words; ++i) {
    beyond |= live[i] & ~root.all(i);
    others[i] = root.all(i) & ~live[i];
  }
  if (beyond || !counted(live, root.words)) return false;
  for (std::int64_t c = 0; c < root.columns; ++c) {
    const Word* const column = root.column + c * root.words;
    Word ones = 0, zeros = 0;
    for (std::int64_t i = 0; i < root.words && !(ones && zeros); ++i) {
      ones |= column[i] & live[i];
      zeros |= ~column[i] & live[i];
    }
    if (ones && zeros) continue;
    for (std::int64_t i = 0; i < root.words; ++i) others[i] &= ones ? column[i] : ~column[i];
  }
  return !counted(others, root.words);
}

}  // namespace regretless::REGRETLESS_ISA::littlestone
