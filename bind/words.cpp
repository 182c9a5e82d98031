// The words of cells for Python.
#include "words.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <tuple>

#include "handed_over.hpp"
#include "regretless/words.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

template <class T>
using Given1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::uint64_t seed_of_process() {
  static const std::uint64_t seed = std::uint64_t(std::random_device{}()) << 32 | std::random_device{}();
  return seed;
}

std::tuple<Array1<std::int64_t>, Array1<std::int32_t>, nb::list> read_words(const Given1<std::uint8_t>& text,
                                                                            const Given1<std::int64_t>& offsets,
                                                                            const Given1<std::int64_t>& missing,
                                                                            const Given1<std::uint32_t>& letters,
                                                                            std::int64_t ngrams) {
  if (offsets.shape(0) == 0 || ngrams < 1) throw std::invalid_argument("one offset more than cells, and ngrams from 1");
  const std::int64_t *const begin = offsets.data(), *const end = begin + offsets.shape(0);
  if (*begin < 0 || end[-1] > std::int64_t(text.shape(0)) || !std::is_sorted(begin, end))
    throw std::invalid_argument("the offsets do not fit the text");
  WordReader reader(
      {reinterpret_cast<const char*>(text.data()), begin, std::int64_t(offsets.shape(0)) - 1, missing.data(),
       missing.data() + missing.shape(0), letters.data(), letters.data() + letters.shape(0), ngrams},
      seed_of_process());
  {
    const nb::gil_scoped_release unlocked;
    reader.read();
  }
  nb::list values;
  for (std::size_t k = 0; k < reader.numbers.size(); ++k)
    values.append(nb::str(reader.numbers[k].data(), reader.numbers[k].size()));
  return {handed_over(std::move(reader.rows)), handed_over(std::move(reader.codes)), std::move(values)};
}

}  // namespace

void bind_words(nb::module_& m) {
  m.def(
      "read_words", &read_words, "text"_a, "offsets"_a, "missing"_a, "letters"_a, "ngrams"_a,
      "The words of cells of UTF-8 text, and sequences of neighbours up to `ngrams`, a space between: the row of each, "
      "which of the values it is, and the values in the order in which they come. Letters are the characters of words "
      "beyond ASCII, ascending; `missing` are rows without a cell, ascending.");
}

}  // namespace regretless
