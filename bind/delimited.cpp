// The reader of delimited text for Python: whole rows of text, columns as numpy arrays.
#include "delimited.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "regretless/delimited.hpp"
#include "regretless/table_rows.hpp"
#include "regretless/word_kernels.hpp"
#include "regretless/words.hpp"
#include "text_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

const DelimitedKernels& delimited_kernels() { return REGRETLESS_COMPILED(delimited); }

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
using CellArrays = std::tuple<Array1<std::uint8_t>, Array1<std::int64_t>, Array1<std::int64_t>>;
using Columns = std::tuple<Matrix, std::vector<Array1<double>>, std::vector<Array1<std::int32_t>>,
                           std::vector<nb::list>, std::vector<CellArrays>, std::vector<std::int64_t>>;

template <class T>
std::unique_ptr<T[]> unwritten(std::size_t size) {
  return std::make_unique_for_overwrite<T[]>(std::max<std::size_t>(size, 1));
}

// A carriage return by itself ends a row, too: such text is left to others.
bool has_lone_return(const char* at, const char* end) {
  while ((at = static_cast<const char*>(std::memchr(at, '\r', std::size_t(end - at)))))
    if (++at != end && *at != '\n') return true;
  return false;
}

// Memory that is used again, so that the system need not hand it out anew each time.
template <class T>
class Room {
 public:
  T* of(std::size_t size) {
    if (size > size_) {
      size_ = 0;
      memory_ = nullptr;
      memory_ = unwritten<T>(size);
      size_ = size;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<T[]> memory_;
  std::size_t size_ = 0;
};

// Text with room around it, its last byte a newline.
class Padded {
 public:
  Padded(Room<char>& room, const char* text, std::size_t size)
      : memory_(room.of(size + 1 + 2 * delimited_padding)), size_(size) {
    const nb::gil_scoped_release unlocked;
    std::memset(memory_, 0, delimited_padding);
    std::memcpy(begin(), text, size);
    if (size && text[size - 1] != '\n') begin()[size_++] = '\n';
    std::memset(begin() + size_, 0, delimited_padding);
    lines_ = delimited_kernels().lines(begin(), size_);
  }
  char* begin() const { return memory_ + delimited_padding; }
  std::size_t size() const { return size_; }
  std::size_t lines() const { return lines_; }

 private:
  char* memory_;
  std::size_t size_, lines_ = 0;
};

std::vector<DelimitedTerm> terms(const std::vector<nb::bytes>& words) {
  std::vector<DelimitedTerm> result;
  for (const nb::bytes& word : words) {
    if (word.size() > std::size_t(delimited_term)) throw std::invalid_argument("a term has at most eight bytes");
    std::uint64_t packed = 0;
    for (std::size_t k = 0; k < word.size(); ++k) packed |= std::uint64_t(std::uint8_t(word.c_str()[k])) << (8 * k);
    result.push_back({packed, std::int64_t(word.size())});
  }
  return result;
}

DelimitedKind kind_of(char letter) {
  switch (letter) {
    case '.': return DelimitedKind::skipped;
    case 'n': return DelimitedKind::number;
    case 'b': return DelimitedKind::boolean;
    case 't': return DelimitedKind::text;
    case 'e': return DelimitedKind::empty;
    case 'w': return DelimitedKind::words;
    default: throw std::invalid_argument("kinds are . n b t e w");
  }
}

char delimiter_of(const std::string& text) {
  if (text.size() != 1) throw std::invalid_argument("a delimiter is one byte");
  return text[0];
}

// What a column of words needs: its cells.
struct CellRoom {
  CellRoom(std::size_t bytes, std::size_t rows)
      : text(unwritten<std::uint8_t>(bytes)), offsets(unwritten<std::int64_t>(rows + 1)),
        missing(unwritten<std::int64_t>(rows)) {
    offsets[0] = 0;
  }
  void lend(DelimitedColumn& column) {
    column.cells = {reinterpret_cast<char*>(text.get()), offsets.get(), missing.get()};
  }
  CellArrays hand_over(std::size_t rows, std::size_t gaps) {
    const auto bytes = std::size_t(offsets[rows]);
    return {handed_over(text, bytes), handed_over(offsets, rows + 1), handed_over(missing, gaps)};
  }
  std::unique_ptr<std::uint8_t[]> text;
  std::unique_ptr<std::int64_t[]> offsets, missing;
};

// The values that stood in a column of text so far, each once and as a word of Python. Where most cells have a value of
// their own, nothing is remembered, for little of it would come again. Once a block has left more than `most` values,
// or more than `most_letters` bytes of them, the next one begins anew.
class RememberedValues {
 public:
  // The values of a column in some rows, as words of Python; nothing where one is no text in UTF-8.
  bool append_to(nb::list& words, const DelimitedValues& values, const char* text, std::size_t rows) {
    if (2 * std::size_t(values.count) > rows) return append_new(words, values);
    if (numbers_->size() > most || letters_ > most_letters) forget();
    for (std::int32_t first = 0; first < values.count; first += std::int32_t(TextNumbers::together)) {
      std::uint32_t begins[TextNumbers::together], ends[TextNumbers::together];
      std::int32_t which[TextNumbers::together];
      const auto count = std::min(TextNumbers::together, std::size_t(values.count - first));
      for (std::size_t k = 0; k < count; ++k) {
        begins[k] = std::uint32_t(values.begins[std::size_t(first) + k] - text);
        ends[k] = begins[k] + values.sizes[std::size_t(first) + k];
      }
      numbers_->words(text, begins, ends, count, which);
      if (!decode()) return false;
      for (std::size_t k = 0; k < count; ++k) words.append(words_[std::size_t(which[k])]);
    }
    return true;
  }

 private:
  static constexpr std::size_t most = std::size_t(1) << 20, most_letters = std::size_t(1) << 25;

  static bool append_new(nb::list& words, const DelimitedValues& values) {
    for (std::int32_t k = 0; k < values.count; ++k)
      if (!append(words, {values.begins[k], values.sizes[k]})) return false;
    return true;
  }
  static bool append(nb::list& words, std::string_view text) {
    PyObject* const word = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), nullptr);
    if (!word) {
      PyErr_Clear();
      return false;
    }
    words.append(nb::steal(word));
    return true;
  }
  // Makes words of the values that have none yet: also of those of a call that memory ended.
  bool decode() {
    for (std::size_t k = words_.size(); k < numbers_->size(); ++k) {
      if (!append(words_, (*numbers_)[k])) {
        forget();
        return false;
      }
      letters_ += (*numbers_)[k].size();
    }
    return true;
  }
  void forget() { numbers_ = std::make_unique<TextNumbers>(seed_of_process()), words_ = nb::list(), letters_ = 0; }

  std::unique_ptr<TextNumbers> numbers_ = std::make_unique<TextNumbers>(seed_of_process());
  nb::list words_;
  std::size_t letters_ = 0;  // bytes of all words
};

// What blocks need one after the other.
struct BlockRoom {
  struct Column {
    DelimitedValues values(std::size_t rows) {
      return {slots.of(delimited_slots(rows)), begins.of(rows), sizes.of(rows), 0, 0};
    }
    Room<DelimitedValue> slots;
    Room<const char*> begins;
    Room<std::uint32_t> sizes;
    RememberedValues remembered;
  };
  Room<char> text;
  Room<std::uint32_t> marks;
  std::deque<Column> columns;
};

// One call: the memory of its results, and how the kernel is told of it.
class Reading {
 public:
  Reading(BlockRoom& memory, const nb::bytes& text, const std::string& kinds, const std::vector<std::int64_t>& places)
      : memory_(memory), text_(memory.text, text.c_str(), text.size()), columns_(kinds.size()) {
    if (kinds.empty() || places.size() != kinds.size())
      throw std::invalid_argument("a kind and a place for each column");
    if (text.size() >= (std::size_t(1) << 31)) throw std::invalid_argument("a block has less than 2**31 bytes");
    room_ = std::min(text_.lines(), text_.size() / kinds.size() + 1);  // a cell is at least what ends it
    for (std::size_t c = 0; c < kinds.size(); ++c) columns_[c].kind = kind_of(kinds[c]);
    matrix_width_ = std::size_t(std::count_if(places.begin(), places.end(), [](std::int64_t p) { return p >= 0; }));
    matrix_ = unwritten<double>(room_ * matrix_width_);
    std::vector<bool> taken(matrix_width_);
    while (memory.columns.size() < kinds.size()) memory.columns.emplace_back();
    for (std::size_t c = 0; c < kinds.size(); ++c) lend(c, places[c], taken);
  }

  bool read(char delimiter, const std::vector<DelimitedTerm>& nulls, const std::vector<DelimitedTerm>& trues,
            const std::vector<DelimitedTerm>& falses) {
    const nb::gil_scoped_release unlocked;
    if (has_lone_return(text_.begin(), text_.begin() + text_.size())) return false;
    DelimitedJob job;
    job.text = text_.begin();
    job.end = job.text + text_.size();
    job.delimiter = delimiter;
    job.columns = columns_.data();
    job.width = columns_.size();
    job.nulls = nulls.data(), job.nulls_end = nulls.data() + nulls.size();
    job.trues = trues.data(), job.trues_end = trues.data() + trues.size();
    job.falses = falses.data(), job.falses_end = falses.data() + falses.size();
    job.marks = memory_.marks.of(text_.size() + delimited_padding);
    delimited_kernels().read(job);
    rows_ = std::size_t(job.rows);
    return job.plain;
  }

  // None where a value is no text in UTF-8.
  std::optional<Columns> hand_over() {
    std::vector<nb::list> values;
    std::vector<std::int64_t> gaps;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const DelimitedColumn& column = columns_[c];
      gaps.push_back(column.gaps);
      if (column.kind != DelimitedKind::text) continue;
      if (!memory_.columns[c].remembered.append_to(values.emplace_back(), column.values, text_.begin(), rows_))
        return std::nullopt;
    }
    std::vector<CellArrays> cells;
    for (const DelimitedColumn& column : columns_)
      if (column.kind == DelimitedKind::words)
        cells.push_back(cells_[cells.size()].hand_over(rows_, std::size_t(column.gaps)));
    double* const matrix = matrix_.get();
    std::vector<Array1<double>> apart;
    for (auto& column : apart_) apart.push_back(handed_over(column, rows_));
    std::vector<Array1<std::int32_t>> codes;
    for (auto& column : codes_) codes.push_back(handed_over(column, rows_));
    return Columns(Matrix(matrix, {rows_, matrix_width_}, owner_of(matrix_)), std::move(apart), std::move(codes),
                   std::move(values), std::move(cells), std::move(gaps));
  }

 private:
  void lend(std::size_t c, std::int64_t place, std::vector<bool>& taken) {
    DelimitedColumn& column = columns_[c];
    const bool number = column.kind == DelimitedKind::number || column.kind == DelimitedKind::boolean;
    if (place >= 0) {
      if (!number || std::size_t(place) >= matrix_width_ || taken[std::size_t(place)])
        throw std::invalid_argument("columns of numbers have places 0, 1 and so on, or -1");
      taken[std::size_t(place)] = true;
      column.numbers = matrix_.get() + place;
      column.stride = std::int64_t(matrix_width_);
    } else if (number) {
      column.numbers = apart_.emplace_back(unwritten<double>(room_)).get();
    } else if (column.kind == DelimitedKind::text) {
      column.codes = codes_.emplace_back(unwritten<std::int32_t>(room_)).get();
      column.values = memory_.columns[c].values(room_);
    } else if (column.kind == DelimitedKind::words) {
      cells_.emplace_back(text_.size(), room_).lend(column);
    }
  }

  BlockRoom& memory_;
  Padded text_;
  std::vector<DelimitedColumn> columns_;
  std::size_t room_ = 0, rows_ = 0, matrix_width_ = 0;
  std::unique_ptr<double[]> matrix_;
  std::vector<std::unique_ptr<double[]>> apart_;
  std::vector<std::unique_ptr<std::int32_t[]>> codes_;
  std::vector<CellRoom> cells_;
};

// Reads blocks of one table, one after the other.
class DelimitedBlocks {
 public:
  DelimitedBlocks(const std::vector<nb::bytes>& nulls, const std::vector<nb::bytes>& trues,
                  const std::vector<nb::bytes>& falses)
      : nulls_(terms(nulls)), trues_(terms(trues)), falses_(terms(falses)) {}
  DelimitedBlocks(const DelimitedBlocks&) = delete;
  DelimitedBlocks& operator=(const DelimitedBlocks&) = delete;

  std::optional<Columns> read(const nb::bytes& text, const std::string& delimiter, const std::string& kinds,
                              const std::vector<std::int64_t>& places) {
    const Use use(busy_);
    Reading reading(memory_, text, kinds, places);
    if (!reading.read(delimiter_of(delimiter), nulls_, trues_, falses_)) return std::nullopt;
    return reading.hand_over();
  }

 private:
  std::vector<DelimitedTerm> nulls_, trues_, falses_;
  BlockRoom memory_;
  bool busy_ = false;
};

std::int64_t cut_delimited(const nb::bytes& text, const std::string& delimiter) {
  const char mark = delimiter_of(delimiter);
  const char* const begin = text.c_str();
  const std::size_t size = text.size();
  const nb::gil_scoped_release unlocked;
  return has_lone_return(begin, begin + size) ? -1 : delimited_kernels().cut(begin, size, mark);
}

bool quotes_delimiter(const nb::bytes& text, const std::string& delimiter) {
  const char mark = delimiter_of(delimiter);
  const char* const begin = text.c_str();
  const std::size_t size = text.size();
  const nb::gil_scoped_release unlocked;
  return delimited_kernels().quotes_delimiter(begin, size, mark);
}

// Columns side by side, some rows at a time, so that the rows that are written stay in the cache.
Matrix side_by_side(const std::vector<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& columns,
                    std::size_t rows) {
  constexpr std::size_t together = 64;
  const std::size_t width = columns.size();
  for (const auto& column : columns)
    if (column.shape(0) != rows) throw std::invalid_argument("columns have all rows");
  auto matrix = unwritten<double>(rows * width);
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t first = 0; first < rows; first += together)
      for (std::size_t c = 0; c < width; ++c)
        for (std::size_t t = first; t < std::min(first + together, rows); ++t)
          matrix[t * width + c] = columns[c].data()[t];
  }
  double* const data = matrix.get();
  return Matrix(data, {rows, width}, owner_of(matrix));
}

template <class T>
using Table2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using SparseRows = std::tuple<Array1<double>, Array1<std::int32_t>, Array1<std::int64_t>>;

std::optional<SparseRows> table_rows(const Table2<double>& values, const Ids& ids,
                                     const Table2<std::int32_t>& categories) {
  const std::size_t rows = values.shape(0), numeric = values.shape(1), textual = categories.shape(1);
  if (ids.shape(0) != numeric || categories.shape(0) != rows) throw std::invalid_argument("the shapes do not agree");
  for (std::size_t k = 1; k < numeric; ++k)
    if (ids.data()[k - 1] >= ids.data()[k]) return std::nullopt;
  const std::size_t room = rows * (numeric + textual) + 1;  // an entry may be written before it is known to be zero
  auto out = unwritten<double>(room);
  auto indices = unwritten<std::int32_t>(room), order = unwritten<std::int32_t>(rows * textual);
  auto starts = unwritten<std::int64_t>(rows + 1);
  TableRows table{values.data(),         ids.data(), order.get(),   std::int64_t(rows), std::int64_t(numeric),
                  std::int64_t(textual), out.get(),  indices.get(), starts.get()};
  bool distinct;
  {
    const nb::gil_scoped_release unlocked;
    std::copy_n(categories.data(), rows * textual, order.get());
    distinct = table.write();
  }
  if (!distinct) return std::nullopt;
  const auto entries = std::size_t(starts[rows]);
  return SparseRows(handed_over(out, entries), handed_over(indices, entries), handed_over(starts, rows + 1));
}

using Table1 = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

SparseRows add_words(const Table1& values, const Ids& indices, const Starts& starts, const Starts& ends,
                     const Ids& columns, const std::optional<Ids>& features) {
  if (starts.shape(0) == 0 || ends.shape(0) != starts.shape(0) || indices.shape(0) != values.shape(0))
    throw std::invalid_argument("the arrays do not agree");
  const std::size_t count = starts.shape(0) - 1, words = columns.shape(0);
  const nb::gil_scoped_release unlocked;
  const std::vector<std::int64_t> at(starts.data(), starts.data() + count + 1),
      begins(ends.data(), ends.data() + count + 1);  // a caller may write to its own meanwhile
  if (at[0] != 0 || std::size_t(at[count]) != values.shape(0) || !std::is_sorted(at.begin(), at.end()))
    throw std::invalid_argument("the arrays do not agree");
  if (begins[0] != 0 || std::size_t(begins[count]) != words || !std::is_sorted(begins.begin(), begins.end()))
    throw std::invalid_argument("the words of rows do not end where they are to");
  std::int64_t longest = 0;
  for (std::size_t t = 0; t < count; ++t) longest = std::max(longest, begins[t + 1] - begins[t]);
  const auto sorted = unwritten<std::int32_t>(std::size_t(longest));
  auto out = unwritten<double>(values.shape(0) + words);
  auto out_indices = unwritten<std::int32_t>(values.shape(0) + words);
  auto out_starts = unwritten<std::int64_t>(count + 1);
  RowsWithWords table{values.data(), indices.data(), at.data(), std::int64_t(count), columns.data(),
                      begins.data(), sorted.get(),   out.get(), out_indices.get(),   out_starts.get()};
  if (features) table.features = features->data(), table.known = features->shape(0);
  REGRETLESS_COMPILED(words).add(table);
  const nb::gil_scoped_acquire locked;
  const auto entries = std::size_t(out_starts[count]);
  return {handed_over(out, entries), handed_over(out_indices, entries), handed_over(out_starts, count + 1)};
}

}  // namespace

void bind_delimited(nb::module_& m) {
  nb::class_<DelimitedBlocks>(m, "DelimitedBlocks", "Reads delimited text block by block, the same columns in each.")
      .def(nb::init<const std::vector<nb::bytes>&, const std::vector<nb::bytes>&, const std::vector<nb::bytes>&>(),
           "nulls"_a, "trues"_a, "falses"_a)
      .def("read", &DelimitedBlocks::read, "text"_a, "delimiter"_a, "kinds"_a, "places"_a,
           "Columns of whole rows of text, or None where it is not plain: a lone carriage return, a quote out of "
           "place, a row of another length or a cell that is not what its column holds. `kinds` has a letter for each "
           "column: n number, b boolean, t text, w words, e nothing, . passed over. Numbers have a place in the "
           "matrix, or -1 to be apart. Returns the matrix, the columns apart, the codes of those of text (-1 for "
           "none), their values, the cells of those of words (their bytes one after the other, where each ends after "
           "a 0, and the rows without one), and how many cells of each column are missing, which are nan in numbers.");
  m.def("quotes_delimiter", &quotes_delimiter, "text"_a, "delimiter"_a,
        "Whether a delimiter stands within quotes, or a quote elsewhere than around cells or doubled in them.");
  m.def("cut_delimited", &cut_delimited, "text"_a, "delimiter"_a,
        "Where the last row ends that ends in the text, behind its newline; 0 where none does, and -1 where quotes or "
        "carriage returns stand elsewhere than usual.");
  m.def("side_by_side", &side_by_side, "columns"_a, "rows"_a, "A matrix of columns of so many numbers.");
  m.def(
      "table_rows", &table_rows, "values"_a, "ids"_a, "categories"_a,
      "Values, indices and starts of compressed sparse rows: the numbers that are not zero, in the columns `ids`, and "
      "1 in the column of each category, where -1 is none. None where ids do not ascend, or a row has a column twice.");
  m.def("add_words", &add_words, "values"_a, "indices"_a, "starts"_a, "ends"_a, "columns"_a, "features"_a = nb::none(),
        "Values, indices and starts of sparse rows to which words are added, each with the number of times that it "
        "stands in its row; `columns` are those of each time, -1 for none, or their places in `features`, and `ends` "
        "where those of a row end, after a 0.");
}

}  // namespace regretless
