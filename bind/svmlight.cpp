// The svmlight reader for Python: text from a file object, rows as numpy arrays.
#include "regretless/svmlight.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiled.hpp"
#include "player.hpp"
#include "regretless/svmlight_memory.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

const SvmlightKernel& svmlight_kernel() { return REGRETLESS_COMPILED(svmlight); }

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
    } catch (const nb::python_error&) {  // whoever still holds a part of it was told by readinto not to
    }
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
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
      : first_id_(first_id), capacity_(std::max<std::size_t>(block, 16)) {
    if (first_id && *first_id != 0 && *first_id != 1) throw std::invalid_argument("ids begin at 0 or at 1");
    if (columns_allowed < 1 || columns_allowed > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("the number of columns allowed must be between 1 and 2**31 - 1");
    if (block > (std::size_t(1) << 28)) throw std::invalid_argument("a block holds at most 2**28 bytes");
    job_.single = single;
    job_.columns_allowed = columns_allowed;
    job_.skip = skip;
    text_.resize(capacity_ + 2 * svmlight_padding);
    marks_.resize((svmlight_marks + svmlight_padding) * sizeof(std::uint32_t));
    line_ends_.resize(svmlight_piece * sizeof(std::uint32_t));
    job_.marks = marks_.as<std::uint32_t>();
    job_.line_ends = line_ends_.as<std::uint32_t>();
  }

  std::optional<Rows> next(nb::handle file) {
    const ParserTurn turn(busy_);
    if (!advance(file)) return std::nullopt;
    job_.rows = job_.entries = 0;
    auto arrays = pool_->take();
    const SvmlightRoom most = SvmlightRoom::for_text(ready_);
    if (!arrays->room.holds(most)) arrays->resize(most, job_.single);
    parse(*arrays);
    return hand_over(std::move(arrays));
  }

  bool gather(nb::handle file, std::size_t bytes_expected) {
    const ParserTurn turn(busy_);
    if (!advance(file)) return false;
    const SvmlightRoom have{job_.rows, job_.entries}, most = SvmlightRoom::for_text(ready_);
    if (!gathered_->room.holds(have + most)) {
      // The rest of the text is taken to be like what was read; where there is no telling, room grows by half.
      const double parsed = double(bytes_taken_ - ready_), expected = double(bytes_expected);
      const double factor = parsed > 0 && expected > parsed ? 1.02 * expected / parsed : 1.5;
      gathered_->resize(have * factor + most, job_.single);
      if (parsed > 0) gathered_->use_huge_pages();
    }
    parse(*gathered_);
    return job_.complaints == 0;
  }

  Rows gathered() {
    const ParserTurn turn(busy_);
    gathered_->resize({job_.rows, job_.entries}, job_.single);
    gathered_->lend(job_);
    return hand_over(std::exchange(gathered_, std::make_unique<SvmlightArrays>()));
  }

  std::optional<std::int64_t> first_id() const { return first_id_; }

 private:
  std::atomic_flag busy_;
  char* text() const { return text_.as<char>() + svmlight_padding; }

  // Makes whole lines ready: reads until the buffer is full, which grows until it holds a line. False at the end.
  bool advance(nb::handle file) {
    if (stopped_ || (job_.complaints && !job_.skip)) return false;
    job_.complaints = 0;
    drop(ready_);
    for (ready_ = 0;;) {
      const bool more = fill(file);
      if (!begun_ && std::string_view(text(), held_).starts_with("\xEF\xBB\xBF")) drop(3);  // the byte order mark
      begun_ = true;
      ready_ = std::string_view(text(), held_).rfind('\n') + 1;
      if (!more && ready_ < held_) {
        text()[held_++] = '\n';  // the padding has room for it
        ready_ = held_;
      }
      bytes_taken_ += ready_;
      if (ready_ || !more) return ready_ > 0;
      if (capacity_ >= longest_line) return complain_of_length();
      capacity_ *= 2;
      text_.resize(capacity_ + 2 * svmlight_padding);
    }
  }

  void drop(std::size_t bytes) {
    held_ -= bytes;
    std::memmove(text(), text() + bytes, held_);
  }

  // False at the end of the file. A `readinto` that gives None has nothing now, so that whole lines are to go on.
  bool fill(nb::handle file) {
    while (held_ < capacity_) {
      const Lent view(text() + held_, capacity_ - held_);
      const nb::object given = file.attr("readinto")(view.object);
      if (given.is_none()) {
        if (std::string_view(text(), held_).rfind('\n') != std::string_view::npos) return true;
        continue;
      }
      const auto count = nb::cast<std::size_t>(given);
      if (count == 0) return false;
      if (count > capacity_ - held_) throw std::invalid_argument("readinto returned more than it was given room for");
      held_ += count;
    }
    return true;
  }

  bool complain_of_length() {
    stopped_ = true;
    job_.complaints = 1;
    job_.refusal[0] = {SvmlightRefusal::line_too_long, job_.lines + 1, 1, text(), text() + held_};
    return true;
  }

  void parse(const SvmlightArrays& into) {
    into.lend(job_);
    job_.text = text();
    job_.end = text() + ready_;
    const nb::gil_scoped_release unlocked;
    if (!first_id_) detect_first_id();
    job_.first_id = first_id_.value_or(1);
    svmlight_kernel()(job_);
  }

  // Reads the block as if ids began at 0: they do if a good row has one, and at 1 if there are entries but no 0.
  void detect_first_id() {
    SvmlightJob trial = job_;
    trial.first_id = 0;
    ++trial.columns_allowed;
    svmlight_kernel()(trial);
    bool zero = false;
    for (std::int64_t row = job_.rows; row < trial.rows; ++row) {
      const std::int64_t begin = trial.starts[row];
      zero |= begin < trial.starts[row + 1] && trial.indices[begin] == 0;
    }
    if (trial.entries > job_.entries) first_id_ = zero ? 0 : 1;
  }

  Rows hand_over(std::unique_ptr<SvmlightArrays> arrays) const {
    const auto rows = std::size_t(job_.rows), entries = std::size_t(job_.entries);
    const SvmlightArrays& a = *arrays;
    void *labels = a.labels.as<void>(), *starts = a.starts.as<void>();
    void *indices = a.indices.as<void>(), *values = a.values.as<void>();
    const nb::capsule owner(new SvmlightLease{pool_, std::move(arrays)},
                            [](void* p) noexcept { delete static_cast<SvmlightLease*>(p); });
    const auto dtype = job_.single ? nb::dtype<float>() : nb::dtype<double>();
    Complaints complaints;
    for (int c = 0; c < std::min<std::int64_t>(job_.complaints, svmlight_remembered); ++c) {
      const SvmlightBadLine& what = job_.refusal[c];
      const auto shown = std::size_t(std::min(what.end - what.begin, longest_text_shown));
      complaints.emplace_back(words(what.fault), what.line, what.column, nb::bytes(what.begin, shown));
    }
    return {Labels1(labels, {rows}, owner),
            Starts1(starts, {rows + 1}, owner),
            Indices1(indices, {entries}, owner),
            Values1(values, {entries}, owner, {}, dtype),
            job_.columns,
            job_.complaints,
            std::move(complaints)};
  }

  static constexpr std::size_t longest_line = std::size_t(1) << 28;
  static constexpr std::ptrdiff_t longest_text_shown = 200;

  SvmlightJob job_;
  SvmlightRegion text_, marks_, line_ends_;
  std::shared_ptr<SvmlightPool> pool_ = std::make_shared<SvmlightPool>();
  std::unique_ptr<SvmlightArrays> gathered_ = std::make_unique<SvmlightArrays>();
  std::optional<std::int64_t> first_id_;
  std::size_t capacity_, held_ = 0, ready_ = 0;  // of the text: room, bytes read, bytes of these in whole lines
  std::size_t bytes_taken_ = 0;
  bool begun_ = false, stopped_ = false;
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
