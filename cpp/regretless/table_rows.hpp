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
      std::int32_t *at = categories + t * textual, *const end = at + textual;
      sort(at, end);
      while (at < end && *at < 0) ++at;
      const std::int64_t first = entries;
      // The columns of categories mostly stand behind those of all numbers.
      const bool behind = at == end || numeric == 0 || *at > ids[numeric - 1];
      if (behind && has_twice(at, end)) return false;
      entries = behind ? write_numbers(t, entries) : merge_numbers(t, entries, at, end);
      for (; at < end; ++at) entries = append(entries, *at, 1);
      if (!behind && has_twice(indices + first, indices + entries)) return false;
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
  std::int64_t write_numbers(std::int64_t row, std::int64_t entries) {
    const double* const number = values + row * numeric;
    for (std::int64_t k = 0; k < numeric; ++k) {
      out[entries] = number[k];
      indices[entries] = ids[k];
      entries += number[k] != 0;
    }
    return entries;
  }
  // With the categories whose columns stand among them.
  std::int64_t merge_numbers(std::int64_t row, std::int64_t entries, std::int32_t*& at, const std::int32_t* end) {
    const double* const number = values + row * numeric;
    for (std::int64_t k = 0; k < numeric; ++k) {
      for (; at < end && *at < ids[k]; ++at) entries = append(entries, *at, 1);
      out[entries] = number[k];
      indices[entries] = ids[k];
      entries += number[k] != 0;
    }
    return entries;
  }
  static bool has_twice(const std::int32_t* begin, const std::int32_t* end) {
    for (const std::int32_t* at = begin + 1; at < end; ++at)
      if (at[-1] == *at) return true;
    return false;
  }
  // Few are put at the places that counts of smaller ones say, which needs no branch.
  static void sort(std::int32_t* begin, std::int32_t* end) {
    constexpr std::ptrdiff_t few = 16;
    const std::ptrdiff_t n = end - begin;
    if (n > few) return std::sort(begin, end);
    std::int32_t sorted[few];
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      std::ptrdiff_t place = 0;
      for (std::ptrdiff_t j = 0; j < k; ++j) place += begin[j] <= begin[k];
      for (std::ptrdiff_t j = k + 1; j < n; ++j) place += begin[j] < begin[k];
      sorted[place] = begin[k];
    }
    std::copy_n(sorted, n, begin);
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
  const std::int32_t* features = nullptr;  // where there are some, `words` are places among them
  std::size_t known = 0;                   // how many there are
};

}  // namespace regretless

#if defined(REGRETLESS_ISA)
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE std::int32_t column_of(const RowsWithWords& r, std::int32_t word) {
  if (!r.features) return word;
  const auto place = std::size_t(std::uint32_t(word));
  return place < r.known ? r.features[place] : -1;
}

// As many columns as a register holds.
#if defined(__AVX512BW__)
inline constexpr std::int32_t columns_together = 16;
#else
inline constexpr std::int32_t columns_together = register_bytes / 4;
#endif
typedef std::int32_t SomeColumns __attribute__((vector_size(4 * columns_together)));

// The columns of some words in order, without those that are none; where they end. Few are put at the places that
// counts of smaller ones say, which needs no branch.
static std::int32_t* sort_columns(const RowsWithWords& r, std::int64_t begin, std::int64_t n) {
  constexpr std::int32_t few = 48;
  if (n > few) {
    std::int32_t* end = r.sorted;
    for (std::int64_t k = 0; k < n; ++k) {
      *end = column_of(r, r.words[begin + k]);
      end += *end >= 0;
    }
    // By a function with a name of this instruction set, so that no other one runs it.
    std::sort(r.sorted, end, [](std::int32_t a, std::int32_t b) { return a < b; });
    return end;
  }
  std::int32_t own[few], place[few], none = 0;  // a caller may write to the columns meanwhile
  for (std::int32_t k = 0; k < few; ++k) own[k] = k < n ? column_of(r, r.words[begin + k]) : 0;
  for (std::int32_t k = 0; k < n; ++k) none += own[k] < 0;
  SomeColumns lanes;
  for (std::int32_t l = 0; l < columns_together; ++l) lanes[l] = l;
  for (std::int32_t first = 0; first < n; first += columns_together, lanes += columns_together) {
    SomeColumns these, count = {};
    std::memcpy(&these, own + first, sizeof these);
    for (std::int32_t j = 0; j < n; ++j) {  // a comparison that is true is -1
      const SomeColumns other = own[j] - SomeColumns{};
      count -= (other < these) | ((other == these) & (j - SomeColumns{} < lanes));
    }
    std::memcpy(place + first, &count, sizeof count);
  }
  for (std::int32_t k = 0; k < n; ++k)
    if (own[k] >= 0) r.sorted[place[k] - none] = own[k];
  return r.sorted + (n - none);
}

// Each word with the number of times that it stands in its row; what is of one column is added up.
static void add_words(const RowsWithWords& r) {
  std::int64_t entries = r.out_starts[0] = 0;
  for (std::int64_t t = 0; t < r.rows; ++t) {
    const std::int32_t* at = r.sorted;
    const std::int32_t* const end = sort_columns(r, r.begins[t], r.begins[t + 1] - r.begins[t]);
    for (std::int64_t k = r.starts[t]; k < r.starts[t + 1]; ++entries) {
      const bool entry = at == end || r.indices[k] <= *at;
      const std::int32_t column = r.out_indices[entries] = entry ? r.indices[k] : *at;
      const double value = entry ? r.values[k++] : 0;
      std::int64_t count = 0;
      for (; at < end && *at == column; ++at) ++count;
      r.out[entries] = value + double(count);
    }
    // Words alone: they are written without a guess whether the next one is the same.
    std::int32_t before = -1, count = 0;
    for (--entries; at < end; before = *at++) {
      const bool other = *at != before;
      entries += other;
      count = other ? 1 : count + 1;
      r.out_indices[entries] = *at;
      r.out[entries] = count;
    }
    r.out_starts[t + 1] = ++entries;
  }
}

}  // namespace regretless::REGRETLESS_ISA
#endif
