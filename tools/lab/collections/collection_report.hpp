// The figures of two collections side by side, for people and for scripts.
#pragma once

#include <ostream>
#include <string>

#include "collections/collection_figures.hpp"
#include "output/json.hpp"

namespace warpdex::tools {

/// Figures with the name that reports give them.
struct NamedFigures {
  std::string name;
  CollectionFigures figures;
};

/// The collection that generated ones are to be like: 204,648 English Wikipedia articles with the
/// 50,000 queries of terabyte05.
const NamedFigures& wikipedia_figures();

void print_comparison(const NamedFigures& own, const NamedFigures& other, std::ostream& out);

/// Adds an object of that name.
void write_figures(std::string_view name, const CollectionFigures& figures, JsonWriter& json);

}  // namespace warpdex::tools
