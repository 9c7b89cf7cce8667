// Launches the instance of a template that is compiled for an index's codec and a batch's scores.
// Internal.
#pragma once

#include "gpu/device/units.cuh"
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

/// Calls call.operator()<the type of the batch's units>(), if it is in the list.
template <class... Units, class Call>
void launch_with(UnitsList<Units...>, const Batch& batch, Call call) {
  ((Units::kForm == batch.form ? call.template operator()<Units>() : void()), ...);
}

/// Calls call.operator()<codec, type of units>().
template <class List, class Call>
void with_codec_and_units(List list, const Batch& batch, CodecKind codec, Call call) {
  with_codec(codec, [&]<CodecKind kCodec>() {
    launch_with(list, batch, [&]<class Units>() { call.template operator()<kCodec, Units>(); });
  });
}

/// Whether AND and the accumulation of tiles have an instance for this codec and these units that
/// measures itself. One is enough: only measurements use it.
template <CodecKind kCodec, class Units>
inline constexpr bool kIsMeasured = kCodec == CodecKind::kBitpack&& Units::kIsMeasured;

}  // namespace warpdex::gpu
