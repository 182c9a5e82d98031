// Rows of a table, of numbers and categories, in compressed sparse form.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace regretless {

// The caller owns all memory; there is room for as many entries as there are cells.
struct TableRows {
  const double* values = nullptr;      // rows x numeric
  const std::int32_t* ids = nullptr;   // the column of each numeric one, ascending
  std::int32_t* categories = nullptr;  // rows x textual, the column of each category or -1; each row is put in order
  std::int64_t rows = 0, numeric = 0, textual = 0;
  double* out = nullptr;
  std::int32_t* indices = nullptr;
  std::int64_t* starts = nullptr;  // rows + 1

  // Writes what is not zero of each row, categories being 1, by ascending columns. False where a column comes twice in
  // a row.
  bool write() {
    std::int64_t entries = starts[0] = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      const double* const number = values + t * numeric;
      std::int32_t *at = categories + t * textual, *const end = at + textual;
      sort(at, end);
      while (at < end && *at < 0) ++at;
      const std::int64_t first = entries;
      for (std::int64_t k = 0; k < numeric; ++k) {
        for (; at < end && *at < ids[k]; ++at) entries = append(entries, *at, 1);
        out[entries] = number[k];
        indices[entries] = ids[k];
        entries += number[k] != 0;
      }
      for (; at < end; ++at) entries = append(entries, *at, 1);
      for (std::int64_t e = first + 1; e < entries; ++e)
        if (indices[e - 1] == indices[e]) return false;
      starts[t + 1] = entries;
    }
    return true;
  }

 private:
  std::int64_t append(std::int64_t at, std::int32_t column, double value) {
    indices[at] = column;
    out[at] = value;
    return at + 1;
  }
  // By insertion where they are few.
  static void sort(std::int32_t* begin, std::int32_t* end) {
    if (end - begin > 32) return std::sort(begin, end);
    for (std::int32_t* next = begin; next < end; ++next) {
      const std::int32_t column = *next;
      std::int32_t* to = next;
      for (; to > begin && to[-1] > column; --to) *to = to[-1];
      *to = column;
    }
  }
};

// Sparse rows to which words are added. The caller owns all memory; there is room for all entries and all words.
struct RowsWithWords {
  const double* values = nullptr;
  const std::int32_t* indices = nullptr;
  const std::int64_t* starts = nullptr;
  std::int64_t rows = 0;
  const std::int32_t* words = nullptr;   // the columns of the words of each row, -1 for none
  const std::int64_t* begins = nullptr;  // rows + 1: where those of each row begin
  std::int32_t* sorted = nullptr;        // room for the words of the longest row
  double* out = nullptr;
  std::int32_t* out_indices = nullptr;
  std::int64_t* out_starts = nullptr;

  // Each word with the number of times that it stands in its row; what is of one column is added up.
  void write() {
    std::int64_t entries = out_starts[0] = 0;
    for (std::int64_t t = 0; t < rows; ++t) {
      const std::int32_t *at = sorted, *const end = sort(words + begins[t], begins[t + 1] - begins[t]);
      for (std::int64_t k = starts[t]; k < starts[t + 1] || at < end; ++entries) {
        const bool entry = k < starts[t + 1] && (at == end || indices[k] <= *at);
        const std::int32_t column = out_indices[entries] = entry ? indices[k] : *at;
        const double value = entry ? values[k++] : 0;
        std::int64_t count = 0;
        for (; at < end && *at == column; ++at) ++count;
        out[entries] = value + double(count);
      }
      out_starts[t + 1] = entries;
    }
  }

 private:
  // Some columns in order, without those that are none; where they end. Few are put at the places that counts of
  // smaller ones say, which needs no branch.
  std::int32_t* sort(const std::int32_t* columns, std::int64_t n) {
    constexpr std::int64_t few = 48;
    if (n > few) {
      std::int32_t* const end = std::copy_if(columns, columns + n, sorted, [](std::int32_t c) { return c >= 0; });
      std::sort(sorted, end);
      return end;
    }
    std::int32_t own[few], none = 0;  // a caller may write to the columns meanwhile
    std::copy_n(columns, n, own);
    for (std::int64_t k = 0; k < n; ++k) none += own[k] < 0;
    for (std::int64_t k = 0; k < n; ++k) {
      std::int32_t place = 0;
      for (std::int64_t j = 0; j < k; ++j) place += own[j] <= own[k];
      for (std::int64_t j = k + 1; j < n; ++j) place += own[j] < own[k];
      if (own[k] >= 0) sorted[place - none] = own[k];
    }
    return sorted + (n - none);
  }
};

}  // namespace regretless
