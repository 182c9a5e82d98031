// Second-order learners that keep all of A = a I + sum of x x', as the factors of its inverse. What a round changes
// waits until the next one is scored, so that the factor is read and written once for both.
#pragma once
#include "factored.hpp"
#include "numeric.hpp"
#include "second_order_types.hpp"

namespace regretless::REGRETLESS_ISA {

// What a call that plays needs besides the state, from the first round on that teaches; one that scores, maybe
// meanwhile, needs none of it.
struct WholeWorkspace {
  Buffer<double> numbers;
  Buffer<FullRound> rounds;              // of each target
  Buffer<bool> projected;                // whether its U' x is that of the row at hand
  double *x = nullptr, *gain = nullptr;  // that row, the constant feature first; A^-1 x of one target
  bool placed = false;                   // whether x is that row

  static std::int64_t padded(const SecondOrder& s) { return (1 + s.columns + 7) & ~std::int64_t(3); }
  static std::int64_t size(const SecondOrder& s) { return (2 + 4 * s.targets) * padded(s); }

  // Room, before the first round: in one it might fail when the ledger has counted the round.
  REGRETLESS_APART void make(const SecondOrder& s) {
    numbers.make(size(s));
    rounds.make(s.targets);
    projected.make(s.targets);
  }
  REGRETLESS_APART void begin(const SecondOrder& s) {
    const std::int64_t n = padded(s), all = size(s);
    for (std::int64_t i = 0; i < all; ++i) numbers.at[i] = 0;
    x = numbers.at;
    gain = x + n;
    double* at = gain + n;
    for (std::int64_t c = 0; c < s.targets; ++c, at += 4 * n) {
      rounds.at[c] = {at, at + n, at + 2 * n, at + 3 * n};
      projected.at[c] = false;
    }
  }
  template <class Row>
  void place(const Row& row, double intercept, std::int64_t n) {
    if (placed) return;
    for (std::int64_t i = 0; i < n; ++i) x[i] = 0;
    x[0] = intercept;
    for (std::int64_t k = 0; k < row.n; ++k) x[1 + row.column(k)] = row.x[k];
    placed = true;
  }
};

// The weights are A^-1 u, and a score is their product with the row. It has the sign of u' (A + x x')^-1 x, which is
// that product over 1 + x' A^-1 x.
struct Whole {
  const SecondOrder& s;
  WholeWorkspace& work;

  const double* weights(std::int64_t c) const { return s.weights + c * (1 + s.columns); }
  Factored target(std::int64_t c) const {
    const std::int64_t n = 1 + s.columns;
    return {n, s.weights + c * n, s.scales + c * n, s.factor + c * factor_size(n)};
  }

  // A row comes: what waits is done for it.
  template <class Row>
  REGRETLESS_INLINE void look(const Row& row, double b) const {
    work.placed = false;
    if (work.x) look_again(row, b);
  }
  template <class Row>
  REGRETLESS_APART void look_again(const Row& row, double b) const {
    for (std::int64_t c = 0; c < s.targets; ++c) {
      work.projected.at[c] = work.rounds.at[c].waits;
      if (!work.rounds.at[c].waits) continue;
      work.place(row, b, 1 + s.columns);
      target(c).project(work.x, work.rounds.at[c], work.gain);
    }
  }
  // A call ends.
  void settle() const {
    for (std::int64_t c = 0; work.x && c < s.targets; ++c) target(c).settle(work.rounds.at[c], work.gain);
  }

  // A round that teaches: sums and D change, the other factor and the weights will. Returned is x' A^-1 x with the A of
  // before, which may be far smaller than the noise that it is added to.
  template <class Row>
  REGRETLESS_APART double teach(std::int64_t c, const Row& row, double intercept, double y, double score,
                                double confidence) const {
    const double noise = 1 / confidence;
    if (!(noise < infinity)) return 0;  // next to no weight
    if (!work.x) work.begin(s);
    const Factored one = target(c);
    FullRound& round = work.rounds.at[c];
    work.place(row, intercept, one.n);
    if (!work.projected.at[c]) one.project(work.x, round, work.gain);
    const double doubt = one.variance(round), by = confidence * y;
    one.plan(round, noise);
    round.step = (y - score) / (noise + doubt);
    round.waits = true;
    s.memory[c].volume += log_past_one(confidence * doubt);
    double* const __restrict sums = s.sums + c * one.n;
    const double* const __restrict x = work.x;
    for (std::int64_t i = 0; i < one.n; ++i) sums[i] += by * x[i];
    return doubt;
  }
};

}  // namespace regretless::REGRETLESS_ISA
