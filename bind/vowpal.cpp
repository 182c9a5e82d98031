// Rows of Vowpal Wabbit's text for Python.
#include "vowpal.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "regretless/vowpal_lines.hpp"
#include "regretless/words.hpp"
#include "text_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using Rows = std::tuple<Array1<double>, Array1<std::int64_t>, Array1<std::int32_t>, Array1<double>, nb::list>;

// Reads lines some at a time, for one thread; a name that was read before has the number that it got then.
class VowpalRows {
 public:
  VowpalRows() : numbers_(seed_of_process()) {}

  std::optional<Rows> read(std::string_view text) {
    const Use use(busy_);
    if (text.size() > most_bytes || !text.ends_with('\n')) return std::nullopt;
    {
      const nb::gil_scoped_release unlocked;
      lend(text);
      REGRETLESS_COMPILED(vowpal).read(lines_);
      if (lines_.plain) look_up(std::size_t(lines_.ends[lines_.rows]));
    }
    if (!lines_.plain) return std::nullopt;
    std::vector<double> values(values_.begin(), values_.begin() + std::ptrdiff_t(codes_.size()));  // no room beyond
    return Rows{handed_over(std::move(labels_)), handed_over(std::move(ends_)), handed_over(std::move(codes_)),
                handed_over(std::move(values)), new_words(numbers_, known_)};
  }

 private:
  static constexpr std::size_t most_bytes = (std::size_t(1) << 31) - 1, enough = std::size_t(1) << 16;

  void lend(std::string_view text) {
    text_.assign(vowpal_padding, ' ').append(text).append(vowpal_padding, ' ');
    const auto [lines, room] = REGRETLESS_COMPILED(vowpal).count(text_.data() + vowpal_padding, text.size());
    if (marks_.size() < text_.size()) marks_.resize(text_.size());
    labels_ = std::vector<double>(lines), ends_ = std::vector<std::int64_t>(lines + 1);  // Python holds all of them
    if (values_.size() < room) names_.resize(room), spaces_.resize(room), values_.resize(room);
    lines_ = {text_.data() + vowpal_padding,
              text.size(),
              labels_.data(),
              values_.data(),
              ends_.data(),
              names_.data(),
              spaces_.data(),
              marks_.data()};
  }

  // The numbers of features, each by its namespace and its name. Whatever their length, places among those that are
  // joined have 32 bits: nothing is added to `enough` bytes, and one feature is shorter than the text.
  void look_up(std::size_t features) {
    codes_.resize(features);
    for (std::size_t first = 0, count; first < features; first += count) {
      std::uint32_t begins[TextNumbers::together], ends[TextNumbers::together];
      if (lines_.bare) {
        count = std::min(features - first, TextNumbers::together);
        for (std::size_t k = 0; k < count; ++k) begins[k] = names_[first + k].begin, ends[k] = names_[first + k].end;
        numbers_.words(lines_.text, begins, ends, count, codes_.data() + first);
        continue;
      }
      joined_.clear();
      for (count = 0; count < std::min(features - first, TextNumbers::together) && joined_.size() < enough; ++count) {
        const VowpalSpan name = names_[first + count], space = spaces_[first + count];
        begins[count] = std::uint32_t(joined_.size());
        if (space.end > space.begin) joined_.append(lines_.text + space.begin, space.end - space.begin) += '^';
        joined_.append(lines_.text + name.begin, name.end - name.begin);
        ends[count] = std::uint32_t(joined_.size());
      }
      joined_.append(TextNumbers::padding, '\0');
      numbers_.words(joined_.data(), begins, ends, count, codes_.data() + first);
    }
  }

  TextNumbers numbers_;
  std::size_t known_ = 0;  // of the names
  VowpalLines lines_;
  std::string text_, joined_;
  std::vector<double> labels_, values_;
  std::vector<std::int64_t> ends_;
  std::vector<VowpalSpan> names_, spaces_;
  std::vector<std::uint32_t> marks_;
  std::vector<std::int32_t> codes_;
  bool busy_ = false;
};

std::tuple<Array1<double>, Array1<std::int32_t>, Array1<std::int64_t>> columns_of(const Input1<double>& values,
                                                                                  const Input1<std::int32_t>& codes,
                                                                                  const Input1<std::int64_t>& ends,
                                                                                  const Input1<std::int32_t>& columns) {
  if (ends.shape(0) == 0 || values.shape(0) != codes.shape(0)) throw std::invalid_argument("the arrays do not agree");
  const std::size_t count = codes.shape(0), rows = ends.shape(0) - 1;
  const nb::gil_scoped_release unlocked;
  const std::vector<std::int64_t> at(ends.data(), ends.data() + rows + 1);  // a caller may write to its own meanwhile
  if (at.front() != 0 || std::size_t(at.back()) != count || !std::is_sorted(at.begin(), at.end()))
    throw std::invalid_argument("the rows do not end where they are to");
  std::int64_t longest = 0;
  for (std::size_t t = 0; t < rows; ++t) longest = std::max(longest, at[t + 1] - at[t]);
  if (longest > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("a row has too many features");
  std::vector<std::int64_t> keys(std::size_t(longest) + 1);
  std::vector<double> out(count);
  std::vector<std::int32_t> indices(count);
  std::vector<std::int64_t> starts(rows + 1);
  REGRETLESS_COMPILED(vowpal).order({values.data(), codes.data(), at.data(), std::int64_t(rows), columns.data(),
                                     columns.shape(0), keys.data(), out.data(), indices.data(), starts.data()});
  out.resize(std::size_t(starts.back())), indices.resize(std::size_t(starts.back()));
  const nb::gil_scoped_acquire locked;
  return {handed_over(std::move(out)), handed_over(std::move(indices)), handed_over(std::move(starts))};
}

}  // namespace

void bind_vowpal(nb::module_& m) {
  nb::class_<VowpalRows>(m, "VowpalRows", "Reads lines of Vowpal Wabbit's text of rows, some at a time.")
      .def(nb::init<>())
      .def(
          "read", &VowpalRows::read, "text"_a,
          "Of whole lines, where nothing but spaces parts words: the labels, where the features of each row end, after "
          "a 0, which of the names each is, their values, and the names that are new, in the order in which they come "
          "after those before. None where a label is no number, or anything is unusual: then nothing is known.");
  m.def("columns_of", &columns_of, "values"_a, "codes"_a, "ends"_a, "columns"_a,
        "Values, indices and starts of sparse rows of features, whose codes are places in `columns`; those of -1 are "
        "left out, and what is of one column is added up in the order in which it stands.");
}

}  // namespace regretless
