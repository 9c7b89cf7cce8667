// A set of a query's terms. Internal.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

/// A set of numbers below kMaxGpuTerms: of a query's terms, in the order of lists in the image,
/// scoring terms first. Those below 64 are bits of a word; only huge queries take memory for more.
class TermSet {
 public:
  TermSet() = default;
  TermSet(const TermSet& other)
      : low_(other.low_), more_(other.more_ ? std::make_unique<Words>(*other.more_) : nullptr) {}
  TermSet(TermSet&&) noexcept = default;
  TermSet& operator=(TermSet other) noexcept {
    low_ = other.low_;
    more_ = std::move(other.more_);
    return *this;
  }
  ~TermSet() = default;

  void insert(std::uint32_t term) {
    if (term >= kLow && !more_) more_ = std::make_unique<Words>();
    (term < kLow ? low_ : (*more_)[term / kLow - 1]) |= std::uint64_t{1} << term % kLow;
  }

  bool contains(std::uint32_t term) const {
    if (term >= kLow && !more_) return false;
    return ((term < kLow ? low_ : (*more_)[term / kLow - 1]) >> term % kLow & 1) != 0;
  }
  bool is_empty() const {
    if (low_ != 0) return false;
    return !more_ || *more_ == Words{};
  }
  std::uint32_t count() const {
    auto sum = static_cast<std::uint32_t>(std::popcount(low_));
    if (more_) {
      for (const std::uint64_t word : *more_)
        sum += static_cast<std::uint32_t>(std::popcount(word));
    }
    return sum;
  }
  /// The smallest number. There must be one.
  std::uint32_t first() const {
    if (low_ != 0) return static_cast<std::uint32_t>(std::countr_zero(low_));
    std::uint32_t word = 0;
    while ((*more_)[word] == 0) ++word;
    return kLow * (word + 1) + static_cast<std::uint32_t>(std::countr_zero((*more_)[word]));
  }

  /// Calls visit(number) for each, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    visit_word(low_, 0, visit);
    if (!more_) return;
    for (std::uint32_t i = 0; i < more_->size(); ++i)
      visit_word((*more_)[i], kLow * (i + 1), visit);
  }

  friend TermSet operator|(const TermSet& a, const TermSet& b) {
    return join(a, b, [](std::uint64_t one, std::uint64_t other) { return one | other; });
  }
  friend TermSet operator&(const TermSet& a, const TermSet& b) {
    return join(a, b, [](std::uint64_t one, std::uint64_t other) { return one & other; });
  }
  /// Those of `a` that `b` lacks.
  friend TermSet operator-(const TermSet& a, const TermSet& b) {
    return join(a, b, [](std::uint64_t one, std::uint64_t other) { return one & ~other; });
  }
  friend bool operator==(const TermSet& a, const TermSet& b) {
    return a.low_ == b.low_ && ((!a.more_ && !b.more_) || a.rest() == b.rest());
  }

 private:
  static constexpr std::uint32_t kLow = 64;
  static_assert(kMaxGpuTerms % kLow == 0);
  using Words = std::array<std::uint64_t, kMaxGpuTerms / kLow - 1>;

  const Words& rest() const {
    static constexpr Words kEmpty{};
    return more_ ? *more_ : kEmpty;
  }

  template <class Visit>
  static void visit_word(std::uint64_t word, std::uint32_t first, Visit& visit) {
    for (; word != 0; word &= word - 1) {
      visit(first + static_cast<std::uint32_t>(std::countr_zero(word)));
    }
  }

  template <class Join>
  static TermSet join(const TermSet& a, const TermSet& b, Join join_words) {
    TermSet joined;
    joined.low_ = join_words(a.low_, b.low_);
    if (!a.more_ && !b.more_) return joined;
    joined.more_ = std::make_unique<Words>();
    for (std::size_t i = 0; i < joined.more_->size(); ++i) {
      (*joined.more_)[i] = join_words(a.rest()[i], b.rest()[i]);
    }
    return joined;
  }

  std::uint64_t low_ = 0;
  std::unique_ptr<Words> more_;
};

}  // namespace warpdex::gpu
