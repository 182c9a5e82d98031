// The words of cells of text, counted: sequences of letters, marks, digits and underscores, and of neighbouring words.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "byte_hash.hpp"

namespace regretless {

// Distinct texts, numbered in the order in which they come. The numbers do not depend on the seed of the hash, which
// nobody should be able to foresee.
class TextNumbers {
 public:
  explicit TextNumbers(std::uint64_t seed) : seed_(seed), slots_(1 << 10) {}

  std::size_t size() const { return texts_.size(); }
  std::string_view operator[](std::size_t number) const { return texts_[number]; }

  // The number of a text that stays where it is.
  std::int32_t of(std::string_view text) {
    return find(text, [](std::string_view same) { return same; });
  }
  // The number of a text that is copied if it is new.
  std::int32_t of_copy(std::string_view text) {
    return find(text, [this](std::string_view same) { return std::string_view(copies_.emplace_back(same)); });
  }

 private:
  template <class Keep>
  std::int32_t find(std::string_view text, Keep keep) {
    const std::uint64_t hash = hash_of(text);
    for (std::uint64_t slot = hash;; ++slot) {
      const std::uint32_t number = slots_[slot & (slots_.size() - 1)];
      if (number == 0) break;
      if (hashes_[number - 1] == std::uint32_t(hash) && texts_[number - 1] == text) return std::int32_t(number - 1);
    }
    texts_.push_back(keep(text));
    hashes_.push_back(std::uint32_t(hash));
    if (2 * texts_.size() > slots_.size()) slots_.assign(2 * slots_.size(), 0), fill();
    else place(std::uint32_t(texts_.size()));
    return std::int32_t(texts_.size() - 1);
  }

  void fill() {
    for (std::uint32_t number = 1; number <= texts_.size(); ++number) place(number);
  }
  void place(std::uint32_t number) {
    std::uint64_t slot = hashes_[number - 1];
    while (slots_[slot & (slots_.size() - 1)]) ++slot;
    slots_[slot & (slots_.size() - 1)] = number;
  }

  std::uint64_t hash_of(std::string_view text) const {
    return byte_hash(text.data(), text.size(), seed_, [](const char* at, std::size_t left) {
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < left; ++k) word = word >> 8 | std::uint64_t(std::uint8_t(at[k])) << 56;
      return word;
    });
  }

  std::uint64_t seed_;
  std::vector<std::uint32_t> slots_;  // by hash: 0, or the number of a text, counted from 1
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> hashes_;
  std::deque<std::string> copies_;
};

// Cells of UTF-8 text, one after the other, the cell t from offsets[t] to offsets[t + 1].
struct WordCells {
  const char* text = nullptr;
  const std::int64_t* offsets = nullptr;
  std::int64_t rows = 0;
  const std::int64_t *missing = nullptr, *missing_end = nullptr;   // rows without a cell, ascending
  const std::uint32_t *letters = nullptr, *letters_end = nullptr;  // characters of words beyond ASCII, ascending
  std::int64_t ngrams = 1;                                         // of so many neighbouring words
};

class WordReader {
 public:
  WordReader(const WordCells& cells, std::uint64_t seed) : cells_(cells), numbers(seed) {}

  void read() {
    const std::int64_t* missing = cells_.missing;
    for (std::int64_t row = 0; row < cells_.rows; ++row) {
      if (missing < cells_.missing_end && *missing == row) {
        ++missing;
        continue;
      }
      split(cells_.text + cells_.offsets[row], cells_.text + cells_.offsets[row + 1]);
      for (const std::string_view word : words_) add(row, numbers.of(word));
      const std::size_t longest = std::min(words_.size(), std::size_t(cells_.ngrams));
      for (std::size_t length = 2; length <= longest; ++length)
        for (std::size_t first = 0; first + length <= words_.size(); ++first)
          add(row, numbers.of_copy(join(first, length)));
    }
  }

 private:
  void add(std::int64_t row, std::int32_t code) {
    rows.push_back(row);
    codes.push_back(code);
  }

  void split(const char* at, const char* end) {
    words_.clear();
    const char* begin = nullptr;  // of the word that is being read
    while (at < end) {
      const char* const here = at;
      if (is_letter(at, end)) {
        if (!begin) begin = here;
      } else if (begin) {
        words_.emplace_back(begin, std::size_t(here - begin));
        begin = nullptr;
      }
    }
    if (begin) words_.emplace_back(begin, std::size_t(end - begin));
  }

  // Whether the next character is one of a word; passes over it.
  bool is_letter(const char*& at, const char* end) const {
    const auto byte = std::uint8_t(*at++);
    if (byte < 0x80) return std::uint8_t((byte | 0x20) - 'a') < 26 || std::uint8_t(byte - '0') < 10 || byte == '_';
    std::uint32_t character = byte & (byte < 0xE0 ? 0x1F : byte < 0xF0 ? 0x0F : 0x07);
    for (; at < end && (std::uint8_t(*at) & 0xC0) == 0x80; ++at)
      character = character << 6 | (std::uint8_t(*at) & 0x3F);
    return std::binary_search(cells_.letters, cells_.letters_end, character);
  }

  std::string_view join(std::size_t first, std::size_t length) {
    joined_.clear();
    for (std::size_t k = first; k < first + length; ++k) {
      if (k > first) joined_ += ' ';
      joined_ += words_[k];
    }
    return joined_;
  }

  const WordCells cells_;
  std::vector<std::string_view> words_;  // of a cell
  std::string joined_;

 public:
  TextNumbers numbers;              // the values
  std::vector<std::int64_t> rows;   // of each time that a word stands somewhere
  std::vector<std::int32_t> codes;  // which of the values it is
};

}  // namespace regretless
