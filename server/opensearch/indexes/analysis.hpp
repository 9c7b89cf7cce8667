// The analyzers that the settings of a new index describe.
#pragma once

#include <map>
#include <string>

#include "opensearch/face.hpp"

namespace warpdex::server::opensearch {

/// By the names that the settings give them, analyzers as make_analyzer() takes them.
using NamedAnalyzers = std::map<std::string, std::string>;

/// Reads {"analyzer": {"mine": {"type": "custom", "tokenizer": "standard", "filter":
/// ["lowercase"]}}, "filter": {…}, "tokenizer": {…}}. Throws HttpError (400), which names it, for
/// what is not there, and for what an analyzer cannot be made of.
NamedAnalyzers read_analysis(const rapidjson::Value& json);

}  // namespace warpdex::server::opensearch
