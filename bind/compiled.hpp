// The kernels are compiled once for each instruction set; the binding takes those that this machine runs.
#pragma once
#include "regretless/isa.hpp"

namespace regretless {

template <class T>
const T& of_isa(const T& v1, const T& v3, const T& v4) {
  switch (current_isa()) {
    case Isa::v4: return v4;
    case Isa::v3: return v3;
    case Isa::v1:
    case Isa::generic: return v1;
  }
  return v1;
}

}  // namespace regretless

#if defined(REGRETLESS_PLAIN)
#define REGRETLESS_COMPILED(table) table##_v1
#elif defined(__x86_64__)
#define REGRETLESS_COMPILED(table) of_isa(table##_v1, table##_v3, table##_v4)
#else
#define REGRETLESS_COMPILED(table) table##_generic
#endif
