// What crosses the border between the binding and the kernels of one instruction set: plain borrowed data, no
// templates.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "ledger.hpp"

namespace regretless {

inline constexpr std::int64_t most_sketch_rows = 200;

// Borrowed rows. Sparse when `starts` is set. `order` names the rows to play, one after the other.
struct Block {
  const void* values = nullptr;
  const void* indices = nullptr;
  const void* starts = nullptr;
  bool single = false;        // values are float32, else float64
  bool wide_indices = false;  // indices are int64, which the loops over rows do not take, else int32
  bool wide_starts = false;
  std::int64_t rows = 0, columns = 0, entries = 0;
  const std::int64_t* order = nullptr;
  // Where the rows are a piece of the caller's: the indices behind it, to be fetched meanwhile, if those of the piece
  // are copies; else room for those of any one row, which are made and checked row by row.
  const void* copied_next = nullptr;
  void* copies = nullptr;
};

// What each round was about: a sign (one target) or the number of its class, and how much it weighs.
struct Labels {
  const std::int32_t* label = nullptr;
  const double* weight = nullptr;  // null: every round weighs 1
};

// What travels with the weights of one target.
struct Memory {
  double scale;     // the weights are scale * stored
  double norm2;     // |w|^2, kept from round to round
  double bias;      // stored weight of the constant feature
  double rounding;  // of norm2 since it was last summed afresh, in units of the rounding of one number
  double clock;     // sum of the scales of all rounds: what averaging needs
  double lag_bias;  // the constant feature's share of `lag`
};
inline constexpr int memory_size = sizeof(Memory) / sizeof(double);

// What selective sampling writes down besides the ledger. The reach of a round is its pace times the largest |x|^2 so
// far: b times it is the b of the round.
struct Asking {
  double asked;       // labels that were asked
  double expected;    // sum of the probabilities to ask
  double closed;      // rounds at which the budget allowed no question
  double pace;        // between 0 and 1: what the budget makes of b in the next round
  double unlabelled;  // rounds whose label nobody knew
  double weighed;     // sum of the reaches of the rounds that were wrong or tied, as far as labels were known
  double learned;     // the same of those that were asked
  double estimate;    // sum over these of 1 / the probability to ask
};
inline constexpr int asking_size = sizeof(Asking) / sizeof(double);
inline constexpr std::int32_t unknown_label = INT32_MIN;
inline constexpr std::uint64_t selective_stream = 0x5e1ec7;  // the second half of the key of the draws

// How selective sampling asks.
struct Sampling {
  double b = 1;           // in units of the largest |x|^2 so far
  double share = 0;       // of the rounds that may be asked, in the long run; 0: all
  double most = 0;        // labels that may be asked at all
  std::uint64_t key = 0;  // of the draws
};

// State of `targets` learners side by side; weights are laid out feature by target.
struct State {
  double* weights = nullptr;  // (columns, targets)
  double* lag = nullptr;      // the same shape, or null: what turns the last weights into their average
  Memory* memory = nullptr;   // (targets)
  Ledger* book = nullptr;     // (targets), and one more for the whole when there are several
  double* scratch = nullptr;  // 4 * targets
  double* moves = nullptr;    // (rounds, targets), or null: the a of each round's w <- w + a x, 0 where nothing moved
  double* scores = nullptr;   // (rounds, targets), or null: what each round was predicted by
  Asking* asking = nullptr;   // of selective sampling, one for all targets
  double ahead = 0;           // of the average that predicts: how many rounds its weights are ahead of those that learn
  bool averages = false;      // the average predicts, where there is one
  std::int64_t columns = 0, targets = 1;
};

// The loss of several classes in one, which is no function of one margin.
inline constexpr std::string_view direct = "direct";
// That of the perceptron, or of several classes in one, where a label was asked.
inline constexpr std::string_view selective = "selective";

// The composition: names are turned into types once, at the start of a block.
struct Rules {
  std::string_view geometry, loss, rate;
  double radius = 0;     // of the ball
  double eta = 1;        // of the rate
  double limit = 1;      // of the rate, where it has one
  double margin = 0;     // that the loss asks for, where it asks for one
  double tie = 0;        // the label for which a score of 0 counts as right; 0: for none
  double intercept = 0;  // size of the constant feature
  Sampling sampling;     // of the selective loss
};

enum class LinearRefusal { none, not_finite, unsorted, out_of_range, broken_starts, diverged };

struct LinearVerdict {
  std::int64_t played = 0;
  LinearRefusal refusal = LinearRefusal::none;
};

// Vectors against which rounds are read as they are.
struct FixedVectors {
  const double* vectors = nullptr;      // (columns, room), of which the first are read
  const double* biases = nullptr;       // (count)
  const std::int32_t* whose = nullptr;  // (count): the label of which a round's sign is 1
  const double* times = nullptr;        // (count): how often each round counts
  double* norms = nullptr;              // rows, max |x|^2, sum of |x|^2
  double* scratch = nullptr;            // room
  std::int64_t columns = 0, room = 0, count = 0;
};

// Margins y <d, x> along each, binned so finely that the hinge sums of s * d are exact at every bin's edge.
struct Rays : FixedVectors {
  double* bins = nullptr;   // (count, ray_bins, 3): rounds, sum of margins, sum of their squares
  double* least = nullptr;  // (count): smallest margin
};
inline constexpr int ray_mantissa_bits = 7, ray_octaves = 96, ray_lowest = -48;
inline constexpr std::int64_t ray_side = (std::int64_t(ray_octaves) << ray_mantissa_bits) + 2;
inline constexpr std::int64_t ray_bins = 2 * ray_side;

// What they are charged, four by four.
struct ChargedVectors : FixedVectors {
  double* sums = nullptr;  // (3, count): of hinge losses, of their squares, of one more charge
  double* ends = nullptr;  // (2, count): smallest margin, largest size of a score
};

using Names = std::span<const std::string_view>;

struct RateFacts {
  std::string_view name;
  Names clock;           // fields of the ledger that it goes by
  bool towards_no_loss;  // its steps are parts of the way to where the hinge loss is 0
};

struct Kernels {
  Names geometries, losses;  // of which rules may be composed
  std::span<const RateFacts> rates;
  Names charges;  // of fixed vectors
  LinearVerdict (*play)(const Block&, const Labels&, const Rules&, const State&, std::int64_t begin, std::int64_t end);
  LinearVerdict (*score)(const Block&, const Rules&, const State&, double* out);
  LinearVerdict (*sight)(const Block&, const Labels&, const Rules&, const Rays&);
  LinearVerdict (*charge)(const Block&, const Labels&, const Rules&, const ChargedVectors&);
};

extern const Kernels kernels_v1, kernels_v3, kernels_v4, kernels_generic;

}  // namespace regretless
