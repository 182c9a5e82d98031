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
    case Isa::generic: return "generic";
  }
  return "generic";
}

// The widest instruction set that this machine has and that was compiled in.
inline Isa best_isa() {
#if defined(REGRETLESS_PLAIN)
  return Isa::v1;
#elif defined(__x86_64__)
  __builtin_cpu_init();
#if defined(__clang__) && __clang_major__ < 18  // which does not know the levels by name
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
#else
  const bool v3 = __builtin_cpu_supports("x86-64-v3"), v4 = __builtin_cpu_supports("x86-64-v4");
#endif
  return v4 ? Isa::v4 : v3 ? Isa::v3 : Isa::v1;
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
