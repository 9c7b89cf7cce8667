// What a build of an index and an addition to one have in common: documents in, a segment out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "build/progress.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::build {

/// What an existing index requires of documents that are added to it.
struct Admission {
  /// Why a document of that id cannot be added; empty: it can. Called in the order of the input, by
  /// one thread at a time.
  std::function<std::string(const std::string& id)> refusal;
  /// What the weights of sparse vectors must fit; none: the index is not one of sparse vectors.
  std::optional<ImpactSettings> weights;
  std::uint64_t documents = 0;  ///< that the index holds, removed ones too
};

/// What the manifest records of an index that is built with these options of these documents; how
/// their weights become impacts, if they have some, is known only at the end.
IndexSettings settings_of(const DocumentReader& reader, const BuildOptions& options);

/// Sets which lists of an index with these options have the positions of words: all, or those of
/// the text fields that ask for it.
void set_positions(const BuildOptions& options, IndexSettings& settings);

/// Throws UsageError for options that cannot be.
void check_build_options(const DocumentReader& reader, const BuildOptions& options);

/// Reads all documents and writes their postings to `writer`, which the caller then commits.
/// `settings` are those of `writer`; a build of sparse vectors sets their weights. `admission` is
/// null for a new index; else there may be no documents. Throws as build_index() does.
BuildReport build_segment(DocumentReader& reader, const BuildOptions& options,
                          const Admission* admission, IndexSettings& settings, IndexWriter& writer,
                          Progress& progress);

}  // namespace warpdex::build
