// Matrix games: what strategies guarantee, and a tableau of its own for each game that is pivoted.
#include "tableau.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "compiled.hpp"
#include "player.hpp"
#include "regretless/matrix_game.hpp"
#include "room.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

constexpr std::int64_t few_cells = 4096;                         // a call on fewer keeps the interpreter's lock
constexpr std::int64_t most_strategies = std::int64_t(1) << 30;  // variables of both players are int32

const GameKernels& game_kernels() { return REGRETLESS_COMPILED(game_kernels); }

using Unlock = std::optional<nb::gil_scoped_release>;
void unlock_if_long(Unlock& unlock, std::int64_t cells) {
  if (cells > few_cells) unlock.emplace();
}

// How large payoffs are: no larger than 2^exponent.
int exponent_of(double size) {
  demand(std::isfinite(size) && size >= 0, "payoffs are finite numbers");
  int exponent = 0;
  std::frexp(size, &exponent);
  return exponent;
}

template <class I>
void check_cells(const Block& b, std::int64_t columns) {
  const I *indices = static_cast<const I*>(b.indices), *starts = static_cast<const I*>(b.starts);
  bool wrong = starts[0] != 0 || starts[b.rows] != b.entries;
  for (std::int64_t i = 0; i < b.rows; ++i) wrong |= starts[i] > starts[i + 1];
  for (std::int64_t k = 0; k < b.entries; ++k) wrong |= indices[k] < 0 || indices[k] >= columns;
  demand(!wrong, "a payoff lies outside of the matrix");
}

GameMatrix game_of(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
                   std::int64_t columns, double size) {
  const Block b = block_of(values, indices, starts);
  GameMatrix game{};
  game.values = b.values;
  game.single = b.single;
  game.rows = b.rows;
  game.columns = starts ? columns : b.columns;
  game.exponent = exponent_of(size);
  demand(game.rows > 0 && game.columns > 0 && game.rows < most_strategies && game.columns < most_strategies,
         "from one strategy to 2**30 for each player");
  if (!starts) return game;
  demand(b.wide_indices == b.wide_starts, "indices and starts are of one type");
  game.indices = b.indices;
  game.starts = b.starts;
  game.wide = b.wide_starts;
  if (game.wide) check_cells<std::int64_t>(b, columns);
  else check_cells<std::int32_t>(b, columns);
  return game;
}

std::pair<double, double> payoff_range(const Any& values) {
  const bool single = is_single(values);
  check_aligned(values);
  demand(values.size() > 0, "there are no payoffs");
  Interval bounds{};
  Unlock unlock;
  unlock_if_long(unlock, std::int64_t(values.size()));
  if (!game_kernels().range(values.data(), single, std::int64_t(values.size()), bounds))
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return {bounds.lower, bounds.upper};
}

Interval enclosed(const GameMatrix& game, const double* row, const double* column) {
  const Room room = room_for(product_room(game.columns));
  Interval bounds{};
  const bool done = game_kernels().enclose(game, row, column, room.get(), bounds);
  demand(done, "weights are not negative, and their sum is neither tiny nor huge");
  return bounds;
}

std::pair<double, double> enclose(const Any& values, double size, const Reals& row, const Reals& column,
                                  const std::optional<Any>& indices, const std::optional<Any>& starts) {
  const GameMatrix game = game_of(values, indices, starts, std::int64_t(column.size()), size);
  demand(std::int64_t(row.size()) == game.rows && std::int64_t(column.size()) == game.columns,
         "one weight per strategy");
  Unlock unlock;
  unlock_if_long(unlock, std::int64_t(values.size()));
  const Interval bounds = enclosed(game, row.data(), column.data());
  return {bounds.lower, bounds.upper};
}

class GameTableau {
 public:
  GameTableau(const Any& values, double low, double high, std::optional<std::int64_t> patience) : values_(values) {
    demand(low < high && std::isfinite(low) && std::isfinite(high), "the range of payoffs is none");
    t_.game = game_of(values, std::nullopt, std::nullopt, 0, std::fmax(std::fabs(low), std::fabs(high)));
    t_.low = low;
    t_.high = high;
    const std::int64_t m = t_.game.rows, n = t_.game.columns;
    t_.patience = patience.value_or(20 + 2 * std::min(m, n));
    t_.stride = in_eights(n + 2);
    const std::int64_t cells = (m + 1) * t_.stride, strategies = in_eights(m) + in_eights(n);
    room_ = room_for(cells + 2 * strategies + in_eights(m + 1) + product_room(n) + m + n);
    double* next = room_.get();
    const auto take = [&](std::int64_t count) { return std::exchange(next, next + count); };
    t_.cells = take(cells);
    t_.row_now = take(in_eights(m));
    t_.row_past = take(in_eights(m));
    t_.column_now = take(in_eights(n));
    t_.column_past = take(in_eights(n));
    t_.pivots_column = take(in_eights(m + 1));
    t_.room = take(product_room(n));
    t_.basic = reinterpret_cast<std::int32_t*>(next);
    t_.free = t_.basic + m;
    t_.ended = t_.free + n;
    std::fill(t_.ended, t_.ended + m + n, 0);
    Unlock unlock;
    unlock_if_long(unlock, m * n);
    game_kernels().load(t_);
  }

  // At most so many pivots; once there are no more, the strategies. Whether that was so.
  bool solve(std::int64_t limit, const State1& row, const State1& column) {
    const Turn turn(busy_);
    demand(limit > 0, "one pivot at least");
    demand(std::int64_t(row.size()) == t_.game.rows && std::int64_t(column.size()) == t_.game.columns,
           "one weight per strategy");
    t_.row = row.data();
    t_.column = column.data();
    Unlock unlock;
    unlock_if_long(unlock, t_.game.rows * t_.game.columns);
    const bool done = game_kernels().pivot(t_, limit);
    if (done) game_kernels().polish(t_);
    return done;
  }

  std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> basis() const {
    const Turn turn(busy_);
    std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> played;
    const std::int64_t m = t_.game.rows, n = t_.game.columns;
    played.first.reserve(std::size_t(std::min(m, n)));
    played.second.reserve(std::size_t(std::min(m, n)));
    for (std::int64_t j = 0; j < n; ++j)
      if (t_.ended[m + j] >= n) played.first.push_back(t_.ended[m + j] - n);
    for (std::int64_t i = 0; i < m; ++i)
      if (t_.ended[i] < n) played.second.push_back(t_.ended[i]);
    return played;
  }

  // What the strategies of `solve` guarantee.
  std::pair<double, double> interval() const {
    const Turn turn(busy_);
    demand(t_.row && t_.column, "there are no strategies yet");
    const Interval bounds = enclosed(t_.game, t_.row, t_.column);
    return {bounds.lower, bounds.upper};
  }

  std::int64_t pivots() const {
    const Turn turn(busy_);
    return t_.pivots;
  }
  double gap() const {
    const Turn turn(busy_);
    return t_.gap;
  }

 private:
  Any values_;
  Tableau t_{};
  Room room_;
  mutable std::atomic_flag busy_;
};

// A small game in one call: whether it ended within the pivots that are allowed, and what a tableau would say then.
using Ended = std::tuple<double, double, std::int64_t, double, std::vector<std::int64_t>, std::vector<std::int64_t>>;
std::optional<Ended> solve_game(const Any& values, double low, double high, std::int64_t limit, const State1& row,
                                const State1& column) {
  GameTableau tableau(values, low, high, std::nullopt);
  if (!tableau.solve(limit, row, column)) return std::nullopt;
  const auto [lower, upper] = tableau.interval();
  auto [rows, columns] = tableau.basis();
  return Ended{lower, upper, tableau.pivots(), tableau.gap(), std::move(rows), std::move(columns)};
}

}  // namespace

void bind_tableau(nb::module_& m) {
  m.def("payoff_range", &payoff_range, "values"_a.noconvert(),
        "The least and the largest number; both are nan if one of them is not finite.");
  m.def("enclose", &enclose, "values"_a.noconvert(), "size"_a, "row"_a.noconvert(), "column"_a.noconvert(),
        "indices"_a.noconvert().none() = nb::none(), "starts"_a.noconvert().none() = nb::none(),
        "Numbers between which the value of a game lies, as two strategies prove it; no payoff is larger than size.");
  m.def("solve_game", &solve_game, "values"_a.noconvert(), "low"_a, "high"_a, "limit"_a, "row"_a.noconvert(),
        "column"_a.noconvert(),
        "All that GameTableau and enclose say of a game: lower, upper, pivots, gap, and the rows and columns in play; "
        "none if more pivots are needed than limit allows.");
  nb::class_<GameTableau>(
      m, "GameTableau",
      "The condensed tableau of a dense game whose payoffs lie within low ... high. After more pivots that "
      "gain nothing than patience allows they go on in lexicographic order.")
      .def(nb::init<const Any&, double, double, std::optional<std::int64_t>>(), "values"_a.noconvert(), "low"_a,
           "high"_a, "patience"_a.none() = nb::none())
      .def("solve", &GameTableau::solve, "limit"_a, "row"_a.noconvert(), "column"_a.noconvert(),
           "At most so many pivots, and at the end the strategies: whether it is the end.")
      .def("basis", &GameTableau::basis, "The rows and the columns that are in play at the end.")
      .def_prop_ro("pivots", &GameTableau::pivots)
      .def_prop_ro("gap", &GameTableau::gap, "What is left of the gap, in units of the range of the payoffs.");
}

}  // namespace regretless
