// Ridge logistic regression: hostile rows are refused or searched through, and twice with the same bits.
#include "regretless/ridge_types.hpp"
#include "rounds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fuzz;
  using namespace regretless;
  Input in(data, size);
  Rounds r;
  std::int64_t columns = in.below(20);
  fill(in, r, columns, 1, in.byte() < 192);
  if (r.block.single) {
    r.doubles.assign(r.floats.begin(), r.floats.end());
    r.doubles.shrink_to_fit();
    r.block.values = at(r.doubles);
    r.block.single = false;
  }
  r.block.order = nullptr;
  const auto tilt = array<double>(columns + 1, [&] { return in.any(); });
  RidgeProblem p;
  p.tilt = at(tilt);
  p.columns = columns + 1;
  p.intercept = in.finite();
  p.over = std::fabs(in.finite()) + 5e-324;
  p.reach = in.flag() ? std::numeric_limits<double>::infinity() : std::fabs(in.finite()) + 5e-324;
  std::vector<double> best[2];
  for (auto& its : best) {
    std::vector<double> room(std::size_t(ridge_room(r.block.rows, p.columns, r.block.entries)));
    its.resize(std::size_t(p.columns));
    p.best = its.data();
    p.room = room.data();
    const LinearVerdict verdict = KERNELS(ridge_kernels_).minimise(r.block, r.of, p);
    MUST((verdict.refusal == LinearRefusal::none) == (verdict.played == r.block.rows));
  }
  MUST(same(best[0], best[1]));
  return 0;
}
