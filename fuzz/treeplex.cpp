// Games in sequence form: trees as the binding demands them (sets of sequences one after the other, each behind the
// sequence that leads to it, payoffs of at most 1e290 stored twice), state from the start or from anywhere with plans
// in 0 ... 2. Fresh players play plans, rounds in two calls leave the same bits, and enclosures of what they prove
// stand in their order.
#include "input.hpp"

#define REGRETLESS_ISA enclosing
#include "regretless/treeplex_bounds.hpp"
#include "regretless/treeplex_reaches.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Side {
  std::vector<std::int32_t> first{1}, parent;
  Treeplex tree{};

  explicit Side(Input& in) {
    for (std::int64_t sets = in.below(6); sets > 0; --sets) {
      parent.push_back(std::int32_t(in.below(first.back())));
      first.push_back(first.back() + std::int32_t(in.within(1, 3)));
    }
    first.shrink_to_fit();
    parent.shrink_to_fit();
    tree = {first.back(), std::int64_t(parent.size()), at(first), at(parent)};
  }
};

struct Game {
  Side row, column;
  std::vector<std::int64_t> row_starts{0}, column_starts{0};
  std::vector<std::int32_t> row_columns, column_columns;
  std::vector<double> row_values, column_values;
  TreeGame game{};

  Game(Input& in, bool tame) : row(in), column(in) {
    const std::int64_t m = row.tree.sequences, n = column.tree.sequences;
    std::vector<double> full = zeros(m * n);
    for (double& x : full)
      if (in.byte() < 100) x = tame ? in.unit() - 0.5 : in.finite();
    for (double& x : full) x = std::fabs(x) <= 1e290 ? x : 1e290;
    const auto store = [](std::int64_t rows, std::int64_t columns, auto at, auto& starts, auto& places, auto& values) {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j)
          if (at(i, j) != 0) {
            places.push_back(std::int32_t(j));
            values.push_back(at(i, j));
          }
        starts.push_back(std::int64_t(places.size()));
      }
      starts.shrink_to_fit();
      places.shrink_to_fit();
      values.shrink_to_fit();
    };
    store(
        m, n, [&](std::int64_t i, std::int64_t j) { return full[std::size_t(i * n + j)]; }, row_starts, row_columns,
        row_values);
    store(
        n, m, [&](std::int64_t j, std::int64_t i) { return full[std::size_t(i * n + j)]; }, column_starts,
        column_columns, column_values);
    game = {row.tree,
            column.tree,
            {at(row_starts), at(row_columns), at(row_values)},
            {at(column_starts), at(column_columns), at(column_values)}};
  }
};

// Equal chances in every set.
std::vector<double> state_of(Input& in, const Treeplex& t, bool sound) {
  auto state = array<double>(tree_rows * t.sequences, [&] { return sound ? 0.0 : in.any(); });
  double *behaviour = at(state) + tree_behaviour * t.sequences, *plan = at(state) + tree_plan * t.sequences;
  behaviour[0] = plan[0] = 1;
  for (std::int64_t i = 0; i < t.sets; ++i)
    for (std::int32_t s = t.first[i]; s < t.first[i + 1]; ++s) {
      behaviour[s] = sound ? 1.0 / (t.first[i + 1] - t.first[i]) : 2 * in.unit();
      plan[s] = sound ? plan[t.parent[i]] * behaviour[s] : 2 * in.unit();
    }
  return state;
}

struct Players {
  std::vector<double> row, column, memory, book, room;
  TreePlay p{};

  Players(Input& in, const Game& g, bool sound) {
    p.game = g.game;
    p.rule = TreeRule(in.below(3));
    p.alternate = in.flag();
    p.power = int(in.below(3));
    row = state_of(in, g.game.row, sound);
    column = state_of(in, g.game.column, sound);
    memory = array<double>(tree_memory_size, [&] { return sound ? 0.0 : in.any(); });
    book = array<double>(game_book_size, [&] { return sound ? 0.0 : in.any(); });
    if (const double before = std::fabs(in.finite()); !sound) book[0] = before < 9e15 ? before : 0;
    room = zeros(2 * std::max(g.game.row.sequences, g.game.column.sequences));
  }
  TreePlay now() {
    TreePlay all = p;
    all.row = at(row);
    all.column = at(column);
    all.room = at(room);
    all.book = reinterpret_cast<GameBook*>(at(book));
    all.memory = reinterpret_cast<TreeMemory*>(at(memory));
    return all;
  }
};

void check_plan(const std::vector<double>& state, const Treeplex& t) {
  const double* const plan = at(state) + tree_plan * t.sequences;
  MUST(plan[0] == 1);
  for (std::int64_t i = 0; i < t.sets; ++i) {
    double sum = 0;
    for (std::int32_t s = t.first[i]; s < t.first[i + 1]; ++s) {
      MUST(plan[s] >= 0);
      sum += plan[s];
    }
    MUST(std::fabs(sum - plan[t.parent[i]]) < 1e-9);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const bool sound = in.byte() < 160;
  const Game g(in, sound);
  Input again = in;
  Players one(in, g, sound), two(again, g, sound);
  const std::int64_t rounds = in.below(16), middle = in.within(0, rounds);
  KERNELS(tree_players_).play(one.now(), rounds);
  KERNELS(tree_players_).play(two.now(), middle), KERNELS(tree_players_).play(two.now(), rounds - middle);
  KERNELS(tree_players_).settle(one.now()), KERNELS(tree_players_).settle(two.now());
  MUST(same(one.row, two.row) && same(one.column, two.column) && same(one.book, two.book) &&
       same(one.memory, two.memory));
  if (sound) {
    check_plan(one.row, g.game.row);
    check_plan(one.column, g.game.column);
  }

  const auto chance = [&] { return sound ? in.unit() : 2 * in.unit(); };
  const auto x = array<double>(g.game.row.sequences, chance), y = array<double>(g.game.column.sequences, chance);
  const Interval exact = enclosing::enclose(g.game, at(x), at(y), false);
  const Interval rounded = enclosing::enclose(g.game, at(x), at(y), true);
  MUST(!std::isnan(exact.lower) && !std::isnan(exact.upper) && exact.lower <= exact.upper);
  MUST(rounded.lower <= exact.lower && rounded.upper >= exact.upper);
  for (const bool by_row : {true, false}) {
    const Treeplex &own = by_row ? g.game.row : g.game.column, &other = by_row ? g.game.column : g.game.row;
    std::vector<double> low = zeros(own.sequences), high = zeros(own.sequences);
    Reaches(own, other, by_row ? g.game.by_row : g.game.by_column).find(at(low), at(high));
    for (std::size_t s = 0; s < low.size() && sound; ++s) MUST(low[s] <= high[s] + 1e-9);
  }
  return 0;
}
