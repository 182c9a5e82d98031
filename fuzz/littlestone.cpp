// Searches for Littlestone dimensions, plain and randomised, left and taken up again, with little memory, asked for
// version spaces that may be none. Of small classes the dimension is that of its definition; a tree is one of mistakes.
#include "bits.hpp"
#include "regretless/littlestone.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

std::vector<std::uint64_t> live_of(Input& in, const Class& c) {
  std::vector<std::uint64_t> live = c.all();
  if (in.byte() >= 192) {
    for (std::uint64_t& word : live) word = in.raw<std::uint64_t>();
    return live;
  }
  for (std::int64_t cuts = in.below(3); cuts > 0; --cuts) {
    const std::int64_t x = in.below(c.points);
    const std::uint64_t flip = in.flag() ? 0 : ~std::uint64_t(0);
    for (std::int64_t w = 0; w < c.words; ++w) live[std::size_t(w)] &= c.columns[std::size_t(x * c.words + w)] ^ flip;
  }
  return live;
}

void search(Input& in, const Class& c) {
  const LittlestoneKernels& kernels = KERNELS(littlestone_kernels_);
  void* const task = kernels.make({c.columns.data(), c.points, c.words, c.hypotheses}, std::int64_t(1) << 20);
  MUST(task);
  LittlestoneStanding standing{0, 0, 0};
  for (int times = 0; times < 4; ++times) {
    const auto live = live_of(in, c);
    kernels.run(task, in.flag() ? nullptr : live.data(), in.within(1, 200), 0, standing);
  }
  LittlestoneStatus outcome = LittlestoneStatus::open;
  for (int k = 0; k < 1000; ++k) {
    outcome = kernels.run(task, nullptr, 1 << 16, 0, standing);
    if (outcome != LittlestoneStatus::done || standing.lower == standing.upper) break;
  }
  if (outcome == LittlestoneStatus::done && standing.lower == standing.upper && c.distinct()) {
    const int depth = standing.lower;
    if (c.hypotheses <= 12) MUST(depth == littlestone_of(c.rows(), c.points));
    const std::size_t leaves = std::size_t(1) << depth;
    std::vector<std::int64_t> points(leaves, -1), hypotheses(leaves, -1);
    for (int k = 0; k < 1000 && (outcome = kernels.tree(task, nullptr, depth, 1 << 16, points.data(),
                                                        hypotheses.data())) == LittlestoneStatus::open;)
      ++k;
    MUST(outcome == LittlestoneStatus::done);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      MUST(hypotheses[leaf] >= 0 && hypotheses[leaf] < c.hypotheses);
      std::size_t node = 0;
      for (int level = depth - 1; level >= 0; --level) {
        const bool label = leaf >> level & 1;
        MUST(points[node] >= 0 && points[node] < c.points && c.says(hypotheses[leaf], points[node]) == label);
        node = 2 * node + 1 + label;
      }
    }
  }
  kernels.end(task);
}

void search_randomized(Input& in, const Class& c) {
  const RandomizedKernels& kernels = KERNELS(randomized_kernels_);
  void* const task = kernels.make({c.columns.data(), c.points, c.words, c.hypotheses}, std::int64_t(1) << 20);
  MUST(task);
  RandomizedStanding standing{};
  for (int times = 0; times < 4; ++times) {
    const auto live = live_of(in, c);
    const LittlestoneStatus outcome =
        kernels.run(task, in.flag() ? nullptr : live.data(), in.within(1, 2000), standing);
    if (outcome == LittlestoneStatus::done) MUST(standing.lower <= standing.upper);
  }
  kernels.end(task);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const bool small = in.byte() < 200;
  const Class c(in, small ? 12 : 150, small ? 8 : 40);
  if (in.byte() < 200) search(in, c);
  else search_randomized(in, c);
  return 0;
}
