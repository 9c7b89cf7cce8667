// Codes of several segments, put together one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "pq/code_groups.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// Writes the sections codes and terms and, where vectors have some, factors and residuals.
class MergedCodes {
 public:
  /// Throws IoError, as do the others.
  MergedCodes(std::size_t code_bytes, bool has_factors, bool has_residuals,
              const std::filesystem::path& folder);

  /// The next code: that of a vector of group number `group` of `codes`.
  void add(std::span<const std::uint8_t> codes, std::size_t group, std::size_t vector);
  /// Fills up the group; the next code begins one.
  void end_group();

  /// What stands beside the code; nothing where there are none.
  void add_term(std::span<const float> all, std::size_t i) { add_one(terms_, all, i); }
  void add_factor(std::span<const float> all, std::size_t i) { add_one(*factors_, all, i); }
  void add_residual(std::span<const float> all, std::size_t i) { add_one(*residuals_, all, i); }

  /// Adds the sections.
  void finish(std::vector<SectionInfo>& sections);

 private:
  static void add_one(SectionWriter& to, std::span<const float> all, std::size_t i) {
    if (!all.empty()) to.append_value(all[i]);
  }

  CodeGroups layout_;
  std::vector<std::uint8_t> group_;
  std::vector<std::uint8_t> code_;
  std::size_t in_group_ = 0;
  SectionWriter codes_;
  SectionWriter terms_;
  std::optional<SectionWriter> factors_;
  std::optional<SectionWriter> residuals_;
};

}  // namespace warpdex::vector
