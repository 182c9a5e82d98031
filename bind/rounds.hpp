// What a player is given to play or to score, checked.
#pragma once
#include "player.hpp"

namespace regretless {

inline void demand(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

// Rows in their order, what they were about, and which of them to play.
struct Rounds {
  Block block;
  Labels of;
  std::int64_t count, begin, end;
};

// `open`: whether labels may be unknown.
inline void check_labels(const Labels& of, std::int64_t rows, std::int64_t targets, bool open = false) {
  bool wrong = false;
  if (open)
    for (std::int64_t t = 0; t < rows; ++t) {
      const std::int32_t label = of.label[t];
      wrong |= label != unknown_label && (targets == 1 ? label != 1 && label != -1 : label < 0 || label >= targets);
    }
  else if (targets == 1)
    for (std::int64_t t = 0; t < rows; ++t) wrong |= of.label[t] != 1 && of.label[t] != -1;
  else
    for (std::int64_t t = 0; t < rows; ++t) wrong |= of.label[t] < 0 || of.label[t] >= targets;
  demand(!wrong, "a label is no sign and no number of a target");
}

inline Rounds rounds_of(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
                        const Signs& labels, const std::optional<Reals>& weights, const std::optional<Order>& order,
                        std::int64_t begin, std::int64_t end, std::int64_t targets, bool open = false) {
  Rounds r;
  r.block = block_of(values, indices, starts);
  r.of = labels_of(r.block, labels, weights);
  check_labels(r.of, r.block.rows, targets, open);
  r.count = r.block.rows;
  if (order) {
    r.block.order = order->data();
    r.count = std::int64_t(order->size());
    for (std::int64_t t = 0; t < r.count; ++t)
      demand(r.block.order[t] >= 0 && r.block.order[t] < r.block.rows, "order names a row that is not there");
  }
  r.begin = begin;
  r.end = end < 0 ? r.count : end;
  demand(begin >= 0 && begin <= r.end && r.end <= r.count, "no such rounds");
  return r;
}

// One round without ceremony: a dense row. Label and weight must outlive it.
inline Rounds one_round(const Reals& x, const std::int32_t& label, const double& weight, std::int64_t targets,
                        bool open = false) {
  Rounds r;
  r.block.values = x.data();
  r.block.rows = 1;
  r.block.columns = r.block.entries = std::int64_t(x.size());
  r.of = {&label, &weight};
  check_labels(r.of, 1, targets, open);
  r.count = r.end = 1;
  r.begin = 0;
  return r;
}

// Where the scores of rounds are to be written; null if nobody wants them.
inline double* room_for_scores(const std::optional<State2>& out, const Rounds& r, std::int64_t targets) {
  if (!out) return nullptr;
  demand(std::int64_t(out->shape(0)) == r.count && std::int64_t(out->shape(1)) == targets,
         "room for one score per round and target");
  return out->data();
}

// Lets other threads of Python run while rows are scored, unless these are so few that they are done sooner: a thread
// that lets go may wait for milliseconds until it has its next turn.
inline std::optional<nb::gil_scoped_release> unlock_if_long(const Block& block, std::int64_t targets) {
  constexpr std::int64_t few = 512;  // values; a full matrix of second order squares them
  return block.entries * targets <= few ? std::nullopt : std::optional<nb::gil_scoped_release>(std::in_place);
}

inline Block rows_to_score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
                           const State2& out, std::int64_t targets) {
  const Block block = block_of(values, indices, starts);
  demand(std::int64_t(out.shape(0)) == block.rows && std::int64_t(out.shape(1)) == targets,
         "room for one score per row and target");
  return block;
}

}  // namespace regretless
