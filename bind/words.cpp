// The words of cells for Python.
#include "words.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "regretless/word_kernels.hpp"
#include "regretless/words.hpp"
#include "text_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

// A reader of one column, for one thread at a time.
class Words {
 public:
  explicit Words(std::int64_t ngrams) : reader_(seed_of_process(), ngrams) {
    if (ngrams < 1) throw std::invalid_argument("ngrams count from 1");
  }

  std::tuple<Array1<std::int64_t>, Array1<std::int32_t>, nb::list> read(const Input1<std::uint8_t>& text,
                                                                        const Input1<std::int64_t>& offsets,
                                                                        const Input1<std::int64_t>& missing,
                                                                        const Input1<std::uint32_t>& letters) {
    if (offsets.shape(0) == 0) throw std::invalid_argument("one offset more than cells");
    const std::vector<std::int64_t> begins(offsets.data(), offsets.data() + offsets.shape(0));
    if (begins.front() < 0 || begins.back() > std::int64_t(text.shape(0)) ||
        !std::is_sorted(begins.begin(), begins.end()))
      throw std::invalid_argument("the offsets do not fit the text");
    const Use use(busy_);
    {
      const nb::gil_scoped_release unlocked;
      reader_.read(
          {reinterpret_cast<const char*>(text.data()), begins.data(), std::int64_t(begins.size()) - 1, missing.data(),
           missing.data() + missing.shape(0), letters.data(), letters.data() + letters.shape(0)},
          REGRETLESS_COMPILED(words).mark);
    }
    return {handed_over(std::move(reader_.ends)), handed_over(std::move(reader_.codes)),
            new_words(reader_.numbers, known_)};
  }

 private:
  WordReader reader_;
  std::size_t known_ = 0;  // of the values
  bool busy_ = false;
};

}  // namespace

void bind_words(nb::module_& m) {
  nb::class_<Words>(m, "WordReader",
                    "Reads the words of a column, and sequences of neighbours up to `ngrams`, a space between.")
      .def(nb::init<std::int64_t>(), "ngrams"_a)
      .def("read", &Words::read, "text"_a, "offsets"_a, "missing"_a, "letters"_a,
           "The words of cells of UTF-8 text, with the letters of ASCII as small ones: where those of each row end, "
           "after a 0, which of the values each is, and "
           "the values that are new, in the order in which they come after those before. Letters are the characters of "
           "words beyond ASCII, ascending; `missing` are rows without a cell, ascending.");
}

}  // namespace regretless
