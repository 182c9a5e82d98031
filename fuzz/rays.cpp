// Margins along directions: hostile rows and directions. What is written down and put into bins afterwards has the bits
// that `sight` gives in one reading, and of rows whose columns are copied too.
#include "regretless/ascent_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Directions {
  std::int64_t columns, count, room;
  std::vector<double> vectors, biases, times;
  std::vector<std::int32_t> whose;

  explicit Directions(Input& in)
      : columns(in.below(20)), count(in.within(1, 9)), room(count < 8 && in.flag() ? 8 : count),
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

// Every bin of a ray that has any rounds was taken, and the rounds of all negative margins, then of each positive bin,
// are in what is below.
void compare(const double* bins, const Taken& taken) {
  std::size_t k = 0;
  double below = 0;
  for (std::int64_t place = 0; place < ray_bins; ++place) {
    const double* const bin = bins + place * 3;
    if (place >= ray_side) below += bin[0];
    if (bin[0] == 0) continue;
    MUST(k < taken.places.size() && taken.places[k] == place);
    for (std::size_t i = 0; i < 3; ++i) MUST(same(bin[i], taken.bins[3 * k + i]));
    ++k;
  }
  MUST(k == taken.places.size() && taken.below[0] == below);
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
  std::vector<double> bins(std::size_t(d.count * ray_bins * 3)), sums(2 * ray_bins);
  std::vector<double> scratch = zeros(d.room), norms = zeros(3), seen = zeros(3);
  std::vector<double> least = zeros(d.count), smallest = zeros(d.count), margins = zeros(d.count * r.block.rows);
  const LinearVerdict verdict =
      KERNELS(kernels_).sight(r.block, r.of, rules, {d.along(norms, scratch), at(bins), at(least)});
  copy_by_rows(r);
  std::vector<std::int32_t> counts(std::size_t(ray_counts), 0);
  const WrittenRays rays{
      {d.along(seen, scratch), nullptr, at(smallest)}, at(margins), at(counts), at(sums), r.block.rows};
  const LinearVerdict other = KERNELS(ascent_kernels_).write_margins(r.block, r.of, rules.intercept, rays);
  MUST(other.played == verdict.played && other.refusal == verdict.refusal && same(norms, seen));
  if (verdict.refusal != LinearRefusal::none) return 0;
  for (std::int64_t ray = 0; ray < d.count; ++ray) compare(at(bins) + ray * ray_bins * 3, Taken(rays, ray));
  MUST(same(least, smallest) && std::count(sums.begin(), sums.end(), 0.0) == 2 * ray_bins);
  MUST(std::count(counts.begin(), counts.end(), 0) == ray_counts);
  return 0;
}
