// Scores on the GPU, in two forms. Scores in units are integers that are never below the score that
// they stand for, and kernels may add them up in any order. Exact scores are computed by the
// operations of TermScorer, and only for documents that may be in an answer. Internal.
#pragma once

#include "gpu/layout/batch.hpp"
#include "gpu/layout/length_codes.hpp"
#include "likelihood_part.hpp"
#include "natural_log.hpp"

namespace warpdex::gpu {

// ------------------------------------------------------------------------------ scores in units

/// decode_rounded() of score_bound.hpp for a code below 256. From 8 on, the bits of a code are the
/// number's exponent and its first three binary digits.
__device__ inline float decode_rounded(std::uint32_t code) {
  constexpr std::uint32_t kTwoTo23 = 0x4B000000;
  constexpr std::uint32_t kExponent = 129;
  if (code < 8) return __uint_as_float(kTwoTo23 | code) - 8'388'608.F;
  return __uint_as_float((code << 20) + (kExponent << 23));
}

/// The part of a score that depends on the document's length alone: BM25's c0 + c1 * len, or the
/// logarithm that query likelihood adds.
__device__ inline float length_part(ScoreForm form, float c0, float c1, float length) {
  return form == ScoreForm::kBm25 ? c0 + c1 * length : __logf(c1 / (length + c1));
}

/// A posting's units: at least 1, and not below score * scale. `value` is the stored number: a
/// frequency or an impact, less one. `weight` is the list's weight times the scale. Integers are
/// converted to floats and back by adding 2^23, which is much faster than the conversion
/// instructions, unless values are `huge`.
template <ScoreForm kForm>
__device__ inline std::uint32_t units_of(std::uint32_t value, float part, float weight, float c0,
                                         bool huge) {
  constexpr std::uint32_t kTwoTo23 = 0x4B000000;
  if constexpr (kForm == ScoreForm::kImpact) {
    return static_cast<std::uint32_t>(ceilf(static_cast<float>(value + 1) * weight));
  } else if constexpr (kForm == ScoreForm::kBm25) {
    const float tf =
        huge ? static_cast<float>(value + 1) : __uint_as_float(kTwoTo23 | value) - 8'388'607.F;
    return __float_as_uint(__fdividef(tf * weight, tf + part) + 8'388'608.F) - kTwoTo23 + 1;
  } else {
    const float tf = static_cast<float>(value + 1);
    return static_cast<std::uint32_t>(weight * fmaxf(0.F, __logf(1.F + tf * c0) + part)) + 1;
  }
}

/// A lower bound of a document's score * scale: its `sum` less what rounding may have added.
__device__ inline std::uint32_t lower_units(const Batch& batch, const Query& query,
                                            std::uint32_t document, std::uint32_t sum) {
  if (batch.form == ScoreForm::kImpact) return sum - min(sum, query.rounding_slack);
  const auto length = static_cast<float>(batch.lengths.of(document));
  const auto rounded = static_cast<float>(decode_length(batch.lengths.codes[document]));
  float lower = static_cast<float>(sum) - static_cast<float>(query.rounding_slack);
  if (batch.form == ScoreForm::kBm25) {
    // Rounding the length changes the score most for a frequency of one.
    lower *= (1.F + batch.c0 + batch.c1 * rounded) / (1.F + batch.c0 + batch.c1 * length);
  } else {
    lower -= query.weight_units * __logf((length + batch.c1) / (rounded + batch.c1));
  }
  return static_cast<std::uint32_t>(fmaxf(0.F, lower * 0.99999F));
}

/// The same for any document with this sum, without reading its length: a lower bound still.
__device__ inline std::uint32_t lower_units(const Batch& batch, const Query& query,
                                            std::uint32_t sum) {
  if (batch.form == ScoreForm::kImpact) return sum - min(sum, query.rounding_slack);
  if (batch.form == ScoreForm::kQueryLikelihood || (query.flags & kCodedLengths) == 0) return 0;
  const float lower = static_cast<float>(sum) - static_cast<float>(query.rounding_slack);
  return static_cast<std::uint32_t>(fmaxf(0.F, lower * (16.F / 17.F) * 0.99999F));
}

/// The upper bound in units of the postings that a stored bound covers: the largest of its pairs.
__device__ inline std::uint32_t bound_units(ScoreForm form, const Query& query, const List& list,
                                            uint2 bound) {
  const float weight = list.weight * query.scale;
  if (form == ScoreForm::kImpact) {  // the largest impact itself, in the first byte
    return static_cast<std::uint32_t>(ceilf(static_cast<float>(bound.x & 255) * weight));
  }
  float best = 0;
#pragma unroll
  for (int pair = 0; pair < static_cast<int>(kBoundPairs); ++pair) {
    const float tf = decode_rounded(bound.x >> (8 * pair) & 255);
    const float length = decode_rounded(bound.y >> (8 * pair) & 255);
    const float part = length_part(form, list.c0, list.c1, length);
    const float score =
        form == ScoreForm::kBm25 ? __fdividef(tf, tf + part) : __logf(1.F + tf * list.c0) + part;
    best = fmaxf(best, score);
  }
  return min(static_cast<std::uint32_t>(best * weight * 1.00001F) + 2, query.unit_cap);
}

// --------------------------------------------------------------------------------- exact scores

/// TermScorer::operator(), bit for bit: by the same operations, and for query likelihood by the
/// same natural_log() and likelihood_part().
__device__ inline float exact_score(ScoreForm form, const List& list, std::uint32_t frequency,
                                    std::uint32_t length) {
  const auto tf = static_cast<float>(frequency);
  if (form == ScoreForm::kImpact) return list.weight * tf;
  const auto len = static_cast<float>(length);
  if (form == ScoreForm::kBm25) {
    return list.weight * __fdiv_rn(tf, tf + (list.c0 + list.c1 * len));
  }
  return list.weight *
         likelihood_part(natural_log((1.F + tf * list.c0) * __fdiv_rn(list.c1, len + list.c1)));
}

/// Scores and documents as one number: the better is the larger.
__device__ inline std::uint64_t make_key(float score, std::uint32_t document) {
  return static_cast<std::uint64_t>(__float_as_uint(score)) << 32 | (kNone - document);
}

}  // namespace warpdex::gpu
