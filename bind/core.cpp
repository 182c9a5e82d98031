// The compiled core: borrow arrays, check them, release the interpreter's lock, turn names into types. No logic.
#include "aggregated.hpp"
#include "ascent.hpp"
#include "bit_tables.hpp"
#include "combiner.hpp"
#include "delimited.hpp"
#include "detector.hpp"
#include "duel.hpp"
#include "joined_columns.hpp"
#include "kernel_machine.hpp"
#include "littlestone.hpp"
#include "multiples.hpp"
#include "nearest_point.hpp"
#include "player.hpp"
#include "products.hpp"
#include "pull.hpp"
#include "explorer.hpp"
#include "handed_over.hpp"
#include "room.hpp"
#include "regression.hpp"
#include "ridge.hpp"
#include "second_order.hpp"
#include "shatter.hpp"
#include "tableau.hpp"
#include "treeplex.hpp"
#include "triangle.hpp"
#include "vector_tables.hpp"
#include "vote.hpp"
#include "vowpal.hpp"
#include "winnow.hpp"
#include "words.hpp"
#include "worst_case.hpp"

using namespace nb::literals;

NB_MODULE(_core, m) {
  using namespace regretless;
  m.doc() = "Compiled rounds. Every function borrows arrays and owns nothing.";
  nb::set_leak_warnings(false);  // objects that live as long as the interpreter are no business of its user
  bind_aggregated(m);
  bind_bit_tables(m);
  bind_player(m);
  bind_combiner(m);
  bind_delimited(m);
  bind_detector(m);
  bind_duel(m);
  bind_kernel_machine(m);
  bind_littlestone(m);
  bind_nearest_point(m);
  bind_ascent(m);
  bind_joined_columns(m);
  bind_vector_tables(m);
  bind_multiples(m);
  bind_ridge(m);
  bind_products(m);
  bind_pull(m);
  bind_regression(m);
  bind_explorer(m);
  bind_second_order(m);
  bind_shatter(m);
  bind_svmlight(m);
  bind_tableau(m);
  bind_treeplex(m);
  bind_triangle(m);
  bind_vote(m);
  bind_vowpal(m);
  bind_winnow(m);
  bind_words(m);
  bind_worst_case(m);
  m.def(
      "zeros",
      [](std::int64_t count) {
        Room room = zeros_for(count);
        return handed_over(room, std::size_t(count));
      },
      "count"_a,
      "Zeros that begin a cache line, or a large page if they are many, and take no memory then until they "
      "are written to.");
  m.def("isa", [] { return std::string(isa_name(current_isa())); }, "The instruction set in use.");
  m.def(
      "isas",
      [] {
        std::vector<std::string> names;
        for (Isa isa : {Isa::generic, Isa::v1, Isa::v3, Isa::v4})
          if ((isa == Isa::generic) == (best_isa() == Isa::generic) && isa <= best_isa())
            names.emplace_back(isa_name(isa));
        return names;
      },
      "The instruction sets that this machine can run.");
  m.def(
      "use_isa",
      [](const std::string& name) {
        for (Isa isa : {Isa::generic, Isa::v1, Isa::v3, Isa::v4})
          if (name == isa_name(isa) && (isa == Isa::generic) == (best_isa() == Isa::generic) && isa <= best_isa())
            return use_isa(isa);
        throw std::invalid_argument("this machine cannot run " + name);
      },
      "name"_a, "Choose an instruction set; all of them give the same bits.");
}
