// Lines of Vowpal Wabbit's text of rows: `label | feature feature:value`, namespaces among them.
//
// Only text of the plain form is read, where every line has a number for a label, spaces part words and nothing is
// wrong. Of any other the kernel says no more than that: the reader in Python then says what it is.
#pragma once
#include <cstddef>
#include <cstdint>

namespace regretless {

// A part of the text.
struct VowpalSpan {
  std::uint32_t begin = 0, end = 0;
};

// One call of the kernel. The caller owns all memory, in which there is room for as many rows as lines, and for as many
// features as spaces, as one stands before each.
struct VowpalLines {
  const char* text = nullptr;  // whole lines, the last byte a newline, with vowpal_padding bytes around
  std::size_t size = 0;
  double *labels = nullptr, *values = nullptr;
  std::int64_t* ends = nullptr;                    // where the features of each row end, after a 0
  VowpalSpan *names = nullptr, *spaces = nullptr;  // of each feature, and of its namespace, which may be bare
  std::int64_t rows = 0;
  bool plain = false;
};
inline constexpr std::size_t vowpal_padding = 64;

using VowpalKernel = void (*)(VowpalLines&);
extern const VowpalKernel vowpal_v1, vowpal_v3, vowpal_v4, vowpal_generic;

}  // namespace regretless

#if defined(REGRETLESS_ISA)
#include <cstring>

#include "decimal.hpp"

namespace regretless::REGRETLESS_ISA {

class VowpalReader {
 public:
  explicit VowpalReader(VowpalLines& lines) : lines_(lines) {}

  void read() {
    const char *at = lines_.text, *const end = at + lines_.size;
    lines_.ends[0] = 0;
    if (!only_spaces()) return;
    for (const char* stop; at < end; at = stop + 1) {
      stop = static_cast<const char*>(std::memchr(at, '\n', std::size_t(end - at)));
      if (!line(at, stop)) return;
      lines_.ends[++lines_.rows] = features_;
    }
    lines_.plain = true;
  }

 private:
  // Whether no byte of ASCII but spaces parts words.
  bool only_spaces() {
    std::uint64_t others = 0;
    for (std::size_t at = 0; at < lines_.size; at += 64) {
      const TextBlock block(lines_.text + at);
      const std::size_t left = lines_.size - at;
      const std::uint64_t there = left < 64 ? (std::uint64_t(1) << left) - 1 : ~std::uint64_t(0);
      others |= block.between('\0', '\x1F') & ~block.equal('\n') & there;
    }
    return others == 0;
  }

  bool line(const char* at, const char* end) {
    const auto* bar = static_cast<const char*>(std::memchr(at, '|', std::size_t(end - at)));
    if (!bar || !head(at, bar)) return false;
    for (at = bar; at < end;)
      if (!space(++at, end)) return false;
    return true;
  }

  // A label, perhaps the weight 1, perhaps a tag: in quotes, or touching the bar.
  bool head(const char* at, const char* bar) {
    const char *word[3], *word_end[3];
    int words = 0;
    for (; at < bar; ++words) {
      while (at < bar && *at == ' ') ++at;
      if (at == bar) break;
      if (words == 3) return false;
      word[words] = at;
      while (at < bar && *at != ' ') ++at;
      word_end[words] = at;
    }
    if (words && bar[-1] != ' ') {
      --words;
      if (std::memchr(word[words], ':', std::size_t(bar - word[words]))) return false;
    }
    if (words && *word[words - 1] == '\'') --words;
    if (words == 2 && !is_one(word[1], word_end[1])) return false;
    return words > 0 && words < 3 && number(word[0], word_end[0], lines_.labels[lines_.rows]);
  }
  static bool is_one(const char* at, const char* end) {
    return *at == '1' && (end - at == 1 || (end - at == 3 && at[1] == '.' && at[2] == '0'));
  }

  // A namespace up to the next bar, at which `at` is then.
  bool space(const char*& at, const char* end) {
    double scale = 1;
    const char *begin = at, *name_end = at;
    if (at < end && *at != ' ' && *at != '|') {
      const char* colon = nullptr;
      for (; at < end && *at != ' ' && *at != '|'; ++at)
        if (*at == ':' && !colon) colon = at;
      name_end = colon ? colon : at;
      if (name_end == begin || (colon && !number(colon + 1, at, scale))) return false;
    }
    const VowpalSpan space = span(begin, name_end);
    for (;;) {
      while (at < end && *at == ' ') ++at;
      if (at == end || *at == '|') return true;
      const char *const name = at, *colon = nullptr;
      for (; at < end && *at != ' ' && *at != '|'; ++at) colon = *at == ':' ? at : colon;
      if (!feature(name, colon, at, scale)) return false;
      lines_.spaces[features_++] = space;
    }
  }

  REGRETLESS_INLINE bool feature(const char* name, const char* colon, const char* end, double scale) {
    double& value = lines_.values[features_];
    value = scale;
    lines_.names[features_] = span(name, colon ? colon : end);
    if (!colon) return true;
    double size;
    if (colon == name || !number(colon + 1, end, size)) return false;
    value = scale * size;
    return __builtin_isfinite(value);
  }

  static bool number(const char* begin, const char* end, double& out) {
    if (begin == end) return false;
    return (end - begin <= 16 && plain_number(begin, end, out)) || any_number(begin, end, out) == Reading::good;
  }
  VowpalSpan span(const char* begin, const char* end) const {
    return {std::uint32_t(begin - lines_.text), std::uint32_t(end - lines_.text)};
  }

  VowpalLines& lines_;
  std::int64_t features_ = 0;
};

static void read_vowpal(VowpalLines& lines) { VowpalReader(lines).read(); }

}  // namespace regretless::REGRETLESS_ISA
#endif
