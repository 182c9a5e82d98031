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
#include <bit>

#include "simd_sum.hpp"
#include "text_block.hpp"

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
  for (std::int32_t k = 0; k < n; ++k) {
    own[k] = column_of(r, r.words[begin + k]);
    none += own[k] < 0;
  }
  for (auto k = std::int32_t(n); k % columns_together; ++k) own[k] = 0;
  SomeColumns lanes;
  for (std::int32_t l = 0; l < columns_together; ++l) lanes[l] = l;
  for (std::int32_t first = 0; first < n; first += columns_together, lanes += columns_together) {
    SomeColumns these, count = {};
    std::memcpy(&these, own + first, sizeof these);
    const auto other = [&](std::int32_t j) { return own[j] - SomeColumns{}; };
    // A comparison that is true is -1. What comes before these words stands before those that are the same.
    const auto last = std::int32_t(std::min<std::int64_t>(first + columns_together, n));
    for (std::int32_t j = 0; j < first; ++j) count -= other(j) <= these;
    for (std::int32_t j = first; j < last; ++j)
      count -= (other(j) < these) | ((other(j) == these) & (j - SomeColumns{} < lanes));
    for (std::int32_t j = last; j < n; ++j) count -= other(j) < these;
    std::memcpy(place + first, &count, sizeof count);
  }
  for (std::int32_t k = 0; k < n; ++k)
    if (own[k] >= 0) r.sorted[place[k] - none] = own[k];
  return r.sorted + (n - none);
}

// Columns in order, each once and with the number of times that it comes, from an entry on; where the next one begins.
#if defined(__AVX512BW__)
REGRETLESS_INLINE std::int64_t write_counts(const std::int32_t* at, const std::int32_t* end, const RowsWithWords& r,
                                            std::int64_t entries) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (std::int32_t before = -1; at < end; before = at[-1]) {
    const auto n = int(std::min<std::ptrdiff_t>(end - at, 16));
    const auto there = __mmask16((1u << n) - 1);
    const __m512i these = _mm512_maskz_loadu_epi32(there, at);
    const __m512i shifted = _mm512_alignr_epi32(these, _mm512_set1_epi32(before), 15);
    const __mmask16 begins = _mm512_mask_cmpneq_epi32_mask(there, these, shifted);
    const int first = std::countr_zero(std::uint32_t(begins) | std::uint32_t(1) << n);
    if (first) r.out[entries - 1] += first;  // of the column before
    const int count = count_ones(begins);
    const auto some = __mmask16((1u << count) - 1);
    const __m512i places = _mm512_mask_compress_epi32(_mm512_set1_epi32(n), begins, lanes);
    const __m512i counts = _mm512_sub_epi32(_mm512_alignr_epi32(_mm512_set1_epi32(n), places, 1), places);
    _mm512_mask_storeu_epi32(r.out_indices + entries, some, _mm512_maskz_compress_epi32(begins, these));
    _mm512_mask_storeu_pd(r.out + entries, __mmask8(some), _mm512_cvtepi32_pd(_mm512_castsi512_si256(counts)));
    _mm512_mask_storeu_pd(r.out + entries + 8, __mmask8(some >> 8),
                          _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(counts, 1)));
    entries += count;
    at += n;
  }
  return entries;
}
#else
REGRETLESS_INLINE std::int64_t write_counts(const std::int32_t* at, const std::int32_t* end, const RowsWithWords& r,
                                            std::int64_t entries) {
  std::int32_t before = -1, count = 0;
  for (--entries; at < end; before = *at++) {  // without a guess whether the next one is the same
    const bool other = *at != before;
    entries += other;
    count = other ? 1 : count + 1;
    r.out_indices[entries] = *at;
    r.out[entries] = count;
  }
  return entries + 1;
}
#endif

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
    r.out_starts[t + 1] = entries = write_counts(at, end, r, entries);
  }
}

}  // namespace regretless::REGRETLESS_ISA
#endif
