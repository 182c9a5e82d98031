#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_explorer(nanobind::module_& m);

}  // namespace regretless
