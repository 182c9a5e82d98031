// What crosses the border between the binding and the kernels of bandits: plain borrowed data, no templates.
#pragma once
#include <cstdint>
#include <span>

namespace regretless {

enum class PullSchedule { constant, anytime, every_round };

// Running totals, losses in units: 0 is the best value of the range, 1 the worst.
struct PullBook {
  double rounds;   // draws made
  double settled;  // draws whose loss is known
  double loss;     // sum of these losses
  double mixed;    // full information: losses mixed by the probabilities
  double swing;    // sum over draws of the rate times the arms that could be drawn
  double rates;    // sum over draws of the rate
  double reach;  // sum over draws of the arms that could be drawn; with advice, of the sum of each arm's largest share
  double first_rate;  // of the first draw
  double last_rate;   // of the last one
  double last_gamma;  // the implicit exploration of the last draw
  double restricted;  // draws among some of the arms
  double late;        // settlements of another draw than the last one made
  double lost;        // draws that were withdrawn
};

inline constexpr const char* pull_fields[] = {"rounds",     "settled", "loss",       "mixed",     "swing",
                                              "rates",      "reach",   "first_rate", "last_rate", "last_gamma",
                                              "restricted", "late",    "lost"};
inline constexpr int pull_book_size = sizeof(PullBook) / sizeof(double);
static_assert(pull_book_size == sizeof(pull_fields) / sizeof(pull_fields[0]));

// What travels with the state of a rule; all zero at the start.
struct PullMemory {
  double position;     // uniforms used
  double epoch_begin;  // the first draw made with the present rate
  double epoch_end;    // the first draw that will have another
  double rate;         // the present rate
  double gamma;        // the present implicit exploration
  double offset;       // what leaves of the sum tree take away from estimates
  double own;    // of Tsallis-INF: where Newton's method was last; of rules by means: losses that were neither 0 nor 1
  double extra;  // reach of the draws of this epoch, less the number of arms for each of them
  double closed_rates;  // sums over the draws of earlier epochs
  double closed_swing;
  double closed_extra;
  double open;  // whether a bare draw waits, and what its loss will need
  double open_arm;
  double open_p;
  double open_gamma;
};
inline constexpr int pull_memory_size = sizeof(PullMemory) / sizeof(double);

// Rows of `tallies`.
enum PullTally { arm_draws, arm_losses, arm_missed, arm_asleep, pull_tally_rows };

// What a rule keeps from call to call besides its state: a sum tree, with the estimates copied, or with what experts
// say.
enum class PullCache { tree, copied, advised };

// What is to be known of a rule. Each rule says it of itself, and so is in `PullRules`. State row 0: estimates of
// losses (of gains for Exp3.P); row 1: the estimates of the certificate; row 2 where there is one: what `weighs`,
// `lends` or `counts` says.
struct PullRule {
  const char* name;
  PullCache cache;
  bool moves_one = false;  // a round without sleepers moves one estimate, of the arm that was drawn
  bool weighs = false;     // row 2 holds weights, which sum to one and are equal at the start
  bool lends = false;      // row 2 holds what of row 0 was credited to an arm while it slept
  bool counts = false;     // row 0 holds the sum of the losses of an arm that are known, and row 2 how many these are
  bool exact = false;      // a rate that falls is that of each round, though the implicit exploration be held on epochs
  bool advised = false;    // experts advise which arm to draw
  bool informed = false;   // the losses of all arms are told
  int rows() const { return weighs || lends || counts ? 3 : 2; }
};

// A rule and the arrays it plays on.
struct Pulling {
  int place;  // of the rule in the catalogue
  PullRule rule;
  PullSchedule schedule;
  double rate, gamma;  // of a constant schedule
  double beta, explore, share;
  double horizon;  // moss: the number of rounds
  bool reduced;    // tsallis: the estimator of reduced variance
  double low, high;
  bool rewards;
  std::int64_t arms, experts;  // experts: how many numbers a row of the state has, `arms` where nobody advises
  std::int64_t first_arms;     // how many there were at the first draw: rates that fall are for so many, and never grow
  std::uint64_t key0, key1;
  double* state;  // (pull_rows, experts)
  PullMemory* memory;
  PullBook* book;
  double* tallies;  // (pull_tally_rows, arms)
  double*
      nodes;  // pull_nodes, aligned like a cache line: a rule's cache, kept from call to call, found again by rebuild
  double* room;  // pull_room, aligned like a cache line: nothing is kept there from call to call
};

constexpr std::int64_t padded_arms(std::int64_t n) { return (n + 7) / 8 * 8; }

// A sum tree over n leaves: its total, the leaves, then level by level the sums before the masses of a node and these
// masses.
constexpr int tree_top = 16;
constexpr std::int64_t tree_size(std::int64_t n) {
  std::int64_t size = 8;
  for (std::int64_t level = n, share = 1; level > tree_top; level = padded_arms(level) / 8, share = 2)
    size += share * padded_arms(level);
  return size + 2 * tree_top;
}
constexpr std::int64_t pull_nodes(PullCache cache, std::int64_t arms, std::int64_t experts) {
  switch (cache) {
    case PullCache::tree: return tree_size(arms);
    case PullCache::advised: return tree_size(arms) + padded_arms(arms) + padded_arms(experts);
    case PullCache::copied: break;
  }
  return tree_size(arms) + padded_arms(arms) + 8;  // a copy of the estimates, and sums of them
}
// Losses of a row, masses of the arms that are awake, and who is.
constexpr std::int64_t pull_room(std::int64_t arms) { return 3 * padded_arms(arms) + 8; }

// What a draw was made with.
struct Drawn {
  std::int64_t arm;
  double p, gamma;
};

// Advice: either shares (rounds, experts, arms), or the arm that each expert names (rounds, experts).
struct PullAdvice {
  const double* shares = nullptr;
  const std::int64_t* picks = nullptr;
};

// Losses in the user's scale, (rounds, arms), nan for an arm that sleeps. Clean: somebody saw that all are in the
// range.
struct PullTable {
  const void* values;
  bool single;  // float32, else float64
  bool clean;
};

// Losses in units that are 1 with the probabilities means[s], from row starts[s] on, and else 0: the same for everyone
// with the same key.
struct PullNoise {
  const double* means;         // (segments, arms)
  const std::int64_t* starts;  // (segments), the first one 0
  std::int64_t segments;
  std::uint64_t key;
};

// Where the results of rounds go; each may be null. After row marks[j] - 1 the j-th numbers of the curves are written.
struct PullResults {
  std::int32_t* arms;
  const std::int64_t* marks;  // ascending
  std::int64_t count;
  double *loss, *certificate;
  double* shares;  // (count, arms): probabilities of the next draw
};

enum class PullRefusal { none, out_of_range, asleep, advice };

// How many rounds were played, why the next one was not, and whose number that was: an arm's or an expert's.
struct PullVerdict {
  std::int64_t played = 0;
  PullRefusal refusal = PullRefusal::none;
  std::int64_t column = -1;
};

// The loss of a ticket: of its arm, or of all where all are revealed (in the user's scale, nan for who sleeps).
struct PullSettlement {
  Drawn drawn;
  double number, loss;
  const double* row;
  const unsigned char* awake;
  PullAdvice advice;
};

struct Pullers {
  std::span<const PullRule> rules;  // the catalogue, the same for every instruction set
  PullVerdict (*play_table)(const Pulling&, const PullTable&, const PullAdvice&, const PullResults&, std::int64_t begin,
                            std::int64_t end);
  PullVerdict (*play_noise)(const Pulling&, const PullNoise&, const PullAdvice&, const PullResults&, std::int64_t begin,
                            std::int64_t end);
  PullVerdict (*open)(const Pulling&, const unsigned char* awake, const PullAdvice&, Drawn&);
  PullVerdict (*settle)(const Pulling&, const PullSettlement&);
  std::int64_t (*draw)(const Pulling&);
  bool (*update)(const Pulling&, double loss);  // false: the loss is out of range
  PullVerdict (*probabilities)(const Pulling&, const unsigned char* awake, const PullAdvice&, double* out);
  void (*rates)(const Pulling&, double& rate, double& gamma);
  void (*rebuild)(const Pulling&);
  void (*uniforms)(std::uint64_t key0, std::uint64_t key1, std::uint64_t position, std::int64_t count, double* out);
  bool (*find)(const double* masses, std::int64_t n, double* nodes, const double* uniforms, std::int64_t count,
               std::int64_t* out);  // false: one of these numbers is none that a tree has to do with
  PullVerdict (*inspect)(const PullTable&, double low, double high, std::int64_t rows, std::int64_t arms, bool& gaps);
};

extern const Pullers pullers_v1, pullers_v3, pullers_v4, pullers_generic;

}  // namespace regretless
