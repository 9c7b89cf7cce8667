// A small collection that the tests of the program share, and its index.
#pragma once

#include <gmock/gmock.h>
#include <rapidjson/document.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "tests/tools/process.hpp"

namespace warpdex::test {

/// Ids d1 to d5; lengths 4, 3, 6, 2, 1 in `standard`.
inline const std::string kTsvDocuments =
    "d1\tred apple green apple\n"
    "d2\tgreen pear tree\n"
    "d3\tapple tree in the green garden\n"
    "d4\tblue sky\n"
    "d5\tpear\n";

/// Builds an index of kTsvDocuments at `folder`, with more arguments if wished.
inline void build_small_index(const std::filesystem::path& folder,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"index",    "--input", "-",          "--format", "tsv",
                                     "--output", folder,    "--analyzer", "standard", "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_warpdex(arguments, {kTsvDocuments, {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

/// The names in a folder, sorted: tells whether anything was left there.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Flips a bit behind the header of an index's file.
inline void damage(const std::filesystem::path& file) {
  std::string bytes = read_file(file);
  bytes.at(64) = static_cast<char>(bytes.at(64) ^ 1);
  write_file(file, bytes);
}

inline void expect_distinct_members(const rapidjson::Value& value) {
  if (value.IsArray()) {
    for (const rapidjson::Value& element : value.GetArray()) expect_distinct_members(element);
  }
  if (!value.IsObject()) return;
  std::set<std::string> names;
  for (const auto& member : value.GetObject()) {
    const std::string name(member.name.GetString(), member.name.GetStringLength());
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    expect_distinct_members(member.value);
  }
}

/// As a strict parser reads it: UTF-8, and no object has two members of one name. Throws
/// std::runtime_error for what is not JSON, such as the output of a program that has failed.
inline rapidjson::Document parse_json(const std::string& text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (document.HasParseError()) throw std::runtime_error("this is not JSON: '" + text + "'");
  expect_distinct_members(document);
  return document;
}

/// A complaint: that status, nothing on standard output, and one sentence that holds all of
/// `parts`, begins with a small letter, as all messages do, and has no full stop.
inline void expect_complaint(const Outcome& outcome, int status,
                             const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const bool is_of_lab = outcome.err.starts_with("warpdex-lab: ");
  EXPECT_TRUE(is_of_lab || outcome.err.starts_with("warpdex: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err,
              ::testing::Not(::testing::MatchesRegex("warpdex(-lab)?: [A-Z][a-z ].*")));
  EXPECT_FALSE(outcome.err.ends_with(".\n")) << outcome.err;
  for (const std::string& part : parts) EXPECT_THAT(outcome.err, ::testing::HasSubstr(part));
}

}  // namespace warpdex::test
