// What readers that number the words of text share, for Python.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>

#include "regretless/words.hpp"

namespace regretless {

template <class T>
using Input1 = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Of the hashes of words, so that nobody can write words that all have the same one.
inline std::uint64_t seed_of_process() {
  static const std::uint64_t seed = std::uint64_t(std::random_device{}()) << 32 | std::random_device{}();
  return seed;
}

// A reader is for one thread at a time; this is taken and left with the interpreter's lock.
class Use {
 public:
  explicit Use(bool& busy) : busy_(busy) {
    if (busy) throw std::invalid_argument("the reader is in use");
    busy = true;
  }
  ~Use() { busy_ = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  bool& busy_;
};

// The words that have numbers and were not handed over, which they are now: also those of a call that memory ended.
inline nanobind::list new_words(const TextNumbers& numbers, std::size_t& handed_over) {
  nanobind::list words;
  for (std::size_t k = handed_over; k < numbers.size(); ++k)
    words.append(nanobind::str(numbers[k].data(), numbers[k].size()));
  handed_over = numbers.size();
  return words;
}

}  // namespace regretless
