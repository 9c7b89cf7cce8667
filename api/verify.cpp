// Each content is verified by its own part of the library.
#include "warpdex/verify.hpp"

#include <utility>

#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/change_journal.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/metric/metric_index.hpp"

namespace warpdex {
namespace {

void try_to_open(const std::filesystem::path& folder, IndexContent content) {
  switch (content) {
    case IndexContent::kDocuments: Snapshot::open(folder); return;
    case IndexContent::kVectors: vector::VectorIndex::open(folder); return;
    case IndexContent::kObjects: metric::MetricIndex::open(folder); return;
  }
}

bool is_of_another_version(const std::filesystem::path& folder, IndexContent content) {
  try {
    try_to_open(folder, content);
  } catch (const VersionError&) {
    return true;
  } catch (const Error&) {  // a problem that is told
  }
  return false;
}

/// Reads the journal beside the manifest that it follows.
void verify_journal(const std::filesystem::path& folder, IndexCheck& check) {
  try {
    check.journal_changes = open_stored(folder, [](const Folder& opened) {
      const ChangeVisitor visit{[](Document&&) {}, [](std::string_view) {}};
      return read_changes(opened, journal_base_of(opened), visit).records;
    });
  } catch (const FormatError& error) {
    check.problems.emplace_back(error.what());
    check.is_journal_alone = true;
  }
}

}  // namespace

IndexContent content_of(const std::filesystem::path& folder) {
  if (vector::is_vector_index(folder)) return IndexContent::kVectors;
  return metric::is_metric_index(folder) ? IndexContent::kObjects : IndexContent::kDocuments;
}

IndexCheck verify(const std::filesystem::path& folder,
                  const std::function<void(double)>& progress) {
  IndexCheck check{.content = content_of(folder)};
  const auto take = [&](auto&& report) {
    check.problems = std::move(report.problems);
    check.sections = report.sections;
  };
  switch (check.content) {
    case IndexContent::kDocuments: {
      VerifyReport report = verify_index(folder, progress);
      take(report);
      check.terms = report.terms;
      check.postings = report.postings;
      if (check.problems.empty()) verify_journal(folder, check);
      break;
    }
    case IndexContent::kVectors: {
      vector::VectorVerifyReport report = vector::verify_vectors(folder, progress);
      take(report);
      check.vectors = report.rows;
      break;
    }
    case IndexContent::kObjects: {
      metric::MetricVerifyReport report = metric::verify_metric(folder, progress);
      take(report);
      check.objects = report.objects;
      break;
    }
  }
  check.is_of_other_version = !check.problems.empty() && !check.is_journal_alone &&
                              is_of_another_version(folder, check.content);
  return check;
}

}  // namespace warpdex
