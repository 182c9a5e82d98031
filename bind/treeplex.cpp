// A game in sequence form, checked once: what plans guarantee, what payoffs may come to, and two players that learn.
#include "treeplex.hpp"

#include <nanobind/stl/pair.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

// Enclosures are worked out here, once for all instruction sets.
#define REGRETLESS_ISA generic
#include "compiled.hpp"
#include "player.hpp"
#include "regretless/treeplex_bounds.hpp"
#include "regretless/treeplex_reaches.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

constexpr std::pair<std::string_view, TreeRule> rules[] = {
    {"cfr", TreeRule::cfr}, {"cfr+", TreeRule::cfr_plus}, {"pcfr+", TreeRule::predictive}};

TreeRule tree_rule_named(const std::string& name) {
  for (const auto& [known, rule] : rules)
    if (name == known) return rule;
  throw std::invalid_argument("no rule is called " + name);
}

const TreePlayers& players() { return REGRETLESS_COMPILED(tree_players); }

Treeplex treeplex_of(const Signs& first, const Signs& parent) {
  demand(first.size() == parent.size() + 1 && first.data()[0] == 1, "the first sequences of the information sets");
  Treeplex t{first.data()[parent.size()], std::int64_t(parent.size()), first.data(), parent.data()};
  for (std::int64_t i = 0; i < t.sets; ++i) {
    demand(t.first[i] < t.first[i + 1], "an information set without a sequence");
    demand(t.parent[i] >= 0 && t.parent[i] < t.first[i], "an information set comes after what leads to it");
  }
  return t;
}

TreePayoffs payoffs_of(const Order& starts, const Signs& columns, const Reals& values, std::int64_t rows,
                       std::int64_t across) {
  const std::int64_t entries = std::int64_t(values.size());
  demand(std::int64_t(starts.size()) == rows + 1 && std::int64_t(columns.size()) == entries && starts.data()[0] == 0 &&
             starts.data()[rows] == entries,
         "payoffs are stored row by row");
  for (std::int64_t s = 0; s < rows; ++s) {
    demand(starts.data()[s] <= starts.data()[s + 1] && starts.data()[s + 1] <= entries,
           "payoffs are stored row by row");
    for (std::int64_t k = starts.data()[s]; k < starts.data()[s + 1]; ++k) {
      demand(columns.data()[k] >= 0 && columns.data()[k] < across, "no such sequence");
      demand(k == starts.data()[s] || columns.data()[k - 1] < columns.data()[k], "sequences ascend in a row");
      demand(std::fabs(values.data()[k]) <= 1e290, "payoffs are finite, and not larger than 1e290");
    }
  }
  return {starts.data(), columns.data(), values.data()};
}

class Tree {
 public:
  Tree(Signs row_first, Signs row_parent, Signs column_first, Signs column_parent, Order row_starts, Signs row_columns,
       Reals row_values, Order column_starts, Signs column_columns, Reals column_values)
      : signs_{row_first, row_parent, column_first, column_parent, row_columns, column_columns},
        orders_{row_starts, column_starts}, reals_{row_values, column_values} {
    g_.row = treeplex_of(row_first, row_parent);
    g_.column = treeplex_of(column_first, column_parent);
    g_.by_row = payoffs_of(row_starts, row_columns, row_values, g_.row.sequences, g_.column.sequences);
    g_.by_column = payoffs_of(column_starts, column_columns, column_values, g_.column.sequences, g_.row.sequences);
    demand(row_values.size() == column_values.size(), "the same payoffs twice");
  }

  std::pair<double, double> enclose(const Reals& x, const Reals& y, bool rounded) const {
    check_plan(x, g_.row);
    check_plan(y, g_.column);
    nb::gil_scoped_release unlocked;
    const Interval bounds = REGRETLESS_ISA::enclose(g_, x.data(), y.data(), rounded);
    return {bounds.lower, bounds.upper};
  }

  void reaches(bool row, State1 low, State1 high) const {
    const Treeplex& own = row ? g_.row : g_.column;
    demand(std::int64_t(low.size()) == own.sequences && low.size() == high.size(), "one number for each sequence");
    nb::gil_scoped_release unlocked;
    Reaches(own, row ? g_.column : g_.row, row ? g_.by_row : g_.by_column).find(low.data(), high.data());
  }

  const TreeGame& game() const { return g_; }

 private:
  static void check_plan(const Reals& plan, const Treeplex& t) {
    demand(std::int64_t(plan.size()) == t.sequences, "one number for each sequence");
    for (std::size_t s = 0; s < plan.size(); ++s)
      demand(plan.data()[s] >= 0 && plan.data()[s] <= 2, "plans are probabilities");
  }

  Signs signs_[6];
  Order orders_[2];
  Reals reals_[2];
  TreeGame g_{};
};

class TreeDuel {
 public:
  TreeDuel(const Tree& tree, const std::string& rule, State2 row, State2 column, State1 memory, State1 book,
           bool alternate, int power)
      : row_(row), column_(column), memory_(memory), book_(book) {
    p_.game = tree.game();
    p_.rule = tree_rule_named(rule);
    demand(power >= 0 && power <= 2, "a round counts once, as its number, or as its square");
    demand(row.shape(0) == tree_rows && std::int64_t(row.shape(1)) == p_.game.row.sequences, "row has the wrong shape");
    demand(column.shape(0) == tree_rows && std::int64_t(column.shape(1)) == p_.game.column.sequences,
           "column has the wrong shape");
    demand(memory.size() == tree_memory_size, "memory has the wrong shape");
    demand(book.size() == game_book_size, "book has the wrong shape");
    p_.alternate = alternate;
    p_.power = power;
    p_.row = row.data();
    p_.column = column.data();
    p_.memory = reinterpret_cast<TreeMemory*>(memory.data());
    p_.book = reinterpret_cast<GameBook*>(book.data());
    room_.resize(2 * std::size_t(std::max(p_.game.row.sequences, p_.game.column.sequences)));
    p_.room = room_.data();
    check_state();
  }

  void play(std::int64_t rounds) const {
    const Turn turn(busy_);
    demand(rounds >= 0, "no such rounds");
    check_state();
    nb::gil_scoped_release unlocked;
    players().play(p_, rounds);
  }

  void settle() const {
    const Turn turn(busy_);
    nb::gil_scoped_release unlocked;
    players().settle(p_);
  }

 private:
  // The arrays are the caller's, and whatever plays on reads them.
  void check_state() const {
    demand(p_.book->rounds >= 0 && p_.book->rounds < 9007199254740992.0, "the book is damaged");
    check_side(p_.row, p_.game.row);
    check_side(p_.column, p_.game.column);
  }
  static void check_side(const double* state, const Treeplex& t) {
    bool sound = true;
    for (std::int64_t s = 0; s < t.sequences; ++s) {
      const double step = state[tree_behaviour * t.sequences + s], chance = state[tree_plan * t.sequences + s];
      sound &= step >= 0 && step <= 2 && chance >= 0 && chance <= 2;
    }
    demand(sound, "a plan is none");
  }

  State2 row_, column_;
  State1 memory_, book_;
  TreePlay p_{};
  std::vector<double> room_;
  mutable std::atomic_flag busy_;
};

}  // namespace

void bind_treeplex(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "A game in sequence form over borrowed arrays.")
      .def(nb::init<Signs, Signs, Signs, Signs, Order, Signs, Reals, Order, Signs, Reals>(), nb::kw_only(),
           "row_first"_a.noconvert(), "row_parent"_a.noconvert(), "column_first"_a.noconvert(),
           "column_parent"_a.noconvert(), "row_starts"_a.noconvert(), "row_columns"_a.noconvert(),
           "row_values"_a.noconvert(), "column_starts"_a.noconvert(), "column_columns"_a.noconvert(),
           "column_values"_a.noconvert())
      .def("enclose", &Tree::enclose, "x"_a.noconvert(), "y"_a.noconvert(), "rounded"_a,
           "What the plan x wins at least and y pays at most; rounded: each payoff may be off by half a unit.")
      .def("reaches", &Tree::reaches, "row"_a, "low"_a.noconvert(), "high"_a.noconvert(),
           "The least and the most that each sequence of a player can be worth.");
  nb::class_<TreeDuel>(m, "TreeDuel", "Two learners that play each other on a tree, and their borrowed state.")
      .def(nb::init<const Tree&, const std::string&, State2, State2, State1, State1, bool, int>(),
           nb::keep_alive<1, 2>(), "tree"_a, "rule"_a, nb::kw_only(), "row"_a.noconvert(), "column"_a.noconvert(),
           "memory"_a.noconvert(), "book"_a.noconvert(), "alternate"_a, "power"_a)
      .def("play", &TreeDuel::play, "rounds"_a, "Play so many rounds more.")
      .def("settle", &TreeDuel::settle, "Bring the book up to date: regrets, lengths and the gap of the averages.");
  m.attr("TREE_ROWS") = int(tree_rows);
  m.attr("TREE_MEMORY") = tree_memory_size;
}

}  // namespace regretless
