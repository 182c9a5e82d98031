// The words of cells of text, counted: sequences of letters, marks, digits and underscores, and of neighbouring words.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "byte_hash.hpp"
#include "word_marks.hpp"

namespace regretless {

// Numbers by a hash, of 32 bits, that nobody should be able to foresee. Who looks one up says which of those with its
// hash it is.
class HashedNumbers {
 public:
  // The number with this hash that `is` says to be the one, counted from 0; -1 where there is none.
  template <class Is>
  std::int64_t find(std::uint32_t hash, Is is) const {
    for (std::size_t slot = hash;; ++slot) {
      const Slot& one = slots_[slot & mask_];
      if (one.number == 0) return -1;
      if (one.hash == hash && is(one.number - 1)) return std::int64_t(one.number) - 1;
    }
  }
  void add(std::uint32_t hash, std::uint32_t number) {
    if (3 * ++size_ > slots_.size()) grow();
    place({hash, number + 1});
  }

 private:
  struct Slot {
    std::uint32_t hash, number;  // counted from 1; 0 where there is none
  };
  void place(Slot one) {
    std::size_t slot = one.hash;
    while (slots_[slot & mask_].number) ++slot;
    slots_[slot & mask_] = one;
  }
  void grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& one : before)
      if (one.number) place(one);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1 << 10);
  std::size_t mask_ = (1 << 10) - 1, size_ = 0;
};

// Distinct words and sequences of them, numbered in the order in which they come. The numbers do not depend on the seed
// of the hash. Words of up to 16 bytes, as nearly all are, are two numbers that stand in the table itself; a sequence
// is the sequence before its last word, and that word.
class TextNumbers {
 public:
  static constexpr std::size_t together = 32;  // how many are looked up at once at most
  static constexpr std::size_t padding = 16;   // bytes that may be read beyond where a word begins

  explicit TextNumbers(std::uint64_t seed) : seed_(seed) {}

  std::size_t size() const { return texts_.size(); }
  std::string_view operator[](std::size_t number) const { return texts_[number]; }

  // The numbers of some words, at most `together`, of which new ones are copied.
  void words(const char* text, const std::uint32_t* begins, const std::uint32_t* ends, std::size_t count,
             std::int32_t* numbers) {
    Word some[together];
    std::uint32_t hashes[together];
    for (std::size_t k = 0; k < count; ++k) {
      some[k] = word_of(text + begins[k], ends[k] - begins[k]);
      hashes[k] = hash_of(some[k], text + begins[k]);
      __builtin_prefetch(&slots_[hashes[k] & mask_]);
    }
    for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(words_.data() + slots_[hashes[k] & mask_]);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t slot = hashes[k];; ++slot) {
        const std::uint32_t place = slots_[slot & mask_];
        const Word& one = words_[place];
        if (place == 0) {
          numbers[k] = new_word(some[k], text + begins[k], hashes[k]);
          break;
        }
        if (same(one, some[k], text + begins[k])) {
          numbers[k] = one.number;
          break;
        }
      }
    }
  }

  // The number of the sequence of one word or more with the number `before` and of the word `last`.
  std::int32_t sequence(std::int32_t before, std::int32_t last) {
    const Sequence one{before, last, 0};
    const std::uint32_t hash = hash_of(one);
    const auto is = [&](std::uint32_t at) { return sequences_[at].before == before && sequences_[at].last == last; };
    const std::int64_t known = sequences_by_hash_.find(hash, is);
    if (known >= 0) return sequences_[std::size_t(known)].number;
    std::string joined(texts_[std::size_t(before)]);
    joined += ' ';
    joined += texts_[std::size_t(last)];
    sequences_.push_back({before, last, new_text(joined)});
    sequences_by_hash_.add(hash, std::uint32_t(sequences_.size() - 1));
    return sequences_.back().number;
  }

 private:
  struct Word {
    std::uint64_t first, second;  // eight bytes each, those beyond the end being 0
    std::uint32_t size;
    std::int32_t number;
  };
  struct Sequence {
    std::int32_t before, last, number;
  };

  static Word word_of(const char* at, std::uint32_t size) {
    return {load(at, size), load(at + 8, size < 8 ? 0 : size - 8), size, 0};
  }
  bool same(const Word& known, const Word& word, const char* whole) const {
    if (known.first != word.first || known.second != word.second || known.size != word.size) return false;
    return word.size <= 16 ||
           std::memcmp(texts_[std::size_t(known.number)].data() + 16, whole + 16, word.size - 16) == 0;
  }
  static std::uint64_t load(const char* at, std::uint32_t size) {
    constexpr std::uint64_t all = ~std::uint64_t(0);
    static constexpr std::uint64_t masks[9] = {0,         all >> 56, all >> 48, all >> 40, all >> 32,
                                               all >> 24, all >> 16, all >> 8,  all};
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word & masks[std::min(size, std::uint32_t(8))];
  }

  // What can be looked up comes last: wherever memory runs out, nothing that is known lacks a part.
  std::int32_t new_word(Word word, const char* whole, std::uint32_t hash) {
    if (3 * words_.size() > slots_.size()) grow();
    word.number = new_text({whole, word.size});
    words_.push_back(word);
    place(std::uint32_t(words_.size() - 1), hash);
    return word.number;
  }
  void place(std::uint32_t word, std::uint32_t hash) {
    std::size_t slot = hash;
    while (slots_[slot & mask_]) ++slot;
    slots_[slot & mask_] = word;
  }
  void grow() {
    slots_ = std::vector<std::uint32_t>(2 * slots_.size());
    mask_ = slots_.size() - 1;
    for (std::uint32_t k = 1; k < words_.size(); ++k)
      place(k, hash_of(words_[k], texts_[std::size_t(words_[k].number)].data()));
  }
  std::int32_t new_text(std::string_view text) {
    if (texts_.size() == std::size_t(std::numeric_limits<std::int32_t>::max()))
      throw std::length_error("too many distinct words");
    texts_.push_back(copies_.emplace_back(text));
    return std::int32_t(texts_.size() - 1);
  }

  static constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  std::uint32_t hash_of(const Sequence& one) const {
    std::uint64_t hash = (seed_ ^ (std::uint64_t(std::uint32_t(one.before)) << 32 | std::uint32_t(one.last))) * odd;
    hash ^= hash >> 32;
    return std::uint32_t(hash * odd >> 32);
  }
  std::uint32_t hash_of(const Word& word, const char* whole) const {
    if (word.size > 16) return long_hash(whole, word.size);
    std::uint64_t hash = (seed_ ^ word.size) * odd;
    hash = std::rotl((hash ^ word.first) * odd, 29);
    hash = (hash ^ word.second) * odd;
    hash ^= hash >> 32;
    return std::uint32_t(hash * odd >> 32);
  }
  std::uint32_t long_hash(const char* whole, std::uint32_t size) const {
    return std::uint32_t(byte_hash(whole, size, seed_, [](const char* at, std::size_t left) {
      std::uint64_t bytes = 0;
      for (std::size_t k = 0; k < left; ++k) bytes = bytes >> 8 | std::uint64_t(std::uint8_t(at[k])) << 56;
      return bytes;
    }));
  }

  std::uint64_t seed_;
  HashedNumbers sequences_by_hash_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1 << 10);  // by hash: which of the words, or 0
  std::size_t mask_ = (1 << 10) - 1;
  std::vector<Word> words_ = std::vector<Word>(1);  // the first one is none
  std::vector<Sequence> sequences_;
  std::vector<std::string_view> texts_;  // of all numbers
  std::deque<std::string> copies_;
};

// Cells of UTF-8 text, one after the other, the cell t from offsets[t] to offsets[t + 1].
struct WordCells {
  const char* text = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t rows = 0;
  const std::int64_t *missing = nullptr, *missing_end = nullptr;   // rows without a cell, ascending
  const std::uint32_t *letters = nullptr, *letters_end = nullptr;  // characters of words beyond ASCII, ascending
};

// Cells of one column, some at a time; the capital letters of ASCII are taken for small ones. A word that was read
// before has the number that it got then.
class WordReader {
 public:
  using Mark = void (*)(const WordMarks&);

  WordReader(std::uint64_t seed, std::int64_t ngrams) : numbers(seed), ngrams_(std::size_t(ngrams)) {}

  void read(const WordCells& cells, Mark mark) {
    const std::int64_t* missing = cells.missing;
    know(cells.letters, cells.letters_end);
    ends.assign(1, 0);
    codes.clear();
    codes.reserve(std::size_t(cells.offsets[cells.rows] - cells.offsets[0]) / 4);
    for (std::int64_t first = 0, last; first < cells.rows; first = last) {
      for (last = first + 1; last < cells.rows && cells.offsets[last + 1] - cells.offsets[first] <= piece;) ++last;
      read_piece(cells, first, last, missing, mark);
    }
  }

 private:
  static constexpr std::int64_t piece = 1 << 14;  // bytes of cells whose words are marked together

  void know(const std::uint32_t* letters, const std::uint32_t* end) {
    common_.assign(1 << 10, 0);
    for (; letters < end && *letters < 1 << 16; ++letters) common_[*letters / 64] |= std::uint64_t(1) << *letters % 64;
  }

  void read_piece(const WordCells& cells, std::int64_t first, std::int64_t last, const std::int64_t*& missing,
                  Mark mark) {
    const std::int64_t origin = cells.offsets[first];
    const auto size = std::size_t(cells.offsets[last] - origin);
    if (size > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a cell has less than 2**32 bytes");
    text_.assign(cells.text + origin, size);
    text_.append(word_padding, '\0');
    offsets_.clear();
    for (std::int64_t row = first; row <= last; ++row) offsets_.push_back(cells.offsets[row] - origin);
    edges_.assign(size / 64 + 1, 0);
    counts_.resize(std::size_t(last - first));
    if (const std::size_t room = size + word_padding; begins_.size() < room) begins_.resize(room), ends_.resize(room);
    mark({text_.data(), size, offsets_.data(), last - first, common_.data(), cells.letters, cells.letters_end,
          edges_.data(), begins_.data(), ends_.data(), counts_.data()});
    for (std::int64_t row = first, word = 0; row < last; ++row) {
      const std::int64_t end = counts_[std::size_t(row - first)];
      if (missing < cells.missing_end && *missing == row) ++missing;
      else look_up(std::size_t(word), std::size_t(end));
      word = end;
      ends.push_back(std::int64_t(codes.size()));
    }
  }

  // The words of a cell, and the sequences of them.
  void look_up(std::size_t begin, std::size_t end) {
    const std::size_t before = codes.size(), count = end - begin;
    codes.resize(before + count);
    for (std::size_t k = 0; k < count; k += TextNumbers::together)
      numbers.words(text_.data(), begins_.data() + begin + k, ends_.data() + begin + k,
                    std::min(count - k, TextNumbers::together), codes.data() + before + k);
    std::size_t shorter = before;  // where the sequences that are one word shorter stand
    for (std::size_t length = 2; length <= std::min(count, ngrams_); ++length) {
      const std::size_t many = count - length + 1, at = codes.size();
      for (std::size_t k = 0; k < many; ++k)
        codes.push_back(numbers.sequence(codes[shorter + k], codes[before + k + length - 1]));
      shorter = at;
    }
  }

  std::string text_;
  std::vector<std::uint64_t> common_, edges_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint32_t> begins_, ends_, counts_;

 public:
  TextNumbers numbers;              // the values
  std::vector<std::int32_t> codes;  // of each time that a word stands somewhere, which of the values it is
  std::vector<std::int64_t> ends;   // where the words of each row end, after a 0

 private:
  std::size_t ngrams_;
};

}  // namespace regretless
