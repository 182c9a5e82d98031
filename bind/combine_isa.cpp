// The kernels that combine experts, for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include <stdexcept>

#include "regretless/combine.hpp"

namespace regretless::REGRETLESS_ISA {

// A rule's name becomes its type; f is a template over the rule.
template <class F>
static auto with_rule(RuleKind rule, F f) {
  switch (rule) {
    case RuleKind::hedge: return f.template operator()<Hedge>();
    case RuleKind::share: return f.template operator()<Share>();
    case RuleKind::poly: return f.template operator()<Poly>();
    case RuleKind::prod: return f.template operator()<Prod>();
    case RuleKind::boa: return f.template operator()<Boa>();
    case RuleKind::squint: return f.template operator()<Squint>();
    case RuleKind::majority: return f.template operator()<Majority>();
  }
  throw std::logic_error("no such rule");
}

// So does the type of the numbers.
template <class F>
static auto with_rows(const Combination& s, const Advice& advice, F f) {
  return with_rule(s.rule, [&]<class R>() {
    if (advice.single) return f.template operator()<R>(static_cast<const float*>(advice.values));
    return f.template operator()<R>(static_cast<const double*>(advice.values));
  });
}

static Verdict play(const Combination& s, const Advice& advice, const Results& to, std::int64_t begin, std::int64_t end) {
  return with_rows(s, advice, [&]<class R>(const auto* rows) { return play_rows<R>(s, rows, advice.outcomes, to, begin, end); });
}

static Verdict play_delayed(const Combination& s, const Advice& advice, const Results& to, const Lateness& late,
                            std::int64_t rounds) {
  return with_rows(s, advice,
                   [&]<class R>(const auto* rows) { return play_late_rows<R>(s, rows, advice.outcomes, to, late, rounds); });
}

static Verdict predict(const Combination& s, const Advice& advice, double* weights, double* prediction) {
  Desk d(s);
  const Found bad = with_rows(s, advice, [&]<class R>(const auto* row) { return predict_row<R>(d, row, weights, prediction); });
  return {0, bad.refusal, bad.column};
}

static Verdict settle(const Combination& s, const Advice& advice, const double* weights, const double* prediction,
                      double* loss) {
  Desk d(s);
  const Found bad = with_rows(s, advice, [&]<class R>(const auto* row) {
    return settle_row<R>(d, row, advice.outcomes, weights, prediction, *loss);
  });
  return {0, bad.refusal, bad.column};
}

static Verdict settle_charges(const Combination& s, const Charged& given) {
  Desk d(s);
  const Found bad = with_rule(s.rule, [&]<class R>() { return settle_charged<R>(d, given); });
  return {0, bad.refusal, bad.column};
}

static void weights(const Combination& s, double* out) {
  Desk d(s);
  d.a = d.advice;
  d.silent = 0;
  for (std::int64_t i = 0; i < d.padded_n; ++i) d.advice[i] = i < d.n ? 0 : missing;
  with_rule(s.rule, [&]<class R>() { return weigh<R>(d); });
  share_out(d, out);
}

static void rates(const Combination& s, double* out) { rates_of(Desk(s), out); }

static double rate(const Combination& s) {
  if (s.rule != RuleKind::hedge && s.rule != RuleKind::share) return missing;
  return common_rate(Desk(s));
}

static double log_potential(const Combination& s) {
  Desk d(s);
  return log_potential_of(d);
}

static double gap(const Combination& s) { return gap_of(Desk(s)); }

}  // namespace regretless::REGRETLESS_ISA

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(isa) REGRETLESS_PASTE(combiners_, isa)

namespace regretless {
const Combiners REGRETLESS_TABLE(REGRETLESS_ISA) = {
    REGRETLESS_ISA::play,    REGRETLESS_ISA::play_delayed, REGRETLESS_ISA::predict, REGRETLESS_ISA::settle,
    REGRETLESS_ISA::settle_charges, REGRETLESS_ISA::weights, REGRETLESS_ISA::rates, REGRETLESS_ISA::rate,
    REGRETLESS_ISA::log_potential,  REGRETLESS_ISA::gap};
}  // namespace regretless
