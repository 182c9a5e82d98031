// Svmlight text to compressed sparse rows.
//
// Text is read in two stages. The first turns a piece of text, 64 bytes at a time, into the positions of its
// separators. So the second knows where each token begins and ends before it looks at one: no step waits for the one
// before it, and digits are read eight at a time, several tokens at once. A row that is not of the plain form `label
// id:value ...` goes to `careful_row`, which alone defines what is accepted and what is complained of.
#pragma once
#include <cstddef>
#include <cstdint>

namespace regretless {

enum class SvmlightRefusal : std::int32_t {
  none,
  label_missing,
  label_not_a_number,
  label_not_finite,
  several_labels,
  query_not_an_integer,
  colon_missing,
  id_not_an_integer,
  id_zero,
  id_too_large,
  id_repeated,
  id_descending,
  value_missing,
  value_not_a_number,
  value_not_finite,
  value_too_large,
  line_too_long,
};

// What is wrong in a line: its text is [begin, end), its first byte in `column`, counted from 1.
struct SvmlightBadLine {
  SvmlightRefusal fault = SvmlightRefusal::none;
  std::int64_t line = 0, column = 0;
  const char *begin = nullptr, *end = nullptr;
};

inline constexpr std::size_t svmlight_padding = 64;     // bytes that must be readable before and after the text
inline constexpr std::size_t svmlight_marks = 1 << 20;  // lines longer than this are read carefully
inline constexpr std::size_t svmlight_piece = 32768;  // so much text stays in the first-level cache between the stages
inline constexpr int svmlight_remembered = 20;        // complaints kept in one job

// One call of the kernel. The caller owns all memory; rows and entries are appended after those already there.
struct SvmlightJob {
  const char *text = nullptr, *end = nullptr;  // whole lines, the last byte a newline
  std::int64_t lines = 0;                      // read before this text; counted on
  std::int64_t first_id = 1;                   // the id of column 0
  std::int64_t columns_allowed = 0;
  bool skip = false;    // bad lines become rows of the label NaN without entries; else stop behind the first
  bool single = false;  // values are float, not double
  std::uint32_t *marks = nullptr, *line_ends = nullptr;  // scratch: svmlight_marks + svmlight_padding, svmlight_piece
  double* labels = nullptr;
  std::int64_t* starts = nullptr;
  std::int32_t* indices = nullptr;
  void* values = nullptr;
  std::int64_t rows = 0, entries = 0, columns = 0;
  std::int64_t complaints = 0;
  SvmlightBadLine refusal[svmlight_remembered];
};

using SvmlightKernel = void (*)(SvmlightJob&);
extern const SvmlightKernel svmlight_v1, svmlight_v3, svmlight_v4, svmlight_generic;

}  // namespace regretless

#if defined(REGRETLESS_ISA)
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "decimal.hpp"
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// ---- the first stage: where the separators are

struct Separators {
  std::uint64_t all, newlines;  // bit i stands for byte i of 64
};

#if defined(__AVX512BW__)
REGRETLESS_INLINE Separators separators(const char* p) {
  const __m512i x = _mm512_loadu_si512(p);
  const std::uint64_t newlines = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\n'));
  return {
      newlines | _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(' ')) | _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(':')),
      newlines};
}
#elif defined(__AVX2__)
REGRETLESS_INLINE Separators separators(const char* p) {
  Separators signs{0, 0};
  for (int k = 0; k < 64; k += 32) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + k));
    const __m256i newlines = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\n'));
    const __m256i others =
        _mm256_or_si256(_mm256_cmpeq_epi8(x, _mm256_set1_epi8(' ')), _mm256_cmpeq_epi8(x, _mm256_set1_epi8(':')));
    signs.newlines |= std::uint64_t(std::uint32_t(_mm256_movemask_epi8(newlines))) << k;
    signs.all |= std::uint64_t(std::uint32_t(_mm256_movemask_epi8(_mm256_or_si256(newlines, others)))) << k;
  }
  return signs;
}
#elif defined(__SSE2__)
REGRETLESS_INLINE Separators separators(const char* p) {
  Separators signs{0, 0};
  for (int k = 0; k < 64; k += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + k));
    const __m128i newlines = _mm_cmpeq_epi8(x, _mm_set1_epi8('\n'));
    const __m128i others = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(x, _mm_set1_epi8(':')));
    signs.newlines |= std::uint64_t(_mm_movemask_epi8(newlines)) << k;
    signs.all |= std::uint64_t(_mm_movemask_epi8(_mm_or_si128(newlines, others))) << k;
  }
  return signs;
}
#else
REGRETLESS_INLINE Separators separators(const char* p) {
  const auto gather_bits = [](std::uint64_t high_bits) { return (high_bits >> 7) * 0x0102040810204080 >> 56; };
  Separators signs{0, 0};
  for (int k = 0; k < 64; k += 8) {
    const std::uint64_t word = load_word(p + k), newlines = equal_bytes(word, '\n');
    signs.newlines |= gather_bits(newlines) << k;
    signs.all |= gather_bits(newlines | equal_bytes(word, ' ') | equal_bytes(word, ':')) << k;
  }
  return signs;
}
#endif

// Writes the positions of the separators in [text, text + size) to `marks` and, for each newline, its place among the
// marks to `line_ends`. Returns the number of newlines.
REGRETLESS_INLINE std::size_t mark(const char* text, std::size_t size, std::uint32_t* marks, std::uint32_t* line_ends) {
  std::uint32_t *mark = marks, *line = line_ends;
  for (std::size_t at = 0; at < size; at += 64) {
    Separators signs = separators(text + at);
    if (size - at < 64) {
      const std::uint64_t inside = (std::uint64_t(1) << (size - at)) - 1;
      signs.all &= inside;
      signs.newlines &= inside;
    }
    for (; signs.newlines; signs.newlines &= signs.newlines - 1) {
      const std::uint64_t before = (signs.newlines & -signs.newlines) - 1;
      *line++ = std::uint32_t(mark - marks) + std::uint32_t(count_ones(signs.all & before));
    }
    // Twelve are written whether or not they are there: a fixed count costs less than a guess at the right one.
    const auto next = [&] {
      const int place = std::countr_zero(signs.all | std::uint64_t(1) << 63);  // never zero, so no branch
      signs.all &= signs.all - 1;
      return std::uint32_t(at) + std::uint32_t(place);
    };
    const int count = count_ones(signs.all);
    for (int k = 0; k < 12; ++k) mark[k] = next();
    for (int k = 12; k < count; ++k) mark[k] = next();
    mark += count;
  }
  return std::size_t(line - line_ends);
}

// ---- the second stage, several entries at a time

// `marks` holds what stands before, within and behind each entry: " id:value id:value ". A group is read when every
// number in it has at most eight digits (a point within the value counts as one, 0. in front of it does not).
#if defined(__AVX2__)
// The words at every second mark.
REGRETLESS_INLINE Words words_at(const char* text, const std::uint32_t* marks) {
  return words_of([&](int l) { return text + marks[2 * l]; });
}
REGRETLESS_INLINE Words load_pairs(const std::uint32_t* marks) {
  Words pairs;
  std::memcpy(&pairs, marks, sizeof pairs);
  return pairs;
}

template <class Value>
REGRETLESS_INLINE bool plain_group(const char* text, const std::uint32_t* marks, std::int32_t first_id,
                                   std::int32_t* ids, Value* values) {
  std::uint8_t gaps = 0;
  for (int l = 0; l < group; ++l) gaps |= std::uint8_t(text[marks[2 * l]]);
  if (gaps != ' ') return false;  // a mark is one of ' ', ':' and '\n'
  Words id_end = words_at(text - 8, marks + 1);
  const Words value_begin = words_at(text, marks + 1), value_end = words_at(text - 8, marks + 2);
  const Words before = load_pairs(marks), behind = load_pairs(marks + 1);
  const Words id_digits = (before >> 32) - (before & 0xFFFFFFFF) - 1;
  const Words value_size = (behind >> 32) - (behind & 0xFFFFFFFF) - 1;
  const Words id_shift = (0 - id_digits) * 8 & 56;
  id_end = (id_end ^ eight_zeros) >> id_shift << id_shift;
  const Words bad = ((value_begin & 0xFF) ^ ':') | ((id_digits - 1) & ~Words{} << 3) | beyond_nine(id_end);
  Doubles numbers;
  if (!plain_numbers(value_begin >> 8, value_end, value_size, bad, numbers)) return false;
  const Ints columns = narrow(join_eight(id_end)) - first_id;
  std::memcpy(ids, &columns, sizeof columns);
  if constexpr (sizeof(Value) == 8) {
    std::memcpy(values, &numbers, sizeof numbers);
  } else {
    const Floats singles = __builtin_convertvector(numbers, Floats);
    std::memcpy(values, &singles, sizeof singles);
  }
  return true;
}
#else
template <class Value>
REGRETLESS_INLINE bool plain_group(const char*, const std::uint32_t*, std::int32_t, std::int32_t*, Value*) {
  return false;
}
#endif

// ---- rows

template <class Value>
class SvmlightReader {
 public:
  explicit SvmlightReader(SvmlightJob& job) : job_(job), values_(static_cast<Value*>(job.values)) {}

  void read() {
    for (const char* at = job_.text; at < job_.end;) {
      const std::size_t left = std::size_t(job_.end - at);
      std::size_t size = std::min(left, svmlight_piece);
      std::size_t lines = mark(at, size, job_.marks, job_.line_ends);
      if (lines == 0) {
        size = std::size_t(static_cast<const char*>(std::memchr(at, '\n', left)) + 1 - at);
        if (size <= svmlight_marks) lines = mark(at, size, job_.marks, job_.line_ends);
      }
      const char* const stop = lines ? at + job_.marks[job_.line_ends[lines - 1]] + 1 : at + size;
      if (!(lines ? piece(at, lines) : careful_line(at, stop - 1))) return;
      at = stop;
    }
  }

 private:
  bool piece(const char* text, std::size_t lines) {
    std::uint32_t first = 0, begin = 0;
    for (std::size_t line = 0; line < lines; ++line) {
      const std::uint32_t last = job_.line_ends[line], newline = job_.marks[last];
      if (plain_row(text, begin, first, last)) ++job_.lines;
      else if (!careful_line(text + begin, text + newline)) return false;
      first = last + 1;
      begin = newline + 1;
    }
    return true;
  }

  // The row from `begin` whose separators are the marks `first` to `last`, if it is of the plain form and without
  // fault.
  REGRETLESS_INLINE bool plain_row(const char* text, std::uint32_t begin, std::uint32_t first, std::uint32_t last) {
    std::uint32_t* const marks = job_.marks;
    if (marks[last] > begin && text[marks[last] - 1] == '\r') --marks[last];
    if (last > first && marks[last - 1] + 1 == marks[last] && text[marks[last - 1]] == ' ')
      --last;  // a blank at the end
    if ((last - first) % 2) return false;
    const std::int64_t entries = (last - first) / 2;
    double label;
    if (!plain_number(text + begin, text + marks[first], label) &&
        any_number(text + begin, text + marks[first], label) != Reading::good)
      return false;
    if (!plain_entries(text, marks + first, entries)) return false;
    if (entries && !in_order(job_.indices + job_.entries, entries)) return false;
    append(label, entries);
    return true;
  }

  REGRETLESS_INLINE bool plain_entries(const char* text, const std::uint32_t* marks, std::int64_t entries) {
    const auto first_id = std::int32_t(job_.first_id);
    std::int32_t* const ids = job_.indices + job_.entries;
    Value* const values = values_ + job_.entries;
    // The last group begins where it still is a whole one, and reads some entries again.
    for (std::int64_t k = 0; k < entries && entries >= group && group > 1;) {
      if (!plain_group(text, marks + 2 * k, first_id, ids + k, values + k))
        for (int l = 0; l < group; ++l)
          if (!plain_entry(text, marks + 2 * (k + l), ids[k + l], values[k + l])) return false;
      k += group;
      if (k < entries) k = std::min(k, entries - group);
    }
    if (entries < group || group == 1)
      for (std::int64_t k = 0; k < entries; ++k)
        if (!plain_entry(text, marks + 2 * k, ids[k], values[k])) return false;
    return true;
  }

  // " id:value", its separators being marks[0] to marks[2].
  REGRETLESS_INLINE bool plain_entry(const char* text, const std::uint32_t* marks, std::int32_t& column, Value& value) {
    if (text[marks[0]] != ' ' || text[marks[1]] != ':') return false;
    std::uint64_t id;
    double number;
    if (!whole(text + marks[0] + 1, text + marks[1], id) || id > largest_id) return false;
    if (!plain_number(text + marks[1] + 1, text + marks[2], number)) {
      if (any_number(text + marks[1] + 1, text + marks[2], number) != Reading::good) return false;
      if (!fits(number)) return false;
    }
    column = std::int32_t(std::int64_t(id) - job_.first_id);
    value = Value(number);
    return true;
  }

  REGRETLESS_INLINE bool in_order(const std::int32_t* columns, std::int64_t entries) const {
    std::int32_t wrong = 0;  // an integer, so that the loop becomes a few vector steps
    for (std::int64_t k = 1; k < entries; ++k) wrong |= columns[k - 1] >= columns[k];
    return !wrong && columns[0] >= 0 && columns[entries - 1] < job_.columns_allowed;
  }

  REGRETLESS_INLINE void append(double label, std::int64_t entries) {
    job_.labels[job_.rows] = label;
    job_.entries += entries;
    job_.starts[++job_.rows] = job_.entries;
    if (entries) job_.columns = std::max<std::int64_t>(job_.columns, job_.indices[job_.entries - 1] + 1);
  }

  // False when reading stops here.
  REGRETLESS_APART bool careful_line(const char* begin, const char* end) {
    ++job_.lines;
    SvmlightBadLine refusal;
    if (careful_row(begin, end, refusal)) return true;
    refusal.line = job_.lines;
    refusal.column = refusal.begin - begin + 1;
    if (job_.complaints < svmlight_remembered) job_.refusal[job_.complaints] = refusal;
    ++job_.complaints;
    if (job_.skip) append(std::numeric_limits<double>::quiet_NaN(), 0);
    return job_.skip;
  }

  struct Token {
    const char *begin, *end;
    bool empty() const { return begin == end; }
    bool is_whole() const {
      return !empty() && std::all_of(begin, end, [](char c) { return std::uint8_t(c - '0') < 10; });
    }
  };

  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static Token token(const char* from, const char* end) {
    while (from < end && blank(*from)) ++from;
    const char* to = from;
    while (to < end && !blank(*to)) ++to;
    return {from, to};
  }

  // The line [begin, end), any accepted form: appends its row, if it has one, or says what is wrong.
  bool careful_row(const char* begin, const char* end, SvmlightBadLine& refusal) {
    const auto fail = [&](SvmlightRefusal fault, Token at) {
      refusal = {fault, 0, 0, at.begin, at.end};
      return false;
    };
    if (const void* comment = std::memchr(begin, '#', std::size_t(end - begin)))
      end = static_cast<const char*>(comment);
    Token at = token(begin, end);
    if (at.empty()) return true;
    double label;
    if (const SvmlightRefusal fault = read_label(at, label); fault != SvmlightRefusal::none) return fail(fault, at);
    std::int64_t entries = 0, previous = -1;
    for (at = token(at.end, end); !at.empty(); at = token(at.end, end)) {
      const char* const colon = std::find(at.begin, at.end, ':');
      if (colon == at.end) return fail(SvmlightRefusal::colon_missing, at);
      const Token id{at.begin, colon}, value{colon + 1, at.end};
      if (colon - at.begin == 3 && std::memcmp(at.begin, "qid", 3) == 0) {
        if (!value.is_whole()) return fail(SvmlightRefusal::query_not_an_integer, at);
        continue;
      }
      std::int64_t column;
      double number;
      if (const SvmlightRefusal fault = read_id(id, column); fault != SvmlightRefusal::none)
        return fail(fault, id.empty() ? at : id);
      if (column <= previous)
        return fail(column == previous ? SvmlightRefusal::id_repeated : SvmlightRefusal::id_descending, id);
      if (value.empty()) return fail(SvmlightRefusal::value_missing, at);
      if (const SvmlightRefusal fault = read_value(value, number); fault != SvmlightRefusal::none)
        return fail(fault, value);
      job_.indices[job_.entries + entries] = std::int32_t(column);
      values_[job_.entries + entries] = Value(number);
      previous = column;
      ++entries;
    }
    append(label, entries);
    return true;
  }

  static SvmlightRefusal read_label(Token at, double& label) {
    switch (any_number(at.begin, at.end, label)) {
      case Reading::good: return SvmlightRefusal::none;
      case Reading::not_a_number: break;
      case Reading::not_finite:
      case Reading::too_large: return SvmlightRefusal::label_not_finite;
    }
    if (std::find(at.begin, at.end, ':') != at.end) return SvmlightRefusal::label_missing;
    const char* const comma = std::find(at.begin, at.end, ',');
    if (comma != at.end && any_number(at.begin, comma, label) == Reading::good) return SvmlightRefusal::several_labels;
    return SvmlightRefusal::label_not_a_number;
  }

  SvmlightRefusal read_id(Token at, std::int64_t& column) const {
    if (!at.is_whole()) return SvmlightRefusal::id_not_an_integer;
    std::int64_t id = 0;
    for (const char* p = at.begin; p < at.end && id <= largest_id; ++p) id = id * 10 + (*p - '0');
    column = id - job_.first_id;
    if (column < 0) return SvmlightRefusal::id_zero;
    return column < job_.columns_allowed ? SvmlightRefusal::none : SvmlightRefusal::id_too_large;
  }

  static SvmlightRefusal read_value(Token at, double& number) {
    switch (any_number(at.begin, at.end, number)) {
      case Reading::good: return fits(number) ? SvmlightRefusal::none : SvmlightRefusal::value_too_large;
      case Reading::not_a_number: return SvmlightRefusal::value_not_a_number;
      case Reading::not_finite: return SvmlightRefusal::value_not_finite;
      case Reading::too_large: return SvmlightRefusal::value_too_large;
    }
    return SvmlightRefusal::value_not_a_number;
  }

  // Whether the number is still finite when rounded to Value.
  static bool fits(double number) { return __builtin_isfinite(Value(number)); }

  static constexpr std::int64_t largest_id = std::numeric_limits<std::int32_t>::max();

  SvmlightJob& job_;
  Value* const values_;
};

}  // namespace regretless::REGRETLESS_ISA
#endif
