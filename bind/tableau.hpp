#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_tableau(nanobind::module_& m);

}  // namespace regretless
