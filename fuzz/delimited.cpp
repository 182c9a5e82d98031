// Delimited text with no byte to spare around it. With narrow registers or wide ones the same columns are read, or both
// leave the text alone; and text that is cut where a row ends is read as it is as a whole. What the binding has seen
// to: 64 bytes around the text, a newline at its end, no carriage return by itself, and room for as many rows as it can
// hold.
#include "regretless/delimited.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "input.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

constexpr DelimitedTerm term(const char* word) {
  DelimitedTerm result{0, 0};
  for (; word[result.size]; ++result.size)
    result.word |= std::uint64_t(std::uint8_t(word[result.size])) << 8 * result.size;
  return result;
}
constexpr DelimitedTerm nulls[] = {term(""), term("NA"), term("?")}, trues[] = {term("true"), term("1")},
                        falses[] = {term("false"), term("0")};

// The cells of each column, as words and numbers.
struct Read {
  bool plain = false;
  std::int64_t rows = 0;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::string>> words;
  std::vector<std::int64_t> gaps;

  bool is_like(const Read& other) const {
    if (plain != other.plain) return false;
    if (!plain) return true;
    for (std::size_t c = 0; c < numbers.size(); ++c)
      if (!same(numbers[c], other.numbers[c])) return false;
    return rows == other.rows && words == other.words && gaps == other.gaps;
  }
  void append(const Read& other) {
    plain = plain && other.plain;
    rows += other.rows;
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      numbers[c].insert(numbers[c].end(), other.numbers[c].begin(), other.numbers[c].end());
      words[c].insert(words[c].end(), other.words[c].begin(), other.words[c].end());
      gaps[c] += other.gaps[c];
    }
  }
};

std::vector<char> padded(std::string_view text) {
  std::vector<char> result(text.size() + 2 * delimited_padding, '"');
  std::copy(text.begin(), text.end(), result.begin() + delimited_padding);
  return result;
}

void take(const DelimitedColumn& column, const std::vector<double>& numbers, std::size_t rows, Read& into) {
  into.numbers.emplace_back(numbers.begin(), numbers.begin() + (numbers.empty() ? 0 : std::ptrdiff_t(rows)));
  into.words.emplace_back();
  into.gaps.push_back(column.gaps);
  std::int64_t gaps = 0;
  for (std::size_t t = 0; t < rows && column.kind == DelimitedKind::words; ++t) {
    const std::int64_t begin = column.cells.offsets[t], end = column.cells.offsets[t + 1];
    const bool missing = gaps < column.gaps && column.cells.missing[gaps] == std::int64_t(t);
    MUST(begin <= end && (!missing || begin == end));
    gaps += missing;
    into.words.back().push_back(missing ? "-" : "+" + std::string(column.cells.text + begin, column.cells.text + end));
  }
  for (std::size_t t = 0; t < rows && column.kind == DelimitedKind::text; ++t) {
    const std::int32_t code = column.codes[t];
    MUST(code >= -1 && code < column.values.count);
    into.words.back().push_back(code < 0 ? "-"
                                         : "+" + std::string(column.values.begins[code], column.values.sizes[code]));
  }
}

Read read(const DelimitedKernels& kernels, std::string_view text, char delimiter,
          const std::vector<DelimitedKind>& kinds) {
  std::vector<char> memory = padded(text);
  const std::size_t lines = std::size_t(std::count(text.begin(), text.end(), '\n'));
  const std::size_t rows = std::min(lines, text.size() / kinds.size() + 1), slots = delimited_slots(rows);
  std::vector<DelimitedColumn> columns(kinds.size());
  std::vector<std::vector<double>> numbers(kinds.size());
  std::vector<std::vector<std::int32_t>> codes(kinds.size());
  std::vector<std::vector<DelimitedValue>> table(kinds.size());
  std::vector<std::vector<std::uint32_t>> sizes(kinds.size());
  std::vector<std::vector<const char*>> begins(kinds.size());
  std::vector<std::vector<char>> cells(kinds.size());
  std::vector<std::vector<std::int64_t>> offsets(kinds.size()), missing(kinds.size());
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    columns[c].kind = kinds[c];
    if (kinds[c] == DelimitedKind::text) {
      codes[c].resize(rows), table[c].resize(slots), sizes[c].resize(rows), begins[c].resize(rows);
      columns[c].codes = at(codes[c]);
      columns[c].values = {table[c].data(), at(begins[c]), at(sizes[c]), 0, 0};
    } else if (kinds[c] == DelimitedKind::words) {
      cells[c].resize(text.size()), offsets[c].resize(rows + 1), missing[c].resize(rows);
      columns[c].cells = {at(cells[c]), at(offsets[c]), at(missing[c])};
    } else {
      numbers[c].resize(rows);
      columns[c].numbers = at(numbers[c]);
    }
  }
  std::vector<std::uint32_t> marks(text.size() + delimited_padding);
  DelimitedJob job;
  job.text = memory.data() + delimited_padding, job.end = job.text + text.size();
  job.delimiter = delimiter;
  job.columns = columns.data(), job.width = columns.size();
  job.nulls = std::begin(nulls), job.nulls_end = std::end(nulls);
  job.trues = std::begin(trues), job.trues_end = std::end(trues);
  job.falses = std::begin(falses), job.falses_end = std::end(falses);
  job.marks = marks.data();
  kernels.read(job);
  MUST(job.rows >= 0 && std::size_t(job.rows) <= rows);
  Read result;
  result.plain = job.plain, result.rows = job.rows;
  for (std::size_t c = 0; c < kinds.size(); ++c) take(columns[c], numbers[c], std::size_t(job.rows), result);
  return result;
}

// No carriage return by itself, and a newline at the end.
std::string text_of(Input& in) {
  std::string text;
  while (!in.empty()) {
    if (!text.empty() && text.back() == '\r') text += '\n';
    text += char(in.byte());
  }
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const char delimiter = ",;\t| "[in.below(5)];
  const std::vector<DelimitedKind> kinds =
      array<DelimitedKind>(in.within(1, 5), [&] { return DelimitedKind(in.below(6)); });
  const std::size_t half = std::size_t(in.byte());
  const std::string text = text_of(in);
  const Read whole = read(KERNELS(delimited_), text, delimiter, kinds);
  const std::vector<char> begin = padded(std::string_view(text).substr(0, half));
  const std::size_t first = std::min(half, text.size());
  const std::int64_t cut = KERNELS(delimited_).cut(begin.data() + delimited_padding, first, delimiter);
  MUST(cut >= -1 && cut <= std::int64_t(first));
  const bool quoted = KERNELS(delimited_).quotes_delimiter(begin.data() + delimited_padding, first, delimiter);
  MUST(quoted || cut >= 0);
  const std::vector<char> all = padded(text);
  MUST(KERNELS(delimited_).lines(all.data() + delimited_padding, text.size()) ==
       std::size_t(std::count(text.begin(), text.end(), '\n')));
  if (cut > 0) {
    Read parts = read(KERNELS(delimited_), std::string_view(text).substr(0, std::size_t(cut)), delimiter, kinds);
    parts.append(read(KERNELS(delimited_), std::string_view(text).substr(std::size_t(cut)), delimiter, kinds));
    MUST(parts.is_like(whole));
  }
#if defined(FUZZ_WIDE)
  if (__builtin_cpu_supports("avx2")) {
    MUST(read(delimited_v3, text, delimiter, kinds).is_like(whole));
    MUST(delimited_v3.cut(begin.data() + delimited_padding, first, delimiter) == cut);
  }
#endif
  return 0;
}
