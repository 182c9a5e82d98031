#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_vowpal(nanobind::module_& m);

}  // namespace regretless
