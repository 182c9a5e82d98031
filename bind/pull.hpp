#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_pull(nanobind::module_& m);

}  // namespace regretless
