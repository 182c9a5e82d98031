// What is known of version spaces, by their whole keys: no two that differ are ever taken for one another.
#pragma once
#include "version_space.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

// A table of entries of key words and then words of facts. It grows as long as it and the one that it replaces take no
// more than its bytes, but is never of fewer than 32 entries; from then on what is of least worth among its neighbours
// makes way. Worth 0 is an empty place.
class Memo {
 public:
  Memo() = default;
  Memo(const Memo&) = delete;
  Memo& operator=(const Memo&) = delete;
  ~Memo() { std::free(table_); }

  // False: no memory.
  bool begin(std::int64_t key_words, std::int64_t facts, std::int64_t bytes) {
    key_words_ = key_words;
    stride_ = key_words + facts;
    cells_ = bytes / std::int64_t(sizeof(Word));
    std::uint64_t size = first;
    while (size > fewest && cells_of(size) > cells_) size /= 2;
    return rebuild(size);
  }

  // Its facts, the upper 8 bits of the first being its worth; null if nothing is known.
  const Word* find(const Word* key) const {
    const Word* entry = table_ + std::int64_t(hash(key) & mask_) * stride_;
    for (int i = 0; i < reach; ++i, entry += stride_) {
      if (!entry[key_words_]) return nullptr;
      if (same(entry, key)) return entry + key_words_;
    }
    return nullptr;
  }

  // Where its facts may be written: those known, or 0 and its worth.
  Word* place(const Word* key, Word worth) {
    for (;;) {
      Word* const first = table_ + std::int64_t(hash(key) & mask_) * stride_;
      Word *entry = first, *least = first;
      for (int i = 0; i < reach; ++i, entry += stride_) {
        if (!entry[key_words_]) return ++used_, claim(entry, key, worth);
        if (same(entry, key)) return entry + key_words_;
        if (entry[key_words_] >> 56 < least[key_words_] >> 56) least = entry;
      }
      if (!full_ && grow()) continue;
      full_ = true;
      return claim(least, key, worth);
    }
  }

  std::int64_t used() const { return used_; }
  bool full() const { return full_; }

 private:
  static constexpr int reach = 16;                           // neighbours looked at
  static constexpr std::uint64_t first = 1024, fewest = 16;  // entries, but for the neighbours of the last

  std::int64_t cells_of(std::uint64_t size) const { return (std::int64_t(size) + reach) * stride_; }

  std::uint64_t hash(const Word* key) const {
    Word h = 0;
    for (std::int64_t i = 0; i < key_words_; ++i) h = (h ^ key[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 32);
  }
  bool same(const Word* entry, const Word* key) const {
    for (std::int64_t i = 0; i < key_words_; ++i)
      if (entry[i] != key[i]) return false;
    return true;
  }
  Word* claim(Word* entry, const Word* key, Word worth) {
    std::memcpy(entry, key, std::size_t(key_words_) * sizeof(Word));
    std::memset(entry + key_words_, 0, std::size_t(stride_ - key_words_) * sizeof(Word));
    entry[key_words_] = worth << 56;
    return entry + key_words_;
  }

  bool rebuild(std::uint64_t size) {
    Word* const fresh = static_cast<Word*>(std::calloc(std::size_t(cells_of(size)), sizeof(Word)));
    if (!fresh) return false;
    Word* const old = table_;
    const std::int64_t old_size = old ? std::int64_t(mask_) + 1 + reach : 0;
    table_ = fresh;
    mask_ = size - 1;
    used_ = 0;
    for (std::int64_t i = 0; i < old_size; ++i) {
      const Word* const entry = old + i * stride_;
      if (!entry[key_words_]) continue;
      // Neighbours stay neighbours, but where they crowd the least of them may have to go.
      Word* const facts = place_again(entry);
      std::memcpy(facts, entry + key_words_, std::size_t(stride_ - key_words_) * sizeof(Word));
    }
    std::free(old);
    return true;
  }
  Word* place_again(const Word* key) {
    Word *entry = table_ + std::int64_t(hash(key) & mask_) * stride_, *least = entry;
    for (int i = 0; i < reach; ++i, entry += stride_) {
      if (!entry[key_words_]) return ++used_, claim(entry, key, 1);
      if (entry[key_words_] >> 56 < least[key_words_] >> 56) least = entry;
    }
    return claim(least, key, 1);
  }
  bool grow() {
    const std::uint64_t size = mask_ + 1;
    return cells_of(size) + cells_of(2 * size) <= cells_ && rebuild(2 * size);
  }

  Word* table_ = nullptr;
  std::uint64_t mask_ = 0;
  std::int64_t key_words_ = 0, stride_ = 0, cells_ = 0, used_ = 0;
  bool full_ = false;
};

}  // namespace regretless::REGRETLESS_ISA::littlestone
