// Svmlight text from a source to rows, a block at a time: the buffer of the text, the memory of the rows, and the id
// that column 0 has. The caller sees to it that one call is made at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "svmlight.hpp"
#include "svmlight_memory.hpp"

namespace regretless {

// Text that comes from a source, in whole lines.
class SvmlightText {
 public:
  explicit SvmlightText(std::size_t block) : capacity_(std::max<std::size_t>(block, 16)) {
    if (block > longest_line) throw std::invalid_argument("a block holds at most 2**28 bytes");
    resize();
  }

  // Makes whole lines ready: reads until the buffer is full, which grows until it holds a line. False at the end of the
  // text, and, with `too_long`, at a line that no buffer holds. `source` is called with a place and its size, and
  // returns the number of bytes that it wrote there, 0 at the end; none, if it has nothing now.
  template <class Source>
  bool advance(Source&& source) {
    drop(ready_);
    for (ready_ = 0;;) {
      const bool more = fill(source);
      if (!begun_ && held().starts_with("\xEF\xBB\xBF")) drop(3);  // the byte order mark
      begun_ = true;
      ready_ = held().rfind('\n') + 1;
      if (!more && ready_ < held_) {
        begin()[held_++] = '\n';  // the padding has room for it
        ready_ = held_;
      }
      taken_ += ready_;
      if (ready_ || !more) return ready_ > 0;
      if (capacity_ >= longest_line) {
        too_long_ = true;
        return false;
      }
      capacity_ *= 2;
      resize();
    }
  }

  char* begin() const { return text_.as<char>() + svmlight_padding; }
  std::size_t ready() const { return ready_; }
  std::size_t taken() const { return taken_; }  // bytes of all whole lines so far
  std::string_view held() const { return {begin(), held_}; }
  bool too_long() const { return too_long_; }

 private:
  void resize() { text_.resize(capacity_ + 2 * svmlight_padding); }

  void drop(std::size_t bytes) {
    held_ -= bytes;
    std::memmove(begin(), begin() + bytes, held_);
  }

  // False at the end of the text. A source that has nothing now is to be asked later if there are whole lines.
  template <class Source>
  bool fill(Source& source) {
    while (held_ < capacity_) {
      const std::optional<std::size_t> count = source(begin() + held_, capacity_ - held_);
      if (!count) {
        if (held().rfind('\n') != std::string_view::npos) return true;
        continue;
      }
      if (*count == 0) return false;
      if (*count > capacity_ - held_) throw std::invalid_argument("readinto returned more than it was given room for");
      held_ += *count;
    }
    return true;
  }

  static constexpr std::size_t longest_line = std::size_t(1) << 28;

  SvmlightRegion text_;
  std::size_t capacity_, held_ = 0, ready_ = 0, taken_ = 0;  // room, bytes read, bytes of these in whole lines
  bool begun_ = false, too_long_ = false;
};

// Rows of one text: a block at a time, each in arrays of a pool, or all of them in arrays that grow.
class SvmlightBlocks {
 public:
  SvmlightBlocks(SvmlightKernel kernel, bool single, std::optional<std::int64_t> first_id, std::int64_t columns_allowed,
                 bool skip, std::size_t block)
      : kernel_(kernel), first_id_(first_id), text_(block) {
    if (first_id && *first_id != 0 && *first_id != 1) throw std::invalid_argument("ids begin at 0 or at 1");
    if (columns_allowed < 1 || columns_allowed > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("the number of columns allowed must be between 1 and 2**31 - 1");
    job_.single = single;
    job_.columns_allowed = columns_allowed;
    job_.skip = skip;
    marks_.resize((svmlight_marks + svmlight_padding) * sizeof(std::uint32_t));
    line_ends_.resize(svmlight_piece * sizeof(std::uint32_t));
    job_.marks = marks_.as<std::uint32_t>();
    job_.line_ends = line_ends_.as<std::uint32_t>();
  }

  // Makes the text of a block ready; false behind the last, and behind the first bad line unless such lines are
  // skipped.
  template <class Source>
  bool advance(Source&& source) {
    if (text_.too_long() || (job_.complaints && !job_.skip)) return false;
    job_.complaints = 0;
    if (text_.advance(source)) return true;
    if (!text_.too_long()) return false;
    job_.complaints = 1;
    const std::string_view line = text_.held();
    job_.refusal[0] = {SvmlightRefusal::line_too_long, job_.lines + 1, 1, line.data(), line.data() + line.size()};
    return true;
  }

  // The rows of the block alone.
  std::unique_ptr<SvmlightArrays> next() {
    job_.rows = job_.entries = 0;
    auto arrays = pool_->take();
    const SvmlightRoom most = SvmlightRoom::for_text(text_.ready());
    if (!arrays->room.holds(most)) arrays->resize(most, job_.single);
    parse(*arrays);
    return arrays;
  }

  // Adds the rows of the block to those gathered; `bytes_expected` are those of the whole text.
  void gather(std::size_t bytes_expected) {
    const SvmlightRoom have{job_.rows, job_.entries}, most = SvmlightRoom::for_text(text_.ready());
    if (!gathered_->room.holds(have + most)) {
      // The rest of the text is taken to be like what was read; where there is no telling, room grows by half.
      const double parsed = double(text_.taken() - text_.ready()), expected = double(bytes_expected);
      const double factor = parsed > 0 && expected > parsed ? 1.02 * expected / parsed : 1.5;
      gathered_->resize(have * factor + most, job_.single);
      if (parsed > 0) gathered_->use_huge_pages();
    }
    parse(*gathered_);
  }

  std::unique_ptr<SvmlightArrays> gathered() {
    gathered_->resize({job_.rows, job_.entries}, job_.single);
    gathered_->lend(job_);
    return std::exchange(gathered_, std::make_unique<SvmlightArrays>());
  }

  const SvmlightJob& job() const { return job_; }
  const std::shared_ptr<SvmlightPool>& pool() const { return pool_; }
  std::optional<std::int64_t> first_id() const { return first_id_; }

 private:
  void parse(const SvmlightArrays& into) {
    into.lend(job_);
    job_.text = text_.begin();
    job_.end = text_.begin() + text_.ready();
    if (!first_id_ && detect_first_id()) return;
    job_.first_id = first_id_.value_or(1);
    kernel_(job_);
  }

  // Reads the block as if ids began at 0: they do if a good row has one, and at 1 if there are entries but no 0. True
  // where it need not be read again: nothing is bad, and columns that are one too large become smaller.
  bool detect_first_id() {
    SvmlightJob trial = job_;
    trial.first_id = 0;
    ++trial.columns_allowed;
    kernel_(trial);
    bool zero = false;
    for (std::int64_t row = job_.rows; row < trial.rows; ++row) {
      const std::int64_t begin = trial.starts[row];
      zero |= begin < trial.starts[row + 1] && trial.indices[begin] == 0;
    }
    const bool ones = !zero && trial.entries > job_.entries;
    if (zero || ones) first_id_ = zero ? 0 : 1;
    if (trial.complaints || (zero && trial.columns > job_.columns_allowed)) return false;
    for (std::int64_t k = job_.entries; ones && k < trial.entries; ++k) --trial.indices[k];
    trial.columns -= ones;
    --trial.columns_allowed;
    job_ = trial;
    return true;
  }

  SvmlightKernel kernel_;
  SvmlightJob job_;
  std::optional<std::int64_t> first_id_;
  SvmlightText text_;
  SvmlightRegion marks_, line_ends_;
  std::shared_ptr<SvmlightPool> pool_ = std::make_shared<SvmlightPool>();
  std::unique_ptr<SvmlightArrays> gathered_ = std::make_unique<SvmlightArrays>();
};

}  // namespace regretless
