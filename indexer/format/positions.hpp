// Positions of words on their way to a segment. docs/format.md, "Positions".
#pragma once

#include <cstdint>
#include <span>

#include "warpdex/indexer/format/postings.hpp"

namespace warpdex {

class SegmentView;

/// The codec of positions, whatever that of the postings is: each block stands alone.
inline constexpr CodecSettings kPositionCodec{.kind = CodecKind::kPforBlock};

/// Sets the members of `data` that hold positions. As ListEncoder::encode().
void encode_positions(std::span<const std::uint32_t> frequencies,
                      std::span<const std::uint32_t> steps, EncodedPostings::Data& data);

/// Finds the sections of positions. Throws FormatError.
void open_positions(const SegmentView& segment, const IndexCounts& counts,
                    const IndexSettings& settings, IndexSections& to);

/// Throws the FormatError of positions that no encoder wrote.
[[noreturn]] void damaged_positions();

}  // namespace warpdex
