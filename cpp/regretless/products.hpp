// Products of two features as further features of a row: their keys, the columns that keys have, and rows put in order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace regretless {

// A feature's key is its number. That of a product holds the larger number in its lower half, above it the smaller, and
// 1: the order of the two does not matter.
inline constexpr std::int64_t no_key = -1, no_column = -1, largest_feature = 0xffffffff;
inline std::int64_t pair_key(std::int64_t a, std::int64_t b) { return ((std::min(a, b) + 1) << 32) | std::max(a, b); }

// Steele, Lea and Flood 2014.
inline std::uint64_t splitmix64(std::uint64_t number) {
  std::uint64_t mixed = number + 0x9E3779B97F4A7C15ull;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  return mixed ^ (mixed >> 31);
}

// Few features soon have all their pairs: the numbers of near ones, and of pairs of these, stand in a triangle, where
// they need no search. It has a line for each feature, of its own number and those of its pairs with smaller ones. So
// many features are near as have 2^20 keys, more than which no model lists; from 4 MiB on numpy asks for huge pages.
inline constexpr std::int64_t near_features = 1447, triangle_size = near_features * (near_features + 3) / 2;
inline std::int64_t triangle_line(std::int64_t larger) { return larger * (larger + 3) / 2; }
inline bool is_near(std::int64_t key) {
  const std::int64_t larger = key & largest_feature, above = key >> 32;
  return larger < near_features && above >= 0 && above <= larger + 1;
}

// Keys by their numbers, which are below `limit`: near ones in the triangle, which holds numbers from 1 on or 0, others
// in a power of two of places, at most half of them in use. A place holds a number, from 1 on, above it half of the
// key's hash; or 0. All memory is borrowed.
struct KeyTable {
  std::uint64_t* places = nullptr;
  std::int64_t size = 0;
  std::uint32_t* triangle = nullptr;
  std::int64_t* listed = nullptr;  // the key of each number
  std::int64_t room = 0;           // for so many keys
  std::int64_t limit = 0;
  std::int64_t count = 0, far = 0;  // keys; those of them that have places
  bool broken = false;              // whether there is a number that no key has, or no place is free

  std::uint64_t next(std::uint64_t at) const { return (at + 1) & std::uint64_t(size - 1); }
  // Where the key's number stands, or could.
  std::uint64_t* find(std::int64_t key, std::uint64_t hash) {
    std::uint64_t at = hash & std::uint64_t(size - 1);
    for (std::int64_t left = size; places[at] != 0; at = next(at)) {
      const std::uint64_t number = (places[at] & 0xffffffff) - 1;
      broken = --left == 0 || number >= std::uint64_t(count);
      if (broken || ((places[at] ^ hash) >> 32 == 0 && listed[number] == key)) break;
    }
    return places + at;
  }
  std::uint32_t* near_place(std::int64_t key) const {
    return triangle + triangle_line(key & largest_feature) + (key >> 32);
  }
  static std::int64_t number_at(const std::uint64_t* place) { return std::int64_t(*place & 0xffffffff) - 1; }
  void put(std::uint64_t* place, std::uint64_t hash, std::int64_t number) const {
    *place = hash >> 32 << 32 | std::uint64_t(number + 1);
  }
  // The number of a key that is new, no_column where the table is full.
  std::int64_t add(std::int64_t key) {
    if (count == room) return no_column;
    listed[count] = key;
    return count++;
  }
  void fetch_place(std::uint64_t hash) const { __builtin_prefetch(places + (hash & std::uint64_t(size - 1))); }
  void fetch_key(std::uint64_t hash) const {
    const std::int64_t number = number_at(places + (hash & std::uint64_t(size - 1)));
    if (number >= 0 && number < count) __builtin_prefetch(listed + number);
  }
  // Gives all keys that are not near, which differ, their places in a table that has none yet; and counts them.
  void fill() {
    constexpr std::int64_t ahead = 16;
    std::fill_n(places, size, 0);
    far = 0;
    for (std::int64_t number = 0; number < count && !broken; ++number) {
      if (number + ahead < count) fetch_place(splitmix64(std::uint64_t(listed[number + ahead])));
      if (is_near(listed[number])) continue;
      broken = 2 * ++far > size;
      const std::uint64_t hash = splitmix64(std::uint64_t(listed[number]));
      std::uint64_t at = hash & std::uint64_t(size - 1);
      while (places[at] != 0 && !broken) at = next(at);
      put(places + at, hash, number);
    }
  }
};

// The number of each key, handed to take(k, number), -1 for none. New ones are numbered as they come, if they are to be
// learned and there is room below the limit, else `refused` counts them. How many keys are done: not all where the
// table is full.
template <class Take>
std::int64_t number_keys(KeyTable& table, const std::int64_t* keys, std::int64_t n, bool learn, std::int64_t& refused,
                         const Take& take) {
  constexpr std::int64_t ahead = 32, near = 12;  // how many keys earlier a place is fetched, and the key that it names
  std::uint64_t hashes[ahead] = {};
  const auto fetch = [&](std::int64_t k) { table.fetch_place(hashes[k % ahead] = splitmix64(std::uint64_t(keys[k]))); };
  for (std::int64_t k = 0; k < std::min(n, ahead); ++k) fetch(k);
  for (std::int64_t k = 0; k < n; ++k) {
    const std::uint64_t hash = hashes[k % ahead];
    if (k + ahead < n) fetch(k + ahead);
    if (k + near < n) table.fetch_key(hashes[(k + near) % ahead]);
    std::uint32_t* const near_by = is_near(keys[k]) ? table.near_place(keys[k]) : nullptr;
    std::uint64_t* const at = near_by ? nullptr : table.find(keys[k], hash);
    std::int64_t number = near_by ? std::int64_t(*near_by) - 1 : table.number_at(at);
    table.broken |= number >= table.count;
    if (table.broken) return k;
    if (number == no_column && learn) {
      if (table.count >= table.limit) refused += 1;
      else {
        if (at && 2 * (table.far + 1) > table.size) return k;
        number = table.add(keys[k]);
        if (number == no_column) return k;
        if (near_by) *near_by = std::uint32_t(number + 1);
        else table.put(at, hash, number), ++table.far;
      }
    }
    take(k, number);
  }
  return n;
}

// What gives keys their columns: the table, or the lowest bits of a hash, in which case the table remembers keys.
struct KeyColumns {
  KeyTable table;
  int bits = 0;           // of the hash; 0 for none
  bool features = false;  // whether features are columns by themselves, and products alone are hashed
  bool learn = false;
  std::int64_t refused = 0;
};

// Rows with products, one at a time. What is 0, or has no key, is left out.
template <class V>
class RowMaker {
 public:
  explicit RowMaker(std::size_t longest)
      : keys_(longest), values_(longest), entries_(longest), spare_(longest), fresh_values_(longest) {}

  // A row of so many keys, and no products yet.
  void begin(const std::int64_t* keys, const V* values, std::int64_t n) {
    n_ = 0;
    for (std::int64_t k = 0; k < n; ++k) n_ = put(n_, keys[k], values[k]);
  }
  void add_all_pairs(const std::int64_t* features, const V* values, std::int64_t n) {
    std::size_t at = n_;
    for (std::int64_t i = 0; i < n; ++i) {
      if (features[i] == no_key) continue;
      for (std::int64_t k = i + 1; k < n; ++k) at = put_pair(at, features[i], features[k], values[i] * values[k]);
    }
    n_ = at;
  }
  void add_pair(std::int64_t a, std::int64_t b, V product) {
    if (a != no_key) n_ = put_pair(n_, a, b, product);
  }

  std::int64_t size() const { return std::int64_t(n_); }

  // Gives the keys their columns; false where the table is full or broken, or a column is too large.
  bool number(KeyColumns& columns) {
    m_ = 0;
    if (columns.bits == 0)
      return number_keys(columns.table, keys_.data(), std::int64_t(n_), columns.learn, columns.refused,
                         [this](std::int64_t k, std::int64_t column) { take(std::size_t(k), column); }) ==
             std::int64_t(n_);
    if (!remember(columns)) return false;
    const std::uint64_t mask = (std::uint64_t(1) << columns.bits) - 1;
    for (std::size_t k = 0; k < n_; ++k) {
      const bool as_it_is = columns.features && keys_[k] <= largest_feature;
      const std::uint64_t column = as_it_is ? std::uint64_t(keys_[k]) : splitmix64(std::uint64_t(keys_[k])) & mask;
      entries_[k] = column << 32 | k;
    }
    m_ = n_;
    return true;
  }

  // Writes the row by ascending columns, what is of one column added up as it came. How many entries that makes; -1
  // where a column is too large.
  std::int64_t write(std::int32_t* columns, V* sums) {
    const std::uint64_t bits = all_columns();
    if (bits >> 31) return -1;
    put_in_order(std::bit_width(bits));
    std::int64_t n = 0;
    for (std::size_t k = 0; k < m_; ++k) {
      const auto column = std::int32_t(entries_[k] >> 32);
      const V value = values_[entries_[k] & 0xffffffff];
      if (n > 0 && columns[n - 1] == column) sums[n - 1] += value;
      else columns[n] = column, sums[n++] = value;
    }
    return n;
  }

  // Numbers a row's features and all their products at once: the same as begin, add_all_pairs and number, without
  // searches. False, and nothing is done, unless features ascend and are near, and there is room for as many new keys.
  bool number_near(KeyTable& table, bool learn, const std::int64_t* features, const V* values, std::int64_t n) {
    const std::int64_t most = learn ? n * (n + 1) / 2 : 1;
    if (table.count + most > table.room || (learn && table.count + most > table.limit)) return false;
    for (std::int64_t k = 0; k < n; ++k) {  // copied, since they decide what is read and written
      keys_[k] = features[k];
      if (keys_[k] <= (k ? keys_[k - 1] : -1) || keys_[k] >= near_features) return false;
    }
    // Nothing here depends on whether a key is new, which cannot be foreseen.
    std::size_t known = 0, fresh = 0;
    std::int64_t* const listed = table.listed + table.count;
    const auto first = std::uint32_t(table.count + 1), learned = std::uint32_t(learn);
    const auto take = [&, entries = entries_.data(), all = values_.data(), news = fresh_values_.data()](
                          std::uint32_t* place, std::int64_t key, V value) {
      if (value == 0) return;
      const std::uint32_t number = *place, is_known = number != 0, is_fresh = (is_known ^ 1) & learned;
      *place = number + is_fresh * (first + std::uint32_t(fresh));
      listed[fresh] = key;
      entries[known] = std::uint64_t(number - 1) << 32 | known;
      all[known] = news[fresh] = value;
      known += is_known;
      fresh += is_fresh;
    };
    for (std::int64_t k = 0; k < n; ++k) {
      spare_[k] = std::uint64_t(triangle_line(keys_[k]));
      take(table.triangle + spare_[k], keys_[k], values[k]);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t above = keys_[i] + 1, soon = i + 1 < n ? keys_[i + 1] + 1 : 0;
      for (std::int64_t k = i + 1; k < n; ++k) {
        std::uint32_t* const line = table.triangle + spare_[k];
        __builtin_prefetch(line + soon);
        take(line + above, above << 32 | keys_[k], values[i] * values[k]);
      }
    }
    m_ = known;
    fresh_ = fresh;
    table.count += std::int64_t(fresh);
    return true;
  }

  // Writes the row that number_near made: new columns come behind those that were known. How many entries that makes.
  std::int64_t write_near(KeyTable& table, std::int32_t* columns, V* sums) {
    const std::int64_t first = table.count - std::int64_t(fresh_);
    put_in_order(std::bit_width(all_columns()));
    for (std::size_t k = 0; k < m_; ++k) {
      columns[k] = std::int32_t(entries_[k] >> 32);
      sums[k] = values_[entries_[k] & 0xffffffff];
    }
    table.broken |= m_ > 0 && std::int64_t(entries_[m_ - 1] >> 32) >= first;
    for (std::size_t k = 0; k < fresh_; ++k) columns[m_ + k] = std::int32_t(first + std::int64_t(k));
    std::copy_n(fresh_values_.begin(), fresh_, sums + m_);
    return std::int64_t(m_ + fresh_);
  }

 private:
  std::size_t put(std::size_t at, std::int64_t key, V value) {
    keys_[at] = key;
    values_[at] = value;
    return at + std::size_t((key != no_key) & (value != 0));
  }
  std::size_t put_pair(std::size_t at, std::int64_t a, std::int64_t b, V product) {
    return put(at, b == no_key ? no_key : pair_key(a, b), product);
  }

  void take(std::size_t k, std::int64_t column) {
    entries_[m_] = std::uint64_t(column) << 32 | k;
    m_ += column != no_column;
  }

  bool remember(KeyColumns& columns) {
    if (!columns.learn || columns.table.count >= columns.table.limit) return true;
    picked_.clear();
    for (std::size_t k = 0; k < n_; ++k)
      if (!columns.features || keys_[k] > largest_feature) picked_.push_back(keys_[k]);
    const auto n = std::int64_t(picked_.size());
    return number_keys(columns.table, picked_.data(), n, true, columns.refused, [](std::int64_t, std::int64_t) {}) == n;
  }

  // The bits that any column has.
  std::uint64_t all_columns() const {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < m_; ++k) bits |= entries_[k] >> 32;
    return bits;
  }

  // By columns of so many bits, and those of one column as they came.
  void put_in_order(int bits) {
    const auto begin = entries_.begin(), end = begin + std::ptrdiff_t(m_);
    if (std::is_sorted(begin, end)) return;
    constexpr std::size_t few = 24;
    if (m_ > few) return sort_by_digits(bits);
    for (auto next = begin; next < end; ++next) {
      const std::uint64_t entry = *next;
      auto to = next;
      for (; to > begin && to[-1] > entry; --to) *to = to[-1];
      *to = entry;
    }
  }

  // From the lowest digit on; a digit has about as many values as there are entries, and at most 256.
  void sort_by_digits(int bits) {
    const int most = std::clamp(int(std::bit_width(m_)), 5, 8), passes = (bits + most - 1) / most;
    const int digit = (bits + passes - 1) / passes;
    const std::uint64_t mask = (std::uint64_t(1) << digit) - 1;
    for (int pass = 0; pass < passes; ++pass) std::fill_n(places_[pass], mask + 1, 0u);
    for (std::size_t k = 0; k < m_; ++k)
      for (int pass = 0; pass < passes; ++pass) ++places_[pass][entries_[k] >> (32 + pass * digit) & mask];
    for (int pass = 0; pass < passes; ++pass) {
      std::uint32_t sum = 0, *const places = places_[pass];
      for (std::uint64_t value = 0; value <= mask; ++value) sum += std::exchange(places[value], sum);
      for (std::size_t k = 0; k < m_; ++k) spare_[places[entries_[k] >> (32 + pass * digit) & mask]++] = entries_[k];
      entries_.swap(spare_);
    }
  }

  std::vector<std::int64_t> keys_, picked_;  // all; those to be remembered
  std::vector<V> values_;
  std::size_t n_ = 0, m_ = 0;                   // keys; entries
  std::vector<std::uint64_t> entries_, spare_;  // a column, and the place of its value below it
  std::uint32_t places_[8][256];
  std::vector<V> fresh_values_;  // of keys that were new in a row of near ones
  std::size_t fresh_ = 0;
};

}  // namespace regretless
