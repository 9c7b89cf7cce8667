#include "tree/tree_plan.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "tree/expansion.hpp"
#include "tree/expansion_work.hpp"
#include "tree/near_words.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {
namespace {

class TreePlanner {
 public:
  TreePlanner(const Snapshot& snapshot, QueryPlanner& planner, FilterCache& filters)
      : snapshot_(snapshot), planner_(planner), filters_(filters) {}

  PlannedTree plan(const QueryNode& tree, bool scores) {
    PlannedTree planned{.root = node(tree, 1, scores), .statistics = planner_.text_statistics()};
    planned.lists = lists_;
    planned.was_cut = was_cut_;
    planned.most_terms = most_terms_;
    return planned;
  }

 private:
  PlannedNode node(const QueryNode& node, float boost, bool scores);
  PlannedNode term(const std::string& text, float weight, bool scores,
                   std::uint64_t document_frequency = 0);
  void add_work(const ExpandedTerms& found);
  PlannedNode near(const QueryNode& node, float weight, bool scores);
  PlannedNode phrase(const QueryNode& node, float weight, bool scores);
  PlannedNode boolean(const QueryNode& node, float weight, bool scores);
  PlannedNode combined(const QueryNode& node, float weight, bool scores);
  PlannedNode best(const QueryNode& node, float weight, bool scores);
  PlannedNode blended(const QueryNode& node, float weight, bool scores);
  std::vector<PlannedNode> all(const std::vector<QueryNode>& nodes, float boost, bool scores) {
    std::vector<PlannedNode> planned;
    for (const QueryNode& one : nodes) planned.push_back(this->node(one, boost, scores));
    return planned;
  }

  const Snapshot& snapshot_;
  QueryPlanner& planner_;
  FilterCache& filters_;
  std::size_t lists_ = 0;
  bool was_cut_ = false;
  ExpansionWork work_;
  std::size_t most_terms_ = 0;
};

PlannedNode TreePlanner::node(const QueryNode& node, float boost, bool scores) {
  const float weight = boost_product(boost, node.boost);
  scores = scores && weight > 0;
  const std::optional<float> constant = scores ? std::optional(weight) : std::nullopt;
  switch (node.kind) {
    case QueryNode::Kind::kAll:
      return {.kind = PlannedNode::Kind::kAll, .scores = scores, .constant = constant};
    case QueryNode::Kind::kColumns:
      return {.kind = PlannedNode::Kind::kColumns,
              .scores = scores,
              .constant = constant,
              .documents = filters_.get(snapshot_, node.text)};
    case QueryNode::Kind::kTerm: return term(node.text, weight, scores);
    case QueryNode::Kind::kFuzzy: return near(node, weight, scores);
    case QueryNode::Kind::kPhrase: return phrase(node, weight, scores);
    case QueryNode::Kind::kSynonyms: {
      PlannedNode planned{.kind = PlannedNode::Kind::kSynonyms, .scores = scores};
      for (const std::string& text : node.texts) {
        planned.should.push_back(term(text, weight, scores));
      }
      return planned;
    }
    case QueryNode::Kind::kPrefix:
    case QueryNode::Kind::kWildcard:
    case QueryNode::Kind::kRange:
    case QueryNode::Kind::kAny: {
      work_.check();
      ExpandedTerms found = expand(snapshot_, node);
      add_work(found);
      was_cut_ = was_cut_ || found.was_cut;
      if (node.kind != QueryNode::Kind::kAny) most_terms_ = std::max(most_terms_, found.terms);
      return {.kind = PlannedNode::Kind::kUnion,
              .scores = scores,
              .constant = constant,
              .unions = std::move(found.segments)};
    }
    case QueryNode::Kind::kConstant: {
      PlannedNode planned{
          .kind = PlannedNode::Kind::kBoolean, .scores = scores, .constant = constant};
      planned.must = all(node.filter, 1, false);
      if (planned.must.empty()) planned.kind = PlannedNode::Kind::kNothing;
      return planned;
    }
    case QueryNode::Kind::kBoolean: return boolean(node, weight, scores);
    case QueryNode::Kind::kBest: return best(node, weight, scores);
    case QueryNode::Kind::kCombined: return combined(node, weight, scores);
    case QueryNode::Kind::kBlended: return blended(node, weight, scores);
    default: return {};
  }
}

void TreePlanner::add_work(const ExpandedTerms& found) {
  work_.add_terms(found.looked_at);
  for (std::size_t i = 0; i < found.segments.size(); ++i) {
    if (found.segments[i].empty()) continue;
    work_.add_set(snapshot_.segments()[i].index->counts().documents);
    for (const PostingsEntry& entry : found.segments[i]) {
      work_.add_postings(entry.document_frequency);
    }
  }
}

PlannedNode TreePlanner::term(const std::string& text, float weight, bool scores,
                              std::uint64_t document_frequency) {
  PlannedNode planned{.kind = PlannedNode::Kind::kTerm, .scores = scores};
  const Query query{.id = {}, .terms = {{.term = text, .weight = scores ? weight : 1}}};
  const PlannedQuery found = planner_.plan(query);
  const auto take = [&](const std::vector<PlannedTerm>& terms) {
    planned.terms.emplace_back();
    if (terms.empty()) return;
    planned.terms.back() = terms[0];
    if (document_frequency != 0) planned.terms.back()->document_frequency = document_frequency;
  };
  if (found.segments.empty()) {
    take(found.terms);
  } else {
    for (const PlannedQuery& segment : found.segments) take(segment.terms);
  }
  const WholeStatistics* const whole = planner_.whole();
  const TermFrequencies all = whole != nullptr ? whole->of(text) : TermFrequencies{};
  if (all.documents > 0) {
    planned.elsewhere = PlannedTerm{.entry = {},
                                    .weight = scores ? weight : 1,
                                    .document_frequency = all.documents,
                                    .collection_frequency = all.occurrences};
    if (!whole->texts.empty()) {
      planned.elsewhere->entry.field = static_cast<std::uint8_t>(field_of_term(text));
    }
  }
  lists_ += scores ? 1 : 0;
  return planned;
}

/// As Lucene scores near words: each by its boost, all as if they were as frequent as the most
/// frequent one.
PlannedNode TreePlanner::near(const QueryNode& node, float weight, bool scores) {
  PlannedNode planned{.kind = PlannedNode::Kind::kBoolean, .scores = scores};
  planned.minimum_should_match = 1;
  work_.check();
  // At most all terms are looked at.
  for (const Snapshot::Segment& segment : snapshot_.segments()) {
    if (node.texts.empty()) work_.add_terms(segment.index->counts().terms);
  }
  const bool are_chosen = !node.texts.empty();
  const std::vector<NearTerm> terms =
      are_chosen ? chosen_terms(snapshot_, node) : near_terms(snapshot_, node, was_cut_);
  const WholeStatistics* const whole = planner_.whole();
  std::uint64_t most = 0;
  for (const NearTerm& one : terms) {
    if (whole != nullptr) most = std::max(most, whole->of(one.term).documents);
    if (whole != nullptr) continue;
    const PlannedQuery found = planner_.plan({.id = {}, .terms = {{.term = one.term}}});
    for (const PlannedTerm& term : found.terms) {
      most = std::max<std::uint64_t>(most, term.entry.document_frequency);
    }
  }
  for (const NearTerm& one : terms) {
    const float own = boost_product(weight, one.boost);
    planned.should.push_back(term(one.term, own, scores && own > 0, most));
  }
  if (planned.should.empty()) planned.kind = PlannedNode::Kind::kNothing;
  return planned;
}

PlannedNode TreePlanner::phrase(const QueryNode& node, float weight, bool scores) {
  PlannedNode planned{.kind = PlannedNode::Kind::kPhrase, .scores = scores};
  planned.positions = node.positions;
  planned.slop = node.slop;
  for (const std::string& text : node.texts) {
    planned.should.push_back(term(text, weight, scores));
  }
  if (planned.should.empty() || planned.positions.size() != planned.should.size()) return {};
  const PositionedTexts positioned(snapshot_.settings());
  for (const std::string& text : node.texts) {
    if (positioned.has_term(text)) continue;
    throw UsageError("the index has no positions of the word '" +
                     shown_term(snapshot_.settings().schema, text) + "', which a phrase asks for");
  }
  return planned;
}

PlannedNode TreePlanner::boolean(const QueryNode& node, float weight, bool scores) {
  PlannedNode planned{.kind = PlannedNode::Kind::kBoolean, .scores = scores};
  planned.minimum_should_match = node.minimum_should_match;
  planned.must = all(node.must, weight, scores);
  for (PlannedNode& filter : all(node.filter, 1, false)) planned.must.push_back(std::move(filter));
  planned.should = all(node.should, weight, scores);
  planned.must_not = all(node.must_not, 1, false);
  if (planned.must.empty() && planned.minimum_should_match == 0) planned.minimum_should_match = 1;
  if (planned.minimum_should_match > planned.should.size()) return {};
  return planned;
}

PlannedNode TreePlanner::combined(const QueryNode& node, float weight, bool scores) {
  PlannedNode planned{.kind = PlannedNode::Kind::kCombined, .scores = scores};
  planned.weight = scores ? weight : 1;
  for (const QueryNode& word : node.should) {
    CombinedField& field = planned.fields.emplace_back();
    field.field = field_of_term(word.text);
    field.weight = word.boost;
    planned.should.push_back(term(word.text, 1, false));
    if (const std::optional<PlannedTerm>& all = planned.should.back().elsewhere) {
      field.documents = all->document_frequency;
      field.occurrences = all->collection_frequency;
      continue;
    }
    for (const std::optional<PlannedTerm>& found : planned.should.back().terms) {
      if (!found) continue;
      field.documents = found->document_frequency != 0 ? found->document_frequency
                                                       : found->entry.document_frequency;
      field.occurrences = found->collection_frequency;
    }
  }
  lists_ += scores ? 1 : 0;
  return planned;
}

PlannedNode TreePlanner::best(const QueryNode& node, float weight, bool scores) {
  PlannedNode planned{.kind = PlannedNode::Kind::kBest, .scores = scores};
  planned.tie_breaker = node.tie_breaker;
  planned.should = all(node.should, weight, scores);
  if (planned.should.empty()) return {};
  return planned;
}

/// The best of the words, as OpenSearch's BlendedTermQuery has them: each counts as in as many
/// documents as the one that is in most. One that is in fewer than the one before it counts as in
/// one document more, so that of equal matches the usual field's is better. None counts as in more
/// documents than have its field.
PlannedNode TreePlanner::blended(const QueryNode& node, float weight, bool scores) {
  PlannedNode planned = best(node, weight, scores);
  std::vector<std::pair<std::uint64_t, PlannedNode*>> known;  // by documents
  std::uint64_t tokens = std::numeric_limits<std::uint64_t>::max();
  const auto& fields = planner_.text_statistics();
  for (PlannedNode& word : planned.should) {
    const auto found = std::ranges::find_if(word.terms, &std::optional<PlannedTerm>::has_value);
    if (found == word.terms.end()) continue;
    const PlannedTerm& term = **found;
    const std::uint64_t own = term.document_frequency;
    known.emplace_back(own != 0 ? own : term.entry.document_frequency, &word);
    tokens = std::min(tokens, fields[term.entry.field].tokens);
  }
  std::ranges::stable_sort(known, std::greater<>(), &decltype(known)::value_type::first);
  const std::uint64_t most = std::min<std::uint64_t>(snapshot_.documents(), tokens);
  std::uint64_t documents = known.empty() ? 0 : known[0].first;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0 && known[i].first < known[i - 1].first) ++documents;
    for (std::optional<PlannedTerm>& term : known[i].second->terms) {
      if (!term) continue;
      term->document_frequency = std::min({documents, most, fields[term->entry.field].documents});
    }
  }
  return planned;
}

}  // namespace

PlannedTree plan_tree(const Snapshot& snapshot, QueryPlanner& planner, FilterCache& filters,
                      const QueryNode& analyzed, bool scores) {
  return TreePlanner(snapshot, planner, filters).plan(analyzed, scores);
}

}  // namespace warpdex
