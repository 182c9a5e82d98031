// Lines of Vowpal Wabbit's text with no byte to spare around them: with narrow registers or wide ones the same is read
// of them, or they are left alone; and lines that are plain together are so one by one.
#include "regretless/vowpal_lines.hpp"

#include <algorithm>
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

Read read(VowpalKernel kernel, std::string_view text) {
  std::vector<char> memory(text.size() + 2 * vowpal_padding, '|');
  std::copy(text.begin(), text.end(), memory.begin() + vowpal_padding);
  const auto rows = std::size_t(std::count(text.begin(), text.end(), '\n'));
  const auto room = std::size_t(std::count(text.begin(), text.end(), ' '));
  Read result{false, std::vector<double>(rows), std::vector<double>(room), std::vector<std::int64_t>(rows + 1), {}};
  std::vector<VowpalSpan> names(room), spaces(room);
  VowpalLines lines{memory.data() + vowpal_padding,
                    text.size(),
                    at(result.labels),
                    at(result.values),
                    at(result.ends),
                    at(names),
                    at(spaces)};
  kernel(lines);
  if (!(result.plain = lines.plain)) return result;
  const std::int64_t features = result.ends[std::size_t(lines.rows)];
  const auto of = [&](VowpalSpan span) { return std::string(text.substr(span.begin, span.end - span.begin)); };
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
  for (std::size_t begin = 0, end; whole.plain && begin < text.size(); begin = end) {
    end = text.find('\n', begin) + 1;
    MUST(read(KERNELS(vowpal_), std::string_view(text).substr(begin, end - begin)).plain);
  }
#if defined(FUZZ_WIDE)
  if (__builtin_cpu_supports("avx2")) MUST(read(vowpal_v3, text) == whole);
#endif
  return 0;
}
