// warpdex index: every format, good and bad input, targets that cannot be written.
#include <fstream>

#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> index_arguments(const std::string& input, const std::string& format,
                                         const std::filesystem::path& output) {
  return {"index",    "--input", input,        "--format", format,
          "--output", output,    "--analyzer", "standard"};
}

/// The run of one query, by which indexes are compared.
std::string run_of(const std::filesystem::path& index) {
  const Outcome outcome =
      run_warpdex({"search", index, "--queries", "-"}, {"1\tgreen apple\n2\tpear\n", {}, {}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

TEST(IndexCommand, TellsWhatFoldersHoldBesideDocuments) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "texts/sub");
  write_file(folder / "texts/sub/d", "green pear");
  write_file(folder / "texts/.hidden", "");
  std::filesystem::create_symlink("nowhere", folder / "texts/gone");
  std::filesystem::create_directory_symlink("sub", folder / "texts/again");
  std::vector<std::string> arguments = index_arguments(folder / "texts", "text", folder / "index");
  const Outcome outcome = run_warpdex(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  left out: 1 hidden file or folder\n"
                                     "  left out: 1 link that leads nowhere\n"
                                     "  left out: 1 link to a folder that is read already\n"
                                     "  these are: " +
                                     (folder / "texts/.hidden").string() + ", "));
  arguments.insert(arguments.end(), {"--json", "-"});
  const rapidjson::Document json = parse_json(run_warpdex(arguments).out);
  EXPECT_EQ(json["documents"].GetUint64(), 1U);
  EXPECT_EQ(json["left_out"]["hidden"].GetUint64(), 1U);
  EXPECT_EQ(json["left_out"]["dangling_links"].GetUint64(), 1U);
  EXPECT_EQ(json["left_out"]["repeated_folders"].GetUint64(), 1U);
  EXPECT_EQ(json["left_out"]["others"].GetUint64(), 0U);
  EXPECT_EQ(json["left_out"]["first"].Size(), 3U);
  const Outcome added = run_warpdex(
      {"add", folder / "index", "--input", folder / "texts", "--format", "text", "--update"});
  EXPECT_EQ(added.status, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("left out: 1 hidden file or folder\n"));
}

TEST(IndexCommand, NamesBothPlacesOfARepeatedId) {
  const TemporaryFolder folder;
  write_file(folder / "a.tsv", "1\tx\nbad\n2\ty\n");
  write_file(folder / "b.tsv", "3\tx\n2\tx\n");
  std::vector<std::string> arguments = index_arguments(folder / "a.tsv", "tsv", folder / "index");
  arguments.insert(arguments.begin() + 3, folder / "b.tsv");
  arguments.insert(arguments.end(), {"--on-bad-document", "skip"});
  EXPECT_THAT(run_warpdex(arguments).err,
              HasSubstr("b.tsv:2: a document with the id '2' came before, at " +
                        (folder / "a.tsv").string() + ":3;"));
  write_file(folder / "static", "1\t1\n2\t1\n1\t2\n");
  arguments.insert(arguments.end(), {"--static", folder / "static"});
  expect_complaint(run_warpdex(arguments), 1,
                   {"static:3", "the id '1' has a static score already, on line 1"});
}

TEST(IndexCommand, AllFormatsGiveTheSameAnswers) {
  const TemporaryFolder folder;
  build_small_index(folder / "expected");
  const std::string expected = run_of(folder / "expected");
  EXPECT_THAT(expected, HasSubstr("1 Q0 d1 1 "));

  std::string jsonl;
  std::string beir;
  std::string trec;
  std::filesystem::create_directories(folder / "texts");
  std::istringstream lines(kTsvDocuments);
  for (std::string id, text; std::getline(lines, id, '\t') && std::getline(lines, text);) {
    jsonl += R"({"id": ")" + id + R"(", "contents": ")" + text + "\"}\n";
    beir += R"({"_id": ")" + id + R"(", "title": "", "text": ")" + text + "\"}\n";
    trec += "<DOC>\n<DOCNO> " + id + " </DOCNO>\n<TEXT>" + text + "</TEXT>\n</DOC>\n";
    write_file(folder / ("texts/" + id), text);
  }
  const std::vector<std::vector<std::string>> inputs{
      {"jsonl", jsonl}, {"jsonl", beir, "title,text"}, {"trec", trec}, {"tsv", kTsvDocuments}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::filesystem::path target = folder / ("index" + std::to_string(i));
    write_file(folder / "input", inputs[i][1]);
    std::vector<std::string> arguments = index_arguments(folder / "input", inputs[i][0], target);
    if (inputs[i].size() > 2) arguments.insert(arguments.end(), {"--fields", inputs[i][2]});
    const Outcome outcome = run_warpdex(arguments);
    ASSERT_EQ(outcome.status, 0) << inputs[i][0] << ": " << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("documents"));
    EXPECT_EQ(run_of(target), expected) << inputs[i][0];
  }

  // The ids of plain files are their paths; the rest is the same.
  const Outcome outcome = run_warpdex(index_arguments(folder / "texts", "text", folder / "text"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(run_warpdex({"search", folder / "text", "blue"}).out, HasSubstr("d4"));
}

TEST(IndexCommand, TakesSeveralInputsInTheirOrder) {
  const TemporaryFolder folder;
  const std::size_t half = kTsvDocuments.find("d3");
  write_file(folder / "a", kTsvDocuments.substr(0, half));
  write_file(folder / "b", kTsvDocuments.substr(half));
  build_small_index(folder / "expected");
  const Outcome outcome =
      run_warpdex({"index", "--input", folder / "a", folder / "b", "--format", "tsv", "--analyzer",
                   "standard", "--output", folder / "index"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_of(folder / "index"), run_of(folder / "expected"));
}

TEST(IndexCommand, TakesTheSettingsOfImpactsWithImpactsOnly) {
  const TemporaryFolder folder;
  for (const char* option : {"--impact-k1", "--impact-b"}) {
    std::vector<std::string> arguments = index_arguments("-", "tsv", folder / "index");
    arguments.insert(arguments.end(), {option, "0.5"});
    expect_complaint(run_warpdex(arguments, {kTsvDocuments, {}, {}}), 2, {option, "--impacts"});
    arguments.insert(arguments.end(), {"--impacts", "--quiet"});
    EXPECT_EQ(run_warpdex(arguments, {kTsvDocuments, {}, {}}).status, 0);
    arguments[arguments.size() - 3] = "-1";
    expect_complaint(run_warpdex(arguments, {kTsvDocuments, {}, {}}), 2, {"0"});
  }
}

TEST(IndexCommand, EveryCodecAnswersAlikeAndSaysWhichItIs) {
  const TemporaryFolder folder;
  build_small_index(folder / "expected");
  const std::string expected = run_of(folder / "expected");
  for (const std::string codec : {"rice", "pfor", "pfor-block", "bitpack"}) {
    const std::filesystem::path index = folder / codec;
    std::vector<std::string> more{"--codec", codec};
    if (codec == "pfor") more.insert(more.end(), {"--pfor-levels", "3"});
    build_small_index(index, more);
    EXPECT_EQ(run_of(index), expected) << codec;
    const Outcome stats = run_warpdex({"stats", index, "--json", "-"});
    ASSERT_EQ(stats.status, 0) << stats.err;
    const rapidjson::Document json = parse_json(stats.out);
    EXPECT_EQ(json["codec"].GetString(), codec);
    EXPECT_EQ(json.HasMember("pfor_levels"), codec == "pfor");
    EXPECT_EQ(json["documents"].GetUint(), 5U);
    EXPECT_EQ(json["tokens"].GetUint(), 16U);
    EXPECT_EQ(json["longest_document"].GetUint(), 6U);
    EXPECT_EQ(json["postings"].GetUint(), 15U);  // all tokens but the second apple of d1
  }
}

TEST(IndexCommand, BitSetsMayBeLeftOut) {
  const TemporaryFolder folder;
  std::string documents;
  // Two of four documents: as dense as a bit set pays off.
  for (int i = 0; i < 1'200; ++i) {
    documents += "d" + std::to_string(i) + (i % 4 < 2 ? "\tapple\n" : "\tpear\n");
  }
  write_file(folder / "docs.tsv", documents);
  std::vector<std::string> answers;
  std::vector<std::string> codes;
  for (const bool bit_sets : {true, false}) {
    const std::string index = folder / (bit_sets ? "with" : "without");
    std::vector<std::string> arguments{
        "index", "--input", folder / "docs.tsv", "--format", "tsv", "--output", index};
    if (!bit_sets) arguments.push_back("--no-bit-sets");
    const Outcome built = run_warpdex(arguments);
    ASSERT_EQ(built.status, 0) << built.err;
    const Outcome stats = run_warpdex({"stats", index, "--json", "-"});
    EXPECT_EQ(parse_json(stats.out)["bit_sets"].GetBool(), bit_sets);
    answers.push_back(run_warpdex({"search", index, "apple", "-k", "600"}).out);
    codes.push_back(read_file(std::filesystem::path(index) / "segment-0" / "docid_codes"));
  }
  EXPECT_NE(codes[0], codes[1]);
  EXPECT_THAT(answers[0], HasSubstr("d1197"));
  EXPECT_EQ(answers[0], answers[1]);
}

TEST(IndexCommand, StaticScoresAreAdded) {
  const TemporaryFolder folder;
  write_file(folder / "static", "d5\t100\n");
  build_small_index(folder / "index", {"--static", folder / "static"});
  const Outcome outcome = run_warpdex({"search", folder / "index", "pear", "-k", "1"});
  EXPECT_THAT(outcome.out, HasSubstr("d5"));
  EXPECT_THAT(outcome.out, HasSubstr("100."));
}

TEST(IndexCommand, TakesFieldsThatDocumentsHave) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 301; ++i) {
    lines += "{\"id\": " + std::to_string(i) + (i < 3 ? ", \"title\": \"apple\"" : "") +
             (i < 4 ? ", \"text\": \"\"" : "") + ", \"contents\": \"pear\"}\n";
  }
  write_file(folder / "docs", lines);
  const auto index_with = [&](const std::string& fields) {
    std::vector<std::string> arguments =
        index_arguments(folder / "docs", "jsonl", folder / "index");
    arguments.insert(arguments.end(), {"--quiet", "--fields", fields});
    return run_warpdex(arguments);
  };
  // Three of 301 are less than one in a hundred, four are more.
  const Outcome rare = index_with(" contents , title,\ttext ");
  EXPECT_EQ(rare.status, 0) << rare.err;
  EXPECT_EQ(rare.err,
            "warpdex: only 3 of 301 documents have the field 'title'; check its name in "
            "--fields\n");
  EXPECT_THAT(run_warpdex({"search", folder / "index", "apple"}).out, HasSubstr(" 2\n"));
  EXPECT_THAT(run_warpdex({"stats", folder / "index"}).out, HasSubstr("contents,title,text"));

  expect_complaint(index_with("contents,titel"), 1,
                   {"no document has the field 'titel'", "contents, id, text, title"});
  EXPECT_THAT(run_warpdex({"search", folder / "index", "apple"}).out, HasSubstr(" 2\n"));

  write_file(folder / "schema", R"({"fields": {"title": {"type": "text"}}})");
  std::vector<std::string> texts = index_arguments("-", "jsonl", folder / "texts");
  texts.insert(texts.end(), {"--schema", folder / "schema", "--store", "titel"});
  expect_complaint(run_warpdex(texts, {R"({"id": "1", "title": "a"})", {}, {}}), 1,
                   {"no document has the field 'titel'"});

  std::vector<std::string> tsv = index_arguments("-", "tsv", folder / "tsv");
  tsv.insert(tsv.end(), {"--fields", "title"});
  expect_complaint(run_warpdex(tsv, {kTsvDocuments, {}, {}}), 2,
                   {"--fields is for --format jsonl"});
}

TEST(IndexCommand, NamesFileAndLineOfABadDocument) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "bad.jsonl";
  const std::string good = R"({"id": "a", "contents": "word"})";
  const std::vector<std::vector<std::string>> cases{
      {R"({"id": "b", contents})", "JSON"},
      {R"({"id": "a", "contents": "again"})", "'a'"},
      {"{\"id\": \"c\", \"contents\": \"\xff\"}", "UTF-8"},
      {R"({"contents": "no name"})", "id"},
      {R"({"id": "d", "body": "other field"})", "contents"},
  };
  for (const auto& bad : cases) {
    write_file(file, good + "\n" + bad[0] + "\n");
    const std::vector<std::string> arguments = index_arguments(file, "jsonl", folder / "index");
    expect_complaint(run_warpdex(arguments), 1, {file.string() + ":2", bad[1]});
    EXPECT_FALSE(std::filesystem::exists(folder / "index")) << bad[0];

    std::vector<std::string> skipping = arguments;
    skipping.insert(skipping.end(), {"--on-bad-document", "skip"});
    const Outcome outcome = run_warpdex(skipping);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("skipped: " + file.string() + ":2"));
    EXPECT_THAT(outcome.out, ::testing::ContainsRegex("skipped documents +1"));
    std::filesystem::remove_all(folder / "index");
  }
}

TEST(IndexCommand, ReportsTheFirstTenSkippedDocumentsAndCountsTheRest) {
  const TemporaryFolder folder;
  std::string input = "a\tword\n";
  for (int i = 0; i < 25; ++i) input += "no tab here\n";
  std::vector<std::string> arguments = index_arguments("-", "tsv", folder / "index");
  arguments.insert(arguments.end(), {"--on-bad-document", "skip"});
  const Outcome outcome = run_warpdex(arguments, {input, {}, {}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 11) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("<stdin>:11"));
  EXPECT_THAT(outcome.err, HasSubstr("skipped 15 more"));
}

TEST(IndexCommand, AnEmptyCollectionIsAnIndex) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_warpdex(index_arguments("-", "tsv", folder / "index")).status, 0);
  const Outcome search = run_warpdex({"search", folder / "index", "word"});
  EXPECT_EQ(search.status, 0) << search.err;
  EXPECT_THAT(search.out, HasSubstr("no document matches"));
  EXPECT_EQ(run_warpdex({"verify", folder / "index"}).status, 0);
  EXPECT_EQ(run_warpdex({"stats", folder / "index"}).status, 0);
  expect_complaint(run_warpdex({"codecs", folder / "index"}), 1, {"nothing to compare"});
}

TEST(IndexCommand, ALineOfAHundredMegabytesIsOneDocument) {
  const TemporaryFolder folder;
  std::string input = "long\t";
  input.reserve(100'000'020);
  while (input.size() < 100'000'000) input += "same words over and over ";
  input += "\nshort\tlast\n";
  std::vector<std::string> arguments{"index",    "--input",    "-",          "--format",  "tsv",
                                     "--output", folder / "i", "--analyzer", "whitespace"};
  const Outcome outcome = run_warpdex(arguments, {input, {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("documents +2\n"));
  EXPECT_THAT(run_warpdex({"search", folder / "i", "over"}).out, HasSubstr("long"));
  EXPECT_THAT(run_warpdex({"search", folder / "i", "last"}).out, HasSubstr("short"));
}

// One word that is too long costs that word, and is told, by index, add and search.
TEST(IndexCommand, AWordThatIsTooLongIsLeftOut) {
  const TemporaryFolder folder;
  const std::string longer(65'536, 'x');
  const std::string index = folder / "i";
  Outcome outcome = run_warpdex(
      {"index", "--input", "-", "--format", "tsv", "--output", index, "--analyzer", "whitespace"},
      {"a\tsea " + longer + " ship\n", {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              ::testing::ContainsRegex("words of more than 65535 bytes, left out +1\n"));
  outcome = run_warpdex({"add", index, "--input", "-", "--format", "tsv"},
                        {"b\tsea\nc\t" + longer + " land " + longer + "y\n", {}, {}});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("added 2 documents to " + index));
  EXPECT_EQ(outcome.err,
            "warpdex: 2 words of more than 65535 bytes were left out; their documents are in the "
            "index\n");
  write_file(folder / "q.tsv", "1\tsea\n2\t" + longer + " land\n3\tship " + longer + "\n");
  outcome = run_warpdex({"search", index, "--queries", folder / "q.tsv", "-k", "1"});
  EXPECT_THAT(outcome.out, HasSubstr("2 Q0 c 1 "));
  EXPECT_THAT(outcome.out, HasSubstr("3 Q0 a 1 "));
  EXPECT_THAT(outcome.err, HasSubstr("warpdex: note: 2 words of more than 65535 bytes, which no "
                                     "index has, are left out of 2 queries; the first is query 2"));
  outcome = run_warpdex({"search", index, "land " + longer});
  EXPECT_THAT(outcome.out, HasSubstr("  c\n"));
  EXPECT_THAT(outcome.err, HasSubstr("note: 1 word of more than 65535 bytes, which no index has, "
                                     "is left out of the query\n"));
  EXPECT_THAT(run_warpdex({"search", index, "land"}).err, Not(HasSubstr("65535")));
}

// Terms whose names are longer than their postings: 160 MB of them, each in one document.
TEST(IndexCommand, StaysWithinItsMemoryWhereTermsAreLong) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const TemporaryFolder folder;
  {
    std::ofstream input(folder / "docs.tsv");  // never whole in this process's memory
    for (int i = 0; i < 8000; ++i) {
      const std::string number = std::to_string(i);
      input << number << '\t' << number << std::string(20'000, 'x') << number << '\n';
    }
  }
  for (const std::string threads : {"1", "2", "4"}) {
    const Outcome outcome = run_warpdex({"index", "--input", folder / "docs.tsv", "--format", "tsv",
                                         "--analyzer", "whitespace", "--memory", "64M", "--threads",
                                         threads, "--output", folder / "index"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("runs spilled"));
    EXPECT_LT(outcome.peak_memory, 96ULL << 20) << threads << " threads";
  }
}

TEST(IndexCommand, RefusesWhatItCannotRead) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing";
  expect_complaint(run_warpdex(index_arguments(missing, "tsv", folder / "index")), 1, {missing});
  EXPECT_THAT(names_in(folder.path()), ::testing::IsEmpty());
}

TEST(IndexCommand, RefusesTargetsThatAreNoIndex) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "photos");
  write_file(folder / "photos/cat", "meow");
  write_file(folder / "docs.tsv", kTsvDocuments);
  const std::string input = folder / "docs.tsv";
  expect_complaint(run_warpdex(index_arguments(input, "tsv", folder / "photos")), 2,
                   {"photos", "not an index"});
  EXPECT_EQ(read_file(folder / "photos/cat"), "meow");
  expect_complaint(run_warpdex(index_arguments(input, "tsv", folder / "docs.tsv")), 2,
                   {"docs.tsv"});
  expect_complaint(run_warpdex(index_arguments(input, "tsv", "/proc/nowhere/index")), 1,
                   {"/proc/nowhere"});
}

TEST(IndexCommand, AFullDiskKeepsTheOldIndexAndLeavesNothing) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  const std::string before = run_of(folder / "index");
  std::string input;
  for (int i = 0; i < 2000; ++i) {
    input += "n" + std::to_string(i) + "\tword" + std::to_string(i) + " green\n";
  }
  const Outcome outcome =
      run_warpdex(index_arguments("-", "tsv", folder / "index"), {input, {}, 4096});
  expect_complaint(outcome, 1, {"File too large"});
  EXPECT_THAT(names_in(folder.path()), ::testing::ElementsAre("index"));
  EXPECT_EQ(run_of(folder / "index"), before);
}

TEST(IndexCommand, RefusesOptionsThatItDoesNotTake) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& more,
                           const std::vector<std::string>& parts) {
    std::vector<std::string> arguments = index_arguments("-", "tsv", folder / "index");
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_complaint(run_warpdex(arguments), 2, parts);
  };
  refused({"--colour", "red"}, {"--colour", "warpdex index --help"});
  refused({"--memory", "10"}, {"--memory 10", "64M"});
  refused({"--memory", "lots"}, {"'lots'"});
  refused({"--pfor-levels", "1"}, {"--pfor-levels", "pfor"});
  refused({"--codec", "pfor", "--pfor-levels", "5"}, {"0 to 4"});
  refused({"--codec", "zip"}, {"'zip'", "rice"});
  refused({"--on-bad-document", "panic"}, {"fail or skip"});
  refused({"--threads", "-1"}, {"--threads"});
  refused({"--fields", ","}, {"--fields"});
  expect_complaint(run_warpdex({"index", "--format", "tsv", "--output", "x"}), 2, {"--input"});
  expect_complaint(run_warpdex(index_arguments("-", "xml", folder / "i")), 2, {"xml", "jsonl"});
}

}  // namespace
}  // namespace warpdex::test
