// A writer that commits while threads search: every answer has to be one commit's. For the CPU and
// the GPU.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::test {

inline constexpr int kStreamDocuments = 7;

/// Every commit writes all documents anew; each says in a stored field which commit it is of.
inline void write_commit(Writer& writer, std::uint64_t number) {
  for (int i = 0; i < kStreamDocuments; ++i) {
    writer.update({.id = "d" + std::to_string(i),
                   .text = "common word" + std::to_string(i) + " v" + std::to_string(number),
                   .fields = {{"commit", std::to_string(number)}}});
  }
  // Others come and go.
  writer.update({.id = "other" + std::to_string(number), .text = "other"});
  if (number > 5) writer.remove("other" + std::to_string(number - 5));
  writer.commit();
}

/// What is wrong with an answer to "common"; empty if it is its commit's.
inline std::string fault_of(const Answer& answer) {
  if (answer.size() != kStreamDocuments) {
    return "commit " + std::to_string(answer.commit()) + " has " + std::to_string(answer.size()) +
           " documents";
  }
  for (const AnswerHit hit : answer) {
    if (hit.field("commit") != std::to_string(answer.commit())) {
      return "an answer of commit " + std::to_string(answer.commit()) + " has a document of " +
             std::string(hit.field("commit").value_or("none"));
    }
  }
  return "";
}

/// Searches on `threads` threads while `commits` commits pass, which `searcher` takes. Returns the
/// first fault.
inline std::string search_beside_commits(const std::filesystem::path& folder,
                                         const SearcherOptions& options, int commits,
                                         std::size_t threads) {
  Writer writer(folder, {.analyzer = "whitespace", .stored = {"commit"}});
  write_commit(writer, 1);
  Searcher searcher(folder, options);
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> searches = 0;
  std::vector<std::string> faults(threads);
  std::vector<std::jthread> searching;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    searching.emplace_back([&, thread] {
      std::uint64_t last = 0;
      const SearchOptions wanted{.k = 100, .fields = {"commit"}};
      const std::vector<SearchRequest> batch(3, {.text = "common"});
      while (!is_over && faults[thread].empty()) {
        const Answer answer = searcher.search("common", wanted);
        faults[thread] = fault_of(answer);
        if (answer.commit() < last) faults[thread] = "a commit came after a later one";
        last = answer.commit();
        for (const Answer& each : searcher.search(batch, wanted)) {
          if (faults[thread].empty()) faults[thread] = fault_of(each);
        }
        ++searches;
      }
    });
  }
  for (int number = 2; number <= commits; ++number) {
    write_commit(writer, static_cast<std::uint64_t>(number));
    if (options.follow == std::chrono::milliseconds(0)) {
      EXPECT_TRUE(searcher.refresh());
      EXPECT_EQ(searcher.commit(), static_cast<std::uint64_t>(number));
      EXPECT_FALSE(searcher.refresh());
    }
  }
  // One that follows by itself comes to the last commit, too.
  for (int look = 0; look < 1000 && searcher.commit() < static_cast<std::uint64_t>(commits);
       ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(searcher.commit(), static_cast<std::uint64_t>(commits));
  is_over = true;
  searching.clear();
  EXPECT_GT(searches, threads);
  EXPECT_EQ(searcher.problem(), "");
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace warpdex::test
