// Words and members for the counts of a build.
#include "output/build_report.hpp"

#include <array>
#include <iostream>
#include <string>

#include "output/text.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::tools {
namespace {

/// Skipped documents that are told one by one.
constexpr std::uint64_t kSkippedDocumentReports = 10;

struct LeftOutKind {
  std::uint64_t LeftOut::*count;
  const char* member;
  const char* noun;
  const char* more;
};
constexpr std::array<LeftOutKind, 4> kLeftOutKinds{
    {{&LeftOut::hidden, "hidden", "hidden file or folder", "hidden files or folders"},
     {&LeftOut::dangling_links, "dangling_links", "link that leads nowhere",
      "links that lead nowhere"},
     {&LeftOut::repeated_folders, "repeated_folders", "link to a folder that is read already",
      "links to folders that are read already"},
     {&LeftOut::others, "others", "thing that is no file", "things that are no files"}}};

}  // namespace

void SkippedDocuments::tell(const std::string& message) {
  progress_.clear();
  if (++count_ <= kSkippedDocumentReports) std::cerr << "warpdex: skipped: " << message << "\n";
}

void SkippedDocuments::tell_rest() const {
  if (count_ <= kSkippedDocumentReports) return;
  std::cerr << "warpdex: skipped " << grouped(count_ - kSkippedDocumentReports) << " more\n";
}

void print_passed_over(const BuildReport& report, std::ostream& out) {
  for (const LeftOutKind& kind : kLeftOutKinds) {
    const std::uint64_t count = report.left_out.*kind.count;
    if (count == 0) continue;
    out << "  left out: " << grouped(count) << " " << (count == 1 ? kind.noun : kind.more) << "\n";
  }
  for (std::size_t i = 0; i < report.left_out.first.size(); ++i) {
    out << (i > 0                                                    ? ", "
            : report.left_out.total() > report.left_out.first.size() ? "  the first of them: "
                                                                     : "  these are: ")
        << without_controls(report.left_out.first[i], '?');
  }
  if (!report.left_out.first.empty()) out << "\n";
  if (report.raised_weights == 0) return;
  out << "  weights below half of a step, raised to one: " << grouped(report.raised_weights)
      << " of " << grouped(report.postings) << "\n";
}

void write_build(const BuildReport& report, JsonWriter& json) {
  json.member("documents", report.documents);
  json.member("skipped_documents", report.skipped_documents);
  json.member("tokens", report.tokens);
  json.member("terms", report.terms);
  json.member("postings", report.postings);
  json.member("text_bytes", report.text_bytes);
  json.member("zero_weights", report.zero_weights);
  json.member("static_scores_unused", report.static_scores_unused);
  json.member("long_words", report.long_words);
  write_passed_over(report, json);
}

void write_passed_over(const BuildReport& report, JsonWriter& json) {
  json.member("raised_weights", report.raised_weights);
  json.begin_object("left_out");
  for (const LeftOutKind& kind : kLeftOutKinds) {
    json.member(kind.member, report.left_out.*kind.count);
  }
  json.begin_array("first");
  for (const std::string& path : report.left_out.first) json.value(path);
  json.end_array();
  json.end_object();
}

}  // namespace warpdex::tools
