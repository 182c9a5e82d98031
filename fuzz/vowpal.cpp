// Lines of Vowpal Wabbit's text with no byte to spare around them: with narrow registers or wide ones the same is read
// of them, or they are left alone; and lines that are plain together are so one by one.
#include "regretless/vowpal_lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "input.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

constexpr std::string_view pieces[] = {"1", "-2.5", " ", "|", "n", ":", "a b", "'t", "1.0", "\n", "\n1 |a b:2 ", "1e9"};

struct Read {
  bool plain = false;
  std::vector<double> labels, values;
  std::vector<std::int64_t> ends;
  std::vector<std::string> names;

  bool operator==(const Read& other) const {
    return plain == other.plain && (!plain || (same(labels, other.labels) && same(values, other.values) &&
                                               ends == other.ends && names == other.names));
  }
};

// What stands in rows, in the order of the columns of the features, as a plain loop has it.
void check_order(const VowpalKernels& kernels, const Read& read, const std::vector<std::int32_t>& codes,
                 const std::vector<std::int32_t>& columns) {
  const std::size_t rows = read.ends.size() - 1, features = read.values.size();
  std::int64_t longest = 0;
  for (std::size_t t = 0; t < rows; ++t) longest = std::max(longest, read.ends[t + 1] - read.ends[t]);
  std::vector<std::int64_t> keys(static_cast<std::size_t>(longest)), starts(rows + 1);
  std::vector<double> out(features);
  std::vector<std::int32_t> indices(features);
  kernels.order({read.values.data(), codes.data(), read.ends.data(), std::int64_t(rows), columns.data(), columns.size(),
                 keys.data(), out.data(), indices.data(), starts.data()});
  std::size_t entry = 0;
  for (std::size_t t = 0; t < rows; ++t) {
    std::map<std::int32_t, double> row;
    for (auto k = std::size_t(read.ends[t]); k < std::size_t(read.ends[t + 1]); ++k)
      if (std::size_t(codes[k]) < columns.size() && columns[std::size_t(codes[k])] >= 0)
        row[columns[std::size_t(codes[k])]] += read.values[k];
    MUST(starts[t] == std::int64_t(entry));
    for (const auto& [column, value] : row) {
      MUST(indices[entry] == column && same(std::vector<double>{out[entry]}, std::vector<double>{value}));
      ++entry;
    }
  }
  MUST(starts[rows] == std::int64_t(entry));
}

Read read(const VowpalKernels& kernels, std::string_view text) {
  std::vector<char> memory(text.size() + 2 * vowpal_padding, '|');
  std::copy(text.begin(), text.end(), memory.begin() + vowpal_padding);
  const auto [rows, room] = kernels.count(memory.data() + vowpal_padding, text.size());
  MUST(rows == std::size_t(std::count(text.begin(), text.end(), '\n')));
  MUST(room == std::size_t(std::count(text.begin(), text.end(), ' ')));
  Read result{false, std::vector<double>(rows), std::vector<double>(room), std::vector<std::int64_t>(rows + 1), {}};
  std::vector<VowpalSpan> names(room), spaces(room);
  std::vector<std::uint32_t> marks(text.size() + vowpal_padding);
  VowpalLines lines{memory.data() + vowpal_padding,
                    text.size(),
                    at(result.labels),
                    at(result.values),
                    at(result.ends),
                    at(names),
                    at(spaces),
                    marks.data()};
  kernels.read(lines);
  if (!(result.plain = lines.plain)) return result;
  const std::int64_t features = result.ends[std::size_t(lines.rows)];
  const auto of = [&](VowpalSpan span) { return std::string(text.substr(span.begin, span.end - span.begin)); };
  for (std::int64_t k = 0; k < features; ++k)
    MUST(!lines.bare || spaces[std::size_t(k)].begin == spaces[std::size_t(k)].end);
  for (std::int64_t k = 0; k < features; ++k)
    result.names.push_back(of(spaces[std::size_t(k)]) + "^" + of(names[std::size_t(k)]));
  result.labels.resize(std::size_t(lines.rows)), result.ends.resize(std::size_t(lines.rows) + 1);
  result.values.resize(std::size_t(features));
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  std::string text;
  while (!in.empty()) {
    const std::uint8_t next = in.byte();
    if (next < 128) text += pieces[next % std::size(pieces)];
    else text += char(in.byte());
  }
  text += '\n';
  const Read whole = read(KERNELS(vowpal_), text);
  if (whole.plain) {
    std::vector<std::int32_t> codes, columns(5);
    for (const std::string& name : whole.names) codes.push_back(std::int32_t(name.size() % 6));
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = std::int32_t(text[k % text.size()] % 5) - 1;
    check_order(KERNELS(vowpal_), whole, codes, columns);
  }
  for (std::size_t begin = 0, end; whole.plain && begin < text.size(); begin = end) {
    end = text.find('\n', begin) + 1;
    MUST(read(KERNELS(vowpal_), std::string_view(text).substr(begin, end - begin)).plain);
  }
#if defined(FUZZ_WIDE)
  if (__builtin_cpu_supports("avx2")) MUST(read(vowpal_v3, text) == whole);
#endif
  return 0;
}
