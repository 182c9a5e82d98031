// Learners of numbers, bound.
#include "regression.hpp"

#include "regression_player.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

std::vector<std::string> listed(Names names) { return {names.begin(), names.end()}; }

}  // namespace

void bind_regression(nb::module_& m) {
  nb::class_<RegressionPlayer>(m, "RegressionPlayer",
                               "Rules and borrowed state of linear learners of numbers; feed it rounds.")
      .def(nb::init<State2, State2, State2, std::optional<State2>, std::optional<State2>, std::optional<State2>,
                    const std::string&, double, const std::string&, const std::string&, double,
                    const std::vector<double>&, const std::vector<double>&, double, bool>(),
           "cells"_a.noconvert(), "memory"_a.noconvert(), "books"_a.noconvert(),
           "weights"_a.noconvert().none() = nb::none(), "scales"_a.noconvert().none() = nb::none(),
           "factor"_a.noconvert().none() = nb::none(), nb::kw_only(), "loss"_a, "tau"_a, "schedule"_a, "matrix"_a,
           "step"_a, "rates"_a, "priors"_a, "intercept"_a, "share"_a)
      .def("play", &RegressionPlayer::play, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "outcomes"_a.noconvert(), "begin"_a = 0, "end"_a = -1,
           "forecasts"_a.noconvert().none() = nb::none(),
           "Play the rounds begin <= t < end; how many were played, and what stopped them. `forecasts` takes what each "
           "was predicted by.")
      .def("one", &RegressionPlayer::one, "x"_a.noconvert(), "outcome"_a, "Play one dense round.")
      .def("score", &RegressionPlayer::score, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "out"_a.noconvert(), "members"_a.noconvert().none() = nb::none(),
           "Forecasts of all rows, the same bits that play sees; and those of the members.");
  m.def(
      "regression_losses", [] { return listed(regression_kernels().losses); },
      "Names of what learners of numbers may charge.");
  m.def(
      "descent_schedules", [] { return listed(descent_schedules); },
      "Names of the steps of gradient descent on numbers.");
  m.attr("REGRESSION_MEMORY_SIZE") = regression_memory_size;
  m.attr("REGRESSION_CELL_SIZE") = regression_cell_size;
}

}  // namespace regretless
