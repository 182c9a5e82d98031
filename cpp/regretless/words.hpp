// The words of cells of text, counted: sequences of letters, marks, digits and underscores, and of neighbouring words.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "byte_hash.hpp"

namespace regretless {

// Distinct texts, numbered in the order in which they come. The numbers do not depend on the seed of the hash, which
// nobody should be able to foresee. Texts of up to 16 bytes, as nearly all words are, are compared as two numbers.
class TextNumbers {
 public:
  static constexpr std::size_t padding = 16;  // bytes that may be read beyond where a text begins

  explicit TextNumbers(std::uint64_t seed) : seed_(seed), slots_(1 << 10) {}

  std::size_t size() const { return texts_.size(); }
  std::string_view operator[](std::size_t number) const { return {texts_[number].whole, texts_[number].size}; }

  // The number of a text, which is copied if it is new.
  std::int32_t of(std::string_view text) {
    Text one{load(text.data(), text.size()), load(text.data() + 8, text.size() < 8 ? 0 : text.size() - 8), 0,
             std::uint32_t(text.size()), text.data()};
    const std::uint64_t hash = hash_of(one);
    one.hash = std::uint32_t(hash);
    for (std::uint64_t slot = hash;; ++slot) {
      const std::uint32_t number = slots_[slot & (slots_.size() - 1)];
      if (number == 0) break;
      if (same(texts_[number - 1], one)) return std::int32_t(number - 1);
    }
    one.whole = copies_.emplace_back(text).data();
    texts_.push_back(one);
    if (2 * texts_.size() > slots_.size()) slots_.assign(2 * slots_.size(), 0), fill();
    else place(std::uint32_t(texts_.size()));
    return std::int32_t(texts_.size() - 1);
  }

 private:
  struct Text {
    std::uint64_t first, second;  // eight bytes each, those beyond the end being 0
    std::uint32_t hash, size;
    const char* whole;
  };

  static bool same(const Text& a, const Text& b) {
    if (a.first != b.first || a.second != b.second || a.size != b.size) return false;
    return a.size <= 16 || std::memcmp(a.whole + 16, b.whole + 16, a.size - 16) == 0;
  }
  static std::uint64_t load(const char* at, std::size_t size) {
    constexpr std::uint64_t all = ~std::uint64_t(0);
    constexpr std::uint64_t masks[9] = {0,         all >> 56, all >> 48, all >> 40, all >> 32,
                                        all >> 24, all >> 16, all >> 8,  all};
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word & masks[std::min(size, std::size_t(8))];
  }

  void fill() {
    for (std::uint32_t number = 1; number <= texts_.size(); ++number) place(number);
  }
  void place(std::uint32_t number) {
    std::uint64_t slot = texts_[number - 1].hash;
    while (slots_[slot & (slots_.size() - 1)]) ++slot;
    slots_[slot & (slots_.size() - 1)] = number;
  }

  std::uint64_t hash_of(const Text& text) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t hash = (seed_ ^ text.size) * odd;
    hash = std::rotl((hash ^ text.first) * odd, 29);
    hash = (hash ^ text.second) * odd;
    hash ^= hash >> 32;
    hash = hash * odd >> 32;
    if (text.size <= 16) return hash;
    return byte_hash(text.whole, text.size, seed_, [](const char* at, std::size_t left) {
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < left; ++k) word = word >> 8 | std::uint64_t(std::uint8_t(at[k])) << 56;
      return word;
    });
  }

  std::uint64_t seed_;
  std::vector<std::uint32_t> slots_;  // by hash: 0, or the number of a text, counted from 1
  std::vector<Text> texts_;
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

// Which bytes are ASCII characters of words.
inline constexpr std::array<bool, 256> word_bytes = [] {
  std::array<bool, 256> result{};
  for (int byte = 0; byte < 0x80; ++byte)
    result[std::size_t(byte)] =
        (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
  return result;
}();

// Cells of one column, some at a time. A word that was read before has the number that it got then.
class WordReader {
 public:
  WordReader(std::uint64_t seed, std::int64_t ngrams) : numbers(seed), ngrams_(ngrams) {}

  void read(const WordCells& cells) {
    cells_ = cells;
    const std::int64_t origin = cells_.offsets[0], size = cells_.offsets[cells_.rows] - origin;
    text_.assign(cells_.text + origin, std::size_t(size));
    text_.append(TextNumbers::padding, '\0');
    const std::int64_t* missing = cells_.missing;
    ends.assign(1, 0);
    codes.clear();
    codes.reserve(std::size_t(size) / 4);
    for (std::int64_t row = 0; row < cells_.rows; ++row) {
      if (missing < cells_.missing_end && *missing == row) ++missing;
      else read_cell(text_.data() + (cells_.offsets[row] - origin), text_.data() + (cells_.offsets[row + 1] - origin));
      ends.push_back(std::int64_t(codes.size()));
    }
  }

 private:
  void read_cell(const char* begin, const char* end) {
    split(begin, end);
    for (const std::string_view word : words_) codes.push_back(numbers.of(word));
    const std::size_t longest = std::min(words_.size(), std::size_t(ngrams_));
    for (std::size_t length = 2; length <= longest; ++length)
      for (std::size_t first = 0; first + length <= words_.size(); ++first)
        codes.push_back(numbers.of(join(first, length)));
  }

  void split(const char* at, const char* end) {
    words_.clear();
    const char* begin = nullptr;  // of the word that is being read
    while (at < end) {
      const char* const here = at;
      if (is_letter(at, end)) {
        if (!begin) begin = here;
        while (at < end && word_bytes[std::uint8_t(*at)]) ++at;
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
    if (byte < 0x80) return word_bytes[byte];
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
    const std::size_t size = joined_.size();
    joined_.append(TextNumbers::padding, '\0');
    return std::string_view(joined_).substr(0, size);
  }

  WordCells cells_;
  std::vector<std::string_view> words_;  // of a cell
  std::string joined_, text_;            // a sequence; all cells, with room to read beyond

 public:
  TextNumbers numbers;              // the values
  std::vector<std::int32_t> codes;  // of each time that a word stands somewhere, which of the values it is
  std::vector<std::int64_t> ends;   // where the words of each row end, after a 0

 private:
  std::int64_t ngrams_;
};

}  // namespace regretless
