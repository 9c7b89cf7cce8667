// OpenSearch's tokenizers and filters as parts of Warpdex's descriptions.
#include "opensearch/indexes/analysis.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/analysis/stop_words.hpp"

namespace warpdex::server::opensearch {
namespace {

/// Names of parts, and the parts as a description has them.
using Parts = std::map<std::string, std::string>;

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return text;
}

std::string quoted(const std::string& text) {
  JsonWriter json;
  json.value(text);
  return json.take();
}

/// A part with one value, which is JSON.
std::string part_with(const std::string& type, const std::string& name, const std::string& value) {
  return R"({"type":)" + quoted(type) + "," + quoted(name) + ":" + value + "}";
}

/// A list by its name, or its words, as JSON.
std::string read_words(Parameters& members, std::string_view name, const std::string& otherwise) {
  const rapidjson::Value* const json = members.json(name);
  if (json == nullptr) return otherwise;
  if (json->IsString()) return quoted(*members.text(name));
  const std::vector<std::string> given = members.texts(name).value_or(std::vector<std::string>());
  JsonWriter words;
  words.begin_array();
  for (const std::string& word : given) words.value(word);
  words.end_array();
  return words.take();
}

/// OpenSearch's name of a stemmer; its `english` is Porter's first one.
std::string stem_part(const std::string& language) {
  const std::string name = small_letters(language);
  if (name == "possessive_english") return quoted("english_possessive");
  const bool is_second = name == "porter2";
  return part_with("stem", "language",
                   quoted(is_second           ? "english"
                          : name == "english" ? "porter"
                                              : name));
}

/// Only what is so anyway.
void read_fixed_flag(Parameters& members, std::string_view name, bool value) {
  if (members.flag(name).value_or(value) == value) return;
  throw illegal_argument("'" + std::string(name) + "' can only be " + (value ? "true" : "false") +
                         " here");
}

std::string snowball_part(Parameters& members) {
  const std::string language = small_letters(members.text("language").value_or("English"));
  return part_with("stem", "language", quoted(language));
}

std::string stop_part(Parameters& members) {
  read_fixed_flag(members, "ignore_case", false);
  return part_with("stop", "words", read_words(members, "stopwords", quoted("_english_")));
}

std::string stemmer_part(Parameters& members) {
  const auto language = members.text("language");
  const auto name = members.text("name");
  return stem_part(language ? *language : name.value_or("english"));
}

std::string elision_part(Parameters& members) {
  const std::string french = R"(["c","d","j","jusqu","l","lorsqu","m","n","puisqu","qu","quoiqu",)"
                             R"("s","t"])";
  return part_with("elision", "articles", read_words(members, "articles", french));
}

std::string lowercase_part(Parameters& members) {
  const auto language = members.text("language");
  return language ? part_with("lowercase", "language", quoted(*language)) : quoted("lowercase");
}

std::string bigram_part(Parameters& members) {
  const bool has_single = members.flag("output_unigrams").value_or(false);
  return part_with("cjk_bigram", "output_unigrams", has_single ? "true" : "false");
}

std::string folding_part(Parameters& members) {
  read_fixed_flag(members, "preserve_original", false);
  return quoted("asciifolding");
}

struct FilterReader {
  std::string_view type;
  std::string (*read)(Parameters& members);
};
constexpr FilterReader kFilters[] = {
    {"apostrophe", [](Parameters&) { return quoted("apostrophe"); }},
    {"asciifolding", folding_part},
    {"cjk_bigram", bigram_part},
    {"elision", elision_part},
    {"lowercase", lowercase_part},
    {"porter_stem", [](Parameters&) { return stem_part("porter"); }},
    {"snowball", snowball_part},
    {"stemmer", stemmer_part},
    {"stop", stop_part},
};
constexpr std::string_view kTokenizers[] = {"icu_tokenizer", "keyword", "standard", "whitespace"};

template <class Range, class Name>
std::string list_of(const Range& range, const Name& name) {
  std::string list;
  for (const auto& each : range) list += (list.empty() ? "" : ", ") + std::string(name(each));
  return list;
}

/// A filter of a type, with the values of its definition.
std::string filter_part(const std::string& name, const std::string& type, Parameters& members) {
  if (type == "synonym" || type == "synonym_graph") {
    throw illegal_argument("the filter [" + name + "] is of the type [" + type +
                           "], and an index has no synonyms of its own; leave it out, and give the "
                           "rules with each search, as 'synonyms' of /v1");
  }
  const auto* const known = std::ranges::find(kFilters, type, &FilterReader::type);
  if (known == std::end(kFilters)) {
    throw illegal_argument("Unknown filter type [" + type + "] for [" + name + "]; there are " +
                           list_of(kFilters, [](const auto& each) { return each.type; }));
  }
  return known->read(members);
}

std::string tokenizer_part(const std::string& name, const std::string& type) {
  if (std::ranges::find(kTokenizers, type) != std::end(kTokenizers)) return quoted(type);
  throw illegal_argument("Unknown tokenizer type [" + type + "] for [" + name + "]; there are " +
                         list_of(kTokenizers, [](std::string_view each) { return each; }));
}

const rapidjson::Value& nothing() {
  static const rapidjson::Value empty(rapidjson::kObjectType);
  return empty;
}

/// Calls read(name, type, members) for each definition of an object, and checks that all members
/// were read.
template <class Read>
void read_definitions(const rapidjson::Value* json, const std::string& what, const Read& read) {
  if (json == nullptr) return;
  if (!json->IsObject()) throw illegal_argument("'analysis." + what + "' is no object");
  for (const auto& [key, value] : json->GetObject()) {
    const std::string name(key.GetString(), key.GetStringLength());
    Parameters members(value, "the " + what + " [" + name + "]");
    read(name, members.text("type").value_or(what == "analyzer" ? "custom" : ""), members);
    members.finish();
  }
}

/// A name, or an array of names.
std::vector<std::string> read_names(Parameters& members, std::string_view name) {
  const rapidjson::Value* const json = members.json(name);
  if (json != nullptr && json->IsString()) return {*members.text(name)};
  return members.texts(name).value_or(std::vector<std::string>());
}

/// Parts by the names of definitions, or of types that need none.
class DefinedParts {
 public:
  explicit DefinedParts(Parameters& analysis) {
    read_definitions(analysis.json("char_filter"), "char_filter",
                     [](const auto& name, const auto& type, Parameters&) {
                       refuse_char_filter(name + "] of type [" + type);
                     });
    read_definitions(analysis.json("tokenizer"), "tokenizer",
                     [&](const auto& name, const auto& type, Parameters&) {
                       tokenizers_[name] = tokenizer_part(name, type);
                     });
    read_definitions(analysis.json("filter"), "filter",
                     [&](const auto& name, const auto& type, Parameters& members) {
                       filters_[name] = filter_part(name, type, members);
                     });
  }

  /// The description of a custom analyzer.
  std::string custom(const std::string& name, Parameters& members) const {
    const std::optional<std::string> tokenizer = members.text("tokenizer");
    if (!tokenizer) throw illegal_argument("the analyzer [" + name + "] has no 'tokenizer'");
    for (const std::string& filter : read_names(members, "char_filter")) refuse_char_filter(filter);
    std::string filters;
    for (const std::string& filter : read_names(members, "filter")) {
      filters += (filters.empty() ? "" : ",") + this->filter(filter);
    }
    const auto defined = tokenizers_.find(*tokenizer);
    return R"({"tokenizer":)" +
           (defined != tokenizers_.end() ? defined->second : tokenizer_part(name, *tokenizer)) +
           R"(,"filters":[)" + filters + "]}";
  }

 private:
  [[noreturn]] static void refuse_char_filter(const std::string& name) {
    throw illegal_argument("there is no char_filter here, such as [" + name +
                           "]; all forms of a word are one without it");
  }
  std::string filter(const std::string& name) const {
    const auto defined = filters_.find(name);
    if (defined != filters_.end()) return defined->second;
    Parameters none(nothing(), "the filter [" + name + "]");
    return filter_part(name, name, none);
  }

  Parts tokenizers_;
  Parts filters_;
};

/// An analyzer that has a name, with other stop words where there are some.
std::string with_words(const std::string& type, Parameters& members) {
  const rapidjson::Value* const words = members.json("stopwords");
  if (words == nullptr) return type;
  if (words->IsString()) return with_stop_words(type, *members.text("stopwords")).name;
  return with_stop_words(type, *members.texts("stopwords")).name;
}

}  // namespace

NamedAnalyzers read_analysis(const rapidjson::Value& json) {
  Parameters analysis(json, "'analysis'");
  const DefinedParts parts(analysis);
  NamedAnalyzers analyzers;
  read_definitions(
      analysis.json("analyzer"), "analyzer",
      [&](const std::string& name, const std::string& type, Parameters& members) {
        if (name == "default_search") {
          throw illegal_argument("queries are analysed as documents: there is no default_search");
        }
        try {
          std::string made =
              type == "custom" ? parts.custom(name, members) : with_words(type, members);
          check_analyzer(made);
          analyzers[name] = canonical_analyzer(made).name;
        } catch (const UsageError& error) {
          throw illegal_argument("the analyzer [" + name + "]: " + error.what());
        }
      });
  analysis.finish();
  return analyzers;
}

}  // namespace warpdex::server::opensearch
