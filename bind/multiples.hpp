#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_multiples(nanobind::module_& m);

}  // namespace regretless
