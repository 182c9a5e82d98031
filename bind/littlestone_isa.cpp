// The kernels of Littlestone dimensions for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include <new>

#include "regretless/littlestone_task.hpp"
#include "regretless/randomized_search.hpp"

namespace regretless::REGRETLESS_ISA {

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

template <class Task, class Standing>
static LittlestoneOutcome run(void* held, const std::uint64_t* live, std::int64_t steps, Standing& standing) {
  return static_cast<Task*>(held)->run(live, steps, standing);
}

static LittlestoneOutcome tree(void* held, const std::uint64_t* live, int depth, std::int64_t* points, std::int64_t* leaves) {
  return static_cast<LittlestoneTask*>(held)->tree(live, depth, points, leaves);
}

template <class Task>
static std::int64_t known(const void* held) {
  return static_cast<const Task*>(held)->memo().used();
}

template <class Task>
static bool full(const void* held) {
  return static_cast<const Task*>(held)->memo().full();
}

}  // namespace regretless::REGRETLESS_ISA

#define REGRETLESS_PASTE(a, b) a##b
#define REGRETLESS_TABLE(name, isa) REGRETLESS_PASTE(name, isa)

namespace regretless {

using REGRETLESS_ISA::LittlestoneTask;
using REGRETLESS_ISA::RandomizedSearch;

const LittlestoneKernels REGRETLESS_TABLE(littlestone_kernels_, REGRETLESS_ISA) = {
    REGRETLESS_ISA::make<LittlestoneTask>,  REGRETLESS_ISA::end<LittlestoneTask>,
    REGRETLESS_ISA::run<LittlestoneTask>,   REGRETLESS_ISA::tree,
    REGRETLESS_ISA::known<LittlestoneTask>, REGRETLESS_ISA::full<LittlestoneTask>};
const RandomizedKernels REGRETLESS_TABLE(randomized_kernels_, REGRETLESS_ISA) = {
    REGRETLESS_ISA::make<RandomizedSearch>, REGRETLESS_ISA::end<RandomizedSearch>, REGRETLESS_ISA::run<RandomizedSearch>,
    REGRETLESS_ISA::known<RandomizedSearch>, REGRETLESS_ISA::full<RandomizedSearch>};

}  // namespace regretless
