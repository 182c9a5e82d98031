// Which instruction set the kernels run on. They are compiled once for each; all give the same bits.
#pragma once
#include <atomic>
#include <string_view>

namespace regretless {

enum class Isa { generic, v1, v3, v4 };

inline std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::v1: return "v1";
    case Isa::v3: return "v3";
    case Isa::v4: return "v4";
    default: return "generic";
  }
}

// The widest instruction set that this machine has and that was compiled in.
inline Isa best_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return Isa::v4;
  if (__builtin_cpu_supports("x86-64-v3")) return Isa::v3;
  return Isa::v1;
#else
  return Isa::generic;
#endif
}

inline std::atomic<Isa>& isa_in_use() {
  static std::atomic<Isa> isa{best_isa()};
  return isa;
}
inline Isa current_isa() { return isa_in_use().load(std::memory_order_relaxed); }
inline void use_isa(Isa isa) { isa_in_use().store(isa, std::memory_order_relaxed); }

}  // namespace regretless
