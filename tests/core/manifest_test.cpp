// What a manifest says that it is, and a segment's sections by their names.
#include <gmock/gmock.h>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/segment_view.hpp"

namespace warpdex {
namespace {

using ::testing::HasSubstr;

/// What check_kind() says to a manifest of `members`; empty: nothing.
std::string complaint(const std::string& members, std::string_view kind) {
  const rapidjson::Document document = parse_manifest("{" + members + "}");
  try {
    check_kind(ManifestObject(document), kind);
    return "";
  } catch (const FormatError& error) {
    return error.what();
  }
}

TEST(Manifest, OfAnotherKindNamesTheHelpForIt) {
  const std::string format = R"("format": "warpdex")";
  const std::string head = format + R"(, "version": 4)";
  const std::string vectors = format + R"(, "version": 2, "kind": "vectors")";
  const std::string metric = format + R"(, "version": 1, "kind": "metric")";
  EXPECT_EQ(complaint(head, ""), "");
  EXPECT_EQ(complaint(vectors, kVectorsKind), "");
  EXPECT_EQ(complaint(metric, kMetricKind), "");
  for (const std::string_view kind : {kVectorsKind, kMetricKind}) {
    EXPECT_EQ(complaint(head, kind),
              "this is an index of text; 'warpdex --help' lists the commands for it");
  }
  for (const std::string_view kind : {std::string_view(), kMetricKind}) {
    EXPECT_EQ(complaint(vectors, kind),
              "this is an index of vectors; 'warpdex vector --help' lists the commands for it");
  }
  for (const std::string_view kind : {std::string_view(), kVectorsKind}) {
    EXPECT_EQ(complaint(metric, kind),
              "this is a permutation index; 'warpdex metric --help' lists the commands for it");
    EXPECT_THAT(complaint(head + R"(, "kind": "other")", kind), HasSubstr("not known"));
    EXPECT_THAT(complaint(head + R"(, "kind": 1)", kind), HasSubstr("damaged"));
  }
  EXPECT_THAT(complaint(R"("format": "other", "version": 3)", ""), HasSubstr("another format"));
}

// The JSON library reads outside its tables for the first of these.
TEST(Manifest, NumbersOfNoManifestAreRefused) {
  for (const char* number : {"1.2345678901234567e-335", "1E+400", "1e100"}) {
    EXPECT_THROW(parse_manifest(std::string("{\"x\": ") + number + "}"), FormatError) << number;
  }
  const char* const as_text = R"({"a \"quoted e-335": "e-335", "b\\": 1.5e-45, "c": 2e99})";
  EXPECT_EQ(parse_manifest(as_text)["c"].GetDouble(), 2e99);
}

TEST(Manifest, OfAnotherVersionSaysWhich) {
  const auto head = [](int version) {
    return R"("format": "warpdex", "kind": "vectors", "version": )" + std::to_string(version);
  };
  EXPECT_EQ(complaint(head(1), kVectorsKind), "");
  EXPECT_EQ(complaint(head(2), kVectorsKind), "");
  EXPECT_EQ(complaint(head(3), kVectorsKind), "");
  EXPECT_EQ(complaint(head(4), kVectorsKind), "");
  EXPECT_EQ(complaint(head(5), kVectorsKind),
            "the index's manifest.json is of version 5 of its format, and this program reads "
            "versions 1 to 4; use a newer Warpdex, or build the index again");
  EXPECT_EQ(complaint(head(0), kVectorsKind),
            "the index's manifest.json is of version 0 of its format, and this program reads "
            "versions 1 to 4; build the index again");
  EXPECT_EQ(complaint(R"("format": "warpdex", "kind": "metric", "version": 2)", kMetricKind),
            "the index's manifest.json is of version 2 of its format, and this program reads "
            "version 1; use a newer Warpdex, or build the index again");
  EXPECT_EQ(complaint(R"("format": "warpdex", "kind": "images", "version": 3)", ""),
            "the index's manifest.json says that it is of a kind that is not known, 'images'; use "
            "a newer Warpdex, or restore the file if it is damaged");
}

TEST(SectionView, OfAnotherVersionSaysWhich) {
  const test::TemporaryFolder folder;
  SectionWriter writer(folder.path(), "one");
  writer.append_value('a');
  const SectionInfo info = writer.finish();
  const Folder opened = *Folder::find(folder.path());
  EXPECT_NO_THROW(SectionView(opened, info));
  const std::string bytes = test::read_file(folder / "one");
  const auto message = [&](std::string_view start) -> std::string {
    std::string other = bytes;
    other.replace(0, start.size(), start);
    test::write_file(folder / "one", other);
    try {
      SectionView(opened, info);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("WARPDEX2"), HasSubstr("is of version 2 of its format, and this program "
                                             "reads version 1; use a newer Warpdex"));
  EXPECT_THAT(message("WARPDEX?"), HasSubstr("has a damaged header"));
  EXPECT_THAT(message("WARPDEY1"), HasSubstr("has a damaged header"));
}

TEST(SegmentView, FindsSectionsByTheirNames) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "segment");
  SegmentInfo segment{"segment", {}};
  for (const std::string name : {"one", "two", "none"}) {
    SectionWriter writer(folder / "segment", name);
    if (name != "none") writer.append_value(name[0]);
    segment.sections.push_back(writer.finish());
  }
  const Folder opened = *Folder::find(folder.path());
  const SegmentView view(opened, segment);
  EXPECT_EQ(view.section("one").bytes()[0], 'o');
  EXPECT_EQ(view.section("two").bytes()[0], 't');
  EXPECT_TRUE(view.section("none").bytes().empty());
  EXPECT_EQ(view.infos().size(), 3U);
  EXPECT_EQ(view.sections()[1].bytes()[0], 't');
  EXPECT_THROW(view.section("three"), FormatError);
  EXPECT_THROW(view.section(""), FormatError);
  EXPECT_THROW(SegmentView(opened, {"elsewhere", segment.sections}), FormatError);
}

}  // namespace
}  // namespace warpdex
