// The perceptron in the dual: f = sum of coefficients times K(x_s, .). The rows of a block meet the support as it is
// when the block begins; then its rounds are played in their order, and what each update adds is added for the rows
// behind it. A score is the sum over the slots in their order, whichever of the two found the terms, so blocks of any
// size give the same bits.
#pragma once
#include <cmath>

#include "limits.hpp"
#include "kernel_values.hpp"
#include "prediction.hpp"

namespace regretless::REGRETLESS_ISA {

// A block's scores, (targets, lanes), what is moved in a round, and, where the average predicts, the same sums of lags.
template <class V>
struct KernelWorkspace {
  KernelState& s;
  double *scores, *moves, *lags;

  explicit KernelWorkspace(KernelState& state)
      : s(state), scores(state.scratch), moves(scores + V::width * state.support.targets),
        lags(moves + state.support.targets) {}

  REGRETLESS_INLINE void clear() {
    for (std::int64_t k = 0; k < V::width * s.support.targets; ++k) scores[k] = lags[k] = 0;
  }
  // Sums of panel p += a_c K for every target c.
  REGRETLESS_INLINE void add(double* sums, const double* a, std::int64_t p, const Octet& value) {
    for (std::int64_t c = 0; c < s.support.targets; ++c) {
      double* to = sums + c * V::width + p * 8;
      put(to, at(to, 0) + eight(a[c]) * value);
    }
  }
  // What a slot adds to the scores, and to the sums of lags.
  REGRETLESS_INLINE void add_slot(std::int64_t slot, std::int64_t p, const Octet& value) {
    add(scores, s.support.coefficients + slot * s.support.targets, p, value);
    if (s.averages) add(lags, s.support.lag + slot * s.support.targets, p, value);
  }
  // What round i of the block is predicted by: the last function, or the mean of those before each round.
  double predicted(std::int64_t i, std::int64_t c) const {
    const double score = scores[c * V::width + i], rounds = s.book[c].rounds;
    if (!s.averages) return score;
    return rounds > 0 ? (rounds * score - lags[c * V::width + i]) / rounds : 0;
  }
};

// Suffer one round and say by how much of K(x, .) the function moves.
inline double suffer_kernel(double score, double y, double weight, double self, double tie, double& norm2,
                            Ledger& book) {
  const double margin = y * score;
  book.rounds += 1;
  book.weighted += weight != 1;
  book.mistakes += positive(score, tie) != (y > 0);
  book.loss += margin < 0 ? weight * -margin : 0;
  book.total_norm2 += self;
  if (self > book.max_norm2) book.max_norm2 = self;
  if (norm2 > book.reach2) book.reach2 = norm2;
  if (weight == 0 || margin > 0 || (margin == 0 && tie == y)) return 0;
  const double move = weight * y;
  book.updates += 1;
  book.update_norm2 += self;
  book.slope2 += weight * weight * self;
  book.step2 += weight * weight * self;
  book.first_rate = book.last_rate = 1;
  norm2 += move * (2 * score + move * self);
  if (norm2 < 0) norm2 = 0;
  return move;
}

// Whether a round may be suffered by all targets: one whose numbers are not near 1 is suffered by copies.
template <class V>
bool bear_round(const KernelWorkspace<V>& work, const V& values, std::int64_t i, std::int32_t label, double weight,
                double tie) {
  const KernelState& s = work.s;
  const std::int64_t targets = s.support.targets;
  const double self = values.self[i];
  for (std::int64_t c = 0; c < targets; ++c) {
    const double score = work.scores[c * V::width + i];
    double norm2 = s.norm2[c];
    if (self < tame_size && std::fabs(score) < tame_size && norm2 < tame_size * tame_size && weight < tame_rule)
      continue;
    Ledger book = s.book[c];
    const double y = targets == 1 ? double(label) : label == c ? 1.0 : -1.0;
    const double move = suffer_kernel(score, y, weight, self, tie, norm2, book);
    if (!(is_storable(book) && is_storable(norm2) && is_storable(move * book.rounds))) return false;
  }
  return is_storable(s.book[targets > 1 ? targets : 0].total_norm2 + self);
}

// One round of a block; whether any target moves.
template <class V>
bool play_round(KernelWorkspace<V>& work, const V& values, std::int64_t i, std::int32_t label, double weight,
                double tie) {
  KernelState& s = work.s;
  const std::int64_t targets = s.support.targets;
  if (targets > 1) {
    Ledger& whole = s.book[targets];
    std::int64_t best = 0;
    for (std::int64_t c = 1; c < targets; ++c)
      if (work.scores[c * V::width + i] > work.scores[best * V::width + i]) best = c;
    whole.rounds += 1;
    whole.weighted += weight != 1;
    whole.mistakes += best != label;
    whole.total_norm2 += values.self[i];
    if (values.self[i] > whole.max_norm2) whole.max_norm2 = values.self[i];
  }
  bool moved = false;
  for (std::int64_t c = 0; c < targets; ++c) {
    const double y = targets == 1 ? double(label) : label == c ? 1.0 : -1.0;
    work.moves[c] = suffer_kernel(work.scores[c * V::width + i], y, weight, values.self[i], tie, s.norm2[c], s.book[c]);
    moved |= work.moves[c] != 0;
  }
  return moved;
}

// The moves of a round go to the coefficients of a slot, and into the log.
template <class V>
void settle(KernelWorkspace<V>& work, std::int64_t slot) {
  KernelState& s = work.s;
  const std::int64_t targets = s.support.targets;
  for (std::int64_t c = 0; c < targets; ++c) {
    s.support.coefficients[slot * targets + c] += work.moves[c];
    s.support.lag[slot * targets + c] += work.moves[c] * s.book[c].rounds;
  }
  if (!s.log.slot) return;
  const std::int64_t line = (*s.log.count)++;
  s.log.slot[line] = slot;
  s.log.round[line] = s.book[targets > 1 ? targets : 0].rounds;
  for (std::int64_t c = 0; c < targets; ++c) s.log.moves[line * targets + c] = work.moves[c];
}

template <class V>
void fill_slot(KernelWorkspace<V>& work, V& values, std::int64_t i) {
  KernelState& s = work.s;
  const std::int64_t slot = (*s.support.count)++, targets = s.support.targets;
  for (std::int64_t c = 0; c < targets; ++c)
    s.support.coefficients[slot * targets + c] = s.support.lag[slot * targets + c] = 0;
  s.support.born[slot] = s.book[targets > 1 ? targets : 0].rounds;
  values.append(i, slot);
  settle(work, slot);
  values.fresh(i, slot, [&](std::int64_t, std::int64_t p, const Octet& value) { work.add_slot(slot, p, value); });
}

template <class V>
bool has_slots(const KernelState& s, const V& values) {
  return *s.support.count + values.n <= s.support.room && values.fits();
}

template <class V>
bool has_room(const KernelState& s, const V& values) {
  return has_slots(s, values) && (!s.log.slot || *s.log.count + values.n <= s.log.room);
}

// row_of(t) is the place of round t's row and label.
template <class V, class At>
KernelVerdict play_blocks(V& values, const Labels& labels, const KernelRules& rules, KernelState& s, const Known& known,
                          std::int64_t begin, std::int64_t end, const At& row_of) {
  KernelWorkspace<V> work(s);
  const std::int64_t targets = s.support.targets;
  std::int64_t width = 8;
  for (std::int64_t t = begin; t < end;) {
    const std::int64_t wanted = width < end - t ? width : end - t;
    const LinearRefusal next = values.open(t, wanted);
    if (!has_room(s, values)) return values.close(), KernelVerdict{t, Halt::full};
    work.clear();
    values.sweep(0, *s.support.count, 0,
                 [&](std::int64_t slot, std::int64_t p, const Octet& value) { work.add_slot(slot, p, value); });
    width = 2 * width < V::width ? 2 * width : V::width;
    std::int64_t i = 0;
    bool again = false;
    for (; i < values.n && !again; ++i) {
      for (std::int64_t c = 0; c < targets; ++c)
        if (!(std::fabs(work.scores[c * V::width + i]) < infinity))
          return values.close(), KernelVerdict{t + i, Halt::refused, LinearRefusal::diverged};
      const std::int64_t row = row_of(t + i);
      const double weight = labels.weight ? labels.weight[row] : 1;
      if (!bear_round(work, values, i, labels.label[row], weight, rules.tie))
        return values.close(), KernelVerdict{t + i, Halt::refused, LinearRefusal::diverged};
      if (s.scores)
        for (std::int64_t c = 0; c < targets; ++c) s.scores[(t + i) * targets + c] = work.predicted(i, c);
      if (!play_round(work, values, i, labels.label[row], weight, rules.tie)) continue;
      std::int64_t* slot = known.slots ? known.slots + known.offset + row : nullptr;
      if (slot && *slot >= 0) {
        // A sum in the order of the slots cannot be mended in its middle: the rows behind are scored afresh.
        settle(work, *slot);
        again = true;
        continue;
      }
      if (slot) *slot = *s.support.count;
      if (s.support.source) s.support.source[*s.support.count] = slot ? known.offset + row : -1;
      fill_slot(work, values, i);
      if (s.most && *s.support.count > s.most) return values.close(), KernelVerdict{t + i + 1, Halt::over};
    }
    t += i;
    if (again) width = 8;
    else if (next != LinearRefusal::none) return values.close(), KernelVerdict{t, Halt::refused, next};
  }
  values.close();
  return {end};
}

// Scores of all rows, the same bits that playing sees.
template <class V>
KernelVerdict score_blocks(V& values, KernelState& s, std::int64_t rows, double* out) {
  KernelWorkspace<V> work(s);
  const std::int64_t targets = s.support.targets;
  for (std::int64_t t = 0; t < rows; t += V::width) {
    const LinearRefusal next = values.open(t, V::width < rows - t ? V::width : rows - t);
    work.clear();
    values.sweep(0, *s.support.count, 0,
                 [&](std::int64_t slot, std::int64_t p, const Octet& value) { work.add_slot(slot, p, value); });
    for (std::int64_t i = 0; i < values.n; ++i)
      for (std::int64_t c = 0; c < targets; ++c) out[(t + i) * targets + c] = work.scores[c * V::width + i];
    if (next != LinearRefusal::none) return {t + values.n, Halt::refused, (values.close(), next)};
  }
  values.close();
  return {rows};
}

// K(row, slot) for all rows and slots, and K(row, row).
template <class V>
KernelVerdict gram_blocks(V& values, KernelState& s, std::int64_t rows, double* out, double* self) {
  const std::int64_t count = *s.support.count;
  for (std::int64_t t = 0; t < rows; t += V::width) {
    const LinearRefusal next = values.open(t, V::width < rows - t ? V::width : rows - t);
    if (next != LinearRefusal::none) return {t + values.n, Halt::refused, (values.close(), next)};
    values.sweep(0, count, 0, [&](std::int64_t slot, std::int64_t p, const Octet& value) {
      double lane[8];
      put(lane, value);
      for (std::int64_t i = p * 8; i < values.n && i < p * 8 + 8; ++i) out[(t + i) * count + slot] = lane[i - p * 8];
    });
    for (std::int64_t i = 0; i < values.n; ++i) self[t + i] = values.self[i];
  }
  values.close();
  return {rows};
}

// Fill slots with rows, without coefficients.
template <class V>
KernelVerdict adopt_blocks(V& values, KernelState& s, std::int64_t rows) {
  for (std::int64_t t = 0; t < rows; ++t) {
    const LinearRefusal next = values.open(t, 1);
    if (next != LinearRefusal::none) return {t, Halt::refused, (values.close(), next)};
    if (!has_slots(s, values)) return {t, Halt::full, (values.close(), LinearRefusal::none)};
    values.append(0, (*s.support.count)++);
  }
  values.close();
  return {rows};
}

}  // namespace regretless::REGRETLESS_ISA
