#include "tests/query/gpu/gpu_support.hpp"

#include <sstream>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/reference/compare.hpp"

namespace warpdex::test {

GpuSearcher::GpuSearcher(const GpuIndex& index, const GpuAblation& ablation)
    : index_(index.index()), gpu_(index, {.ablation = ablation}) {}

std::vector<SearchResult> GpuSearcher::run(std::span<const PlannedQuery> plans,
                                           const SearchSettings& settings) {
  submit(plans, settings);
  return wait();
}

void GpuSearcher::submit(std::span<const PlannedQuery> plans, const SearchSettings& settings) {
  plans_ = plans;
  settings_ = settings;
  ticket_ = gpu_.submit(plans, std::span(&settings_, 1));
}

std::vector<SearchResult> GpuSearcher::wait() {
  const BatchAnswers answers = gpu_.wait(ticket_);
  std::vector<SearchResult> results;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    results.push_back(answers.result(i));
    if (answers[i].is_answered) continue;
    if (!cpu_) cpu_ = std::make_unique<CpuEngine>(index_, CpuEngineSettings{.threads = 1});
    results.back() = cpu_->run(plans_.subspan(i, 1), settings_).result(0);
  }
  return results;
}

UploadedIndex::UploadedIndex(const std::filesystem::path& folder)
    : index_(Index::open(folder)), gpu_index_(std::make_unique<LoneGpuIndex>(index_)) {
  for (const Way& way : kWays) searchers_.emplace_back(*gpu_index_, way.ablation);
}

std::vector<SearchResult> UploadedIndex::search(std::span<const Query> queries,
                                                const SearchSettings& settings, std::size_t way) {
  return search_by_gpu(searchers_[way], index_, queries, settings);
}

std::vector<SearchResult> search_by_gpu(GpuSearcher& searcher, const Index& index,
                                        std::span<const Query> queries,
                                        const SearchSettings& settings) {
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(index, query));
  return searcher.run(plans, settings);
}

namespace {

/// Empty if the answers are right, else what is wrong with the first that is not.
std::string judge_all(std::span<const Truth> truths, std::span<const SearchResult> results,
                      std::span<const Query> queries, const reference::Collection& collection,
                      const UploadedIndex& engine, const SearchSettings& settings) {
  if (results.size() != queries.size()) return "not as many answers as queries";
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::string wrong = judge(truths[i], results[i], settings);
    if (wrong.empty()) continue;
    return wrong + "; " +
           describe(collection.documents(), engine.index().settings().codec, settings, queries[i]);
  }
  return "";
}

}  // namespace

std::string judge_batch(const reference::Collection& collection, UploadedIndex& engine,
                        std::span<const Query> queries, const SearchSettings& settings) {
  const SearchSettings meant = meant_settings(engine.index(), settings);
  std::vector<Truth> truths;
  for (const Query& query : queries) truths.push_back(find_truth(collection, query, meant));
  const std::size_t ways = settings.mode == QueryMode::kAnd ? kWaysOfAnd : kWays.size();
  for (std::size_t way = 0; way < ways; ++way) {
    const std::string wrong = judge_all(truths, engine.search(queries, settings, way), queries,
                                        collection, engine, meant);
    if (!wrong.empty()) return std::string(kWays[way].name) + ": " + wrong;
  }
  std::vector<SearchResult> alone;
  for (const Query& query : queries) {
    alone.push_back(engine.search(std::span(&query, 1), settings).at(0));
  }
  const std::string wrong = judge_all(truths, alone, queries, collection, engine, meant);
  return wrong.empty() ? "" : "one by one: " + wrong;
}

std::string disagreement(const SearchResult& one, const SearchResult& other,
                         const SearchSettings& settings) {
  std::ostringstream text;
  text.precision(9);
  if (one.hits.size() != other.hits.size()) {
    text << one.hits.size() << " hits, then " << other.hits.size();
  } else if (one.fell_back_to_or != other.fell_back_to_or) {
    text << "fell back to or: " << one.fell_back_to_or << ", then " << other.fell_back_to_or;
  } else if (settings.count && one.matches != other.matches) {
    text << one.matches << " matches, then " << other.matches;
  }
  for (std::size_t rank = 0; text.str().empty() && rank < one.hits.size(); ++rank) {
    const Hit& a = one.hits[rank];
    const Hit& b = other.hits[rank];
    if (a == b) continue;
    text << "rank " << rank << ": document " << a.document << " (" << a.score << "), then "
         << b.document << " (" << b.score << ')';
  }
  return text.str();
}

}  // namespace warpdex::test
