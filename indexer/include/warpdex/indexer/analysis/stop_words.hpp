// Which words an analyzer leaves out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// A list by its name, such as "_german_" or "_none_", or the words.
using StopWords = std::variant<std::string, std::vector<std::string>>;

/// The languages that have a list: English that of Lucene, others Snowball's.
std::vector<std::string> stop_list_names();

/// The description of an analyzer with these words in the place of its own; where it has none, they
/// are left out before stems are made. Throws UsageError as check_analyzer() does.
AnalyzerSettings with_stop_words(const AnalyzerSettings& analyzer, const StopWords& words);

}  // namespace warpdex
