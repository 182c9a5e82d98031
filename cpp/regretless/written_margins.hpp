// Reading comparators against rows in memory: the margins of all rows along some directions are written down, and put
// into the bins of one direction after the other, which the nearest caches hold. The same bits as `sight` gives.
#pragma once
#include "any_rows.hpp"
#include "ascent_types.hpp"
#include "ray_histogram.hpp"

namespace regretless::REGRETLESS_ISA {

template <Rows X>
LinearVerdict write_margins(const X& rows, std::int64_t count, const Labels& labels, double b,
                            const WrittenRays& rays) {
  constexpr double signs[2] = {-1, 1};  // read rather than branched for, as labels are in no order
  return score_rows(rows, count, b, rays, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < rays.count; ++k) {
      const double score = rays.scratch[k] + b * rays.biases[k];
      rays.margins[k * rays.rows + t] = score * signs[labels.label[t] == rays.whose[k]];
    }
  });
}

inline void bin_margins(const WrittenRays& rays) {
  for (std::int64_t k = 0; k < rays.count; ++k) {
    const double times = rays.times[k], *const margins = rays.margins + k * rays.rows;
    double* const bins = rays.bins + k * ray_bins * 3;
    std::uint8_t* const filled = rays.filled + k * ray_mark_bytes;
    for (std::int64_t t = 0; t < rays.rows && times != 0; ++t) {
      const double margin = margins[t];
      const std::int64_t place = ray_bin(margin);
      filled[place >> 3] |= std::uint8_t(1 << (place & 7));
      double* const bin = bins + place * 3;
      bin[0] += times;
      bin[1] += times * margin;
      bin[2] += times * (margin * margin);
      if (margin < rays.least[k]) rays.least[k] = margin;
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
