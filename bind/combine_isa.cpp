// The kernels that combine experts, for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/catalogue.hpp"
#include "regretless/combine.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static constexpr auto rules = facts_of(std::type_identity<CombinerRules>{});

// A rule's place in the catalogue becomes its type; f is a template over the rule.
template <class F>
static auto with_rule(int place, F f) {
  return with_type<CombinerRules>(place, f);
}

static void widen(const float* singles, std::int64_t count, double* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = double(singles[i]);
}

static ExpertVerdict play(const Combination& s, const Advice& advice, const Results& to, std::int64_t begin,
                          std::int64_t end) {
  return with_rule(s.place, [&]<class R>() { return play_rows<R>(s, advice.values, advice.outcomes, to, begin, end); });
}

static ExpertVerdict play_delayed(const Combination& s, const Advice& advice, const Results& to, const Lateness& late,
                                  std::int64_t rounds) {
  return with_rule(s.place,
                   [&]<class R>() { return play_late_rows<R>(s, advice.values, advice.outcomes, to, late, rounds); });
}

static ExpertVerdict predict(const Combination& s, const double* advice, double* weights, double* prediction) {
  ExpertWorkspace d(s);
  const Fault bad = with_rule(s.place, [&]<class R>() { return predict_row<R>(d, advice, weights, prediction); });
  return {0, bad.refusal, bad.column};
}

static ExpertVerdict settle(const Combination& s, const Advice& advice, const double* weights, const double* prediction,
                            double* loss) {
  ExpertWorkspace d(s);
  const Fault bad = with_rule(
      s.place, [&]<class R>() { return settle_row<R>(d, advice.values, advice.outcomes, weights, prediction, *loss); });
  return {0, bad.refusal, bad.column};
}

static ExpertVerdict settle_charges(const Combination& s, const Charged& charged) {
  ExpertWorkspace d(s);
  const Fault bad = with_rule(s.place, [&]<class R>() { return settle_charged<R>(d, charged); });
  return {0, bad.refusal, bad.column};
}

static void weights(const Combination& s, double* out) {
  ExpertWorkspace d(s);
  d.advised = d.advice;
  d.silent = 0;
  for (std::int64_t i = 0; i < d.padded_n; ++i) d.advice[i] = i < d.n ? 0 : missing;
  with_rule(s.place, [&]<class R>() { return weigh<R>(d); });
  share_out(d, out);
}

static void rates(const Combination& s, double* out) {
  const ExpertWorkspace d(s);
  with_rule(s.place, [&]<class R>() { rates_of<R>(d, out); });
}

static double rate(const Combination& s) {
  if (!s.rule.one_rate) return missing;
  return common_rate(ExpertWorkspace(s));
}

static double log_potential(const Combination& s) {
  ExpertWorkspace d(s);
  return with_rule(s.place, [&]<class R>() { return log_potential_of<R>(d); });
}

static double gap(const Combination& s) { return gap_of(ExpertWorkspace(s)); }

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const Combiners REGRETLESS_TABLE(combiners_) = {
    REGRETLESS_ISA::rules,  REGRETLESS_ISA::play,           REGRETLESS_ISA::play_delayed, REGRETLESS_ISA::predict,
    REGRETLESS_ISA::settle, REGRETLESS_ISA::settle_charges, REGRETLESS_ISA::weights,      REGRETLESS_ISA::rates,
    REGRETLESS_ISA::rate,   REGRETLESS_ISA::log_potential,  REGRETLESS_ISA::gap,          REGRETLESS_ISA::widen};
}  // namespace regretless
