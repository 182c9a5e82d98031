// Reading comparators against rows in memory: the margins of all rows along some directions are written down, and put
// into the bins of one direction after the other, which the nearest caches hold. The same bits as `sight` gives.
#pragma once
#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "ray_histogram.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// Of so few vectors all scores of a row are turned into margins at once; each by the label of its own target.
template <Rows X>
LinearVerdict write_few_margins(const X& rows, std::int64_t count, const Labels& labels, double b,
                                const WrittenRays& rays) {
  double shifts[8] = {}, whose[8] = {}, margins[8];
  for (std::int64_t k = 0; k < rays.count; ++k) {
    shifts[k] = b * rays.biases[k];
    whose[k] = rays.whose[k];
  }
  return score_rows(rows, count, b, rays, [&](std::int64_t t) {
    const Eight signs = apply(
        [](auto a, auto c) REGRETLESS_LAMBDA { return a == c ? decltype(a){} + 1 : decltype(a){} - 1; },
        load<8>(whose), spread<8>(labels.label[t]));
    store(margins, (load<8>(rays.scratch) + load<8>(shifts)) * signs);
    double* to = rays.margins + t;
    for (std::int64_t k = 0; k < rays.count; ++k, to += rays.rows) *to = margins[k];
  });
}

template <Rows X>
LinearVerdict write_margins(const X& rows, std::int64_t count, const Labels& labels, double b,
                            const WrittenRays& rays) {
  if (rays.room == 8) return write_few_margins(rows, count, labels, b, rays);
  constexpr double signs[2] = {-1, 1};  // read rather than branched for, as labels are in no order
  return score_rows(rows, count, b, rays, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < rays.count; ++k) {
      const double score = rays.scratch[k] + b * rays.biases[k];
      rays.margins[k * rays.rows + t] = score * signs[labels.label[t] == rays.whose[k]];
    }
  });
}

// Margins of one ray: their sums into its bins, and how many there are of each bin. Places and products are made
// beforehand, for many margins at once.
inline void bin_some(const double* margins, std::int64_t count, double times, double* bins, std::int32_t* counts,
                     double& least) {
  constexpr std::int64_t most = 256;
  std::int32_t places[most];
  double parts[2 * most];
  for (std::int64_t begin = 0; begin < count; begin += most, margins += most) {
    const std::int64_t some = count - begin < most ? count - begin : most;
    for (std::int64_t t = 0; t < some; ++t) places[t] = std::int32_t(ray_bin(margins[t]));
    for (std::int64_t t = 0; t < some; ++t) {
      parts[2 * t] = times * margins[t];
      parts[2 * t + 1] = times * (margins[t] * margins[t]);
    }
    double smallest = least;
    for (std::int64_t t = 0; t < some; ++t) {
      const std::int64_t place = places[t];
      double* const sums = bins + place * 3 + 1;
      ++counts[place];
      store(sums, load<2>(sums) + load<2>(parts + 2 * t));
      smallest = margins[t] < smallest ? margins[t] : smallest;
    }
    least = smallest;
  }
}

// What was counted of one ray goes into its bins, and zeros take its place. Most bins are empty, and passed by
// together. Of a whole number of times that all rounds count, their number in a bin is known from how many margins it
// has.
inline void take_counts(std::int32_t* counts, double times, double* bins, std::uint8_t* filled) {
  constexpr int N = breadth<std::int32_t>;
  for (std::int64_t begin = 0; begin < ray_bins; begin += N) {
    if (!any_bit(*reinterpret_cast<const Pack<std::int32_t, N>::Loose*>(counts + begin))) continue;
    for (std::int64_t place = begin; place < begin + N; ++place)
      if (counts[place]) {
        bins[place * 3] += times * double(counts[place]);
        filled[place >> 3] |= std::uint8_t(1 << (place & 7));
        counts[place] = 0;
      }
  }
}

inline void bin_margins(const WrittenRays& rays) {
  constexpr std::int64_t most = std::int64_t(1) << 30;  // that can be counted
  for (std::int64_t k = 0; k < rays.count; ++k) {
    if (rays.times[k] == 0) continue;
    double* const bins = rays.bins + k * ray_bins * 3;
    for (std::int64_t begin = 0; begin < rays.rows; begin += most) {
      const std::int64_t some = rays.rows - begin < most ? rays.rows - begin : most;
      bin_some(rays.margins + k * rays.rows + begin, some, rays.times[k], bins, rays.counts, rays.least[k]);
      take_counts(rays.counts, rays.times[k], bins, rays.filled + k * ray_mark_bytes);
    }
  }
}

// f(place) of eight numbers at a time, `most` of them in sums of their own: long sums would round more. What is left is
// for the caller.
template <class F>
inline std::int64_t by_blocks(std::int64_t count, const F& f) {
  constexpr std::int64_t most = 1024;
  const std::int64_t whole = count - count % 8;
  for (std::int64_t begin = 0; begin < whole; begin += most) f(begin, whole - begin < most ? whole : begin + most);
  return whole;
}

// What `scale` times a direction with these margins is charged: the sums of hinge losses and of their squares.
inline void add_hinges(const double* margins, std::int64_t count, double scale, double& hinges, double& squares) {
  const std::int64_t whole = by_blocks(count, [&](std::int64_t begin, std::int64_t end) {
    Eight first{}, second{};
    for (std::int64_t t = begin; t < end; t += 8) {
      const Eight lack = apply([](auto m) REGRETLESS_LAMBDA { return m >= 1.0 ? decltype(m){} : 1.0 - m; },
                               load<8>(margins + t) * spread<8>(scale));
      first = first + lack;
      second = second + lack * lack;
    }
    hinges += tree(first);
    squares += tree(second);
  });
  for (std::int64_t t = whole; t < count; ++t) {
    const double margin = margins[t] * scale, lack = margin >= 1 ? 0 : 1 - margin;
    hinges += lack;
    squares += lack * lack;
  }
}

inline double squares(const double* vector, std::int64_t count) {
  double sum = 0;
  const std::int64_t whole = by_blocks(count, [&](std::int64_t begin, std::int64_t end) {
    Eight part{};
    for (std::int64_t k = begin; k < end; k += 8) part = part + load<8>(vector + k) * load<8>(vector + k);
    sum += tree(part);
  });
  for (std::int64_t k = whole; k < count; ++k) sum += vector[k] * vector[k];
  return sum;
}

}  // namespace regretless::REGRETLESS_ISA
