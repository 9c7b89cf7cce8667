// Pages that are no answers of the engine: of documents without scores of their own, and behind a
// hit.
#include <algorithm>
#include <utility>

#include "opensearch/search/matching.hpp"
#include "opensearch/search/search_runs.hpp"

namespace warpdex::server::opensearch {
namespace {

/// Commits that may come while one is searched that is to be read afterwards.
constexpr int kTriesToHold = 20;

/// The page that was asked for, by docID.
std::vector<ScoredDocument> page_by_document(const IndexReader& reader, const SearchAsk& ask,
                                             Total& total) {
  std::vector<ScoredDocument> page;
  std::uint64_t before = 0;
  const auto score = ask.order.by_score ? std::optional(ask.query.score) : std::nullopt;
  const auto add = [&](std::uint32_t document) {
    if (before++ >= ask.from) page.push_back({document, score});
  };
  const std::uint64_t begin = ask.order.first_document(ask.query.score);
  if (ask.query.kind == QueryKind::kAll) {
    total.value = reader.documents();
    for (std::uint64_t i = begin; i < reader.document_end() && page.size() < ask.size; ++i) {
      const auto document = static_cast<std::uint32_t>(i);
      if (reader.is_live(document)) add(document);
    }
    return page;
  }
  const std::vector<std::uint32_t> documents = matching(reader, ask.query);
  total.value = documents.size();
  for (auto i = std::ranges::lower_bound(documents, begin);
       i != documents.end() && page.size() < ask.size; ++i) {
    add(*i);
  }
  return page;
}

void search_far(Services& services, const ExchangePtr& exchange, const SearchAsk& ask,
                UseAnswer use, int tries) {
  SearchJob job = job_of(ask);
  job.options.k = services.options.limits.k;
  job.options.fusion.depth = std::max(job.options.fusion.depth, job.options.k);
  job.options.count = true;
  job.options.fields.clear();
  run_search(services, exchange, std::move(job),
             [&services, exchange, ask, use = std::move(use), tries](SearchOutcome&& outcome) {
               const Answer& answer = outcome.answer;
               if (!answer.is_complete) {
                 throw unavailable("a search of all that match was not ended in its time");
               }
               const std::shared_ptr<const IndexReader> reader = ask.index->reader();
               if (reader->commit() == answer.commit()) return use(reader, answer);
               // A commit came meanwhile.
               if (tries == 0) throw unavailable("the index changes too often; try again");
               search_far(services, exchange, ask, use, tries - 1);
             });
}

}  // namespace

void write_page_of_documents(const SearchAsk& ask, JsonWriter& json) {
  const std::shared_ptr<const IndexReader> reader = ask.index->reader();
  Total total;
  const std::vector<ScoredDocument> page = page_by_document(*reader, ask, total);
  write_documents(ask, *reader, page, total, ask.arrival, {}, json);
}

void search_far(Services& services, const ExchangePtr& exchange, const SearchAsk& ask,
                UseAnswer use) {
  search_far(services, exchange, ask, std::move(use), kTriesToHold);
}

void search_behind(Services& services, const ExchangePtr& exchange, const SearchAsk& ask) {
  search_far(
      services, exchange, ask,
      [exchange, ask](const std::shared_ptr<const IndexReader>& reader, const Answer& answer) {
        std::vector<ScoredDocument> page;
        for (const AnswerHit hit : answer) {
          if (page.size() == ask.size) break;
          const ScoredDocument found{hit.document(), hit.score()};
          if (ask.order.is_behind(found)) page.push_back(found);
        }
        const std::uint64_t matches = ask.query.has_no_words() ? 0 : answer.matches;
        if (page.size() < ask.size && matches > answer.size()) {
          throw illegal_argument("'search_after' by _score reaches " +
                                 std::to_string(answer.size()) + " documents, and " +
                                 std::to_string(matches) +
                                 " match; sort by _doc to see all of them");
        }
        JsonWriter json;
        write_documents(ask, *reader, page,
                        {matches, answer.matches_exact || ask.query.has_no_words()}, ask.arrival,
                        {}, json);
        end_answer(json);
        respond(*exchange, json);
      });
}

}  // namespace warpdex::server::opensearch
