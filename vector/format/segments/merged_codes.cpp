// Group after group.
#include "format/segments/merged_codes.hpp"

#include <algorithm>

#include "format/manifest.hpp"

namespace warpdex::vector {

MergedCodes::MergedCodes(std::size_t code_bytes, bool has_factors, bool has_residuals,
                         const std::filesystem::path& folder)
    : layout_{code_bytes},
      group_(layout_.group_bytes()),
      code_(code_bytes),
      codes_(folder, section::kCodes),
      terms_(folder, section::kTerms) {
  if (has_factors) factors_.emplace(folder, section::kFactors);
  if (has_residuals) residuals_.emplace(folder, section::kResiduals);
}

void MergedCodes::add(std::span<const std::uint8_t> codes, std::size_t group, std::size_t vector) {
  if (in_group_ == kGroupVectors) end_group();
  layout_.read(codes.data() + group * layout_.group_bytes(), vector, code_.data());
  layout_.write(code_.data(), in_group_++, group_.data());
}

void MergedCodes::end_group() {
  if (in_group_ > 0) codes_.append(group_);
  std::fill(group_.begin(), group_.end(), std::uint8_t{0});
  in_group_ = 0;
}

void MergedCodes::finish(std::vector<SectionInfo>& sections) {
  end_group();
  sections.push_back(codes_.finish());
  sections.push_back(terms_.finish());
  if (factors_) sections.push_back(factors_->finish());
  if (residuals_) sections.push_back(residuals_->finish());
}

}  // namespace warpdex::vector
