// The options of `warpdex index`, and what they mean to a reader of documents and to a build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options/analyzer_options.hpp"
#include "options/codec_options.hpp"
#include "options/impact_options.hpp"
#include "options/options.hpp"
#include "options/vector_input.hpp"
#include "options/vector_kind_options.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::tools {

/// Declared once, read after CommandLine::parse().
struct IndexArguments {
  std::vector<std::string> inputs;
  std::string format;
  std::string output;
  CodecOptions codec;
  AnalyzerOptions analyzer{BuildOptions{}.analyzer.name};
  std::string fields = "contents";
  std::string stored;
  std::string schema;
  VectorInput vectors;
  VectorKindOptions vector_kind{"vector-index"};
  std::string static_scores;
  std::string on_bad_document = "fail";
  bool no_forward = false;
  bool positions = false;
  bool reorder = false;
  std::int64_t parts = 0;  ///< 0: it is one index
  ImpactOptions impacts;
  std::string memory = "1G";
  std::int64_t threads = 0;
  bool quiet = false;
  std::string json;
};

/// Adds all options of the command. Keeps references to `given`.
void add_index_options(CommandLine& command, IndexArguments& given);

/// What is read. Throws UsageError for options that do not fit the format.
ReaderOptions reader_options(const IndexArguments& given, const CommandLine& command);

/// How the vectors are found. Throws UsageError for options that do not go together.
vector::RowIndexSettings vector_index_settings(const IndexArguments& given,
                                               const CommandLine& command);

/// How the index is built. Throws UsageError for what cannot be, before anything is read.
BuildOptions build_options(const IndexArguments& given, const CommandLine& command);

}  // namespace warpdex::tools
