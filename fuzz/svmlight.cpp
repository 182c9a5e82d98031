// Svmlight text, cut into blocks of whole lines where the input says so, with no byte to spare around it. However it is
// cut, with narrow registers or wide ones, and whether or not a comment behind each line sends it the careful way, the
// same rows are read and the same lines are complained of. What the binding has seen to: 64 bytes around the text, a
// newline at its end, and room for as many rows and entries as it can hold. The reader of blocks sees to that itself:
// from a source that gives a few bytes at a time, or none for now, it reads the same, block by block or all together.
#include "regretless/svmlight_blocks.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "input.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Settings {
  std::int64_t first_id, columns_allowed;
  bool skip, single;
};

struct Complained {
  SvmlightRefusal fault;
  std::int64_t line, column;
  bool operator==(const Complained&) const = default;
};

struct Read {
  std::vector<double> labels;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  std::vector<Complained> complaints;
  std::int64_t complained = 0, columns = 0, lines = 0;

  bool is_like(const Read& other) const {
    return same(labels, other.labels) && starts == other.starts && indices == other.indices &&
           same(values, other.values) && complaints == other.complaints && complained == other.complained &&
           columns == other.columns && lines == other.lines;
  }
};

std::vector<std::uint32_t> marks(svmlight_marks + svmlight_padding), line_ends(svmlight_piece);

template <class Value>
void take(const SvmlightJob& job, const Settings& how, const std::vector<Value>& values, Read& into) {
  const std::int64_t before = into.starts.back();
  for (std::int64_t t = 0; t < job.rows; ++t) {
    MUST(job.starts[t] <= job.starts[t + 1] && job.starts[t + 1] <= job.entries);
    into.labels.push_back(job.labels[t]), into.starts.push_back(before + job.starts[t + 1]);
    const bool passed_over = how.skip && job.starts[t] == job.starts[t + 1] && std::isnan(job.labels[t]);
    MUST(std::isfinite(job.labels[t]) || passed_over);
    for (std::int64_t k = job.starts[t]; k < job.starts[t + 1]; ++k) {
      MUST(job.indices[k] >= 0 && job.indices[k] < how.columns_allowed && job.indices[k] < job.columns);
      MUST(k == job.starts[t] || job.indices[k - 1] < job.indices[k]);
      MUST(std::isfinite(values[std::size_t(k)]));
      into.indices.push_back(job.indices[k]), into.values.push_back(double(values[std::size_t(k)]));
    }
  }
}

void complain(const SvmlightJob& job, Read& into) {
  for (std::int64_t c = 0; c < std::min<std::int64_t>(job.complaints, svmlight_remembered); ++c) {
    const SvmlightBadLine& what = job.refusal[c];
    MUST(what.fault != SvmlightRefusal::none && what.column >= 1 && what.line > into.lines && what.line <= job.lines);
    MUST(job.text <= what.begin && what.begin <= what.end && what.end < job.end);
    if (into.complaints.size() < svmlight_remembered) into.complaints.push_back({what.fault, what.line, what.column});
  }
  into.complained += job.complaints, into.columns = job.columns, into.lines = job.lines;
}

// One block of whole lines; false if reading stops there.
template <class Value>
bool read_block(SvmlightKernel kernel, std::string_view block, const Settings& how, Read& into) {
  std::vector<char> text(block.size() + 2 * svmlight_padding, '7');
  std::copy(block.begin(), block.end(), text.begin() + svmlight_padding);
  const std::size_t rows = block.size() / 2 + 1, entries = block.size() / 4 + 1;
  std::vector<double> labels(rows);
  std::vector<std::int64_t> starts(rows + 1);
  std::vector<std::int32_t> indices(entries);
  std::vector<Value> values(entries);
  SvmlightJob job;
  job.text = text.data() + svmlight_padding;
  job.end = job.text + block.size();
  job.lines = into.lines;
  job.first_id = how.first_id;
  job.columns_allowed = how.columns_allowed;
  job.skip = how.skip;
  job.single = sizeof(Value) == 4;
  job.marks = marks.data();
  job.line_ends = line_ends.data();
  job.labels = labels.data();
  job.starts = starts.data();
  job.indices = indices.data();
  job.values = values.data();
  job.columns = into.columns;
  kernel(job);
  take(job, how, values, into);
  complain(job, into);
  return how.skip || job.complaints == 0;
}

// Cut behind the last newline within each of the blocks, whose sizes come again and again.
Read read(SvmlightKernel kernel, std::string_view text, const Settings& how, std::size_t block) {
  Read all;
  while (!text.empty()) {
    std::size_t end = text.substr(0, std::max<std::size_t>(block, 1)).rfind('\n') + 1;
    if (end == 0) end = text.find('\n') + 1;
    const std::string_view lines = text.substr(0, end);
    text.remove_prefix(end);
    if (!(how.single ? read_block<float>(kernel, lines, how, all) : read_block<double>(kernel, lines, how, all))) break;
  }
  return all;
}

template <class Value>
void take_values(const SvmlightJob& job, const Settings& how, Read& into) {
  const Value* values = static_cast<const Value*>(job.values);
  take(job, how, std::vector<Value>(values, values + job.entries), into);
}

// By the reader of blocks, whose source gives at most `piece` bytes at a time, and at times has none for now.
Read read_source(SvmlightKernel kernel, std::string_view text, const Settings& how, std::size_t block,
                 std::size_t piece, bool together) {
  SvmlightBlocks blocks(kernel, how.single, how.first_id, how.columns_allowed, how.skip, block);
  bool ready = false;
  const auto source = [&](char* to, std::size_t size) -> std::optional<std::size_t> {
    ready = !ready;
    if (!ready && !text.empty()) return std::nullopt;
    const std::size_t count = std::min({size, piece, text.size()});
    std::copy_n(text.begin(), count, to);
    text.remove_prefix(count);
    return count;
  };
  Read all;
  const auto take_rows = [&] {
    if (how.single) take_values<float>(blocks.job(), how, all);
    else take_values<double>(blocks.job(), how, all);
  };
  while (blocks.advance(source)) {
    if (together) {
      blocks.gather(text.size());
    } else {
      const auto arrays = blocks.next();
      take_rows();
    }
    complain(blocks.job(), all);
  }
  if (together) {
    const auto arrays = blocks.gathered();
    take_rows();
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const Settings how{in.flag(), in.byte() < 192 ? 2147483647 : in.within(1, 300), in.flag(), in.flag()};
  const std::size_t cut = std::size_t(in.within(1, 200));
  std::string text;
  while (!in.empty()) text += char(in.byte());
  if (text.empty() || text.back() != '\n') text += '\n';
  const Read whole = read(KERNELS(svmlight_), text, how, text.size());
  MUST(read(KERNELS(svmlight_), text, how, cut).is_like(whole));
  if (!text.starts_with("\xEF\xBB\xBF")) {  // which it passes over
    MUST(read_source(KERNELS(svmlight_), text, how, cut, 1 + cut / 3, false).is_like(whole));
    MUST(read_source(KERNELS(svmlight_), text, how, cut, 1 + cut / 3, true).is_like(whole));
  }
#if defined(FUZZ_WIDE)
  if (__builtin_cpu_supports("avx2")) {
    MUST(read(svmlight_v3, text, how, text.size()).is_like(whole));
    MUST(read(svmlight_v3, text, how, cut).is_like(whole));
  }
#endif
  std::string careful;
  for (const char c : text) {
    if (c == '\n') careful += '#';
    careful += c;
  }
  MUST(read(KERNELS(svmlight_), careful, how, careful.size()).is_like(whole));
  return 0;
}
