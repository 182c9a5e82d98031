// The kernels of mirror steps for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include <stdexcept>

#include "regretless/mirror_play.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

// f is a template over the link and a function of the rows.
template <class F>
static LinearVerdict with_rows(const Block& b, F f) {
  if (!b.starts) return b.single ? f(Dense<float>(b)) : f(Dense<double>(b));
  return b.single ? f(Sparse<float, std::int32_t>(b)) : f(Sparse<double, std::int32_t>(b));
}
template <class F>
static LinearVerdict with_link(Link link, F f) {
  switch (link) {
    case Link::balanced: return f.template operator()<Balanced>();
    case Link::power: return f.template operator()<Power>();
    case Link::simplex: return f.template operator()<Simplex>();
  }
  throw std::logic_error("no such link");
}

static LinearVerdict play_mirror(const Block& block, const Labels& labels, const MirrorRules& rules,
                                 const MirrorState& state, std::int64_t begin, std::int64_t end) {
  return with_link(rules.link, [&]<class L>() {
    return with_rows(block, [&](const auto& rows) {
      return state.targets == 1 ? mirror_one<L>(rows, labels, rules, state, begin, end)
                                : mirror_many<L>(rows, labels, rules, state, begin, end);
    });
  });
}

static LinearVerdict score_mirror(const Block& block, const MirrorRules& rules, const MirrorState& state, double* out) {
  return with_link(rules.link, [&]<class L>() {
    return with_rows(block, [&](const auto& rows) { return mirror_scores<L>(rows, block.rows, rules, state, out); });
  });
}

static void refresh_mirror(const MirrorRules& rules, const MirrorState& state) {
  switch (rules.link) {
    case Link::balanced: return refresh_all<Balanced>(rules, state);
    case Link::power: return refresh_all<Power>(rules, state);
    case Link::simplex: return refresh_all<Simplex>(rules, state);
  }
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const MirrorKernels REGRETLESS_TABLE(mirrors_) = {REGRETLESS_ISA::play_mirror, REGRETLESS_ISA::score_mirror,
                                                  REGRETLESS_ISA::refresh_mirror};
}  // namespace regretless
