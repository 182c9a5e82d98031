// Vectors of very many columns, one alone or some side by side as climbing leaves them, measured and scaled where they
// lie; and the numbers of a diagonal matrix in one reading of its records.
#pragma once
#include <bit>
#include <cstring>

#include "ascent_types.hpp"
#include "simd_math.hpp"
#include "written_margins.hpp"

namespace regretless::REGRETLESS_ISA {

// The sum of squares of each vector, times those of `roots` where there are some: in the order in which `squares` has
// those of a vector alone.
template <int N>
void column_squares(const double* table, const double* roots, std::int64_t columns, double* sums) {
  const auto square = [&](std::int64_t j) {
    const auto entry = load<N>(table + N * j), part = roots ? entry * spread<N>(roots[j]) : entry;
    return part * part;
  };
  auto sum = spread<N>(0);
  const std::int64_t whole = by_blocks(columns, [&](std::int64_t begin, std::int64_t end) {
    Pack<double, N> lanes[8]{};
    for (std::int64_t j = begin; j < end; j += 8)
      for (int l = 0; l < 8; ++l) lanes[l] = lanes[l] + square(j + l);
    sum = sum + (((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])));
  });
  for (std::int64_t j = whole; j < columns; ++j) sum = sum + square(j);
  store(sums, sum);
}

// The vectors over their lengths, times a size.
template <int N>
void divide_columns(double* table, const double* lengths, double size, std::int64_t columns) {
  const auto by = load<N>(lengths), times = spread<N>(size);
  for (std::int64_t j = 0; j < columns; ++j) store(table + N * j, load<N>(table + N * j) / by * times);
}

// Numbers of a table eight at a time, and what each of them is about; those beyond the end are zeros. `use` is given
// the first of the eight numbers' place, so many sums at once that long ones would not round more.
template <int N, class Use>
REGRETLESS_INLINE void by_eights(const double* table, std::int64_t columns, const Use& use) {
  const std::int64_t count = N * columns;
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) use(i, load<8>(table + i));
  if (i < count) use(i, load_some(table + i, count - i));
}
template <int N>
REGRETLESS_INLINE void add_lanes(const Eight& lanes, double* sums) {
  if constexpr (N == 1) *sums += tree(lanes);
  else if constexpr (N == 8) store(sums, load<8>(sums) + lanes);
  else store(sums, load<4>(sums) + (low_half(lanes) + high_half(lanes)));
}
template <int N>
REGRETLESS_INLINE Octet in_turns(const double* numbers) {
  double each[8];
  for (int l = 0; l < 8; ++l) each[l] = numbers[l % N];
  return at(each, 0);
}

// Columns may stand for groups of others, in which a vector has multiples of shares: of the sizes s of these `groups`
// has the sum, that of s ln s, and their number. Here for the columns that eight numbers of a table are about.
template <int N>
REGRETLESS_INLINE Octet of_groups(const double* groups, int place, std::int64_t i, std::int64_t count) {
  const double* const first = groups + i / N * 3 + place;
  double each[8];
  if (i + 8 <= count)
    for (int l = 0; l < 8; ++l) each[l] = first[l / N * 3];
  else
    for (int l = 0; l < 8; ++l) each[l] = i + l < count ? first[l / N * 3] : 0;
  return at(each, 0);
}

// For each vector the sum of the sizes of its entries, and its product with `duals`.
template <int N>
void size_columns(const double* table, const double* duals, const double* groups, std::int64_t columns, double* sizes,
                  double* products) {
  constexpr std::int64_t together = 1024;
  for (int k = 0; k < N; ++k) sizes[k] = products[k] = 0;
  for (std::int64_t begin = 0; begin < columns; begin += together) {
    const std::int64_t some = columns - begin < together ? columns - begin : together;
    Eight size{}, product{};
    by_eights<N>(table + N * begin, some, [&](std::int64_t i, const Eight& v) REGRETLESS_LAMBDA {
      const Eight dual = collect<8>([&](int l) { return i + l < N * some ? duals[begin + (i + l) / N] : 0.0; });
      const Eight own = upper(v, spread<8>(0) - v);
      size = size + (groups ? own * in_halves(of_groups<N>(groups + 3 * begin, 0, i, N * some)) : own);
      product = product + v * dual;
    });
    add_lanes<N>(size, sizes);
    add_lanes<N>(product, products);
  }
}

// ln(x) of positive normal numbers, lane by lane: the same as `log_of` has it.
template <class V>
REGRETLESS_INLINE V log_of_normal(V x) {
  typedef std::uint64_t Bits __attribute__((vector_size(sizeof(V))));
  const Bits bits = Bits(x), whole = (bits >> 52) | 0x4330000000000000ull;  // 2^52 more than the exponent
  const V m = V((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull), k = V(whole) - 4503599627371519.0;
  const auto large = m > V{} + 1.4142135623730951;
  const V mantissa = large ? m * 0.5 : m, power = large ? k + 1.0 : k;
  return (power * 1.90821492927058770002e-10 + log_of_one_plus(mantissa - 1.0)) + power * 6.93147180369123816490e-01;
}

// For each vector the sum of s ln s over the shares s that its entries' sizes have of `totals`, and how many are above
// zero. A share below the normal floats adds nothing.
template <int N>
void share_columns(const double* table, const double* totals, const double* groups, std::int64_t columns, double* sums,
                   double* counts) {
  constexpr std::int64_t together = 1024;
  const Octet total = in_turns<N>(totals), none = eight(0), one = eight(1);
  const Octet least = eight(std::numeric_limits<double>::min());
  for (int k = 0; k < N; ++k) sums[k] = counts[k] = 0;
  for (std::int64_t begin = 0; begin < columns; begin += together) {
    Octet sum = none, count = none;
    const std::int64_t some = N * (columns - begin < together ? columns - begin : together);
    for (std::int64_t i = 0; i < some; i += 8) {
      const Octet v = eight_of(table + N * begin, i, some, 0.0), share = upper(v, none - v) / total;
      const Octet log =
          apply([](auto x) REGRETLESS_LAMBDA { return log_of_normal(x); }, upper(share, least));
      const auto of = [&](int place) REGRETLESS_LAMBDA { return of_groups<N>(groups + 3 * begin, place, i, some); };
      sum = sum + where_positive(share, groups ? share * (log * of(0) + of(1)) : share * log, none);
      count = count + where_positive(share, groups ? of(2) : one, none);
    }
    add_lanes<N>(in_halves(sum), sums);
    add_lanes<N>(in_halves(count), counts);
  }
}

inline void take_positive(double* numbers, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = numbers[i] > 0 ? numbers[i] : 0;
}

// How many numbers are no zero of either sign.
inline std::int64_t nonzeros(const double* numbers, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += (std::bit_cast<std::uint64_t>(numbers[i]) << 1) != 0;
  return sum;
}

// Some rows of a table, by ascending numbers; whether all others hold nothing but zeros. Rows are taken while they are
// in the cache, where those that are counted are.
template <std::int64_t known>
bool take_rows_of(const double* from, std::int64_t rows, std::int64_t width, const std::int64_t* numbers,
                  std::int64_t count, double* to) {
  constexpr std::int64_t together = 512;
  if (known > 0) width = known;
  std::int64_t others = 0;
  for (std::int64_t begin = 0, k = 0; begin < rows; begin += together) {
    const std::int64_t end = rows - begin < together ? rows : begin + together, first = k;
    others += nonzeros(from + begin * width, (end - begin) * width);
    for (; k < count && numbers[k] < end; ++k)
      std::memcpy(to + k * width, from + numbers[k] * width, std::size_t(width) * sizeof *to);
    others -= nonzeros(to + first * width, (k - first) * width);
  }
  return others == 0;
}
inline bool take_rows(const double* from, std::int64_t rows, std::int64_t width, const std::int64_t* numbers,
                      std::int64_t count, double* to) {
  const auto take = width == 1   ? take_rows_of<1>
                    : width == 2 ? take_rows_of<2>
                    : width == 4 ? take_rows_of<4>
                                 : take_rows_of<0>;
  return take(from, rows, width, numbers, count, to);
}

// ln(1 + x) for x >= 0.
template <class V>
REGRETLESS_INLINE V log_past_one_of(V x) {
  return x <= V{} + 0.5 ? log_of_one_plus(x <= V{} + 0.5 ? x : V{}) : log_of_normal(x + 1.0);
}

// Of records of weight, sum of squares, sum of y x and largest square, the entries of A with what each starts with.
inline void read_diagonal(const double* records, std::int64_t columns, const DiagonalStart& start, DiagonalParts& out) {
  constexpr std::int64_t together = 1024;
  const Eight prior = spread<8>(start.prior), one = spread<8>(1), none = spread<8>(0);
  for (std::int64_t begin = 0; begin < columns; begin += together) {
    Eight energy{}, volume{};
    const std::int64_t end = columns - begin < together ? columns : begin + together;
    for (std::int64_t j = begin; j < end; j += 8) {
      const auto part = [&](int p, double otherwise) REGRETLESS_LAMBDA {
        return collect<8>([&](int l) { return j + l < end ? records[4 * (j + l) + p] : otherwise; });
      };
      const Eight size = part(3, 0), sum = part(2, 0), squares = part(1, 0);
      const Eight first = start.sized ? upper(prior * where_positive(size, size, one), spread<8>(start.least)) : prior;
      const Eight entry = first + squares, side = root(entry), inverse = one / (side * side);
      energy = energy + sum / entry * sum;
      volume = volume + apply([](auto x) REGRETLESS_LAMBDA { return log_past_one_of(x); }, squares / first);
      double lanes[3][8];
      store(lanes[0], part(0, 0) + none);
      store(lanes[1], side);
      store(lanes[2], inverse);
      for (std::int64_t l = 0; l < 8 && j + l < end; ++l) {
        out.weights[j + l] = lanes[0][l];
        out.roots[j + l] = lanes[1][l];
        out.inverse[j + l] = lanes[2][l];
      }
    }
    out.energy += tree(energy);
    out.volume += tree(volume);
  }
}

}  // namespace regretless::REGRETLESS_ISA
