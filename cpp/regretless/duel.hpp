// Two learners on one matrix, or on two: rounds, averages, and what the ledger keeps of them.
#pragma once
#include "duel_rules.hpp"

namespace regretless::REGRETLESS_ISA {

// All that a play needs beside the players' own numbers.
struct Table {
  const Dueling& d;
  Duelist row, column;
  GameBook& book;
  DuelMemory& memory;

  explicit Table(const Dueling& all) : d(all), row(all.row), column(all.column), book(*all.book), memory(*all.memory) {}

  bool row_gains() { return gains_against(d.row_gains, column.mixed(), row.gain); }
  bool column_gains() { return gains_against(d.column_gains, row.mixed(), column.gain); }

  double weight_of(double round) const { return d.power == 0 ? 1 : d.power == 1 ? round : round * round; }
  double rate_after(const Duelist& who, double round) const {
    return d.falls ? who.side.rate / __builtin_sqrt(round + 1) : who.side.rate;
  }

  double gap() const {
    const double above = row.most_won(), below = column.most_won();
    if (d.zero_sum) return (above + below) / book.weight;
    const double first = above - memory.row_won, second = below - memory.column_won;
    return (first > second ? first : second) / book.weight;
  }

  // The regrets of what was played are known at any time; they are written when somebody may ask.
  template <class Rule>
  void close() const {
    if (!(book.rounds > 0)) return;
    book.row_regret = row.most_won() - memory.row_won;
    book.column_regret = column.most_won() - memory.column_won;
    if constexpr (!Rule::facts.exponential) {
      book.row_norm = row.norm();
      book.column_norm = column.norm();
    }
    book.gap = gap();
  }

  void join(double weight) const {
    for (std::int64_t k = 0; k < row.placed; ++k) {
      const std::int64_t i = row.places[k];
      const double by = weight * row.play[i];
      double* const to = d.joint + i * column.n;
      for (std::int64_t j = 0; j < column.n; ++j) to[j] += by * column.play[j];
    }
  }
};

template <class Rule>
REGRETLESS_INLINE void learn(const Table& t, Duelist& me, double value, double round, double& square, double& shift,
                             double& moved) {
  const Lesson lesson = Rule::learn(me, value, t.rate_after(me, round));
  me.present();
  square += lesson.square;
  shift += lesson.shift * lesson.shift;
  moved = lesson.move * lesson.move;
}

// One round; false if a product failed.
template <class Rule>
REGRETLESS_INLINE bool play_round(Table& t) {
  GameBook& book = t.book;
  DuelMemory& memory = t.memory;
  Duelist &row = t.row, &column = t.column;
  const double round = book.rounds + 1, weight = t.weight_of(round);
  if (!t.column_gains()) return false;
  if (!t.d.alternate && !t.row_gains()) return false;
  memory.broken = 1;
  book.row_move += memory.row_moved;
  book.column_move += memory.column_moved;
  memory.row_moved = memory.column_moved = 0;
  if (!t.d.alternate && t.d.joint) t.join(weight);

  const double column_value = column.value();
  if (!t.d.alternate) column.count(column.play, column.sum, weight);
  column.count(column.gain, column.won, weight);
  learn<Rule>(t, column, column_value, round, book.column_square, book.column_shift, memory.column_moved);
  if (t.d.alternate) {
    column.count(column.play, column.sum, weight);
    if (!t.row_gains()) return false;
  }

  const double row_value = row.value();
  row.count(row.play, row.sum, weight);
  row.count(row.gain, row.won, weight);
  learn<Rule>(t, row, row_value, round, book.row_square, book.row_shift, memory.row_moved);

  memory.row_won += weight * row_value;
  memory.column_won += weight * column_value;
  if (t.d.alternate) book.turn += weight * (row_value + column_value);
  book.rounds = round;
  book.weight += weight;
  book.last_weight = weight;
  memory.broken = 0;
  return true;
}

// A long play returns from time to time, so that it can be interrupted.
inline std::int64_t rounds_in_a_row(const Dueling& d) {
  constexpr std::int64_t numbers = 1 << 27;
  const auto of = [](const Gains& g) -> std::int64_t {
    if (g.kind == GainKind::calls) return numbers;
    return g.kind == GainKind::sparse ? g.starts[g.mine] + g.mine : g.mine * g.others;
  };
  const std::int64_t a_round = of(d.row_gains) + of(d.column_gains) + 16 * (d.row.count + d.column.count);
  return a_round >= numbers ? 1 : numbers / a_round;
}

// Rounds until the gap is at most `target`, which is looked at ever more seldom, or until there were enough.
template <class Rule>
DuelVerdict play_rounds(const Dueling& d, std::int64_t rounds, double target) {
  Table table(d);
  DuelVerdict verdict;
  const std::int64_t most = rounds_in_a_row(d);
  while (verdict.played < rounds && verdict.played < most && !verdict.reached) {
    if (!play_round<Rule>(table)) {
      verdict.failed = true;
      return verdict;
    }
    ++verdict.played;
    if (table.book.rounds < table.memory.next_look) continue;
    table.memory.next_look = table.book.rounds + 1 + double(std::int64_t(table.book.rounds / 32));
    verdict.reached = table.gap() <= target;
  }
  table.template close<Rule>();
  return verdict;
}

// Payoffs less `centre`, times `factor`, as the nearest short whole numbers in rows of whole sixteens.
template <class V>
void shorten_rows(const V* values, std::int64_t rows, std::int64_t columns, double centre, double factor,
                  std::int16_t* out) {
  constexpr double shifter = 6755399441055744.0, most = 32767;
  const std::int64_t stride = duel_padded(columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    const V* const from = values + i * columns;
    std::int16_t* const to = out + i * stride;
    for (std::int64_t k = 0; k < columns; ++k) {
      const double x = (double(from[k]) - centre) * factor, nearest = (x + shifter) - shifter;
      to[k] = std::int16_t(std::int32_t(nearest < most ? nearest > -most ? nearest : -most : most));  // also of a NaN
    }
    for (std::int64_t k = columns; k < stride; ++k) to[k] = 0;
  }
}

}  // namespace regretless::REGRETLESS_ISA
