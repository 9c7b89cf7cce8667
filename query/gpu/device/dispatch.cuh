// Calls the instance of a template that is compiled for an index's codec and a batch's scores.
// Internal.
#pragma once

#include "gpu/layout/batch.hpp"
#include "warpdex/codecs/codec.hpp"

namespace warpdex::gpu {

/// Calls call.operator()<codec>().
template <class Call>
void with_codec(CodecKind codec, Call call) {
  switch (codec) {
    case CodecKind::kBitpack: return call.template operator()<CodecKind::kBitpack>();
    case CodecKind::kPfor: return call.template operator()<CodecKind::kPfor>();
    case CodecKind::kPforBlock: return call.template operator()<CodecKind::kPforBlock>();
    case CodecKind::kRice: return call.template operator()<CodecKind::kRice>();
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

/// Calls call.operator()<codec, form of scores>().
template <class Call>
void with_codec_and_form(const Batch& batch, CodecKind codec, Call call) {
  with_codec(codec, [&]<CodecKind kCodec>() {
    with_form(batch, [&]<ScoreForm kForm>() { call.template operator()<kCodec, kForm>(); });
  });
}

/// Whether AND and the accumulation of tiles have an instance for this codec and these scores that
/// measures itself. One is enough: only measurements use it.
template <CodecKind kCodec, ScoreForm kForm>
inline constexpr bool kIsMeasured = kCodec == CodecKind::kBitpack&& kForm == ScoreForm::kBm25;

}  // namespace warpdex::gpu
