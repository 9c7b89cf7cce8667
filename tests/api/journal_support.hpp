// Random changes of an index through a Writer, and the documents that there are after each of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "warpdex/index_reader.hpp"
#include "warpdex/writer.hpp"

namespace warpdex::test {

/// Live documents: ids, and the texts that are stored.
using Documents = std::map<std::string, std::string>;

/// A call of a Writer.
struct Step {
  enum Kind { kPut, kRemove, kSync, kCommit, kRollback, kReopen };
  Kind kind = kPut;
  std::string id{};
  std::string text{};
};

/// Documents as they are, as the last sync() or commit() made them durable, and as the last commit
/// left them.
struct ExpectedDocuments {
  Documents now;
  Documents durable;
  Documents committed;

  void make(const Step& step) {
    switch (step.kind) {
      case Step::kPut: now[step.id] = step.text; break;
      case Step::kRemove: now.erase(step.id); break;
      case Step::kSync: durable = now; break;
      case Step::kCommit: committed = durable = now; break;
      case Step::kRollback: now = durable = committed; break;
      case Step::kReopen: now = durable; break;
    }
  }
};

/// The next step: mostly changes of few ids, and no text twice.
inline Step random_step(std::mt19937_64& random, const ExpectedDocuments& expected) {
  const std::string id = "d" + std::to_string(random() % 12);
  const std::uint64_t drawn = random() % 100;
  if (drawn < 50)
    return {Step::kPut, id,
            "w" + std::to_string(random() % 5) + " " + std::to_string(random() % 1'000'000'000)};
  if (drawn < 75 && expected.now.contains(id)) return {Step::kRemove, id};
  if (drawn < 85) return {Step::kSync};
  return {drawn < 92 ? Step::kCommit : Step::kRollback};
}

/// A document whose vector and title say the same as its text.
inline NewDocument document_of(const Step& step) {
  const auto hash = static_cast<float>(std::hash<std::string>()(step.text) % 1000);
  return {.id = step.id, .text = step.text, .fields = {{"title", step.text}}, .vector = {hash, 1}};
}

inline NewIndex index_of_titles() {
  return {.analyzer = "whitespace",
          .stored = {"title"},
          .vectors = vector::RowSettings{vector::Metric::kL2, vector::Store::kFloat, 2}};
}

/// Calls the writer. Not for kReopen.
inline void make(const Step& step, Writer& writer) {
  switch (step.kind) {
    case Step::kPut: writer.update(document_of(step)); break;
    case Step::kRemove: EXPECT_TRUE(writer.remove(step.id)) << step.id; break;
    case Step::kSync: writer.sync(); break;
    case Step::kCommit: writer.commit(); break;
    case Step::kRollback: writer.rollback(); break;
    case Step::kReopen: break;
  }
}

/// The documents of the last commit. Fails where an id is there twice, or where what belongs to a
/// document is another's.
inline Documents documents_in(const std::filesystem::path& folder) {
  const IndexReader reader(folder);
  Documents documents;
  for (std::uint32_t i = 0; i < reader.document_end(); ++i) {
    if (!reader.is_live(i)) continue;
    const std::string title = reader.stored(i).at("title");
    EXPECT_TRUE(documents.emplace(reader.id(i), title).second) << reader.id(i) << " is there twice";
    const NewDocument whole = document_of({Step::kPut, reader.id(i), title});
    EXPECT_EQ(reader.vector(i), whole.vector) << reader.id(i);
    EXPECT_EQ(reader.length(i), 2U) << reader.id(i);
  }
  EXPECT_EQ(documents.size(), reader.documents());
  return documents;
}

/// Takes the journal in and commits. The documents that there are then.
inline Documents documents_after_opening(const std::filesystem::path& folder) {
  Writer(folder, {}, {.threads = 1, .merges = false, .creates = false}).commit();
  return documents_in(folder);
}

}  // namespace warpdex::test
