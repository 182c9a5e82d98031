// Where the words of cells of text begin and end: sequences of letters, marks, digits and underscores.
//
// 64 bytes are looked at together, as in delimited.hpp, so that no word waits for the end of the one before it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace regretless {

// Some cells of text, and where their words stand. The caller owns all memory.
struct WordMarks {
  char* text = nullptr;  // the capital letters of ASCII become small; word_padding more may be read and written
  std::size_t size = 0;
  const std::int64_t* offsets = nullptr;  // rows + 1: where each cell ends, after a 0
  std::int64_t rows = 0;
  const std::uint64_t* common = nullptr;  // bit c of these: whether the character c < 2**16 is one of words
  const std::uint32_t *letters = nullptr, *letters_end = nullptr;  // all such characters beyond ASCII, ascending
  std::uint64_t* edges = nullptr;                                  // scratch, all 0: a bit for each byte, and 64 more
  std::uint32_t *begins = nullptr, *ends = nullptr;  // there is room for as many as bytes, and word_padding more
  std::uint32_t* counts = nullptr;                   // rows: how many words there are up to the end of each cell
};
inline constexpr std::size_t word_padding = 64;

}  // namespace regretless

#if defined(REGRETLESS_ISA)
#include <algorithm>

#include "text_block.hpp"

namespace regretless::REGRETLESS_ISA {

class WordScan {
 public:
  explicit WordScan(const WordMarks& marks) : m_(marks), begins_(marks.begins), ends_(marks.ends) {}

  void mark() {
    for (std::int64_t t = 0; t < m_.rows; ++t)
      m_.edges[std::size_t(m_.offsets[t]) / 64] |= std::uint64_t(1) << m_.offsets[t] % 64;
    for (std::size_t at = 0; at < m_.size; at += 64) block(at);
    if (inside_) *ends_++ = std::uint32_t(m_.size);
    while (row_ < m_.rows) m_.counts[row_++] = std::uint32_t(begins_ - m_.begins);
  }

 private:
  void block(std::size_t at) {
    const TextBlock text(m_.text + at);
    text.write_small(m_.text + at);
    std::uint64_t letters = text.between('a', 'z') | text.between('A', 'Z') | text.between('0', '9') | text.equal('_');
    const std::uint64_t beyond = text.beyond_ascii();
    letters |= beyond | spilled_ ? of_characters(at, beyond) : 0;
    if (m_.size - at < 64) letters &= (std::uint64_t(1) << (m_.size - at)) - 1;
    const std::uint64_t before = letters << 1 | inside_, edges = m_.edges[at / 64];
    const std::uint64_t begins = letters & (~before | edges), ends = before & (~letters | edges);
    inside_ = letters >> 63;
    const auto already = std::uint32_t(begins_ - m_.begins);
    begins_ = write(at, begins, begins_);
    ends_ = write(at, ends, ends_);
    for (; row_ < m_.rows && std::size_t(m_.offsets[row_ + 1]) < at + 64; ++row_) {
      const std::uint64_t within = (std::uint64_t(1) << (std::size_t(m_.offsets[row_ + 1]) - at)) - 1;
      m_.counts[row_] = already + std::uint32_t(count_ones(begins & within));
    }
  }

  // Where bits are set; twelve are written whether or not they are there, as in delimited.hpp.
  REGRETLESS_INLINE static std::uint32_t* write(std::size_t at, std::uint64_t bits, std::uint32_t* out) {
    const int count = count_ones(bits);
    const auto next = [&] {
      const int place = std::countr_zero(bits | std::uint64_t(1) << 63);
      bits &= bits - 1;
      return std::uint32_t(at) + std::uint32_t(place);
    };
    for (int k = 0; k < 12; ++k) out[k] = next();
    for (int k = 12; k < count; ++k) out[k] = next();
    return out + count;
  }

  // The bytes of characters of words that begin here, and of one that began before.
  REGRETLESS_APART std::uint64_t of_characters(std::size_t at, std::uint64_t beyond) {
    std::uint64_t result = spilled_;
    spilled_ = 0;
    for (; beyond; beyond &= beyond - 1) {
      const int place = std::countr_zero(beyond);
      const char* const begin = m_.text + at + place;
      const auto lead = std::uint8_t(*begin);
      if (lead < 0xC0) continue;
      const int size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      std::uint32_t character = lead & (0xFF >> (size + 1));
      for (int k = 1; k < size; ++k) character = character << 6 | (std::uint8_t(begin[k]) & 0x3F);
      if (!is_letter(character)) continue;
      const std::uint64_t bytes = (std::uint64_t(1) << size) - 1;
      result |= bytes << place;
      if (place + size > 64) spilled_ = bytes >> (64 - place);
    }
    return result;
  }
  bool is_letter(std::uint32_t character) const {
    if (character < 1 << 16) return m_.common[character / 64] >> character % 64 & 1;
    const auto less = [](std::uint32_t a, std::uint32_t b) { return a < b; };  // names it of this instruction set
    return std::binary_search(m_.letters, m_.letters_end, character, less);
  }

  const WordMarks& m_;
  std::uint32_t *begins_, *ends_;
  std::int64_t row_ = 0;
  std::uint64_t inside_ = 0, spilled_ = 0;  // whether the byte before is one of a word; the bytes of a character
};

static void mark_words(const WordMarks& marks) { WordScan(marks).mark(); }

}  // namespace regretless::REGRETLESS_ISA
#endif
