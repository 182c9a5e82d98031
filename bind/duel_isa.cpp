// The kernels of self-play for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/catalogue.hpp"
#include "regretless/duel.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static constexpr auto methods = facts_of(std::type_identity<DuelMethods>{});

static DuelVerdict play(const Dueling& d, std::int64_t rounds, double target) {
  return with_type<DuelMethods>(d.method, [&]<class Rule>() { return play_rounds<Rule>(d, rounds, target); });
}

// One product: `room` is that of a duelist with the other's strategies.
static bool gains(const Gains& g, const double* others, double* room, double* mine) {
  const std::int64_t padded = duel_padded(g.others);
  double* const play = room;
  float* const narrow = reinterpret_cast<float*>(room + 2 * padded);
  std::int32_t* const places = reinterpret_cast<std::int32_t*>(narrow + padded);
  std::int64_t placed = 0;
  for (std::int64_t i = 0; i < padded; ++i) {
    play[i] = i < g.others ? others[i] : 0;
    narrow[i] = float(play[i]);
  }
  for (std::int64_t i = 0; i < g.others; ++i) {
    places[placed] = std::int32_t(i);
    placed += play[i] != 0;
  }
  return gains_against(g, {play, narrow, places, placed}, mine);
}

static void shorten(const void* values, bool single, std::int64_t rows, std::int64_t columns, double centre,
                    double factor, std::int16_t* out) {
  if (single) shorten_rows(static_cast<const float*>(values), rows, columns, centre, factor, out);
  else shorten_rows(static_cast<const double*>(values), rows, columns, centre, factor, out);
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const Duelists REGRETLESS_TABLE(duelists_) = {REGRETLESS_ISA::methods, REGRETLESS_ISA::play, REGRETLESS_ISA::gains,
                                              REGRETLESS_ISA::shorten};
}  // namespace regretless
