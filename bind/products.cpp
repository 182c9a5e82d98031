// Products of features: arrays are borrowed and checked; the caller makes room for what is computed.
#include "products.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "regretless/products.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

template <class T>
using Read = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Write = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = Write<std::uint64_t>;

constexpr std::int64_t most_keys = std::int64_t(1) << 31;  // columns are int32

KeyTable table_of(const Places& places, const Write<std::uint32_t>& triangle, const Write<std::int64_t>& listed,
                  std::int64_t count, std::int64_t far, std::int64_t limit) {
  const auto size = std::int64_t(places.size()), room = std::int64_t(listed.size());
  demand(size > 0 && (size & (size - 1)) == 0, "a table has a power of two of places");
  demand(triangle.size() == triangle_size && room < most_keys && far >= 0 && far <= count && far <= size / 2 &&
             count <= room,
         "wrong room");
  return {places.data(), size, triangle.data(), listed.data(), room, limit, count, far};
}

void check(const KeyTable& table) { demand(!table.broken, "the table does not fit its keys"); }

void fill(const Places& places, const Write<std::uint32_t>& triangle, const Write<std::int64_t>& listed,
          std::int64_t count) {
  KeyTable table = table_of(places, triangle, listed, count, 0, count);
  {
    const nb::gil_scoped_release unlock;
    table.fill();
  }
  check(table);
}

std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> number(
    const Places& places, const Write<std::uint32_t>& triangle, const Write<std::int64_t>& listed, std::int64_t count,
    std::int64_t far, std::int64_t limit, bool learn, const Read<std::int64_t>& keys,
    const Write<std::int64_t>& numbers) {
  demand(numbers.size() == keys.size(), "wrong room");
  KeyTable table = table_of(places, triangle, listed, count, far, limit);
  std::int64_t refused = 0, done = 0;
  {
    const nb::gil_scoped_release unlock;
    done = number_keys(table, keys.data(), std::int64_t(keys.size()), learn, refused,
                       [&](std::int64_t k, std::int64_t number) { numbers.data()[k] = number; });
  }
  check(table);
  return {done, table.count, table.far, refused};
}

void hash(const Read<std::int64_t>& keys, int bits, const Write<std::int64_t>& columns) {
  demand(columns.size() == keys.size() && bits >= 1 && bits <= 62, "wrong room");
  const nb::gil_scoped_release unlock;
  const std::uint64_t mask = (std::uint64_t(1) << bits) - 1;
  for (std::size_t k = 0; k < keys.size(); ++k)
    columns.data()[k] = std::int64_t(splitmix64(std::uint64_t(keys.data()[k])) & mask);
}

// What products are made of; copied where it decides what is read and written.
struct Pairs {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> left, right;  // places in rows, all of which are as long
  bool all = false;
  std::int64_t longest = 0, entries = 0;  // of a row with its products; of all together

  Pairs(const Read<std::int64_t>& starts_of_rows, const Read<std::int32_t>& lefts, const Read<std::int32_t>& rights,
        bool all_pairs, std::size_t values, std::int64_t room)
      : starts(starts_of_rows.data(), starts_of_rows.data() + starts_of_rows.size()),
        left(lefts.data(), lefts.data() + lefts.size()), right(rights.data(), rights.data() + rights.size()),
        all(all_pairs) {
    demand(!starts.empty() && left.size() == right.size() && !(all && !left.empty()), "wrong room");
    std::int32_t farthest = -1;
    for (std::size_t k = 0; k < left.size(); ++k) {
      demand(left[k] >= 0 && right[k] >= 0, "there is no such place in a row");
      farthest = std::max({farthest, left[k], right[k]});
    }
    for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
      const std::int64_t n = starts[t + 1] - starts[t];
      demand(starts[t] >= 0 && n >= 0 && starts[t + 1] <= std::int64_t(values), "broken starts");
      demand(n > farthest, "there is no such place in a row");
      demand(n <= limit / 2, "a row is too long");  // so that the number of pairs is none beyond 64 bits
      const std::int64_t size = n + (all ? n * (n - 1) / 2 : std::int64_t(left.size()));
      demand(size < limit, "a row is too long");
      longest = std::max(longest, size);
      entries += size;
      demand(entries <= room, "wrong room");
    }
  }

 private:
  static constexpr std::int64_t limit = std::int64_t(1) << 32;
};

template <class V>
std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t> cross(
    const Read<V>& values, const Read<std::int64_t>& keys, const Read<std::int64_t>& starts,
    const Read<std::int32_t>& left, const Read<std::int32_t>& right, bool all, std::int64_t first, const Places& places,
    const Write<std::uint32_t>& triangle, const Write<std::int64_t>& listed, std::int64_t count, std::int64_t far,
    std::int64_t limit, bool learn, int bits, bool features, const Write<std::int64_t>& ends,
    const Write<std::int32_t>& columns, const Write<V>& sums) {
  const std::size_t rows = starts.size() - 1;
  demand(keys.size() == values.size(), "one key for each value");
  const Pairs pairs(starts, left, right, all, values.size(), std::int64_t(sums.size()));
  demand(ends.size() == rows + 1 && sums.size() == columns.size() && std::int64_t(sums.size()) == pairs.entries &&
             first >= 0 && first <= std::int64_t(rows) && bits >= 0 && bits <= 30,
         "wrong room");
  KeyColumns of{table_of(places, triangle, listed, count, far, limit), bits, features, learn};
  std::int64_t at = ends.data()[first], done = first;
  demand(at >= 0 && at <= std::int64_t(columns.size()), "wrong room");
  bool fits = true;
  {
    const nb::gil_scoped_release unlock;
    RowMaker<V> row(std::size_t(pairs.longest) + 1);
    for (; done < std::int64_t(rows); ++done) {
      const std::int64_t begin = pairs.starts[std::size_t(done)], n = pairs.starts[std::size_t(done) + 1] - begin;
      const std::int64_t* const key = keys.data() + begin;
      const V* const value = values.data() + begin;
      const std::int64_t left = std::int64_t(columns.size()) - at;
      std::int64_t more = -1;
      if (all && bits == 0 && n * (n + 1) / 2 <= left && row.number_near(of.table, learn, key, value, n)) {
        more = row.write_near(of.table, columns.data() + at, sums.data() + at);
      } else {
        row.begin(key, value, n);
        if (all) row.add_all_pairs(key, value, n);
        for (std::size_t k = 0; k < pairs.left.size(); ++k) {
          const std::int32_t a = pairs.left[k], b = pairs.right[k];
          row.add_pair(key[a], key[b], value[a] * value[b]);
        }
        if (!row.number(of)) break;
        if (row.size() <= left) more = row.write(columns.data() + at, sums.data() + at);
      }
      fits = more >= 0;
      if (!fits) break;
      ends.data()[done + 1] = at += more;
    }
  }
  check(of.table);
  demand(fits, "there is no such column");
  return {done, of.table.count, of.table.far, of.refused, at};
}

template <class V>
void bind_values(nb::module_& m) {
  m.def(
      "cross_rows", &cross<V>, "values"_a.noconvert(), "keys"_a.noconvert(), "starts"_a.noconvert(),
      "left"_a.noconvert(), "right"_a.noconvert(), "all"_a, "first"_a, "places"_a.noconvert(), "triangle"_a.noconvert(),
      "listed"_a.noconvert(), "count"_a, "far"_a, "limit"_a, "learn"_a, "bits"_a, "features"_a, "ends"_a.noconvert(),
      "columns"_a.noconvert(), "sums"_a.noconvert(),
      "Compressed rows of the keys of other rows and of their products, from the row `first` on: those of the places "
      "`left` and `right` of each row, or all. Columns are numbers of keys, or with `bits` their hash, but that of a "
      "feature itself with `features`. What is 0 or has no key (-1) is left out, what stands in one column added up. "
      "How many rows are done (the table may be full), numbers there are, of keys that are far, keys were refused one, "
      "and entries.");
}

}  // namespace

void bind_products(nb::module_& m) {
  bind_values<float>(m);
  bind_values<double>(m);
  m.def("hash_keys", &hash, "keys"_a.noconvert(), "bits"_a, "columns"_a.noconvert(),
        "The lowest bits of the splitmix64 of each key.");
  m.def("number_keys", &number, "places"_a.noconvert(), "triangle"_a.noconvert(), "listed"_a.noconvert(), "count"_a,
        "far"_a, "limit"_a, "learn"_a, "keys"_a.noconvert(), "numbers"_a.noconvert(),
        "The numbers of keys, -1 for none; new ones are learned until the table is full. How many keys are done, how "
        "many numbers there are, how many of keys that have places, and how many keys were refused one.");
  m.def("fill_places", &fill, "places"_a.noconvert(), "triangle"_a.noconvert(), "listed"_a.noconvert(), "count"_a,
        "Give listed keys, which differ, their places in a table; near ones stand in the triangle.");
  m.attr("TRIANGLE_SIZE") = triangle_size;
}

}  // namespace regretless
