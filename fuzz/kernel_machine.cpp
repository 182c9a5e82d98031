// Kernel perceptrons over a dense support, a sparse one, or columns of a Gram matrix. Rows are hostile; the support is
// what the kernels themselves made of earlier rows, its counts as the binding has them checked. Arrays have little
// room, so that "full" comes often; what is played then goes on in larger ones.
#include "regretless/kernel_types.hpp"
#include "rounds.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

enum class Form { dense, sparse, gram };

struct Machine {
  Form form;
  std::int64_t columns, targets;
  KernelRules rules;
  std::vector<double> coefficients, lag, norm2, born, rows, values, work, books, lengths2, scratch, round, moves;
  std::vector<std::int64_t> begin, length, column, source, slot, counts{0, 0, 0, 0};
  std::vector<std::int32_t> indices, place;
  KernelState s;

  Machine(Input& in, std::int64_t gram_columns)
      : form(gram_columns ? Form::gram
             : in.flag()  ? Form::dense
                          : Form::sparse),
        columns(in.below(12)), targets(in.byte() < 160 ? 1 : in.within(2, 4)) {
    const std::int64_t room = in.below(24);
    rules.kind = KernelKind(in.below(3));
    rules.gamma = in.any();
    rules.coef0 = in.any();
    rules.offset = in.any();
    rules.degree = in.within(1, 6);
    rules.tie = double(in.within(-1, 1));
    coefficients = zeros(room * targets);
    lag = zeros(room * targets);
    norm2 = zeros(room);
    born = zeros(room);
    books = zeros((targets + (targets > 1)) * ledger_size);
    lengths2 = zeros(targets);
    scratch = zeros(kernel_scratch(form == Form::dense ? columns : 0, targets));
    Support& p = s.support;
    p.coefficients = at(coefficients);
    p.lag = at(lag);
    p.norm2 = at(norm2);
    p.born = at(born);
    p.columns = columns;
    p.targets = targets;
    p.room = room;
    p.count = at(counts);
    p.entries = at(counts) + 1;
    p.places = at(counts) + 2;
    s.log.count = at(counts) + 3;
    if (form == Form::dense) {
      rows = zeros(room * columns);
      p.rows = at(rows);
    }
    if (form == Form::sparse) hold_sparse(in, room);
    if (form == Form::gram) {
      column = array<std::int64_t>(room, [&] { return in.below(gram_columns); });
      p.column = at(column);
    }
    if (in.flag()) {
      source = array<std::int64_t>(room, [] { return -1; });
      p.source = at(source);
    }
    if (in.flag()) {
      const std::int64_t lines = in.below(24);
      slot = array<std::int64_t>(lines, [] { return 0; });
      round = zeros(lines);
      moves = zeros(lines * targets);
      s.log.slot = at(slot);
      s.log.round = at(round);
      s.log.moves = at(moves);
      s.log.room = lines;
    }
    s.book = reinterpret_cast<Ledger*>(at(books));
    s.norm2 = at(lengths2);
    s.scratch = at(scratch);
    s.most = in.flag() ? in.below(24) : 0;
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void check() const {
    MUST(counts[0] >= 0 && counts[0] <= s.support.room && counts[3] >= 0 && counts[3] <= s.log.room);
    MUST(counts[1] >= 0 && counts[1] <= s.support.entry_room && counts[2] >= 0 && counts[2] <= s.support.place_room);
    for (const double left : work) MUST(left == 0 && !std::signbit(left));
    for (std::int64_t k = 0; k < counts[0] && form == Form::sparse; ++k)
      for (std::int64_t e = begin[std::size_t(k)]; e < begin[std::size_t(k)] + length[std::size_t(k)]; ++e)
        MUST(place[std::size_t(indices[std::size_t(e)])] > 0);
  }

 private:
  void hold_sparse(Input& in, std::int64_t room) {
    Support& p = s.support;
    const std::int64_t entries = in.below(100);
    begin = array<std::int64_t>(room, [] { return 0; });
    length = begin;
    values = zeros(entries);
    indices = array<std::int32_t>(entries, [] { return 0; });
    place = array<std::int32_t>(in.below(columns + 1), [] { return 0; });
    p.place_room = in.below(14);
    work = zeros((p.place_room + 1) * sparse_lanes);
    p.begin = at(begin);
    p.length = at(length);
    p.values = at(values);
    p.indices = at(indices);
    p.place = at(place);
    p.entry_room = entries;
    p.place_columns = std::int64_t(place.size());
    s.work = at(work);
  }
};

void check_outcome(const KernelVerdict& outcome, std::int64_t begin, std::int64_t end) {
  MUST(outcome.played >= begin && outcome.played <= end);
  MUST(outcome.halt != Halt::none || outcome.played == end);
  MUST((outcome.refusal != LinearRefusal::none) == (outcome.halt == Halt::refused));
}

void play_rows(Input& in) {
  Machine m(in, 0);
  for (std::int64_t times = in.within(1, 3); times > 0; --times) {
    Rounds r;
    fill(in, r, m.columns, m.targets, false);
    Block all = r.block;
    all.order = nullptr;
    if (in.byte() < 32) {
      const KernelVerdict adopted = KERNELS(kernel_).adopt(all, m.rules, m.s);
      check_outcome(adopted, 0, all.rows);
      m.check();
    }
    auto slots =
        array<std::int64_t>(r.block.rows + 1, [&] { return m.counts[0] ? in.below(m.counts[0] + 1) - 1 : -1; });
    const Known known{in.flag() ? at(slots) : nullptr, in.below(2)};
    check_outcome(KERNELS(kernel_).play(r.block, {}, r.of, m.rules, m.s, known, r.begin, r.end), r.begin, r.end);
    m.check();
    std::vector<double> scores = zeros(all.rows * m.targets), gram = zeros(all.rows * m.counts[0]),
                        self = zeros(all.rows);
    check_outcome(KERNELS(kernel_).score(all, {}, m.rules, m.s, at(scores)), 0, all.rows);
    m.check();
    check_outcome(KERNELS(kernel_).gram(all, m.rules, m.s, at(gram), at(self)), 0, all.rows);
    m.check();
  }
}

void play_gram(Input& in) {
  const std::int64_t rows = in.below(80), columns = rows + in.within(1, 4);
  Machine m(in, columns);
  const auto gram = array<double>(rows * columns, [&] { return in.empty() ? 1.0 : in.any(); });
  const GramTable table{at(gram), rows, columns, in.below(columns - rows + 1)};
  Rounds r;
  r.block.rows = rows;
  fill_labels(in, r, m.targets, false);
  check_outcome(KERNELS(kernel_).play(r.block, table, r.of, m.rules, m.s, {}, r.begin, r.end), r.begin, r.end);
  m.check();
  for (std::int64_t k = 0; k < m.counts[0]; ++k)
    MUST(m.column[std::size_t(k)] >= 0 && m.column[std::size_t(k)] < columns);
  std::vector<double> scores = zeros(rows * m.targets);
  check_outcome(KERNELS(kernel_).score({}, {at(gram), rows, columns, -1}, m.rules, m.s, at(scores)), 0, rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  if (in.byte() < 200) play_rows(in);
  else play_gram(in);
  return 0;
}
