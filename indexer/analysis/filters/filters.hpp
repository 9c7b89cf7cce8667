// The filters of words. Internal to indexer/analysis.
#pragma once

#include <memory>

#include "analysis/part.hpp"
#include "analysis/word_filter.hpp"

namespace warpdex::analysis {

/// What follows an apostrophe is left out, and the apostrophe: "Ankara'da".
std::unique_ptr<WordFilter> make_apostrophe(const Part& part, const FilterContext& context);

/// Latin letters without accents, as ASCII; other scripts stay.
std::unique_ptr<WordFilter> make_ascii_folding(const Part& part, const FilterContext& context);

/// One of `articles` with an apostrophe at the front is left out: "l'avion".
std::unique_ptr<WordFilter> make_elision(const Part& part, const FilterContext& context);

/// A possessive 's at the end is left out.
std::unique_ptr<WordFilter> make_english_possessive(const Part& part, const FilterContext& context);

/// Case and forms folded (WordFolder); by `language` "turkish", I becomes a dotless i.
std::unique_ptr<WordFilter> make_lowercase(const Part& part, const FilterContext& context);

/// The stem by the `language`'s algorithm.
std::unique_ptr<WordFilter> make_stem(const Part& part, const FilterContext& context);

/// Left out if among `words`: those given, or a list by its name, such as "_german_". They are
/// compared as the filters before this one make them.
std::unique_ptr<WordFilter> make_stop(const Part& part, const FilterContext& context);

}  // namespace warpdex::analysis
