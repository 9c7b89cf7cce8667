// Positions of generated lists: distinct, within the document, and phrases of the queries' words.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "generate/generator.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/positions.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex::test {
namespace {

/// By document, the places of a term.
using PlacesOfTerm = std::map<std::uint32_t, std::set<std::uint32_t>>;

PlacesOfTerm read_term(const Index& index, const std::string& term) {
  PlacesOfTerm places;
  const std::optional<PostingsEntry> entry = index.find(term);
  if (!entry) return places;
  const Postings list = read_postings(index, *entry);
  const std::vector<std::uint32_t> steps = read_steps(index, *entry, list.frequencies);
  std::size_t next = 0;
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    std::uint32_t position = 0;
    std::set<std::uint32_t>& own = places[list.docids[i]];
    for (std::uint32_t j = 0; j < list.frequencies[i]; ++j) own.insert(position += steps[next++]);
    EXPECT_EQ(own.size(), list.frequencies[i]) << term << " in " << list.docids[i];
    EXPECT_LT(position, index.lengths()[list.docids[i]]);
  }
  EXPECT_EQ(next, steps.size());
  return places;
}

bool is_phrase(const std::vector<PlacesOfTerm>& terms, std::uint32_t document) {
  return std::ranges::any_of(terms[0].at(document), [&](std::uint32_t first) {
    for (std::size_t i = 1; i < terms.size(); ++i) {
      if (!terms[i].at(document).contains(first + static_cast<std::uint32_t>(i))) return false;
    }
    return true;
  });
}

TEST(GeneratedPositions, MakePhrasesOfQueriesInManyDocuments) {
  const TemporaryFolder folder;
  generate::GeneratorSettings settings = generate::gov2_settings();
  settings.documents = 30'000;
  settings.queries = 80;
  settings.positions = true;
  generate::GeneratorReport report;
  const auto queries =
      generate::generate_collection(settings, {}, false, folder / "index", 2, {}, report);
  EXPECT_THAT(verify_index(folder / "index").problems, testing::IsEmpty());
  const Index index = Index::open(folder / "index");
  std::size_t candidates = 0;
  std::size_t phrases = 0;
  for (const generate::GeneratedQuery& query : queries) {
    std::istringstream words(query.text);
    std::vector<PlacesOfTerm> terms;
    for (std::string word; words >> word;) terms.push_back(read_term(index, word));
    if (terms.size() < 2) continue;
    for (const auto& [document, unused] : terms[0]) {
      const bool has_all = std::ranges::all_of(
          terms, [d = document](const PlacesOfTerm& term) { return term.contains(d); });
      if (!has_all) continue;
      ++candidates;
      if (is_phrase(terms, document)) ++phrases;
    }
  }
  EXPECT_GT(candidates, 100U);
  EXPECT_GT(phrases, candidates * 3 / 10);
  EXPECT_LT(phrases, candidates * 6 / 10);
}

TEST(GeneratedPositions, AreRefusedBesideImpacts) {
  const TemporaryFolder folder;
  generate::GeneratorSettings settings = generate::splade_settings();
  settings.documents = 1'000;
  settings.positions = true;
  generate::GeneratorReport report;
  EXPECT_THROW(generate::generate_collection(settings, {}, false, folder / "a", 1, {}, report),
               UsageError);
  settings.kind = generate::CollectionKind::kGov2;
  EXPECT_THROW(generate::generate_collection(settings, {}, true, folder / "a", 1, {}, report),
               UsageError);
}

// Neighbours share their site; each percent has about a hundredth of the documents.
TEST(GeneratedColumns, AreOfHostsAndEven) {
  const TemporaryFolder folder;
  generate::GeneratorSettings settings = generate::gov2_settings();
  settings.documents = 20'000;
  settings.queries = 10;
  settings.columns = true;
  generate::GeneratorReport report;
  generate::generate_collection(settings, {}, false, folder / "index", 2, {}, report);
  EXPECT_THAT(verify_index(folder / "index").problems, testing::IsEmpty());
  const Index index = Index::open(folder / "index");
  ASSERT_EQ(index.columns().size(), 2U);
  std::set<std::string> sites;
  std::vector<std::uint32_t> documents(100);
  std::string last;
  std::uint32_t changes = 0;
  for (std::uint32_t document = 0; document < settings.documents; ++document) {
    const auto site = std::get<std::string>(index.columns()[0].values(document).at(0));
    if (site != last) ++changes;
    last = site;
    sites.insert(site);
    ++documents.at(static_cast<std::size_t>(
        std::get<std::int64_t>(index.columns()[1].values(document).at(0))));
  }
  EXPECT_EQ(sites.size(), report.hosts);
  EXPECT_EQ(changes, report.hosts);
  EXPECT_GT(report.hosts, 5U);
  for (const std::uint32_t count : documents) {
    EXPECT_GT(count, 120U);
    EXPECT_LT(count, 280U);
  }
}

}  // namespace
}  // namespace warpdex::test
