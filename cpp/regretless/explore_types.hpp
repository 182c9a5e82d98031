// What crosses the border between the binding and the kernels of bandits that draw by features.
#pragma once
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "regression_types.hpp"

namespace regretless {

// The sums that theorems read. Losses are in units of their range, from 0 to 1.
struct ExploreBook {
  double rounds, settled, lost;  // decisions; those whose loss is known; those whose loss never will be
  double loss;                   // sum of those that are known
  double late, restricted;       // losses that came after another decision; decisions among some of the arms
  double price, gamma;           // of inverse gap weighting: the sum of what it costs, and the last gamma
  double error;                  // sum of (forecast - loss)^2, or of the log losses of the forecasts
  double reach;   // of rules with intervals: the mean upper end of the draws less the least lower end, summed
  double most;    // largest size of a feature
  double taught;  // decisions of another policy that were learned from
};
inline constexpr std::string_view explore_fields[] = {"rounds", "settled", "lost",  "loss",  "late", "restricted",
                                                      "price",  "gamma",   "error", "reach", "most", "taught"};
inline constexpr int explore_book_size = sizeof(ExploreBook) / sizeof(double);
static_assert(explore_book_size == std::size(explore_fields));

// Rows of the tallies: draws; losses; what was lost in rounds in which the arm could not be drawn, and how many these
// were; by how much the logarithm of the determinant of the arm's matrix has grown.
enum ExploreTally { drawn_often, lost_then, missed_then, was_asleep, grown, explore_tallies };

// Implicit explorations 1/2, 1/4, ... of which the estimates of each arm's losses are kept.
inline constexpr int explore_implicit = 10;

// What is thought of an arm: its forecast in [0, 1]; of a matrix of its own <w, x> and x' A^-1 x; and how much it grew.
struct Prospect {
  double forecast, plain, variance, growth;
};

struct Decision {
  std::int64_t arm;
  double probability, forecast, price, gamma, reach;
};

// What became of a decision.
struct Settlement {
  std::int64_t arm;
  double probability, forecast, loss;  // of the arm that was drawn; the loss in units
  bool late, learns;                   // learns: whether the model of the arm is one of those here
  const unsigned char* awake;          // null: all arms were
};

struct Explore {
  const Regression* models = nullptr;  // one an arm; or one, whose rows are the arms' own; or none
  RegressionRules rules;               // of all models
  std::int64_t count = 0, arms = 0;    // of models, of arms
  int rule = 0;                        // its place in the catalogue
  double amount = 0;                   // epsilon; the scale of gamma; the width of intervals, or 0 for the theorem's
  bool tuned = false;                  // gamma as the theorem wants it
  double confidence = 0, norm = 0;     // ln(1 / delta); of the mean losses that theorems assume
  double low = 0, high = 1;
  bool rewards = false;
  std::uint64_t seed = 0;
  ExploreBook* book = nullptr;
  double *tallies = nullptr, *estimates = nullptr;  // (explore_tallies, arms), (explore_implicit, arms)
  // Room for one round.
  Prospect *prospects = nullptr, *among = nullptr;  // (arms)
  double* room = nullptr;                           // (explore_room(arms))
  std::int64_t* places = nullptr;                   // (arms)
  unsigned char* awake = nullptr;                   // (arms)

  bool shared() const { return count == 1 && arms > 1; }
};
inline constexpr std::int64_t explore_room(std::int64_t arms) { return 34 * arms; }

enum class ExploreRefusal { none, row, loss, asleep };
struct ExploreVerdict {
  std::int64_t played = 0, column = -1;
  ExploreRefusal refusal = ExploreRefusal::none;
  LinearRefusal row = LinearRefusal::none;
};

// A table of losses of all arms, not a number where an arm cannot be drawn; and where to write what was drawn.
struct Trial {
  const double* losses;
  std::int64_t* arms;
  double* probabilities;
};

struct ExploreRule {
  std::string_view name;
  bool intervals = false;    // whether it goes by <w, x> and x' A^-1 x
  bool logarithmic = false;  // whether its models are of the log loss
};

struct ExploreKernels {
  std::span<const ExploreRule> rules;
  // What is thought of each arm, of one row, or of a row an arm.
  LinearVerdict (*foresee)(const Explore&, const Block&);
  // The probabilities of all arms, into `shares`, and the arm that is drawn by the next number; nothing is noted.
  Decision (*choose)(const Explore&, const unsigned char* awake, double* shares);
  void (*note)(const Explore&, const Decision&, const unsigned char* awake);
  LinearRefusal (*settle)(const Explore&, const Block& row, const Settlement&);
  LinearRefusal (*teach)(const Explore&, const Block& row, std::int64_t arm, double loss);
  ExploreVerdict (*play)(const Explore&, const Block&, const Trial&, std::int64_t begin, std::int64_t end);
};

extern const ExploreKernels explore_v1, explore_v3, explore_v4, explore_generic;

}  // namespace regretless
