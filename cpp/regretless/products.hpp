// Products of two features as further features of a row: their keys, the columns that keys have, and rows put in order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace regretless {

// A feature's key is its number. That of a product holds the larger number in its lower half, above it the smaller, and
// 1: the order of the two does not matter.
inline constexpr std::int64_t no_key = -1, no_column = -1;
inline std::int64_t pair_key(std::int64_t a, std::int64_t b) { return ((std::min(a, b) + 1) << 32) | std::max(a, b); }

// Steele, Lea and Flood 2014.
inline std::uint64_t splitmix64(std::uint64_t number) {
  std::uint64_t mixed = number + 0x9E3779B97F4A7C15ull;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  return mixed ^ (mixed >> 31);
}

// Every feature of a row, then the product of any two, row after row; there is room for all of them.
template <class V>
void all_products(const V* values, const std::int64_t* features, const std::int64_t* starts, std::int64_t rows,
                  std::int32_t* row, std::int64_t* keys, V* products) {
  for (std::int64_t t = 0; t < rows; ++t) {
    const std::int64_t begin = starts[t], end = starts[t + 1];
    for (std::int64_t k = begin; k < end; ++k) *keys++ = features[k], *products++ = values[k];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t feature = features[i];
      const V value = values[i];
      for (std::int64_t k = i + 1; k < end; ++k)
        *keys++ = pair_key(feature, features[k]), *products++ = value * values[k];
    }
    const std::int64_t n = end - begin, all = n + n * (n - 1) / 2;
    std::fill_n(row, all, std::int32_t(t));
    row += all;
  }
}

// Keys and their numbers, borrowed: a power of two of places, each for a key and its number or for none, at most half
// of them in use.
struct KeyTable {
  std::int64_t* places;
  std::int64_t size;

  std::uint64_t place(std::int64_t key) const { return splitmix64(std::uint64_t(key)) & std::uint64_t(size - 1); }
  // Where the key stands, or could; none where it does not stand in a table that is full.
  std::int64_t* find(std::int64_t key) const {
    std::uint64_t at = place(key);
    for (std::int64_t left = size; places[2 * at] != key && places[2 * at] != no_key;) {
      if (--left == 0) return nullptr;
      at = (at + 1) & std::uint64_t(size - 1);
    }
    return places + 2 * at;
  }
  void fetch(std::int64_t key) const { __builtin_prefetch(places + 2 * place(key)); }
};

// Moves all keys to a table that has none yet. False if it is full of others.
inline bool move_keys(const KeyTable& from, const KeyTable& to) {
  for (std::int64_t at = 0; at < from.size; ++at) {
    if (from.places[2 * at] == no_key) continue;
    std::int64_t* const place = to.find(from.places[2 * at]);
    if (!place) return false;
    place[0] = from.places[2 * at], place[1] = from.places[2 * at + 1];
  }
  return true;
}

struct Numbered {
  std::int64_t done, count, refused;  // keys looked up; numbers there are; keys for which there was none
  bool fuller = false;                // whether the table has more keys than numbers
};

// The number of each key from the first on. New ones are numbered as they come, if they are to be learned, below
// `limit`; it ends early where the table is full.
inline Numbered number_keys(const KeyTable& table, const std::int64_t* keys, std::int64_t n, std::int64_t first,
                            std::int64_t count, std::int64_t limit, bool learn, std::int64_t* numbers) {
  constexpr std::int64_t ahead = 16;
  Numbered result{first, count, 0};
  for (std::int64_t k = first; k < n; ++k) {
    if (k + ahead < n) table.fetch(keys[k + ahead]);
    std::int64_t* const at = table.find(keys[k]);
    result.fuller = !at;
    if (result.fuller) return result;
    numbers[k] = at[0] == no_key ? no_column : at[1];
    if (at[0] == no_key && learn) {
      if (result.count >= limit) result.refused += 1;
      else if (2 * (result.count + 1) > table.size) return result;
      else at[0] = keys[k], numbers[k] = at[1] = result.count++;
    }
    result.done = k + 1;
  }
  return result;
}

// Entries in the order of their columns, which are digits of 11 bits; those of one column stay as they stand.
inline void sort_by_column(std::vector<std::uint64_t>& entries, std::uint64_t largest) {
  constexpr int digit = 11, beyond = 32;
  std::vector<std::uint64_t> sorted(entries.size());
  for (int shift = beyond; shift < 64 && (largest >> (shift - beyond)) > 0; shift += digit) {
    std::uint32_t places[1 << digit] = {};
    const auto of = [shift](std::uint64_t entry) { return (entry >> shift) & ((1u << digit) - 1); };
    for (const std::uint64_t entry : entries) ++places[of(entry)];
    std::uint32_t sum = 0;
    for (std::uint32_t& place : places) sum += std::exchange(place, sum);
    for (const std::uint64_t entry : entries) sorted[places[of(entry)]++] = entry;
    entries.swap(sorted);
  }
}

// Compressed rows of entries, each with its row and its column or -1 for none: columns ascend, and what stands in the
// same column is added up as it stands. How many entries there are.
template <class V>
std::int64_t merge_rows(const std::int32_t* row, const std::int64_t* columns, const V* values, std::int64_t n,
                        std::int64_t rows, std::int64_t* starts, std::int32_t* merged, V* sums) {
  std::vector<std::uint64_t> entries(static_cast<std::size_t>(n));
  std::vector<std::int64_t> end(std::size_t(rows), 0);
  std::uint64_t largest = 0;
  std::size_t count = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const bool here = columns[k] != no_column;
    entries[count] = std::uint64_t(columns[k]) << 32 | std::uint64_t(k);
    count += here;
    largest = std::max(largest, here ? std::uint64_t(columns[k]) : 0);
    end[std::size_t(row[k])] += here;
  }
  entries.resize(count);
  sort_by_column(entries, largest);
  starts[0] = 0;
  for (std::int64_t t = 0; t < rows; ++t)
    starts[t + 1] = starts[t] + end[std::size_t(t)], end[std::size_t(t)] = starts[t];
  for (const std::uint64_t entry : entries) {
    const std::int64_t place = std::int64_t(entry & 0xffffffff), t = row[place];
    const std::int32_t column = std::int32_t(entry >> 32);
    std::int64_t& at = end[std::size_t(t)];
    if (at > starts[t] && merged[at - 1] == column) sums[at - 1] += values[place];
    else merged[at] = column, sums[at++] = values[place];
  }
  // Rows in which sums were made are shorter than there was room for.
  std::int64_t total = 0;
  for (std::int64_t t = 0; t < rows; ++t) {
    const std::int64_t from = starts[t], count = end[std::size_t(t)] - from;
    if (from != total) {
      std::memmove(merged + total, merged + from, std::size_t(count) * sizeof *merged);
      std::memmove(sums + total, sums + from, std::size_t(count) * sizeof *sums);
    }
    starts[t] = total;
    total += count;
  }
  starts[rows] = total;
  return total;
}

}  // namespace regretless
