// What crosses the border between the binding and the kernel perceptron of one instruction set: plain borrowed data.
#pragma once
#include <cstdint>

#include "linear_types.hpp"

namespace regretless {

enum class KernelKind { linear, poly, rbf };

// K(x, z): <x, z>, (gamma <x, z> + coef0)^degree or exp(-gamma |x - z|^2); and `offset` more, what a constant feature
// adds.
struct KernelRules {
  KernelKind kind = KernelKind::rbf;
  double gamma = 1, coef0 = 0, offset = 0;
  std::int64_t degree = 1;
  double tie = 0;  // the label for which a score of 0 counts as right; 0: for none
};

// The rows that a function is made of, slot by slot, and what travels with them. Dense when `rows` is set, sparse when
// `begin` is, else columns of a Gram matrix. The arrays have room for more than `count` slots.
struct Support {
  double* coefficients = nullptr;  // (room, targets)
  double* lag = nullptr;           // (room, targets): each coefficient times the round in which it came
  double* norm2 = nullptr;         // (room): squared lengths of the rows
  double* born = nullptr;          // (room): the round in which a slot was filled
  double* rows = nullptr;          // (room, columns)
  std::int64_t* begin = nullptr;   // (room): where the entries of a row begin, and how many there are
  std::int64_t* length = nullptr;  // (room)
  double* values = nullptr;        // (entry_room): the entries, column by column
  std::int32_t* indices = nullptr;
  std::int32_t* place = nullptr;   // (place_columns): the number, from 1, of each column that any entry is in; else 0
  std::int64_t* column = nullptr;  // (room): of the Gram matrix
  std::int64_t* source = nullptr;  // (room): which of the rows that come again fills a slot, or -1
  std::int64_t columns = 0, targets = 1, room = 0, entry_room = 0, place_columns = 0, place_room = 0;
  std::int64_t* count = nullptr;    // slots in use
  std::int64_t* entries = nullptr;  // entries in use
  std::int64_t* places = nullptr;   // columns with a number
};

// Every update in its order, for those who vote: its slot, its round, and by how much each target moved.
struct UpdateLog {
  std::int64_t* slot = nullptr;
  double* round = nullptr;
  double* moves = nullptr;  // (room, targets)
  std::int64_t* count = nullptr;
  std::int64_t room = 0;
};

struct KernelState {
  Support support;
  UpdateLog log;
  Ledger* book = nullptr;     // (targets), and one more for the whole when there are several
  double* norm2 = nullptr;    // (targets): |f|^2
  double* scores = nullptr;   // (rounds, targets), or null: what each round was predicted by
  bool averages = false;      // that is the mean of the functions before each round, instead of the last
  double* scratch = nullptr;  // room for kernel_scratch numbers
  double* work = nullptr;     // sparse support: (place_room + 1, sparse_lanes) zeros
  std::int64_t most = 0;      // slots that may be filled before someone must make room; 0: as many as there are
};

// A Gram matrix instead of rows: K(row, column), and where the rows themselves are among the columns.
struct GramTable {
  const double* gram = nullptr;
  std::int64_t rows = 0, columns = 0, self = 0;
};

// Which slot holds which row, where rows come again: slots[offset + row], or -1.
struct Known {
  std::int64_t* slots = nullptr;
  std::int64_t offset = 0;
};

inline constexpr std::int64_t dense_lanes = 64, sparse_lanes = 32, gram_lanes = 64;
// Two sums for each row of a block and the moves of a round, then the block's rows if the support is dense.
inline std::int64_t kernel_scratch(std::int64_t columns, std::int64_t targets) {
  return (2 * dense_lanes + 1) * targets + dense_lanes * columns;
}

enum class Halt { none, refused, full, over };  // done; a row is refused; arrays must grow; one slot more than wanted

struct KernelVerdict {
  std::int64_t played = 0;
  Halt halt = Halt::none;
  LinearRefusal refusal = LinearRefusal::none;
};

struct KernelFunctions {
  KernelVerdict (*play)(const Block&, const GramTable&, const Labels&, const KernelRules&, KernelState&, const Known&,
                        std::int64_t begin, std::int64_t end);
  KernelVerdict (*score)(const Block&, const GramTable&, const KernelRules&, KernelState&, double* out);
  KernelVerdict (*gram)(const Block&, const KernelRules&, KernelState&, double* out, double* self);
  KernelVerdict (*adopt)(const Block&, const KernelRules&, KernelState&);
};

extern const KernelFunctions kernel_v1, kernel_v3, kernel_v4, kernel_generic;

}  // namespace regretless
