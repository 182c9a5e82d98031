// The svmlight reader for Python: text from a file object, rows as numpy arrays.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "compiled.hpp"
#include "player.hpp"
#include "regretless/svmlight_blocks.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

// Memory as Python sees it, until the end of the scope and no longer.
struct Lent {
  nb::object object;
  Lent(char* begin, std::size_t size)
      : object(nb::steal(PyMemoryView_FromMemory(begin, Py_ssize_t(size), PyBUF_WRITE))) {
    if (!object.is_valid()) throw nb::python_error();
  }
  ~Lent() {
    try {
      object.attr("release")();
    } catch (const nb::python_error&) {  // readinto has kept a part of it, against its contract
    }
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
};

// A file object as a source of text: a `readinto` that gives None has nothing now.
struct FileText {
  nb::handle file;
  std::optional<std::size_t> operator()(char* place, std::size_t size) const {
    const Lent view(place, size);
    const nb::object count = file.attr("readinto")(view.object);
    if (count.is_none()) return std::nullopt;
    return nb::cast<std::size_t>(count);
  }
};

constexpr const char* words(SvmlightRefusal fault) {
  switch (fault) {
    case SvmlightRefusal::label_missing: return "label missing";
    case SvmlightRefusal::label_not_a_number: return "label not a number";
    case SvmlightRefusal::label_not_finite: return "label not finite";
    case SvmlightRefusal::several_labels: return "several labels";
    case SvmlightRefusal::query_not_an_integer: return "query not an integer";
    case SvmlightRefusal::colon_missing: return "colon missing";
    case SvmlightRefusal::id_not_an_integer: return "id not an integer";
    case SvmlightRefusal::id_zero: return "id zero";
    case SvmlightRefusal::id_too_large: return "id too large";
    case SvmlightRefusal::id_repeated: return "id repeated";
    case SvmlightRefusal::id_descending: return "id descending";
    case SvmlightRefusal::value_missing: return "value missing";
    case SvmlightRefusal::value_not_a_number: return "value not a number";
    case SvmlightRefusal::value_not_finite: return "value not finite";
    case SvmlightRefusal::value_too_large: return "value too large";
    case SvmlightRefusal::line_too_long: return "line too long";
    case SvmlightRefusal::none: return "";
  }
  return "";
}

using Labels1 = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Starts1 = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;
using Indices1 = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using Values1 = nb::ndarray<nb::numpy, nb::ndim<1>>;
using Complaints =
    std::vector<std::tuple<const char*, std::int64_t, std::int64_t, nb::bytes>>;  // what, line, column, text
using Rows = std::tuple<Labels1, Starts1, Indices1, Values1, std::int64_t, std::int64_t, Complaints>;

// One call at a time: parsing lets go of the interpreter's lock, and reading may run any Python.
class ParserTurn {
 public:
  explicit ParserTurn(std::atomic_flag& busy) : busy_(busy) {
    if (busy.test_and_set()) throw std::runtime_error("this parser is in use");
  }
  ~ParserTurn() { busy_.clear(); }
  ParserTurn(const ParserTurn&) = delete;
  ParserTurn& operator=(const ParserTurn&) = delete;

 private:
  std::atomic_flag& busy_;
};

class SvmlightParser {
 public:
  SvmlightParser(bool single, std::optional<std::int64_t> first_id, std::int64_t columns_allowed, bool skip,
                 std::size_t block)
      : blocks_(REGRETLESS_COMPILED(svmlight), single, first_id, columns_allowed, skip, block) {}

  std::optional<Rows> next(nb::handle file) {
    const ParserTurn turn(busy_);
    if (!blocks_.advance(FileText{file})) return std::nullopt;
    std::unique_ptr<SvmlightArrays> arrays;
    {
      const nb::gil_scoped_release unlocked;
      arrays = blocks_.next();
    }
    return hand_over(std::move(arrays));
  }

  bool gather(nb::handle file, std::size_t bytes_expected) {
    const ParserTurn turn(busy_);
    if (!blocks_.advance(FileText{file})) return false;
    const nb::gil_scoped_release unlocked;
    blocks_.gather(bytes_expected);
    return blocks_.job().complaints == 0;
  }

  Rows gathered() {
    const ParserTurn turn(busy_);
    return hand_over(blocks_.gathered());
  }

  std::optional<std::int64_t> first_id() const { return blocks_.first_id(); }

 private:
  Rows hand_over(std::unique_ptr<SvmlightArrays> arrays) const {
    const SvmlightJob& job = blocks_.job();
    const auto rows = std::size_t(job.rows), entries = std::size_t(job.entries);
    const SvmlightArrays& a = *arrays;
    void *labels = a.labels.as<void>(), *starts = a.starts.as<void>();
    void *indices = a.indices.as<void>(), *values = a.values.as<void>();
    const nb::capsule owner(new SvmlightLease{blocks_.pool(), std::move(arrays)},
                            [](void* p) noexcept { delete static_cast<SvmlightLease*>(p); });
    const auto dtype = job.single ? nb::dtype<float>() : nb::dtype<double>();
    Complaints complaints;
    for (int c = 0; c < std::min<std::int64_t>(job.complaints, svmlight_remembered); ++c) {
      const SvmlightBadLine& what = job.refusal[c];
      const auto shown = std::size_t(std::min(what.end - what.begin, longest_text_shown));
      complaints.emplace_back(words(what.fault), what.line, what.column, nb::bytes(what.begin, shown));
    }
    return {Labels1(labels, {rows}, owner),
            Starts1(starts, {rows + 1}, owner),
            Indices1(indices, {entries}, owner),
            Values1(values, {entries}, owner, {}, dtype),
            job.columns,
            job.complaints,
            std::move(complaints)};
  }

  static constexpr std::ptrdiff_t longest_text_shown = 200;

  std::atomic_flag busy_;
  SvmlightBlocks blocks_;
};

}  // namespace

void bind_svmlight(nb::module_& m) {
  nb::class_<SvmlightParser>(m, "SvmlightParser", "Svmlight text to compressed sparse rows, a block at a time.")
      .def(nb::init<bool, std::optional<std::int64_t>, std::int64_t, bool, std::size_t>(), "single"_a,
           "first_id"_a.none(), "columns_allowed"_a, "skip"_a, "block"_a,
           "Values become float32 if `single`; `first_id` is the id of column 0, found from the first entries if None. "
           "With `skip` a bad line is a row of the label NaN without entries; else reading ends behind the first.")
      .def("next", &SvmlightParser::next, "file"_a,
           "The next block of `file` (which has `readinto`), or None behind the last: labels, starts, indices, values, "
           "columns seen so far, how many lines were bad, and (what, line, column, text) of the first of these. The "
           "arrays "
           "stay as they are for as long as anyone holds them.")
      .def("gather", &SvmlightParser::gather, "file"_a, "bytes_expected"_a,
           "Add the rows of the next block to those gathered; False behind the last block and at a bad line.")
      .def("gathered", &SvmlightParser::gathered, "All rows gathered, in the form of `next`.")
      .def_prop_ro("first_id", &SvmlightParser::first_id,
                   "The id of column 0, or None when there were no entries yet.");
}

}  // namespace regretless
