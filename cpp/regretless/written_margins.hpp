// Reading comparators against rows in memory: the margins of all rows along some directions are written down, and put
// into the bins of one direction after the other, which the nearest caches hold. The same bits as `sight` gives; of
// few rows most bins are empty, and only the others are handed on.
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

// Margins of one ray into its bins, unless rounds count zero times. Places and products are made beforehand, for many
// margins at once.
inline FilledBins bin_margins(const WrittenRays& rays, std::int64_t ray) {
  constexpr std::int64_t most = 256;
  std::int32_t places[most];
  double parts[2 * most];
  const double* margins = rays.margins + ray * rays.rows;
  const double times = rays.times[ray];
  double smallest = rays.least[ray];
  FilledBins filled;
  if (times == 0) return filled;
  for (std::int64_t begin = 0; begin < rays.rows; begin += most, margins += most) {
    const std::int64_t some = rays.rows - begin < most ? rays.rows - begin : most;
    for (std::int64_t t = 0; t < some; ++t) places[t] = std::int32_t(ray_bin(margins[t]));
    for (std::int64_t t = 0; t < some; ++t) {
      parts[2 * t] = times * margins[t];
      parts[2 * t + 1] = times * (margins[t] * margins[t]);
    }
    for (std::int64_t t = 0; t < some; ++t) {
      const std::int64_t place = places[t];
      double* const sums = rays.sums + place * 2;
      const bool first = !rays.counts[place]++;
      filled.count += first;
      filled.positive += first && place < ray_side;
      store(sums, load<2>(sums) + load<2>(parts + 2 * t));
      smallest = margins[t] < smallest ? margins[t] : smallest;
    }
  }
  rays.least[ray] = smallest;
  return filled;
}

// The bins that have any margins, with zeros in their place afterwards. Most are empty, and passed by together. All
// rounds count a whole number of times, so that their number in a bin is known from how many margins it has.
inline void take_bins(const WrittenRays& rays, std::int64_t ray, TakenBins& taken) {
  constexpr int N = breadth<std::int32_t>;
  double all[3] = {}, positive[3] = {}, negative[3] = {};
  std::int64_t* to = taken.places;
  double *bins = taken.bins, *below = taken.below + 3;
  for (std::int64_t begin = 0; begin < ray_bins; begin += N) {
    if (!any_bit(*reinterpret_cast<const Pack<std::int32_t, N>::Loose*>(rays.counts + begin))) continue;
    for (std::int64_t place = begin; place < begin + N; ++place) {
      if (!rays.counts[place]) continue;
      const double its[3] = {rays.times[ray] * rays.counts[place], rays.sums[2 * place], rays.sums[2 * place + 1]};
      rays.counts[place] = 0;
      rays.sums[2 * place] = rays.sums[2 * place + 1] = 0;
      *to++ = place;
      double* const side = place < ray_side ? positive : negative;
      for (int k = 0; k < 3; ++k) {
        *bins++ = its[k];
        all[k] += its[k];
        side[k] += its[k];
        if (side == positive) *below++ = side[k];
      }
    }
  }
  for (int k = 0; k < 3; ++k) taken.below[k] = 0;
  for (double* sums = taken.below; sums < below; sums += 3)
    for (int k = 0; k < 3; ++k) sums[k] += negative[k];
  taken.total = all[1];
  taken.squares = all[2];
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
