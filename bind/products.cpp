// Products of features: arrays are borrowed and checked; the caller makes room for what is computed.
#include "products.hpp"

#include <nanobind/stl/tuple.h>

#include "regretless/products.hpp"
#include "rounds.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

template <class T>
using Read = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Write = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

KeyTable table_of(const Places& places) {
  const std::size_t size = places.shape(0);
  demand(places.shape(1) == 2 && size > 0 && (size & (size - 1)) == 0, "a table has a power of two of places");
  return {places.data(), std::int64_t(size)};
}

template <class V>
void products(const Read<V>& values, const Read<std::int64_t>& features, const Read<std::int64_t>& starts,
              const Write<std::int32_t>& rows, const Write<std::int64_t>& keys, const Write<V>& out) {
  demand(features.size() == values.size() && starts.size() > 0, "one feature for each value, and where rows begin");
  const nb::gil_scoped_release unlock;
  std::int64_t all = 0;
  for (std::size_t t = 0; t + 1 < starts.size(); ++t) {
    const std::int64_t n = starts.data()[t + 1] - starts.data()[t];
    demand(starts.data()[t] >= 0 && n >= 0 && starts.data()[t + 1] <= std::int64_t(values.size()), "broken starts");
    all += n + n * (n - 1) / 2;
  }
  demand(std::int64_t(rows.size()) == all && keys.size() == rows.size() && out.size() == rows.size(), "wrong room");
  all_products(values.data(), features.data(), starts.data(), std::int64_t(starts.size()) - 1, rows.data(), keys.data(),
               out.data());
}

void move(const Places& from, const Places& to) {
  demand(from.shape(0) < to.shape(0), "wrong room");
  const KeyTable old = table_of(from), more = table_of(to);
  const nb::gil_scoped_release unlock;
  demand(move_keys(old, more), "the larger table is full");
}

std::tuple<std::int64_t, std::int64_t, std::int64_t> number(const Places& places, const Read<std::int64_t>& keys,
                                                            std::int64_t first, std::int64_t count, std::int64_t limit,
                                                            bool learn, const Write<std::int64_t>& numbers) {
  demand(numbers.size() == keys.size() && first >= 0 && count >= 0 && count <= std::int64_t(places.shape(0) / 2),
         "wrong room");
  const KeyTable table = table_of(places);
  const nb::gil_scoped_release unlock;
  const Numbered n =
      number_keys(table, keys.data(), std::int64_t(keys.size()), first, count, limit, learn, numbers.data());
  demand(!n.fuller, "the table has more keys than numbers");
  return {n.done, n.count, n.refused};
}

void hash(const Read<std::int64_t>& keys, int bits, const Write<std::int64_t>& columns) {
  demand(columns.size() == keys.size() && bits >= 1 && bits <= 62, "wrong room");
  const nb::gil_scoped_release unlock;
  const std::uint64_t mask = (std::uint64_t(1) << bits) - 1;
  for (std::size_t k = 0; k < keys.size(); ++k)
    columns.data()[k] = std::int64_t(splitmix64(std::uint64_t(keys.data()[k])) & mask);
}

template <class V>
std::int64_t merge(const Read<std::int32_t>& rows, const Read<std::int64_t>& columns, const Read<V>& values,
                   const Write<std::int64_t>& starts, const Write<std::int32_t>& merged, const Write<V>& sums) {
  const std::size_t n = rows.size(), count = starts.size() - 1;
  demand(columns.size() == n && values.size() == n && merged.size() == n && sums.size() == n && starts.size() > 0 &&
             n < std::size_t(1) << 32,
         "wrong room");
  const nb::gil_scoped_release unlock;
  std::uint32_t last_row = 0;
  std::uint64_t last_column = 0;
  for (std::size_t k = 0; k < n; ++k) {
    last_row = std::max(last_row, std::uint32_t(rows.data()[k]));
    last_column = std::max(last_column, std::uint64_t(columns.data()[k]) - std::uint64_t(no_column));
  }
  demand(n == 0 || (last_row < count && last_column <= std::uint64_t(1) << 31), "there is no such row or column");
  return merge_rows(rows.data(), columns.data(), values.data(), std::int64_t(n), std::int64_t(count), starts.data(),
                    merged.data(), sums.data());
}

template <class V>
void bind_values(nb::module_& m) {
  m.def("all_products", &products<V>, "values"_a.noconvert(), "features"_a.noconvert(), "starts"_a.noconvert(),
        "rows"_a.noconvert(), "keys"_a.noconvert(), "products"_a.noconvert(),
        "Row, key and value of every feature of a row and then of the product of any two, row after row.");
  m.def("merge_rows", &merge<V>, "rows"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(),
        "starts"_a.noconvert(), "merged"_a.noconvert(), "sums"_a.noconvert(),
        "Compressed rows of entries in any order, without those of column -1; what stands in one column is added up. "
        "How many entries there are.");
}

}  // namespace

void bind_products(nb::module_& m) {
  bind_values<float>(m);
  bind_values<double>(m);
  m.def("number_keys", &number, "places"_a.noconvert(), "keys"_a.noconvert(), "first"_a, "count"_a, "limit"_a,
        "learn"_a, "numbers"_a.noconvert(),
        "The numbers of keys from the first on, -1 for none; new ones are learned until the table is full. How many "
        "keys are done, how many numbers there are, and how many keys were refused one.");
  m.def("move_keys", &move, "places"_a.noconvert(), "to"_a.noconvert(),
        "Move keys and their numbers to a larger table that has none yet.");
  m.def("hash_keys", &hash, "keys"_a.noconvert(), "bits"_a, "columns"_a.noconvert(),
        "The lowest bits of the splitmix64 of each key.");
}

}  // namespace regretless
