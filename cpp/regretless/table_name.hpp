// The name of a table of kernels: that of its kind, and after it the instruction set for which a file is compiled.
#pragma once

#define REGRETLESS_JOIN(kind, isa) kind##isa
#define REGRETLESS_JOIN_VALUES(kind, isa) REGRETLESS_JOIN(kind, isa)
#define REGRETLESS_TABLE(kind) REGRETLESS_JOIN_VALUES(kind, REGRETLESS_ISA)
