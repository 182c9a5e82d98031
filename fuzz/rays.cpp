// Margins along directions: hostile rows and directions. What is written down and put into bins afterwards has the bits
// that `sight` gives in one reading, and of rows whose columns are copied too.
#include "regretless/ascent_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

constexpr std::int64_t most_directions = 9;

struct Directions {
  std::int64_t columns, count, room;
  std::vector<double> vectors, biases, times;
  std::vector<std::int32_t> whose;

  explicit Directions(Input& in)
      : columns(in.below(20)), count(in.within(1, most_directions)), room(count < 8 && in.flag() ? 8 : count),
        vectors(array<double>(columns * room, [&] { return in.any(); })),
        biases(array<double>(count, [&] { return in.any(); })),
        times(array<double>(count, [&] { return in.within(0, 3); })),
        whose(array<std::int32_t>(count, [&] { return in.below(3); })) {}
  FixedVectors along(std::vector<double>& norms, std::vector<double>& scratch) const {
    return {at(vectors), at(biases), at(whose), at(times), at(norms), at(scratch), columns, room, count};
  }
};

struct Taken {
  FilledBins filled;
  std::vector<std::int64_t> places;
  std::vector<double> bins, below;

  Taken(const WrittenRays& rays, std::int64_t ray) : filled(KERNELS(ascent_kernels_).bin_margins(rays, ray)) {
    places.resize(std::size_t(filled.count));
    bins.resize(std::size_t(filled.count) * 3);
    below.resize(std::size_t(filled.positive + 1) * 3);
    TakenBins taken{at(places), at(bins), at(below)};
    KERNELS(ascent_kernels_).take_bins(rays, ray, taken);
  }
};

// Tables that are long beside the few bins that have rounds: they are zeros between runs, which only clear what they
// filled. Bins of fewer directions than most are the last of the table, so that the sanitizer sees who goes past its
// end.
struct Tables {
  std::vector<double> bins = zeros(most_directions * ray_bins * 3), sums = zeros(2 * ray_bins);
  std::vector<std::int32_t> counts = std::vector<std::int32_t>(std::size_t(ray_counts));

  double* of(std::int64_t directions) { return bins.data() + (most_directions - directions) * ray_bins * 3; }
};

template <class T>
bool all_zero(const T* from, std::size_t count) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from);
  return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, count * sizeof(T) - 1) == 0;
}

// What was taken is in the bins of a ray, which are cleared, and the rounds of all negative margins, then of each
// positive bin, are in what is below.
void compare(double* bins, const Taken& taken) {
  double below = 0;
  for (std::size_t k = 0; k < taken.places.size(); ++k) {
    double* const bin = bins + taken.places[k] * 3;
    MUST(bin[0] != 0 && (k == 0 || taken.places[k - 1] < taken.places[k]));
    if (taken.places[k] >= ray_side) below += bin[0];
    for (std::size_t i = 0; i < 3; ++i) MUST(same(bin[i], taken.bins[3 * k + i]));
    std::fill(bin, bin + 3, 0.0);
  }
  MUST(taken.below[0] == below);
  for (std::size_t p = 0; p < std::size_t(taken.filled.positive); ++p) {
    below += taken.bins[3 * p];
    MUST(taken.below[3 * p + 3] == below);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Rounds r;
  const Directions d(in);
  Rules rules;
  rules.intercept = in.flag() ? in.finite() : 0;
  fill(in, r, d.columns, 3, true);
  r.block.order = nullptr;
  static Tables tables;
  double* const bins = tables.of(d.count);
  std::vector<double> scratch = zeros(d.room), norms = zeros(3), seen = zeros(3);
  std::vector<double> least = zeros(d.count), smallest = zeros(d.count), margins = zeros(d.count * r.block.rows);
  const LinearVerdict verdict =
      KERNELS(kernels_).sight(r.block, r.of, rules, {d.along(norms, scratch), bins, at(least)});
  copy_by_rows(r);
  const WrittenRays rays{
      {d.along(seen, scratch), nullptr, at(smallest)}, at(margins), at(tables.counts), at(tables.sums), r.block.rows};
  const LinearVerdict other = KERNELS(ascent_kernels_).write_margins(r.block, r.of, rules.intercept, rays);
  MUST(other.played == verdict.played && other.refusal == verdict.refusal && same(norms, seen));
  if (verdict.refusal != LinearRefusal::none) {
    std::memset(bins, 0, std::size_t(d.count * ray_bins * 3) * sizeof(double));
    return 0;
  }
  for (std::int64_t ray = 0; ray < d.count; ++ray) compare(bins + ray * ray_bins * 3, Taken(rays, ray));
  MUST(same(least, smallest) && all_zero(bins, std::size_t(d.count * ray_bins * 3)));
  MUST(all_zero(tables.sums.data(), tables.sums.size()) && all_zero(tables.counts.data(), tables.counts.size()));
  return 0;
}
