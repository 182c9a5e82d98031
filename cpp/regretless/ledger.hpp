// What a theorem may know about a run: running totals, in the order in which the rounds came.
#pragma once

namespace regretless {

struct Ledger {
  double rounds;        // rounds played
  double updates;       // rounds that moved the weights
  double mistakes;      // rounds whose predicted label was wrong
  double loss;          // sum of what was charged
  double slope2;        // sum of |gradient|^2; of passive-aggressive steps, of loss^2
  double step2;         // sum of rate * |gradient|^2; of passive-aggressive steps tau, of tau * (2 loss - tau |x|^2)
  double max_norm2;     // largest |x|^2 of any round
  double update_norm2;  // sum of |x|^2 over the update rounds
  double total_norm2;   // sum of |x|^2 over all rounds: tells whether the same rounds are read again
  double reach2;        // largest |w|^2 of any round
  double first_rate;    // rate of the first update that had a gradient
  double last_rate;     // rate of the last update
  double weighted;      // rounds whose sample weight was not 1
};

inline constexpr const char* ledger_fields[] = {"rounds",     "updates",   "mistakes",     "loss",        "slope2",
                                                "step2",      "max_norm2", "update_norm2", "total_norm2", "reach2",
                                                "first_rate", "last_rate", "weighted"};
inline constexpr int ledger_size = sizeof(Ledger) / sizeof(double);
static_assert(ledger_size == sizeof(ledger_fields) / sizeof(ledger_fields[0]));

}  // namespace regretless
