// Rows of Vowpal Wabbit's text for Python.
#include "vowpal.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstring>
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
      REGRETLESS_COMPILED(vowpal)(lines_);
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
    const auto lines = std::size_t(std::count(text.begin(), text.end(), '\n'));
    const auto room = std::size_t(std::count(text.begin(), text.end(), ' '));
    text_.assign(vowpal_padding, ' ').append(text).append(vowpal_padding, ' ');
    labels_ = std::vector<double>(lines), ends_ = std::vector<std::int64_t>(lines + 1);  // Python holds all of them
    if (values_.size() < room) names_.resize(room), spaces_.resize(room), values_.resize(room);
    lines_ = {text_.data() + vowpal_padding,
              text.size(),
              labels_.data(),
              values_.data(),
              ends_.data(),
              names_.data(),
              spaces_.data()};
  }

  // The numbers of features, each by its namespace and its name. Whatever their length, places among those that are
  // joined have 32 bits: nothing is added to `enough` bytes, and one feature is shorter than the text.
  void look_up(std::size_t features) {
    codes_.resize(features);
    for (std::size_t first = 0, count; first < features; first += count) {
      std::uint32_t begins[TextNumbers::together], ends[TextNumbers::together];
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
  std::vector<std::int32_t> codes_;
  bool busy_ = false;
};

using SparseRows = std::tuple<std::vector<double>, std::vector<std::int32_t>, std::vector<std::int64_t>>;

// What stands in a row, in the order of its columns; what is of one column is added up in the order of the text.
void add_row(std::vector<std::pair<std::int32_t, double>>& row, SparseRows& rows) {
  auto& [values, indices, starts] = rows;
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(row.begin(), row.end(), less)) std::stable_sort(row.begin(), row.end(), less);
  std::int32_t before = -1;
  for (const auto& [column, value] : row) {
    if (column != before) indices.push_back(before = column), values.push_back(0);
    values.back() += value;
  }
  starts.push_back(std::int64_t(indices.size()));
}

std::tuple<Array1<double>, Array1<std::int32_t>, Array1<std::int64_t>> columns_of(const Input1<double>& values,
                                                                                  const Input1<std::int32_t>& codes,
                                                                                  const Input1<std::int64_t>& ends,
                                                                                  const Input1<std::int32_t>& columns) {
  if (ends.shape(0) == 0 || values.shape(0) != codes.shape(0)) throw std::invalid_argument("the arrays do not agree");
  SparseRows rows;
  {
    const nb::gil_scoped_release unlocked;
    const std::vector<std::int64_t> at(ends.data(), ends.data() + ends.shape(0));
    if (at.front() != 0 || std::size_t(at.back()) != codes.shape(0) || !std::is_sorted(at.begin(), at.end()))
      throw std::invalid_argument("the rows do not end where they are to");
    std::vector<std::pair<std::int32_t, double>> row;
    std::get<2>(rows).push_back(0);
    for (std::size_t t = 0; t + 1 < at.size(); ++t) {
      row.clear();
      for (std::int64_t k = at[t]; k < at[t + 1]; ++k) {
        const auto code = std::size_t(std::uint32_t(codes.data()[k]));
        const std::int32_t column = code < columns.shape(0) ? columns.data()[code] : -1;
        if (column >= 0) row.emplace_back(column, values.data()[k]);
      }
      add_row(row, rows);
    }
  }
  return {handed_over(std::move(std::get<0>(rows))), handed_over(std::move(std::get<1>(rows))),
          handed_over(std::move(std::get<2>(rows)))};
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
