// Stems by libstemmer, and English by a stemmer that no release of it changes.
#include <libstemmer.h>

#include <new>
#include <string>

#include "analysis/english_stemmer.hpp"
#include "analysis/filters/filters.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::analysis {
namespace {

class EnglishStemFilter final : public WordFilter {
 public:
  std::string_view apply(std::string_view word) override { return stemmer_.stem(word); }

 private:
  EnglishStemmer stemmer_;
};

class SnowballFilter final : public WordFilter {
 public:
  explicit SnowballFilter(sb_stemmer* stemmer) : stemmer_(stemmer) {}

  std::string_view apply(std::string_view word) override {
    const sb_symbol* const stem =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    if (stem == nullptr) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(stem),
            static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

bool has_stemmer(std::string_view language) {
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) {
    if (language == *name) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<WordFilter> make_stem(const Part& part, const FilterContext& /*context*/) {
  const std::string& language = *part.find<std::string>("language");
  if (language == "english") return std::make_unique<EnglishStemFilter>();
  if (has_stemmer(language)) {
    sb_stemmer* const stemmer = sb_stemmer_new(language.c_str(), "UTF_8");
    if (stemmer == nullptr) throw std::bad_alloc();
    return std::make_unique<SnowballFilter>(stemmer);
  }
  std::string known;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) {
    known += (known.empty() ? "" : ", ") + std::string(*name);
  }
  throw UsageError("there is no stemmer of the language '" + language + "'; there are " + known);
}

}  // namespace warpdex::analysis
