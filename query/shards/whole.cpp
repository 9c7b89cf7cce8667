#include "shards/whole.hpp"

#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

/// What differs in how the parts were made, so that their terms or scores are not of one kind;
/// empty: nothing does.
std::string difference_of(const PartDescription& a, const PartDescription& b) {
  if (a.analyzer != b.analyzer || a.analyzer_version != b.analyzer_version) return "analyzer";
  if (a.schema != b.schema || a.texts.size() != b.texts.size()) return "schema";
  if (a.impacts != b.impacts) return "impacts";
  if (a.has_positions != b.has_positions || a.positions_by_field != b.positions_by_field) {
    return "positions";
  }
  if (a.vectors != b.vectors) return "vectors";
  return {};
}

void add_counts(CollectionStatistics& sum, const CollectionStatistics& more) {
  sum.documents += more.documents;
  sum.tokens += more.tokens;
}

}  // namespace

Whole::Whole(std::vector<PartDescription> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw UsageError("a whole has one part at least; give it parts");
  if (parts_[0].schema != schema_to_json({})) columns_ = columns_of(parse_schema(parts_[0].schema));
  texts_.resize(parts_[0].texts.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::string different = difference_of(parts_[0], parts_[i]);
    if (!different.empty()) {
      throw UsageError("part " + std::to_string(i) + " has another " + different +
                       " than part 0; build all parts with the same settings");
    }
    documents_ += parts_[i].documents;
    add_counts(collection_, parts_[i].collection);
    for (std::size_t text = 0; text < texts_.size(); ++text) {
      add_counts(texts_[text], parts_[i].texts[text]);
    }
  }
}

double Whole::share(std::uint32_t part) const {
  if (documents_ == 0) return 0;
  return static_cast<double>(parts_[part].documents) / static_cast<double>(documents_);
}

ScorerSettings Whole::scorer(const ScorerSettings& wanted) const {
  IndexSettings settings;
  settings.impacts = parts_[0].impacts;
  return effective_scorer(settings, wanted);
}

}  // namespace warpdex::shards
