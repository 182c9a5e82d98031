// A player of mirror steps: rules and borrowed state, checked once, then fed rounds.
#include "winnow.hpp"

#include "player.hpp"
#include "regretless/mirror.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

const MirrorKernels& mirrors() {
#if defined(__x86_64__)
  switch (current_isa()) {
    case Isa::v4: return mirrors_v4;
    case Isa::v3: return mirrors_v3;
    default: return mirrors_v1;
  }
#else
  return mirrors_generic;
#endif
}

Link link_named(const std::string& name) {
  if (name == "simplex") return Link::simplex;
  if (name == "balanced") return Link::balanced;
  if (name == "power") return Link::power;
  throw std::invalid_argument("no link is called " + name);
}

class MirrorPlayer {
 public:
  MirrorPlayer(State2 pairs, State2 memory, State2 books, State1 scratch, const std::string& link, double rate, double tie,
               double intercept)
      : pairs_(pairs), memory_(memory), books_(books), scratch_(scratch) {
    const std::size_t targets = memory.shape(0);
    if (targets == 0) throw std::invalid_argument("at least one target");
    if (pairs.shape(1) != 2 * targets) throw std::invalid_argument("two numbers a feature and target");
    if (memory.shape(1) != mirror_memory_size)
      throw std::invalid_argument("memory has the wrong shape");
    if (books.shape(0) != targets + (targets > 1) || books.shape(1) != ledger_size)
      throw std::invalid_argument("books have the wrong shape");
    if (scratch.size() < 2 * targets) throw std::invalid_argument("scratch is too small");
    rules_ = {link_named(link), rate, tie, intercept};
    state_ = {pairs.data(),   reinterpret_cast<MirrorMemory*>(memory.data()), reinterpret_cast<Ledger*>(books.data()),
              scratch.data(), std::int64_t(pairs.shape(0)),                   std::int64_t(targets)};
  }

  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, const Signs& labels,
              const std::optional<Reals>& sample_weight, const std::optional<Order>& order, std::int64_t begin,
              std::int64_t end) const {
    Block block = block_of(values, indices, starts);
    const Labels of = labels_of(block, labels, sample_weight);
    check_labels(of, block.rows);
    check_columns();
    std::int64_t rounds = block.rows;
    if (order) {
      block.order = order->data();
      rounds = std::int64_t(order->size());
      for (std::int64_t t = 0; t < rounds; ++t)
        if (block.order[t] < 0 || block.order[t] >= block.rows) throw std::invalid_argument("order names a row that is not there");
    }
    if (end < 0) end = rounds;
    if (begin < 0 || begin > end || end > rounds) throw std::invalid_argument("no such rounds");
    nb::gil_scoped_release unlocked;
    return report(mirrors().play(block, of, rules_, state_, begin, end));
  }

  Report one(const Reals& x, std::int32_t label, double weight) const {
    Block block;
    block.values = x.data();
    block.rows = 1;
    block.columns = block.entries = std::int64_t(x.size());
    const Labels of{&label, &weight};
    check_labels(of, 1);
    check_columns();
    return report(mirrors().play(block, of, rules_, state_, 0, 1));
  }

  Report score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, State2 out) const {
    const Block block = block_of(values, indices, starts);
    if (std::int64_t(out.shape(0)) != block.rows || std::int64_t(out.shape(1)) != state_.targets)
      throw std::invalid_argument("room for one score per row and target");
    check_columns();
    nb::gil_scoped_release unlocked;
    return report(mirrors().score(block, rules_, state_, out.data()));
  }

 private:
  void check_labels(const Labels& of, std::int64_t rows) const {
    bool wrong = false;
    if (state_.targets == 1)
      for (std::int64_t t = 0; t < rows; ++t) wrong |= of.label[t] != 1 && of.label[t] != -1;
    else
      for (std::int64_t t = 0; t < rows; ++t) wrong |= of.label[t] < 0 || of.label[t] >= state_.targets;
    if (wrong) throw std::invalid_argument("a label is no sign and no number of a target");
  }
  // Memory is the caller's, and loops run as far as it says.
  void check_columns() const {
    for (std::int64_t c = 0; c < state_.targets; ++c)
      if (!(state_.memory[c].columns >= 0 && state_.memory[c].columns <= double(state_.columns)))
        throw std::invalid_argument("memory counts more columns than there are");
  }

  State2 pairs_, memory_, books_;
  State1 scratch_;
  MirrorRules rules_;
  MirrorState state_;
};

}  // namespace

void bind_winnow(nb::module_& m) {
  nb::class_<MirrorPlayer>(m, "MirrorPlayer", "Mirror steps by a link: rules and borrowed state; feed it rounds.")
      .def(nb::init<State2, State2, State2, State1, const std::string&, double, double, double>(),
           "pairs"_a.noconvert(), "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(), nb::kw_only(), "link"_a, "rate"_a = 1.0, "tie"_a = 0.0, "intercept"_a = 0.0)
      .def("play", &MirrorPlayer::play, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
           "labels"_a.noconvert(), "sample_weight"_a.noconvert().none() = nb::none(), "order"_a.noconvert().none() = nb::none(),
           "begin"_a = 0, "end"_a = -1, "Play the rounds begin <= t < end; how many were played, and what stopped them.")
      .def("one", &MirrorPlayer::one, "x"_a.noconvert(), "label"_a, "weight"_a = 1.0, "Play one dense round.")
      .def("score", &MirrorPlayer::score, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "out"_a.noconvert(), "Scores of all rows under the normalised weights.");
  m.attr("MIRROR_MEMORY_SIZE") = mirror_memory_size;
}

}  // namespace regretless
