// Cells of UTF-8 text split into words, which are counted in rows that have entries already: beside loops that say the
// same plainly. What Python has seen to: the text is UTF-8, offsets ascend, letters and missing rows too.
#include "regretless/words.hpp"

#include <map>
#include <string>

#include "input.hpp"
#include "regretless/table_rows.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

constexpr const char* pieces[] = {"a",  "b", "_", "7", " ", "-", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                  "ab", ""};
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

void count(const std::vector<std::int64_t>& rows, const std::vector<std::int32_t>& codes, std::int64_t count,
           Input& in) {
  std::vector<double> values;
  std::vector<std::int32_t> indices, words;
  std::vector<std::int64_t> starts{0}, begins{0};
  std::vector<std::map<std::int32_t, double>> expected{std::size_t(count)};
  std::size_t next = 0;
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int32_t column = std::int32_t(in.below(3)); column < 6; column += 1 + std::int32_t(in.below(4))) {
      values.push_back(in.finite()), indices.push_back(column);
      expected[std::size_t(t)][column] = values.back() + 0.0;
    }
    starts.push_back(std::int64_t(values.size()));
    std::map<std::int32_t, double> counts;
    for (; next < rows.size() && rows[next] == t; ++next) words.push_back(codes[next]), ++counts[codes[next]];
    for (const auto& [column, times] : counts) expected[std::size_t(t)][column] += times;
    begins.push_back(std::int64_t(words.size()));
  }
  std::vector<double> out(values.size() + words.size());
  std::vector<std::int32_t> out_indices(out.size());
  std::vector<std::int64_t> out_starts(starts.size());
  RowsWithWords{at(values), at(indices),     starts.data(),    count, at(words), begins.data(),
                at(out),    at(out_indices), out_starts.data()}
      .write();
  for (std::int64_t t = 0; t < count; ++t) {
    std::int64_t e = out_starts[std::size_t(t)];
    for (const auto& [column, value] : expected[std::size_t(t)]) {
      MUST(out_indices[std::size_t(e)] == column && same(out[std::size_t(e)], value));
      ++e;
    }
    MUST(e == out_starts[std::size_t(t) + 1]);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const std::int64_t ngrams = in.within(1, 3), cells = in.within(1, 12);
  std::string text;
  std::vector<std::int64_t> offsets{0}, missing, rows;
  std::vector<std::string> expected;
  for (std::int64_t t = 0; t < cells; ++t) {
    std::vector<std::string> words;
    bool inside = false;
    for (std::int64_t left = in.below(12); left > 0; --left) {
      const std::string piece = pieces[in.below(std::int64_t(std::size(pieces)))];
      text += piece;
      if (piece.empty()) continue;
      if (is_of_word(piece) && inside) words.back() += piece;
      else if (is_of_word(piece)) words.push_back(piece);
      inside = is_of_word(piece);
    }
    offsets.push_back(std::int64_t(text.size()));
    if (in.byte() < 32) {
      missing.push_back(t);
      continue;
    }
    for (const std::string& one : sequences(words, ngrams)) expected.push_back(one), rows.push_back(t);
  }
  const std::vector<char> held(text.begin(), text.end());  // of its very size
  WordReader reader({held.data(), offsets.data(), cells, at(missing), at(missing) + missing.size(), letters.data(),
                     letters.data() + letters.size(), ngrams},
                    in.raw<std::uint64_t>());
  reader.read();
  MUST(reader.rows == rows && reader.codes.size() == rows.size());
  std::map<std::string, std::int32_t> numbers;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto known = numbers.emplace(expected[k], std::int32_t(numbers.size())).first;
    MUST(reader.codes[k] == known->second && reader.numbers[std::size_t(known->second)] == expected[k]);
  }
  MUST(reader.numbers.size() == numbers.size());
  count(reader.rows, reader.codes, cells, in);
  return 0;
}
