// What crosses the border to the kernels of learners that move in dual coordinates: plain borrowed data, no templates.
#pragma once
#include <cstdint>

#include "linear_types.hpp"

namespace regretless {

// How weights come from their dual coordinates theta.
enum class Link {
  simplex,   // w_i ~ exp(theta_i): Winnow
  balanced,  // w_i ~ sinh(theta_i), the difference of two weights exp(theta_i) and exp(-theta_i): balanced Winnow
  power      // w_i ~ sign(theta_i) |theta_i|^(p - 1): the p-norm perceptron
};

struct MirrorRules {
  Link link = Link::simplex;
  double rate = 1;       // theta moves by rate * y * x
  double tie = 0;        // the label for which a score of 0 counts as right; 0: for none
  double intercept = 0;  // size of the constant feature
};

// What travels with the weights of one target. `cached` weights are those of the link relative to a reference, which
// moves when a weight would leave the range of floats; their masses add up to the normaliser.
struct MirrorMemory {
  double columns;            // features there are; kept by the caller
  double power;              // p of the power link; kept by the caller
  double met;                // features up to the last one that any round has shown
  double reference;          // exp(-reference), or 1 / reference for powers, is what cached weights are multiplied by
  double base;               // mass of a feature whose theta is 0
  double sum, rest;          // masses of the features whose theta is not 0, and what rounding has cost their sum
  double peak;               // largest sum since it was last added up afresh
  double touched;            // how many features have a theta that is not 0, the constant one among them
  double steps;              // updates since the sum was last added up afresh
  double bias, bias_cached;  // of the constant feature: theta and cached weight
  double reach;              // largest |x_i| of any update round, or the largest p-norm of its row
};
inline constexpr int mirror_memory_size = sizeof(MirrorMemory) / sizeof(double);

// State of `targets` learners side by side. A feature's cached weights and its thetas are neighbours, (columns, 2,
// targets): an update finds the thetas where the product has just been.
struct MirrorState {
  double* pairs = nullptr;
  MirrorMemory* memory = nullptr;
  Ledger* book = nullptr;     // (targets), and one more for the whole when there are several
  double* scratch = nullptr;  // 2 * targets
  double* scores = nullptr;   // (rounds, targets), or null: what each round was predicted by
  std::int64_t columns = 0, targets = 1;
};

struct MirrorKernels {
  LinearVerdict (*play)(const Block&, const Labels&, const MirrorRules&, const MirrorState&, std::int64_t begin,
                        std::int64_t end);
  LinearVerdict (*score)(const Block&, const MirrorRules&, const MirrorState&, double* out);
  void (*refresh)(const MirrorRules&, const MirrorState&);
};

extern const MirrorKernels mirrors_v1, mirrors_v3, mirrors_v4, mirrors_generic;

}  // namespace regretless
