// Terms in the order of their bytes, each with its postings: what a merge reads.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "build/inverter.hpp"

namespace warpdex::build {

/// A sequence of terms, strictly ascending by their bytes, with postings as posting_code.hpp has
/// them.
class TermSource {
 public:
  virtual ~TermSource() = default;

  /// Moves to the next term (the first one, at the start); false at the end. The term before must
  /// have been taken.
  virtual bool next() = 0;

  /// Valid until next().
  std::string_view term() const { return term_; }
  /// Of the term's postings.
  std::uint64_t bytes() const { return bytes_; }

  /// Appends the postings' bytes to `out`; once a term.
  virtual void take(std::vector<std::uint8_t>& out) = 0;

 protected:
  std::string_view term_;
  std::uint64_t bytes_ = 0;
};

/// The terms of a sorted inverter, which must outlive it.
class InverterSource final : public TermSource {
 public:
  explicit InverterSource(const Inverter& inverter) : inverter_(inverter) {}

  bool next() override {
    if (next_ == inverter_.sorted_terms()) return false;
    term_ = inverter_.term(next_);
    bytes_ = inverter_.postings_bytes(next_);
    ++next_;
    return true;
  }

  void take(std::vector<std::uint8_t>& out) override { inverter_.copy_postings(next_ - 1, out); }

 private:
  const Inverter& inverter_;
  std::size_t next_ = 0;
};

}  // namespace warpdex::build
