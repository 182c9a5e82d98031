#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_regression(nanobind::module_& m);

}  // namespace regretless
