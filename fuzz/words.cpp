// Cells of UTF-8 text, some at a time, split into words, which are counted in rows that have entries already: beside
// loops that say the same plainly. What Python has seen to: the text is UTF-8, offsets ascend, letters and missing rows
// too.
#include "regretless/words.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "input.hpp"
#include "regretless/word_kernels.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

constexpr const char* pieces[] = {
    "a", "b", "_", "7", " ", "-", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "ab", "", "Z", "a_name_of_17_bytes"};
const std::vector<std::uint32_t> letters{0xE9, 0x1F600};  // the euro sign is none

bool is_of_word(const std::string& piece) { return piece != " " && piece != "-" && piece != "\xE2\x82\xAC"; }

// The words of a row, then its pairs, then its triples.
std::vector<std::string> sequences(const std::vector<std::string>& words, std::int64_t ngrams) {
  std::vector<std::string> all;
  for (std::size_t length = 1; length <= std::size_t(ngrams); ++length)
    for (std::size_t first = 0; first + length <= words.size(); ++first) {
      std::string joined = words[first];
      for (std::size_t k = first + 1; k < first + length; ++k) joined += " " + words[k];
      all.push_back(joined);
    }
  return all;
}

// Words are added to rows whose entries ascend; -1 is the column of those that have none.
void count(const WordKernels& kernels, const std::vector<std::int64_t>& ends, const std::vector<std::int32_t>& codes,
           Input& in) {
  const std::int64_t rows = std::int64_t(ends.size()) - 1;
  const auto none = std::int32_t(in.within(-1, 4));
  std::vector<double> values;
  std::vector<std::int32_t> indices, words;
  std::vector<std::int64_t> starts{0};
  std::vector<std::map<std::int32_t, double>> expected{std::size_t(rows)};
  std::int64_t longest = 0;
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int32_t column = std::int32_t(in.below(3)); column < 6; column += 1 + std::int32_t(in.below(4))) {
      values.push_back(in.finite()), indices.push_back(column);
      expected[std::size_t(t)][column] = values.back() + 0.0;
    }
    starts.push_back(std::int64_t(values.size()));
    std::map<std::int32_t, double> counts;
    for (std::int64_t k = ends[std::size_t(t)]; k < ends[std::size_t(t) + 1]; ++k) {
      words.push_back(codes[std::size_t(k)] == none ? -1 : codes[std::size_t(k)]);
      if (words.back() >= 0) ++counts[words.back()];
    }
    for (const auto& [column, times] : counts) expected[std::size_t(t)][column] += times;
    longest = std::max(longest, ends[std::size_t(t) + 1] - ends[std::size_t(t)]);
  }
  std::vector<double> out(values.size() + words.size());
  std::vector<std::int32_t> out_indices(out.size()), sorted(static_cast<std::size_t>(longest));
  std::vector<std::int64_t> out_starts(starts.size());
  RowsWithWords r{at(values), at(indices),     starts.data(),    rows, at(words), ends.data(), at(sorted),
                  at(out),    at(out_indices), out_starts.data()};
  const std::int32_t last = codes.empty() ? 0 : *std::max_element(codes.begin(), codes.end());
  std::vector<std::int32_t> features;  // the same, where words are places among them
  for (std::int32_t code = 0; code <= last; ++code) features.push_back(code == none ? -1 : code);
  if (in.flag()) r.words = at(codes), r.features = features.data(), r.known = features.size();
  kernels.add(r);
  for (std::int64_t t = 0; t < rows; ++t) {
    std::int64_t e = out_starts[std::size_t(t)];
    for (const auto& [column, value] : expected[std::size_t(t)]) {
      MUST(e < out_starts[std::size_t(t) + 1]);
      MUST(out_indices[std::size_t(e)] == column && same(out[std::size_t(e)], value));
      ++e;
    }
    MUST(e == out_starts[std::size_t(t) + 1]);
  }
}

// Some cells, and what a plain loop over their pieces reads in them.
struct Cells {
  std::string text;
  std::vector<std::int64_t> offsets, missing, ends{0};
  std::vector<std::string> words;  // of all rows, one after the other

  Cells(Input& in, std::int64_t ngrams) : text(std::size_t(in.below(3)), 'a'), offsets{std::int64_t(text.size())} {
    const std::int64_t rows = in.within(1, 12);
    for (std::int64_t t = 0; t < rows; ++t) {
      const std::vector<std::string> cell = write(in);
      offsets.push_back(std::int64_t(text.size()));
      if (in.byte() < 32) missing.push_back(t);
      else
        for (const std::string& one : sequences(cell, ngrams)) words.push_back(one);
      ends.push_back(std::int64_t(words.size()));
    }
  }

 private:
  std::vector<std::string> write(Input& in) {
    std::vector<std::string> cell;
    bool inside = false;
    const bool spaces = in.flag();  // behind each piece, so that a row has many words
    for (std::int64_t left = in.below(48); left > 0; --left) {
      const std::string written = pieces[in.below(std::int64_t(std::size(pieces)))];
      const std::string piece = written == "Z" ? "z" : written;
      text += written;
      if (is_of_word(piece) && !piece.empty() && inside) cell.back() += piece;
      else if (is_of_word(piece) && !piece.empty()) cell.push_back(piece);
      inside = piece.empty() ? inside : is_of_word(piece);
      if (spaces) text += ' ', inside = false;
    }
    return cell;
  }
};

void read(const WordKernels& kernels, Input in) {
  const std::int64_t ngrams = in.within(1, 3), blocks = in.within(1, 3);
  WordReader reader(in.raw<std::uint64_t>(), ngrams);
  std::map<std::string, std::int32_t> numbers;  // of all blocks so far
  for (std::int64_t block = 0; block < blocks; ++block) {
    const Cells cells(in, ngrams);
    const std::vector<char> held(cells.text.begin(), cells.text.end());  // of its very size
    reader.read({at(held), cells.offsets.data(), std::int64_t(cells.offsets.size()) - 1, at(cells.missing),
                 at(cells.missing) + cells.missing.size(), letters.data(), letters.data() + letters.size()},
                kernels.mark);
    MUST(reader.ends == cells.ends && reader.codes.size() == cells.words.size());
    for (std::size_t k = 0; k < cells.words.size(); ++k) {
      const auto known = numbers.emplace(cells.words[k], std::int32_t(numbers.size())).first;
      MUST(reader.codes[k] == known->second && reader.numbers[std::size_t(known->second)] == cells.words[k]);
    }
    MUST(reader.numbers.size() == numbers.size());
    count(kernels, reader.ends, reader.codes, in);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(KERNELS(words_), {data, size});
#if defined(FUZZ_WIDE)
  if (__builtin_cpu_supports("avx2")) read(words_v3, {data, size});
#endif
  return 0;
}
