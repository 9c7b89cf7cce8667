// Names of analyzers, and what they are short for.
#include "analysis/descriptions/languages.hpp"

#include <algorithm>
#include <array>

#include "analysis/analysis_path.hpp"
#include "analysis/filters/stop_lists.hpp"

namespace warpdex::analysis {
namespace {

using Words = std::vector<std::string>;

const std::array<std::string_view, 6> kGeneral = {"english", "standard", "whitespace",
                                                  "keyword", "cjk",      "thai"};

// Those of libstemmer 2.2 but English.
const std::array<std::string_view, 27> kLanguages = {
    "arabic",  "armenian",   "basque",  "catalan",   "danish",     "dutch",      "finnish",
    "french",  "german",     "greek",   "hindi",     "hungarian",  "indonesian", "irish",
    "italian", "lithuanian", "nepali",  "norwegian", "portuguese", "romanian",   "russian",
    "serbian", "spanish",    "swedish", "tamil",     "turkish",    "yiddish"};

/// Words that lose their vowel before another, and are written with an apostrophe then.
Words articles_of(std::string_view language) {
  if (language == "catalan") return {"d", "l", "m", "n", "s", "t"};
  if (language == "french") {
    return {"c", "d", "j", "jusqu", "l", "lorsqu", "m", "n", "puisqu", "qu", "quoiqu", "s", "t"};
  }
  if (language == "irish") return {"b", "d", "m"};
  if (language == "italian") {
    return {"agl", "all",  "c",    "coll", "d", "dagl", "dall", "degl", "dell", "gl", "l",
            "m",   "negl", "nell", "pell", "s", "sugl", "sull", "t",    "un",   "v"};
  }
  return {};
}

Description of_language(std::string_view language) {
  Description description{{"standard"}};
  std::vector<Part>& filters = description.filters;
  filters.push_back({"lowercase"});
  if (language == "turkish") {
    filters.back().values["language"] = std::string(language);
    filters.push_back({"apostrophe"});
  }
  const Words articles = articles_of(language);
  if (!articles.empty()) filters.push_back({"elision", {{"articles", articles}}});
  if (stop_words(language)) {
    filters.push_back({"stop", {{"words", "_" + std::string(language) + "_"}}});
  }
  filters.push_back({"stem", {{"language", std::string(language)}}});
  return description;
}

/// Before kOneFormVersion, possessives were looked for in words as they are.
Description english(std::uint32_t version) {
  const Part possessive{"english_possessive"}, lowercase{"lowercase"};
  const bool folds_first = version >= kOneFormVersion;
  return {{"standard"},
          {folds_first ? lowercase : possessive,
           folds_first ? possessive : lowercase,
           {"stop", {{"words", std::string("_english_")}}},
           {"stem", {{"language", std::string("english")}}}}};
}

}  // namespace

std::optional<Description> named_description(std::string_view name, std::uint32_t version) {
  if (name == "english") return english(version);
  if (name == "standard" || name == "thai") return Description{{"standard"}, {{"lowercase"}}};
  if (name == "whitespace" || name == "keyword") return Description{{std::string(name)}};
  if (name == "cjk") {
    return Description{
        {"standard"},
        {{"lowercase"}, {"cjk_bigram"}, {"stop", {{"words", std::string("_english_")}}}}};
  }
  if (std::ranges::find(kLanguages, name) == kLanguages.end()) return std::nullopt;
  return of_language(name);
}

std::vector<std::string> description_names() {
  std::vector<std::string> names(kGeneral.begin(), kGeneral.end());
  names.insert(names.end(), kLanguages.begin(), kLanguages.end());
  return names;
}

}  // namespace warpdex::analysis
