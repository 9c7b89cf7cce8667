// The forms in which kernels compute units of postings. A form may serve several scorers. Internal.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex {

/// gpu/device/units.cuh has a type for each, with what its kernels can do.
enum class UnitForm : std::uint32_t {
  kImpact,           ///< a multiple of the stored number
  kExact,            ///< the exact score
  kBm25,             ///< BM25, by codes of lengths
  kFieldBm25,        ///< likewise, where documents have several text fields
  kQueryLikelihood,  ///< logarithms, by codes of lengths
};

/// Whether units depend on codes of lengths, so that a sum may be above its score by more than the
/// rounding of its postings.
WARPDEX_HOST_DEVICE constexpr bool has_length_codes(UnitForm form) {
  return form != UnitForm::kImpact && form != UnitForm::kExact;
}

/// The form that takes the place of another where documents have several text fields, each with
/// lengths and constants of its own. Query likelihood has none there.
WARPDEX_HOST_DEVICE constexpr UnitForm form_of_fields(UnitForm form) {
  if (form == UnitForm::kBm25) return UnitForm::kFieldBm25;
  return form == UnitForm::kQueryLikelihood ? UnitForm::kExact : form;
}

/// The kernels that there are for a form beside AND, and OR by accumulating tiles.
struct UnitKernels {
  bool lookups = true;    ///< OR looks documents up
  bool stored = false;    ///< lists are decoded once for a batch, and tiles added up from them
  bool searched = false;  ///< and documents looked up in them
};

constexpr UnitKernels kernels_for(UnitForm form) {
  switch (form) {
    case UnitForm::kImpact: return {.stored = true};
    case UnitForm::kBm25:
    case UnitForm::kFieldBm25: return {.stored = true, .searched = true};
    case UnitForm::kQueryLikelihood: return {};
    case UnitForm::kExact: break;
  }
  return {.lookups = false};
}

}  // namespace warpdex
