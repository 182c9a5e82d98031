// The kernels of Littlestone dimensions for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include <new>

#include "regretless/littlestone_task.hpp"
#include "regretless/randomized_search.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA::littlestone {

template <class Task>
static void end(void* held) {
  static_cast<Task*>(held)->~Task();
  std::free(held);
}

template <class Task>
static void* make(const BitClass& c, std::int64_t bytes) {
  void* const room = std::malloc(sizeof(Task));
  if (!room) return nullptr;
  if (!(new (room) Task)->make(c, bytes)) return end<Task>(room), nullptr;
  return room;
}

static LittlestoneStatus run(void* held, const std::uint64_t* live, std::int64_t words, int least,
                             LittlestoneStanding& standing) {
  return static_cast<LittlestoneTask*>(held)->run(live, words, least, standing);
}

static LittlestoneStatus run_randomized(void* held, const std::uint64_t* live, std::int64_t words,
                                        RandomizedStanding& standing) {
  return static_cast<RandomizedSearch*>(held)->run(live, words, standing);
}

static LittlestoneStatus tree(void* held, const std::uint64_t* live, int depth, std::int64_t words,
                              std::int64_t* points, std::int64_t* leaves) {
  return static_cast<LittlestoneTask*>(held)->tree(live, depth, words, points, leaves);
}

template <class Task>
static std::int64_t words(const void* held) {
  return static_cast<const Task*>(held)->words();
}

template <class Task>
static std::int64_t known(const void* held) {
  return static_cast<const Task*>(held)->memo().used();
}

template <class Task>
static bool full(const void* held) {
  return static_cast<const Task*>(held)->memo().full();
}

}  // namespace regretless::REGRETLESS_ISA::littlestone

namespace regretless {

namespace of_isa = REGRETLESS_ISA::littlestone;
using of_isa::LittlestoneTask;
using of_isa::RandomizedSearch;

const LittlestoneKernels REGRETLESS_TABLE(littlestone_kernels_) = {of_isa::make<LittlestoneTask>,
                                                                   of_isa::end<LittlestoneTask>,
                                                                   of_isa::run,
                                                                   of_isa::tree,
                                                                   of_isa::words<LittlestoneTask>,
                                                                   of_isa::known<LittlestoneTask>,
                                                                   of_isa::full<LittlestoneTask>};
const RandomizedKernels REGRETLESS_TABLE(randomized_kernels_) = {
    of_isa::make<RandomizedSearch>,  of_isa::end<RandomizedSearch>,   of_isa::run_randomized,
    of_isa::words<RandomizedSearch>, of_isa::known<RandomizedSearch>, of_isa::full<RandomizedSearch>};

}  // namespace regretless
