// What the search for comparators of rows in memory reads and writes: coordinate ascent in the dual of support vector
// machines, and margins along directions.
#pragma once
#include "linear_types.hpp"

namespace regretless {

// Of machines that climb at once, where it is not one alone; or twice as many.
inline constexpr int penalties = 4;

struct Ascent {
  int penalties = regretless::penalties;
  std::int64_t classes = 1;       // each with machines of its own against the rest, side by side, if they are several
  double* products = nullptr;     // (classes * penalties): room for those of a row, if they are several
  double* vectors = nullptr;      // (columns, penalties)
  double* biases = nullptr;       // penalties
  double* multipliers = nullptr;  // (rows, penalties)
  double* lacks = nullptr;        // (columns, penalties), or null: what the vectors' means over the pass lack of them
  double* bias_lacks = nullptr;   // penalties: the same of the biases
  const double* most = nullptr;   // penalties: what a multiplier may be at most
  double* gains = nullptr;        // penalties, or null: to it is added by how much the pass raised the dual
  // (columns), or null: the inverse of a diagonal A; the machines are those of the rows A^-1/2 x, and these vectors
  // give the rows x the same scores.
  const double* inverse = nullptr;
  double inverse_constant = 1;  // that of the constant feature
  std::int64_t columns = 0;
  std::int64_t before = 0, rounds = 0;  // of the pass: those that are over, and all of them
};

// Rays of which the margins of all rows are written down, and put into bins one ray after the other.
struct WrittenRays : Rays {
  double* margins = nullptr;       // (count, rows)
  std::int32_t* counts = nullptr;  // (ray_counts): zeros, unless the bins of a ray are still to be taken
  double* sums = nullptr;          // (ray_bins, 2): the same; sums of margins and of their squares
  std::int64_t rows = 0;
};

// How many bins of a ray have any margins, and how many of them are those of positive ones.
struct FilledBins {
  std::int64_t count = 0, positive = 0;
};
// These bins in their order, which has the positive ones first, and what they come to.
struct TakenBins {
  std::int64_t* places = nullptr;  // (count)
  double* bins = nullptr;          // (count, 3): rounds, sum of margins, sum of their squares
  double* below = nullptr;         // (1 + positive, 3): the same of all negative margins, then up to each positive bin
  double total = 0, squares = 0;   // of all margins
};

// 64 columns: which of them occur, and how many do before them.
struct RankWord {
  std::uint64_t bits = 0;
  std::int64_t before = 0;
};
inline std::int64_t rank_words(std::int64_t columns) { return columns / 64 + 1; }

inline constexpr std::int64_t ray_counts = (ray_bins + 63) / 64 * 64;  // whole vectors of them, and some zeros

// 64 columns: which of them have an entry, and which have another.
struct ColumnMarks {
  std::uint64_t once = 0, again = 0;
};
// Rows whose lone entries, those of columns that have no other, are joined to one number a row; and what these were:
// their columns, and the vectors along which they are. There is room for another entry of each kind.
struct JoinedRows {
  double *values = nullptr, *shares = nullptr;
  std::int32_t *indices = nullptr, *lone = nullptr;
  std::int64_t *starts = nullptr, *lone_starts = nullptr;
  const double* inverse = nullptr;  // (columns), or null: that of the diagonal A
  std::int64_t* leads = nullptr;    // (rows): where the largest share of each joined number is
  double* metric = nullptr;         // (rows, 2): of joined numbers the inverse in A, and the square of x' over theirs
  bool apart = false;               // whether positive and negative entries of a row are joined to a number each
  double* sums = nullptr;           // (rows, 3), or null: of the shares' sizes s the sum, that of s ln s, their number
  std::int64_t joined = 0;          // how many numbers are joined ones
};

// The lone columns of rows, one row after the other, with the share that each has of what they are joined to.
struct LoneColumns {
  const std::int32_t* columns = nullptr;
  const double* shares = nullptr;
  const std::int64_t* starts = nullptr;
  std::int64_t rows = 0;
};

// What the entries of a diagonal matrix start with.
struct DiagonalStart {
  double prior = 1;
  bool sized = false;  // whether in units of the largest square of each feature, at least `least`
  double least = 0;
};
// What certificates ask of it: the weights, the roots of its entries and the inverses of these, a number a column; and
// u'A^-1 u and ln det(A) over what it started with.
struct DiagonalParts {
  double *weights = nullptr, *roots = nullptr, *inverse = nullptr;
  double energy = 0, volume = 0;
};

// Where the numbers of a mixture's cells lie, whose learners go at so many rates.
inline constexpr int cell_rates = 4;
struct CellPlaces {
  std::int64_t width = 0, numbers = 0, squares = 0, most = 0, root = 0;  // the first `numbers` are taken
  double least = 0, largest = 0,
         stretch = 0;     // sizes whose metric is in single precision; how the others' is stretched
  std::int64_t room = 0;  // columns of the tables that they go to
};

// Vectors side by side, (columns, 1, 4 or 8).
struct TableKernels {
  void (*squares)(const double* table, const double* roots, std::int64_t columns, double* sums);
  void (*divide)(double* table, const double* lengths, double size, std::int64_t columns);
  void (*sizes)(const double* table, const double* duals, const double* groups, std::int64_t columns, double* sizes,
                double* products);
  void (*shares)(const double* table, const double* totals, const double* groups, std::int64_t columns, double* sums,
                 double* counts);
};

struct AscentKernels {
  LinearVerdict (*climb)(const Block& block, const Labels& labels, double intercept, const Ascent& ascent,
                         std::int64_t begin, std::int64_t end);
  LinearVerdict (*climb_classes)(const Block& block, const Labels& labels, double intercept, const Ascent& ascent,
                                 std::int64_t begin, std::int64_t end);
  LinearVerdict (*add_squares)(const Block& block, const double* inverse, std::int64_t columns, double& sum);
  LinearVerdict (*write_margins)(const Block& block, const Labels& labels, double intercept, const WrittenRays& rays);
  LinearVerdict (*write_leads)(const Block& block, const Labels& labels, double intercept, const FixedVectors& vectors,
                               std::int64_t classes, double* leads);
  FilledBins (*bin_margins)(const WrittenRays& rays, std::int64_t ray);
  void (*take_bins)(const WrittenRays& rays, std::int64_t ray, TakenBins& taken);
  void (*add_hinges)(const double* margins, std::int64_t count, double scale, double& hinges, double& squares);
  double (*squares)(const double* vector, std::int64_t count);
  std::int64_t (*mark_narrow)(const std::int32_t* theirs, std::int32_t* numbers, std::int64_t entries,
                              std::int64_t columns, RankWord* words);
  std::int64_t (*mark_wide)(const std::int64_t* theirs, std::int64_t* numbers, std::int64_t entries,
                            std::int64_t columns, RankWord* words);
  void (*rank_narrow)(std::int32_t* numbers, std::int64_t entries, std::int64_t columns, const RankWord* words,
                      std::int64_t* used);
  void (*rank_wide)(std::int64_t* numbers, std::int64_t entries, std::int64_t columns, const RankWord* words,
                    std::int64_t* used);
  LinearVerdict (*mark_entries)(const Block& block, std::int64_t columns, ColumnMarks* marks);
  bool (*join_lone)(const Block& block, std::int64_t shared, const RankWord* words, JoinedRows& to);
  void (*join_table)(const double* table, std::int64_t width, const std::int64_t* shared, std::int64_t count,
                     const LoneColumns& lone, double* to);
  TableKernels alone, four, eight;  // of so many
  void (*take_positive)(double* numbers, std::int64_t count);
  bool (*take_rows)(const double* from, std::int64_t rows, std::int64_t width, const std::int64_t* numbers,
                    std::int64_t count, double* to);
  void (*read_diagonal)(const double* records, std::int64_t columns, const DiagonalStart& start, DiagonalParts& out);
  void (*turn_cells)(const double* cells, std::int64_t columns, const CellPlaces& places, double* table,
                     double* metric);
};

extern const AscentKernels ascent_kernels_generic, ascent_kernels_v1, ascent_kernels_v3, ascent_kernels_v4;

}  // namespace regretless
