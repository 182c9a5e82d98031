// What is compiled of words for each instruction set.
#pragma once
#include "table_rows.hpp"
#include "word_marks.hpp"

namespace regretless {

struct WordKernels {
  void (*mark)(const WordMarks&);
  void (*add)(const RowsWithWords&);
};
extern const WordKernels words_v1, words_v3, words_v4, words_generic;

}  // namespace regretless
