// The types that compute units: one for each UnitForm. Each has
//   of(value, part, weight, c0, huge): a posting's units, at least 1, and not below score * scale.
//     `value` is the stored number, a frequency or an impact, less one; `part` is length_part() of
//     the document's length, where kHasLengths; `weight` is the list's weight times the scale.
//   share(tf, part, c0), where kHasLengths: a score over its weight.
//   lower_of_any(query, sum): a lower bound of score * scale of any document with this sum.
//   by_exact_length(batch, query, document, lower), where kHasLengths: `lower`, a lower bound with
//     the code of the document's length, for the exact length.
// With kHasFields, length_part() depends on the list, and lengths are those of its text field.
// ExactUnits have of_posting() in place of of(). Kernels are compiled for each. Code that is not
// chooses here, at run time. Internal.
#pragma once

#include "gpu/device/exact_units.cuh"
#include "scorers/bm25/gpu/bm25_units.cuh"
#include "scorers/impact/gpu/impact_units.cuh"
#include "scorers/query_likelihood/gpu/query_likelihood_units.cuh"

namespace warpdex::gpu {

template <class... Units>
struct UnitsList {};

using AllUnits =
    UnitsList<ImpactUnits, Bm25Units, FieldBm25Units, QueryLikelihoodUnits, ExactUnits>;
/// Those that UnitKernels::lookups has.
using LookupUnits = UnitsList<ImpactUnits, Bm25Units, FieldBm25Units, QueryLikelihoodUnits>;
/// Those that UnitKernels::stored has: each also has stored_value(), of_stored(), kStoredFraction,
/// and OfStored, which has the same but for stored_value().
using StoredUnits = UnitsList<ImpactUnits, Bm25Units, FieldBm25Units>;
/// By codes of lengths; FieldBm25Units are the last where the list is not read.
using CodedUnits = UnitsList<QueryLikelihoodUnits, Bm25Units>;

/// Calls call.operator()<the type of a form>(); a form that is not in the list counts as the last.
template <class First, class... Rest, class Call>
__device__ inline auto with_units(UnitsList<First, Rest...>, UnitForm form, const Call& call) {
  if constexpr (sizeof...(Rest) > 0) {
    if (form != First::kForm) return with_units(UnitsList<Rest...>(), form, call);
  }
  return call.template operator()<First>();
}

}  // namespace warpdex::gpu
