// Units of any scorer: its exact score, in units. A scorer without kernels of its own, or with none
// for several text fields, needs nothing else on the GPU. They serve AND, and OR by accumulating
// tiles. Internal.
#pragma once

#include "gpu/device/exact_score.cuh"

namespace warpdex::gpu {

struct ExactUnits {
  static constexpr UnitForm kForm = UnitForm::kExact;
  static constexpr bool kIsExact = true;
  static constexpr bool kHasLengths = false;  ///< no codes: lengths are exact, too
  static constexpr bool kHasFields = false;   ///< each list has its field's anyway
  static constexpr bool kMayBeWhole = false;
  static constexpr bool kReadsC0 = false;
  static constexpr bool kIsMeasured = false;

  /// A posting's units. `value` is the stored one: a frequency less one.
  static __device__ std::uint32_t of_posting(const Batch& batch, const Query& query,
                                             const List& list, std::uint32_t value,
                                             std::uint32_t document) {
    const auto tf = static_cast<float>(value + 1);
    const auto length = static_cast<float>(length_of(batch, list, document));
    return with_scorer(Scorers(), batch.scorer(), [&]<class Scorer>() {
      if constexpr (kIsOwn<Scorer>) return of_score(query, Scorer::score(list, tf, length));
      return 0U;
    });
  }

  static __device__ std::uint32_t lower_of_any(const Query& query, std::uint32_t sum) {
    return sum - min(sum, query.rounding_slack);
  }

  /// The largest of the pairs, if they bound the scorer; else the list's largest score.
  static __device__ std::uint32_t bound(const Batch& batch, const Query& query, const List& list,
                                        uint2 bound) {
    return with_scorer(Scorers(), batch.scorer(), [&]<class Scorer>() {
      if constexpr (!kIsOwn<Scorer>) return 0U;
      float best = list.bound;
      if constexpr (Scorer::kFacts.rises) {
        best = 0;
        for (int pair = 0; pair < static_cast<int>(kBoundPairs); ++pair) {
          best = fmaxf(best, Scorer::score(list, decode_rounded(bound.x >> (8 * pair) & 255),
                                           decode_rounded(bound.y >> (8 * pair) & 255)));
        }
      }
      return of_score(query, best * 1.00001F) + 1;
    });
  }

 private:
  template <class Scorer>
  static constexpr bool kIsOwn = form_of_fields(Scorer::kFacts.units.form) == kForm;

  /// Rounded up: a product that is below a whole number stays below it when it is rounded.
  static __device__ std::uint32_t of_score(const Query& query, float score) {
    return static_cast<std::uint32_t>(score * query.scale) + 1;
  }
};

}  // namespace warpdex::gpu
