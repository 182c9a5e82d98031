// Delimited text to columns: numbers to rows of a matrix, text to codes of its distinct values.
//
// Only text of the plain form is read, where every row has as many cells as there are columns and every cell is what
// its column holds. Of any other the kernel says no more than that: the reader in Python then says what is wrong. As in
// svmlight.hpp the places of all separators come first, so that no cell waits for the end of the one before it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace regretless {

enum class DelimitedKind : std::uint8_t { skipped, number, boolean, text, empty, words };

// Up to eight bytes, and how many they are.
struct DelimitedTerm {
  std::uint64_t word;
  std::int64_t size;
  bool operator==(const DelimitedTerm&) const = default;
};
inline constexpr std::int64_t delimited_term = 8;

// A value of text: the eight bytes from its beginning and those up to its end, which are all of most values; of one of
// fewer bytes these, and 0.
struct DelimitedValue {
  std::uint64_t first, last;
  std::uint32_t size, number;  // counted from 1; 0 where there is none
};

// The distinct values of a column of text, in the order in which they come.
struct DelimitedValues {
  DelimitedValue* slots = nullptr;  // by hash, in tables twice as large each, one after the other: see delimited_slots
  const char** begins = nullptr;
  std::uint32_t* sizes = nullptr;
  std::int32_t count = 0;
  std::uint32_t mask = 0;  // the number of slots of the last table less one
};
inline constexpr std::size_t delimited_table = 64;  // slots of the first table
// What all tables need so that the last one has at least twice as many slots as there may be values.
constexpr std::size_t delimited_slots(std::size_t values) {
  std::size_t slots = delimited_table;
  while (slots < 2 * values + 2) slots *= 2;
  return 2 * slots;
}

// The cells of a column of words, one after the other.
struct DelimitedCells {
  char* text = nullptr;             // there is room for all of the text
  std::int64_t* offsets = nullptr;  // rows + 1: the cell of row t stands from offsets[t] to offsets[t + 1]
  std::int64_t* missing = nullptr;  // the rows without one, ascending
};

struct DelimitedColumn {
  DelimitedKind kind = DelimitedKind::skipped;
  double* numbers = nullptr;  // of numbers and booleans: that of row t is numbers[t * stride]; missing ones are NaN
  std::int64_t stride = 1;
  std::int32_t* codes = nullptr;  // of text: which of the values; -1 for none
  DelimitedValues values;
  std::int64_t gaps = 0;  // cells without a value
  DelimitedCells cells;
  std::size_t run = 0;  // how many columns of numbers stand side by side in text and matrix from here on
};

// One call of the kernel. The caller owns all memory.
struct DelimitedJob {
  char *text = nullptr, *end = nullptr;  // whole rows, the last byte a newline; quotes within cells are taken out of it
  char delimiter = ',';
  DelimitedColumn* columns = nullptr;
  std::size_t width = 0;
  const DelimitedTerm *nulls = nullptr, *nulls_end = nullptr, *trues = nullptr, *trues_end = nullptr, *falses = nullptr,
                      *falses_end = nullptr;
  std::uint32_t* marks = nullptr;  // scratch: the size of the text and delimited_padding
  std::int64_t rows = 0;
  bool plain = false;  // whether the text has the plain form
};

inline constexpr std::size_t delimited_padding = 64;  // bytes that must be readable before and after the text
inline constexpr std::size_t delimited_piece = 32768;

struct DelimitedKernels {
  void (*read)(DelimitedJob&);
  // Where the last row ends that ends, behind its newline; 0 where none does, and -1 where a quote is out of place. No
  // padding is read.
  std::int64_t (*cut)(const char* text, std::size_t size, char delimiter);
  // Whether a delimiter stands within quotes, or a quote out of place. No padding is read.
  bool (*quotes_delimiter)(const char* text, std::size_t size, char delimiter);
  // How many newlines there are; the padding behind the text is read.
  std::size_t (*lines)(const char* text, std::size_t size);
};
extern const DelimitedKernels delimited_v1, delimited_v3, delimited_v4, delimited_generic;

}  // namespace regretless

#if defined(REGRETLESS_ISA)
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "byte_hash.hpp"
#include "decimal.hpp"

namespace regretless::REGRETLESS_ISA {

// ---- the first stage: where cells end

// What separates cells in text that begins at a row: 64 bytes at a time.
class DelimitedScan {
 public:
  DelimitedScan(const char* text, std::size_t size, char delimiter) : text_(text), size_(size), delimiter_(delimiter) {}

  struct Separators {
    std::uint64_t all, newlines;
  };
  // Whether a delimiter stood within quotes.
  bool quoted() const { return quoted_ != 0; }

  REGRETLESS_INLINE Separators next(std::size_t at) { return next(at, TextBlock(text_ + at)); }
  // Of the last 64 bytes, which may be fewer and then need no room behind them.
  Separators last(std::size_t at) {
    char bytes[64] = {};
    std::memcpy(bytes, text_ + at, size_ - at);
    return next(at, TextBlock(bytes));
  }
  // Whether quotes stood anywhere but around whole cells, or doubled inside of them.
  bool misplaced() const { return misplaced_ != 0; }

 private:
  REGRETLESS_INLINE Separators next(std::size_t at, const TextBlock& block) {
    const std::uint64_t there = size_ - at < 64 ? (std::uint64_t(1) << (size_ - at)) - 1 : ~std::uint64_t(0);
    std::uint64_t newlines = block.equal('\n') & there, delimiters = block.equal(delimiter_) & there;
    const std::uint64_t quotes = block.equal('"') & there;
    if (quotes | inside_ | closed_) {
      const std::uint64_t quoted = parity(quotes) ^ inside_;  // from each quote that opens a cell to before its end
      const std::uint64_t opening = quotes & quoted, closing = quotes & ~quoted;
      const std::uint64_t edges = newlines | delimiters | quotes | (block.equal('\r') & there);
      const std::uint64_t before = at == 0 || edge(text_[at - 1]);
      misplaced_ |= (opening & ~(edges << 1 | before)) | ((closing << 1 | closed_) & ~edges & there);
      quoted_ |= delimiters & quoted;
      newlines &= ~quoted;
      delimiters &= ~quoted;
      inside_ = 0 - (quoted >> 63);
      closed_ = closing >> 63;
    }
    return {newlines | delimiters, newlines};
  }
  static std::uint64_t parity(std::uint64_t bits) {
    for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
    return bits;
  }
  bool edge(char c) const { return c == '\n' || c == '\r' || c == '"' || c == delimiter_; }

  const char* const text_;
  const std::size_t size_;
  const char delimiter_;
  std::uint64_t inside_ = 0, closed_ = 0, misplaced_ = 0, quoted_ = 0;
};

// ---- the second stage: cells

struct Cell {
  char *begin, *end;
};

REGRETLESS_INLINE DelimitedTerm term_of(Cell cell) {
  const std::int64_t size = cell.end - cell.begin;
  const std::uint64_t word = size == 0 ? 0 : load_word(cell.begin) << (64 - 8 * size) >> (64 - 8 * size);
  return {word, size};
}
REGRETLESS_INLINE bool is_term(Cell cell, const DelimitedTerm* begin, const DelimitedTerm* end) {
  if (cell.end - cell.begin > delimited_term) return false;
  const DelimitedTerm term = term_of(cell);
  for (; begin < end; ++begin)
    if (*begin == term) return true;
  return false;
}

// Whether a cell may be one of some terms, by its size and its first byte.
class FewTerms {
 public:
  FewTerms(const DelimitedTerm* begin, const DelimitedTerm* end) : begin_(begin), end_(end) {
    for (const DelimitedTerm* term = begin; term < end; ++term) {
      sizes_ |= std::uint32_t(1) << term->size;
      firsts_[(term->word & 0xFF) / 64] |= std::uint64_t(1) << term->word % 64;
    }
  }
  REGRETLESS_INLINE bool has(Cell cell) const {
    const std::int64_t size = cell.end - cell.begin;
    if (size > delimited_term || (sizes_ >> size & 1) == 0) return false;
    const auto first = size == 0 ? std::uint8_t(0) : std::uint8_t(*cell.begin);
    return (firsts_[first / 64] >> first % 64 & 1) != 0 && is_term(cell, begin_, end_);
  }

 private:
  const DelimitedTerm *begin_, *end_;
  std::uint32_t sizes_ = 0;
  std::uint64_t firsts_[4] = {};
};

REGRETLESS_INLINE DelimitedValue value_of(Cell cell) {
  const auto size = std::uint32_t(cell.end - cell.begin);
  if (size < 8) return {term_of(cell).word, 0, size, 0};
  return {load_word(cell.begin), load_word(cell.end - 8), size, 0};
}
REGRETLESS_INLINE std::uint64_t hash_of(const DelimitedValue& value, const char* begin) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  if (value.size > 16)
    return byte_hash(begin, value.size, 0,
                     [](const char* at, std::size_t left) { return load_word(at) << (64 - 8 * left); });
  std::uint64_t hash = (value.first ^ value.size) * odd ^ std::rotl(value.last * odd, 32);
  hash ^= hash >> 32;
  return hash * odd >> 32;
}

class DelimitedReader {
 public:
  explicit DelimitedReader(DelimitedJob& job)
      : job_(job), nulls_(job.nulls, job.nulls_end), room_(16 * (job.end - job.text)) {
    for (std::size_t c = job.width; c-- > 0;) {
      DelimitedColumn &column = job.columns[c], &next = job.columns[std::min(c + 1, job.width - 1)];
      const bool goes_on = c + 1 < job.width && column.numbers && next.run && next.numbers == column.numbers + 1 &&
                           next.stride == column.stride;
      column.run = column.kind == DelimitedKind::number ? 1 + (goes_on ? next.run : 0) : 0;
      if (column.kind == DelimitedKind::text) begin_table(column.values, column.values.slots, delimited_table);
    }
  }

  void read() {
    for (char* at = job_.text; at < job_.end;) {
      const std::size_t left = std::size_t(job_.end - at);
      std::size_t size = std::min(left, delimited_piece), marks = mark(at, size);
      while (marks == 0 && size < left && !misplaced_) marks = mark(at, size = std::min(left, 2 * size));
      if (marks == 0 || misplaced_ || !rows(at, marks)) return;
      at += job_.marks[marks];
    }
    job_.plain = true;
  }

 private:
  static constexpr std::int64_t patience = 64, shortest_long = 16;

  // Where the cells of whole rows end, counted from the byte before the text; how many they are.
  std::size_t mark(const char* text, std::size_t size) {
    DelimitedScan scan(text, size, job_.delimiter);
    std::uint32_t* mark = job_.marks;
    *mark++ = 0;  // where what stands before the first cell ends
    std::size_t whole = 0;
    for (std::size_t at = 0; at < size; at += 64) {
      const DelimitedScan::Separators separators = scan.next(at);
      std::uint64_t all = separators.all;
      const int count = count_ones(all);
      if (separators.newlines)
        whole = std::size_t(mark - job_.marks - 1) + std::size_t(count_ones(all & upto_last(separators.newlines)));
      // Twelve are written whether or not they are there: a fixed count costs less than a guess at the right one.
      const auto next = [&] {
        const int place = std::countr_zero(all | std::uint64_t(1) << 63);
        all &= all - 1;
        return std::uint32_t(at + 1) + std::uint32_t(place);
      };
      for (int k = 0; k < 12; ++k) mark[k] = next();
      for (int k = 12; k < count; ++k) mark[k] = next();
      mark += count;
    }
    misplaced_ = scan.misplaced();
    return whole;
  }

  static std::uint64_t upto_last(std::uint64_t bits) { return ~std::uint64_t(0) >> std::countl_zero(bits); }

  bool rows(char* text, std::size_t count) {
    char* const base = text - 1;
    tried_ = failed_ = 0;
    std::uint32_t* mark = job_.marks + 1;
    for (const std::uint32_t* const end = mark + count; mark < end;) {
      const char *const first = base + *mark, *const begin = base + mark[-1] + 1;
      if (*first == '\n' && (first == begin || (first == begin + 1 && *begin == '\r'))) {
        ++mark;
        continue;
      }
      if (std::size_t(end - mark) < job_.width || !row(base, mark)) return false;
      mark += job_.width;
      ++job_.rows;
    }
    return true;
  }

  // The row whose cells end at `marks`; marks[-1] is what stands before it.
  REGRETLESS_INLINE bool row(char* base, std::uint32_t* marks) {
    std::uint32_t& last = marks[job_.width - 1];
    if (base[last] != '\n') return false;
    const bool two = last > marks[-1] + 1 && base[last - 1] == '\r';
    last -= two;
    const bool good = cells(base, marks);
    last += two;
    return good;
  }

  REGRETLESS_INLINE bool cells(char* base, const std::uint32_t* marks) {
    for (std::size_t c = 0; c < job_.width; ++c) {
      if (group > 1 && job_.columns[c].run >= std::size_t(group)) {
        c += numbers(base, marks, c);
        if (c == job_.width) break;
      }
      char* const before = base + marks[std::ptrdiff_t(c) - 1];
      if (c > 0 && *before != job_.delimiter) return false;
      if (!cell({before + 1, base + marks[c]}, job_.columns[c])) return false;
    }
    return true;
  }

  // Reads cells of a run of numbers, several at a time; how many. It is not tried where it has mostly been in vain.
  REGRETLESS_INLINE std::size_t numbers(const char* base, const std::uint32_t* marks, std::size_t from) {
#if defined(__AVX2__)
    if (failed_ > patience && 2 * failed_ > tried_) return 0;
    const std::size_t run = job_.columns[from].run;
    double* const out = job_.columns[from].numbers + job_.rows * job_.columns[from].stride;
    for (std::size_t done = 0;;) {
      ++tried_;
      if (!several(base, marks + from + done, from + done == 0, out + done)) {
        ++failed_;
        return done;
      }
      done += group;
      if (done == run) return run;
      done = std::min(done, run - group);  // the last group reads some again
    }
#else
    (void)base, (void)marks, (void)from;
    return 0;
#endif
  }

#if defined(__AVX2__)
  REGRETLESS_INLINE bool several(const char* base, const std::uint32_t* marks, bool first, double* out) const {
    const Words begin = words_of([&](int l) { return base + marks[l - 1]; });
    const Words end = words_of([&](int l) { return base + marks[l] - 8; });
    Words size, bad = (begin & 0xFF) ^ std::uint64_t(std::uint8_t(job_.delimiter));
    for (int l = 0; l < group; ++l) size[l] = marks[l] - marks[l - 1] - 1;
    if (first) bad[0] = 0;  // no delimiter stands before a row
    Doubles numbers;
    if (!plain_numbers(begin >> 8, end, size, bad, numbers)) return false;
    std::memcpy(out, &numbers, sizeof numbers);
    return true;
  }
#endif

  REGRETLESS_INLINE bool cell(Cell cell, DelimitedColumn& column) {
    switch (column.kind) {
      case DelimitedKind::skipped: return true;
      case DelimitedKind::number: {
        double& out = column.numbers[job_.rows * column.stride];
        if (cell.end - cell.begin > shortest_long)
          return long_number(cell.begin, cell.end, out) || other_number(cell, column, out);
        return plain_number(cell.begin, cell.end, out) || other_number(cell, column, out);
      }
      case DelimitedKind::boolean: return boolean(cell, column, column.numbers[job_.rows * column.stride]);
      case DelimitedKind::text: return word(cell, column, column.codes[job_.rows]);
      case DelimitedKind::empty: return is_gap(unquoted(cell), column);
      case DelimitedKind::words: return words(unquoted(cell), column);
    }
    return false;
  }

  REGRETLESS_INLINE bool is_gap(Cell cell, DelimitedColumn& column) const {
    const bool gap = nulls_.has(cell);
    column.gaps += gap;
    return gap;
  }

  // The cell without the quotes around it, and those doubled in it single. Where the first stage has seen no quote out
  // of place, a cell that begins with one ends with one.
  REGRETLESS_INLINE Cell unquoted(Cell cell) const {
    return cell.begin < cell.end && *cell.begin == '"' ? inner(cell) : cell;
  }
  static Cell inner(Cell cell) {
    ++cell.begin;
    --cell.end;
    auto* to = static_cast<char*>(std::memchr(cell.begin, '"', std::size_t(cell.end - cell.begin)));
    if (!to) return cell;
    for (const char* from = to; from < cell.end; ++from) {
      *to++ = *from;
      from += *from == '"';
    }
    return {cell.begin, to};
  }

  REGRETLESS_APART bool other_number(Cell cell, DelimitedColumn& column, double& out) const {
    cell = unquoted(cell);
    if (is_gap(cell, column)) {
      out = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (cell.begin < cell.end && blank(*cell.begin)) ++cell.begin;
    while (cell.begin < cell.end && blank(cell.end[-1])) --cell.end;
    return any_number(cell.begin, cell.end, out) == Reading::good;
  }

  REGRETLESS_INLINE bool boolean(Cell cell, DelimitedColumn& column, double& out) const {
    cell = unquoted(cell);
    const bool yes = is_term(cell, job_.trues, job_.trues_end);
    out = yes;
    if (yes || is_term(cell, job_.falses, job_.falses_end)) return true;
    out = std::numeric_limits<double>::quiet_NaN();
    return is_gap(cell, column);
  }

  REGRETLESS_INLINE bool word(Cell cell, DelimitedColumn& column, std::int32_t& code) {
    cell = unquoted(cell);
    if (is_gap(cell, column)) {
      code = -1;
      return true;
    }
    DelimitedValues& values = column.values;
    const DelimitedValue value = value_of(cell);
    for (std::uint64_t slot = hash_of(value, cell.begin);; ++slot) {
      const DelimitedValue& one = values.slots[slot & values.mask];
      if (one.number == 0) return add(value, cell.begin, slot & values.mask, values, code);
      code = std::int32_t(one.number) - 1;
      if (one.first == value.first && one.last == value.last && one.size == value.size &&
          (value.size <= 16 || std::memcmp(values.begins[code], cell.begin, value.size) == 0))
        return true;
      if (--room_ < 0) return false;  // values whose hashes are alike, by chance or by intent
    }
  }

  REGRETLESS_APART bool add(DelimitedValue value, const char* begin, std::uint64_t slot, DelimitedValues& values,
                            std::int32_t& code) const {
    code = values.count;
    values.begins[code] = begin;
    values.sizes[code] = value.size;
    value.number = std::uint32_t(++values.count);
    values.slots[slot] = value;
    if (2 * value.number > values.mask) grow(values);
    return true;
  }
  // Goes on in the next table, which is twice as large. What it takes has been counted as values came.
  static void grow(DelimitedValues& values) {
    const DelimitedValue* const before = values.slots;
    const std::size_t size = std::size_t(values.mask) + 1;
    begin_table(values, values.slots + size, 2 * size);
    for (const DelimitedValue* one = before; one < before + size; ++one) {
      if (one->number == 0) continue;
      std::uint64_t slot = hash_of(*one, values.begins[one->number - 1]);
      while (values.slots[slot & values.mask].number) ++slot;
      values.slots[slot & values.mask] = *one;
    }
  }
  static void begin_table(DelimitedValues& values, DelimitedValue* slots, std::size_t size) {
    values.slots = slots;
    values.mask = std::uint32_t(size - 1);
    for (std::size_t k = 0; k < size; ++k) slots[k].number = 0;
  }

  REGRETLESS_INLINE bool words(Cell cell, DelimitedColumn& column) const {
    DelimitedCells& cells = column.cells;
    const std::int64_t begin = cells.offsets[job_.rows];
    const bool gap = is_gap(cell, column);
    if (gap) cells.missing[column.gaps - 1] = job_.rows;
    const std::size_t size = gap ? 0 : std::size_t(cell.end - cell.begin);
    std::memcpy(cells.text + begin, cell.begin, size);
    cells.offsets[job_.rows + 1] = begin + std::int64_t(size);
    return true;
  }

  DelimitedJob& job_;
  const FewTerms nulls_;
  std::ptrdiff_t room_;                  // for values that were compared in vain
  std::int64_t tried_ = 0, failed_ = 0;  // groups of numbers in a piece
  bool misplaced_ = false;
};

static void read_delimited(DelimitedJob& job) { DelimitedReader(job).read(); }

static std::int64_t cut_delimited(const char* text, std::size_t size, char delimiter) {
  DelimitedScan scan(text, size, delimiter);
  std::int64_t cut = 0;
  for (std::size_t at = 0; at < size; at += 64)
    if (const std::uint64_t newlines = (size - at < 64 ? scan.last(at) : scan.next(at)).newlines)
      cut = std::int64_t(at) + 64 - std::countl_zero(newlines);
  return scan.misplaced() ? -1 : cut;
}

static bool quotes_delimiter(const char* text, std::size_t size, char delimiter) {
  DelimitedScan scan(text, size, delimiter);
  for (std::size_t at = 0; at < size; at += 64) size - at < 64 ? scan.last(at) : scan.next(at);
  return scan.misplaced() || scan.quoted();
}

static std::size_t lines_of(const char* text, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < size; at += 64) {
    const std::uint64_t there = size - at < 64 ? (std::uint64_t(1) << (size - at)) - 1 : ~std::uint64_t(0);
    count += std::size_t(count_ones(TextBlock(text + at).equal('\n') & there));
  }
  return count;
}

}  // namespace regretless::REGRETLESS_ISA
#endif
