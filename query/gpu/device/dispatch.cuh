// Calls the instance of a template that is compiled for an index's codec and a batch's scores.
// Internal.
#pragma once

#include "gpu/layout/layout.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::gpu {

/// Calls call.operator()<codec, levels>(). For `pfor`, `levels` is 1 if the index has no more
/// levels, else kMaxPforLevels; for other codecs it is 0.
template <class Call>
void with_codec(const Batch& batch, CodecKind codec, Call call) {
  switch (codec) {
    case CodecKind::kBitpack: return call.template operator()<CodecKind::kBitpack, 0>();
    case CodecKind::kPfor:
      if (batch.pfor_levels <= 1) return call.template operator()<CodecKind::kPfor, 1>();
      return call.template operator()<CodecKind::kPfor, kMaxPforLevels>();
    case CodecKind::kPforBlock: return call.template operator()<CodecKind::kPforBlock, 0>();
    case CodecKind::kRice: return call.template operator()<CodecKind::kRice, 0>();
  }
}

/// Calls call.operator()<form of scores>().
template <class Call>
void with_form(const Batch& batch, Call call) {
  switch (batch.form) {
    case ScoreForm::kImpact: return call.template operator()<ScoreForm::kImpact>();
    case ScoreForm::kBm25: return call.template operator()<ScoreForm::kBm25>();
    case ScoreForm::kQueryLikelihood:
      return call.template operator()<ScoreForm::kQueryLikelihood>();
  }
}

/// Calls call.operator()<codec, levels, form of scores>().
template <class Call>
void with_codec_and_form(const Batch& batch, CodecKind codec, Call call) {
  with_codec(batch, codec, [&]<CodecKind kCodec, int kLevels>() {
    with_form(batch,
              [&]<ScoreForm kForm>() { call.template operator()<kCodec, kLevels, kForm>(); });
  });
}

}  // namespace warpdex::gpu
