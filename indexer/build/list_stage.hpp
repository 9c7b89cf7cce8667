// The last stage of a build: merged postings, encoded side by side, to the index writer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "build/progress.hpp"
#include "build/term_merger.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex::build {

/// What a posting costs in memory on its way from a run to the index: merged bytes, docIDs,
/// frequencies, the encoder's gaps and its output.
inline constexpr std::uint64_t kListBytesPerPosting = 28;

/// Writes a list for every term that `terms` gives, from up to `threads` threads. If `weights` is
/// not null, postings carry encoded weights, of which it says how they become impacts. Lists in the
/// making take up to about `memory` bytes, or one list's worth if that is more. Counts terms,
/// postings and raised weights in `report`. Throws IoError, and what the progress callback throws.
void write_lists(TermMerger& terms, const ListEncoder& encoder, const ImpactSettings* weights,
                 std::size_t threads, std::uint64_t memory, IndexWriter& writer, Progress& progress,
                 BuildReport& report);

}  // namespace warpdex::build
