#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_kernel_machine(nanobind::module_& m);

}  // namespace regretless
