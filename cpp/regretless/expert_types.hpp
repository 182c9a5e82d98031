// What crosses the border between the binding and the kernels that combine experts: plain borrowed data, no templates.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace regretless {

enum class ChargeKind { table, absolute, square, pinball, log, zero_one, percentage, wealth };
inline constexpr std::pair<std::string_view, ChargeKind> charge_names[] = {
    {"table", ChargeKind::table},           {"absolute", ChargeKind::absolute}, {"square", ChargeKind::square},
    {"pinball", ChargeKind::pinball},       {"log", ChargeKind::log},           {"zero-one", ChargeKind::zero_one},
    {"percentage", ChargeKind::percentage}, {"wealth", ChargeKind::wealth}};

enum class ScheduleKind { constant, anytime, self_tuned, leader };  // leader: infinite in every round
inline constexpr std::pair<std::string_view, ScheduleKind> schedule_names[] = {{"constant", ScheduleKind::constant},
                                                                               {"anytime", ScheduleKind::anytime},
                                                                               {"self-tuned", ScheduleKind::self_tuned},
                                                                               {"leader", ScheduleKind::leader}};

// Running totals over the rounds whose outcome is known, in the order in which the outcomes came.
struct ExpertBook {
  double rounds;      // rounds settled
  double loss;        // the learner's own
  double expected;    // the experts' losses, mixed by the weights that were played
  double charge;      // what the rule was charged: the mix of the charges under its weights when the outcome came
  double delay;       // charges mixed by the weights that were played, less `charge`
  double gap;         // charge less mix losses; a hedge of constant rate has no need to sum them
  double drag;        // ML-Poly: sum of rates times squared regrets
  double sampled;     // losses of the experts that were drawn
  double first_rate;  // of the first round settled
  double last_rate;   // of the last one
  double spread;      // largest difference between two charges of one round
  double spread2;     // sum of the squares of these differences
  double lowest;      // of the experts' losses
  double highest;
  double absent;        // forecasts that were missing
  double mistakes;      // rounds predicted wrongly, where a prediction is right or wrong
  double max_outcome2;  // largest squared outcome
  double sensitivity;   // of the log loss of one number: sum of |p l'(p)|, which a relative error of the forecast p is
                        // multiplied by
  double changes;       // at the rate of `leader`: rounds in which an expert with the least sum had it no more
};

inline constexpr const char* expert_fields[] = {"rounds",   "loss",         "expected",    "charge",     "delay",
                                                "gap",      "drag",         "sampled",     "first_rate", "last_rate",
                                                "spread",   "spread2",      "lowest",      "highest",    "absent",
                                                "mistakes", "max_outcome2", "sensitivity", "changes"};
inline constexpr int expert_book_size = sizeof(ExpertBook) / sizeof(double);
static_assert(expert_book_size == sizeof(expert_fields) / sizeof(expert_fields[0]));

// What travels with the state of a rule; all zero at the start.
struct CombinerMemory {
  double rounds;   // rounds settled
  double spread;   // largest difference between two charges of one round
  double gaps;     // sum of the mixability gaps
  double charge;   // sum of what the rule was charged
  double least;    // hedge: smallest sum of charges
  double largest;  // largest |regret| of one round, squared for poly
  double first;    // squint: the scale of its grid, once known
  double apart;    // how far weights were played from those at the time of the outcome: sum of L1 distances
};
inline constexpr int combiner_memory_size = sizeof(CombinerMemory) / sizeof(double);

// Rows of `tallies`.
enum Tally { own_losses, absences, missed_core, missed_mix, missed_loss, tally_rows };

// What is to be known of a rule for weights. Each rule says it of itself, and so is in `CombinerRules`.
struct CombinerRule {
  const char* name;
  int rows;  // numbers of an expert in the state
  bool exponential =
      false;  // weights are in proportion to prior * exp(-rate * summed charges), and nothing else moves them
  bool one_rate = false;   // all experts have one rate, of some schedule; then the last row of the state sums charges
  bool own_rates = false;  // each expert has a rate of its own
  bool by_regret = false;  // the first row of the state sums the regrets of what was played, the last their squares
  bool drags = false;      // the second row sums gains: regrets less what the rule charges for their size
  bool shares = false;     // a share of the weights is dealt out again; they are the first row, at the start the prior
  bool counts = false;     // the state counts mistakes, of which each multiplies the weight of an expert by beta
};

// A composition and the arrays it plays on.
struct Combination {
  int place;  // of the rule in the catalogue
  CombinerRule rule;
  ChargeKind charge;
  ScheduleKind schedule;
  double rate, span, alpha, tau, low, high;
  bool linear, substitute, always;
  const double* powers;  // majority: beta^0, beta^1, ...
  std::int64_t power_count;
  std::int64_t experts, width;
  double* state;  // (state_rows, experts)
  CombinerMemory* memory;
  ExpertBook* book;
  double* tallies;  // (tally_rows, experts)
  const double* prior;
  double* scratch;  // scratch_size, aligned like a cache line
};
constexpr std::int64_t padded(std::int64_t n) { return (n + 7) / 8 * 8; }
constexpr std::int64_t scratch_size(std::int64_t experts, std::int64_t width) {
  return 11 * padded(experts) + padded(3 * width);
}

// Rows of advice, (rounds, experts) or (rounds, experts, width), and what came, (rounds) or (rounds, width).
struct Advice {
  const double* values;
  const double* outcomes;
};

// Where the results of rounds go; each may be null.
struct Results {
  double* predictions;
  double* losses;
  double* weights;
  const double* uniforms;  // draws in [0, 1), and which expert each of them drew
  std::int64_t* chosen;
};

// Before row t is predicted, the rows settle[starts[t]] ... settle[starts[t + 1] - 1] are settled; the last stretch
// comes at the end. The weights of row t wait in pool[slots[t]]. Rows of float32 are read one at a time into `line`.
struct Lateness {
  const std::int64_t *settle, *starts, *slots;
  double* pool;
  const float* singles;  // in place of the advice's values, else null
  double* line;
};

// A loss that the kernel does not know: what each expert lost and is charged, nan for who was silent.
struct Charged {
  const double *own, *charges, *weights;
  double loss, expected;
};

enum class ExpertRefusal { none, asleep, not_finite, outcome, out_of_range, infinite_loss, not_binary };

// The row that was refused, or the end of those that were played; the column is -1 for the outcome.
struct ExpertVerdict {
  std::int64_t row = 0;
  ExpertRefusal refusal = ExpertRefusal::none;
  std::int64_t column = -1;
};

struct Combiners {
  std::span<const CombinerRule> rules;  // the catalogue, the same for every instruction set
  ExpertVerdict (*play)(const Combination&, const Advice&, const Results&, std::int64_t begin, std::int64_t end);
  ExpertVerdict (*play_delayed)(const Combination&, const Advice&, const Results&, const Lateness&,
                                std::int64_t rounds);
  ExpertVerdict (*predict)(const Combination&, const double* advice, double* weights, double* prediction);
  ExpertVerdict (*settle)(const Combination&, const Advice&, const double* weights, const double* prediction,
                          double* loss);
  ExpertVerdict (*settle_charges)(const Combination&, const Charged&);
  void (*weights)(const Combination&, double* out);
  void (*rates)(const Combination&, double* out);
  double (*rate)(const Combination&);
  double (*log_potential)(const Combination&);
  double (*gap)(const Combination&);
  void (*widen)(const float*, std::int64_t count, double* out);
};

extern const Combiners combiners_v1, combiners_v3, combiners_v4, combiners_generic;

}  // namespace regretless
