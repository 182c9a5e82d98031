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
  std::uint32_t* marks = nullptr;                  // scratch: the size of the text and vowpal_padding
  std::int64_t rows = 0;
  bool plain = false, bare = true;  // whether all namespaces are bare
};
inline constexpr std::size_t vowpal_padding = 64;

// Features of rows, to be put in the order of their columns. The caller owns all memory.
struct FeatureRows {
  const double* values = nullptr;
  const std::int32_t* codes = nullptr;
  const std::int64_t* ends = nullptr;  // rows + 1: where those of each row end, after a 0
  std::int64_t rows = 0;
  const std::int32_t* columns = nullptr;  // of each code, -1 for none
  std::size_t known = 0;                  // how many there are; codes beyond have none
  std::int64_t* keys = nullptr;           // scratch: room for the longest row
  double* out = nullptr;                  // room for all features
  std::int32_t* indices = nullptr;
  std::int64_t* starts = nullptr;  // rows + 1
};

struct VowpalCounts {
  std::size_t lines = 0, spaces = 0;
};

struct VowpalKernels {
  void (*read)(VowpalLines&);
  VowpalCounts (*count)(const char* text, std::size_t size);  // the padding behind the text is read
  void (*order)(const FeatureRows&);  // what is of one column is added up, in the order in which it stands
};
extern const VowpalKernels vowpal_v1, vowpal_v3, vowpal_v4, vowpal_generic;

}  // namespace regretless

#if defined(REGRETLESS_ISA)
#include <algorithm>
#include <cstring>

#include "decimal.hpp"

namespace regretless::REGRETLESS_ISA {

class VowpalReader {
 public:
  explicit VowpalReader(VowpalLines& lines) : lines_(lines) {}

  void read() {
    const char *at = lines_.text, *const end = at + lines_.size;
    lines_.ends[0] = 0;
    if (!mark()) return;
    for (const char* stop; at < end; at = stop + 1) {
      const std::int64_t before = features_;
      if (!(stop = usual_line(at))) {
        features_ = before;
        stop = static_cast<const char*>(std::memchr(at, '\n', std::size_t(end - at)));
        if (!line(at, stop)) return;
        while (lines_.text + *mark_ < stop) ++mark_;
        ++mark_;
      }
      lines_.ends[++lines_.rows] = features_;
    }
    lines_.plain = true;
  }

 private:
  // Notes where spaces, bars, colons and newlines stand; whether no other byte of ASCII parts words.
  bool mark() {
    std::uint32_t* mark = lines_.marks;
    mark_ = mark;
    std::uint64_t others = 0;
    for (std::size_t at = 0; at < lines_.size; at += 64) {
      const TextBlock block(lines_.text + at);
      const std::size_t left = lines_.size - at;
      const std::uint64_t there = left < 64 ? (std::uint64_t(1) << left) - 1 : ~std::uint64_t(0);
      const std::uint64_t newlines = block.equal('\n');
      others |= block.between('\0', '\x1F') & ~newlines & there;
      std::uint64_t all = (newlines | block.equal(' ') | block.equal('|') | block.equal(':')) & there;
      const int count = count_ones(all);
      const auto next = [&] {  // twelve are written whether or not they are there, as in delimited.hpp
        const int place = std::countr_zero(all | std::uint64_t(1) << 63);
        all &= all - 1;
        return std::uint32_t(at) + std::uint32_t(place);
      };
      for (int k = 0; k < 12; ++k) mark[k] = next();
      for (int k = 12; k < count; ++k) mark[k] = next();
      mark += count;
    }
    return others == 0;
  }

  // A line of which a label stands before the first bar and one space between any others, by the marks; where it ends.
  // Of any other line nothing is said, and the marks stay where they are.
  const char* usual_line(const char* at) {
    const std::uint32_t* mark = mark_;
    const char *const text = lines_.text, *stop = text + *mark++;
    if (*stop != ' ' || text[*mark] != '|' || text + *mark != stop + 1) return nullptr;
    if (!number(at, stop, lines_.labels[lines_.rows])) return nullptr;
    for (VowpalSpan space;;) {
      const char* name = text + *mark + 1;  // behind the bar
      if (!usual_space(name, stop = text + *++mark, space)) return nullptr;
      for (name = stop + 1, ++mark; *stop == ' ' && (stop = text + *mark, *stop != '|'); name = stop + 1, ++mark) {
        if (stop == name) return nullptr;
        double value = 1;
        lines_.names[features_] = span(name, stop);
        if (*stop == ':') {
          const char* const end = text + *++mark;
          if ((*end != ' ' && *end != '\n') || !number(stop + 1, end, value)) return nullptr;
          stop = end;
        }
        lines_.values[features_] = value;
        lines_.spaces[features_++] = space;
      }
      if (*stop == '\n') {
        mark_ = mark;
        return stop;
      }
      if (stop != name) return nullptr;
    }
  }
  // A namespace without a weight.
  REGRETLESS_INLINE bool usual_space(const char* name, const char* stop, VowpalSpan& space) {
    space = span(name, stop);
    lines_.bare &= name == stop;
    return *stop == ' ' || *stop == '\n';
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
    lines_.bare &= begin == name_end;
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

  REGRETLESS_INLINE static bool number(const char* begin, const char* end, double& out) {
    if (begin == end) return false;
    if (end - begin > 16 ? long_number(begin, end, out) : plain_number(begin, end, out)) return true;
    return any_number(begin, end, out) == Reading::good;
  }
  VowpalSpan span(const char* begin, const char* end) const {
    return {std::uint32_t(begin - lines_.text), std::uint32_t(end - lines_.text)};
  }

  VowpalLines& lines_;
  const std::uint32_t* mark_ = nullptr;
  std::int64_t features_ = 0;
};

static void read_vowpal(VowpalLines& lines) { VowpalReader(lines).read(); }

static VowpalCounts count_vowpal(const char* text, std::size_t size) {
  VowpalCounts counts;
  for (std::size_t at = 0; at < size; at += 64) {
    const TextBlock block(text + at);
    const std::uint64_t there = size - at < 64 ? (std::uint64_t(1) << (size - at)) - 1 : ~std::uint64_t(0);
    counts.lines += std::size_t(count_ones(block.equal('\n') & there));
    counts.spaces += std::size_t(count_ones(block.equal(' ') & there));
  }
  return counts;
}

#if defined(__AVX512BW__)
typedef std::int64_t SomeKeys __attribute__((vector_size(64)));
#else
typedef std::int64_t SomeKeys __attribute__((vector_size(register_bytes)));
#endif

// Puts different keys in ascending order: few at the places that counts of smaller ones say, which needs no branch.
REGRETLESS_INLINE void sort_keys(std::int64_t* keys, std::int64_t n) {
  constexpr std::int64_t few = 32, together = sizeof(SomeKeys) / 8;
  // By a function with a name of this instruction set, so that no other one runs it.
  if (n > few) return std::sort(keys, keys + n, [](std::int64_t a, std::int64_t b) { return a < b; });
  std::int64_t own[few], place[few];
  for (std::int64_t k = 0; k < few; ++k) own[k] = k < n ? keys[k] : 0;
  for (std::int64_t first = 0; first < n; first += together) {
    SomeKeys these, count = {};
    std::memcpy(&these, own + first, sizeof these);
    for (std::int64_t j = 0; j < n; ++j) count -= (own[j] - SomeKeys{}) < these;  // a comparison that is true is -1
    std::memcpy(place + first, &count, sizeof count);
  }
  for (std::int64_t k = 0; k < n; ++k) keys[place[k]] = own[k];
}

// The features of a row in the order of their columns, each as its column and its place; how many there are.
REGRETLESS_INLINE std::int64_t ordered_keys(const FeatureRows& r, std::int64_t begin, std::int64_t end) {
  std::int64_t n = 0, before = -1;
  bool ascending = true;
  for (std::int64_t k = begin; k < end; ++k) {
    const auto code = std::size_t(std::uint32_t(r.codes[k]));
    const std::int32_t column = code < r.known ? r.columns[code] : -1;
    if (column < 0) continue;
    const std::int64_t key = std::int64_t(column) << 32 | (k - begin);
    ascending &= key > before;
    r.keys[n++] = before = key;
  }
  if (!ascending) sort_keys(r.keys, n);
  return n;
}

static void order_features(const FeatureRows& r) {
  std::int64_t entries = r.starts[0] = 0;
  for (std::int64_t t = 0; t < r.rows; ++t) {
    const std::int64_t n = ordered_keys(r, r.ends[t], r.ends[t + 1]);
    std::int32_t before = -1;
    for (std::int64_t k = 0; k < n; ++k) {
      const auto column = std::int32_t(r.keys[k] >> 32);
      const double value = r.values[r.ends[t] + std::int64_t(r.keys[k] & 0xFFFFFFFF)];
      if (column == before) {
        r.out[entries - 1] += value;
      } else {
        r.indices[entries] = before = column;
        r.out[entries++] = 0 + value;
      }
    }
    r.starts[t + 1] = entries;
  }
}

}  // namespace regretless::REGRETLESS_ISA
#endif
