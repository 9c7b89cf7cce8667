// warpdex import and warpdex export: answers before and after, reports, and what they refuse.
#include "tests/indexer/exchange/foreign_bytes.hpp"
#include "tests/tools/collection.hpp"

namespace warpdex::test {
namespace {

using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

Outcome run_import(const std::string& format, const std::string& input, const std::string& output,
                   const Arguments& more = {}) {
  Arguments arguments{"import", "--format", format, "--input", input, "--output", output};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_warpdex(arguments);
}

Outcome run_export(const std::string& index, const std::string& format, const std::string& output) {
  return run_warpdex({"export", index, "--format", format, "--output", output});
}

TEST(ExchangeCommands, TheToyCollectionAnswersAsKnown) {
  WARPDEX_NEEDS_DATA("peers/toy-complete-20200309.ciff");
  const TemporaryFolder folder;
  const std::string toy = data_folder() / "peers/toy-complete-20200309.ciff";
  const Outcome outcome = run_import("ciff", toy, folder / "toy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("toy 3-document collection"));
  // BM25 by hand: idf is ln(1 + 0.5 / 3.5), the average length 16 / 3; tf 3, 1, 1 and length 6, 4,
  // 6 give 0.10155, 0.07375 and 0.06869.
  const Outcome text = run_warpdex({"search", folder / "toy", "text"});
  EXPECT_EQ(text.out,
            "rank   score  document\n"
            "   1  0.1015  DOC222\n"
            "   2  0.0738  TREC_DOC_1\n"
            "   3  0.0687  WSJ_1\n");
  // What comes out again is the file as it was, but for the header.
  const Outcome again = run_export(folder / "toy", "ciff", "-");
  EXPECT_EQ(again.status, 0) << again.err;
  const std::string before = read_file(toy);
  const auto behind_header = [](const std::string& bytes) {
    std::string_view rest = bytes;
    foreign::take(rest, foreign::take_varint(rest));
    return std::string(rest);
  };
  EXPECT_EQ(behind_header(again.out), behind_header(before));
}

TEST(ExchangeCommands, ADamagedIndexIsNotExported) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  damage(folder.path() / "index" / "segment-0" / "document_lengths");
  for (const std::string format : {"ciff", "ds2i"}) {
    expect_complaint(run_export(folder / "index", format, folder / format), 1,
                     {"is damaged (section 'document_lengths'); restore it or build it again"});
  }
  EXPECT_EQ(names_in(folder.path()), Arguments{"index"});
}

TEST(ExchangeCommands, LearnedWeightsComeBackAsTheyWere) {
  const TemporaryFolder folder;
  auto random = generator(3);
  std::uniform_int_distribution<int> weight(1, 255);
  std::bernoulli_distribution has(0.3);
  std::string documents;
  for (int i = 0; i < 200; ++i) {
    std::string vector = "\"all\": " + std::to_string(weight(random));
    for (int term = 0; term < 20; ++term) {
      if (!has(random)) continue;
      vector += ", \"t" + std::to_string(term) + "\": " + std::to_string(weight(random));
    }
    documents += "{\"id\": \"d" + std::to_string(i) + "\", \"vector\": {" + vector + "}}\n";
  }
  write_file(folder / "documents.jsonl", documents);
  write_file(folder / "queries.tsv", "1\tall t1^2.5\n2\tt3 t4 t5^0.5\n3\tt19\n");
  const std::string index = folder / "index";
  ASSERT_EQ(run_warpdex({"index", "--input", folder / "documents.jsonl", "--format", "sparse",
                         "--output", index, "--quiet"})
                .status,
            0);
  const auto run_of = [&](const std::string& of) {
    const Outcome run =
        run_warpdex({"search", of, "--queries", folder / "queries.tsv", "-k", "50"});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  const std::string run = run_of(index);
  EXPECT_THAT(run, HasSubstr("3 Q0 "));
  for (const std::string format : {"ciff", "ds2i"}) {
    ASSERT_EQ(run_export(index, format, folder / format).status, 0);
    const Outcome imported =
        run_import(format, folder / format, folder / (format + ".index"), {"--weights"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    EXPECT_EQ(run_of(folder / (format + ".index")), run) << format;
  }
  // As editors on other systems write them.
  for (const std::string ending : {".terms", ".documents"}) {
    std::string text = "\xEF\xBB\xBF";
    for (const char c : read_file(folder / ("ds2i" + ending))) {
      text += c == '\n' ? "\r\n" : std::string(1, c);
    }
    write_file(folder / ("ds2i" + ending), text);
  }
  ASSERT_EQ(run_import("ds2i", folder / "ds2i", folder / "crlf", {"--weights"}).status, 0);
  EXPECT_EQ(run_of(folder / "crlf"), run);
  // As files that were joined are; a NUL ends no name.
  const std::string names = read_file(folder / "ds2i.documents");
  const std::size_t second = names.find('\n') + 1;
  write_file(folder / "ds2i.documents", std::string(names).insert(second, "\xEF\xBB\xBF"));
  ASSERT_EQ(run_import("ds2i", folder / "ds2i", folder / "joined", {"--weights"}).status, 0);
  EXPECT_EQ(run_of(folder / "joined"), run);
  write_file(folder / "ds2i.documents", std::string(names).insert(second, 1, '\0'));
  expect_complaint(run_import("ds2i", folder / "ds2i", folder / "nul", {"--weights"}), 1,
                   {"ds2i.documents:2 has a NUL (byte 1 of the line"});
  write_file(folder / "ds2i.documents", names);
  expect_complaint(run_import("ciff", folder / "ciff", folder / "x", {"--weights", "--impacts"}), 2,
                   {"--weights", "--impacts"});
  expect_complaint(run_import("ciff", folder / "ciff", folder / "x", {"--weights", "--impact-b=1"}),
                   2, {"--impact-b is for --impacts"});
  // Without --weights the lengths look wrong.
  expect_complaint(run_import("ciff", folder / "ciff", folder / "x"), 1,
                   {"its postings add up to", "--lengths postings", "--weights"});
}

TEST(ExchangeCommands, WeightsPast255BecomeThoseOfSparseVectors) {
  // A word that a text repeats as often as a vector weighs it.
  const TemporaryFolder folder;
  auto random = generator(4);
  std::uniform_int_distribution<int> weight(1, 600);
  std::string texts, vectors;
  for (int i = 0; i < 30; ++i) {
    std::string words, members;
    for (int term = i % 4; term < 12; term += 1 + term % 3) {
      const int of_term = weight(random);
      for (int time = 0; time < of_term; ++time) words += " t" + std::to_string(term);
      members += (members.empty() ? "\"t" : ", \"t") + std::to_string(term) +
                 "\": " + std::to_string(of_term);
    }
    texts += "d" + std::to_string(i) + "\t" + words + "\n";
    vectors += "{\"id\": \"d" + std::to_string(i) + "\", \"vector\": {" + members + "}}\n";
  }
  const auto build = [&](const std::string& input, const std::string& name,
                         const Arguments& format) {
    Arguments arguments{"index", "--input", "-", "--output", folder / name, "--quiet", "--format"};
    arguments.insert(arguments.end(), format.begin(), format.end());
    ASSERT_EQ(run_warpdex(arguments, {.input = input}).status, 0);
  };
  build(texts, "texts", {"tsv", "--analyzer", "whitespace"});
  build(vectors, "vectors", {"sparse"});
  ASSERT_EQ(run_export(folder / "texts", "ciff", folder / "ciff").status, 0);
  const Outcome imported = run_import("ciff", folder / "ciff", folder / "back", {"--weights"});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("weights in 255 equal steps"));
  for (const std::string query : {"t0 t1^2.5 t7", "t11 t3^0.5", "t5"}) {
    const Outcome found = run_warpdex({"search", folder / "back", query, "-k", "30"});
    EXPECT_THAT(found.out, HasSubstr("   2 "));
    EXPECT_EQ(found.out, run_warpdex({"search", folder / "vectors", query, "-k", "30"}).out);
  }
  // As the index of vectors, it takes more of them.
  EXPECT_EQ(run_warpdex({"add", folder / "back", "--input", "-", "--format", "sparse"},
                        {.input = "{\"id\": \"new\", \"vector\": {\"t5\": 1}}\n"})
                .status,
            0);
}

TEST(ExchangeCommands, RealCollectionsComeBackWithEveryAnswer) {
  WARPDEX_NEEDS_DATA("ir/cran/docs.jsonl.xz");
  const TemporaryFolder folder;
  for (const std::string name : {"cran", "cacm"}) {
    const std::filesystem::path data = data_folder() / "ir" / name;
    const std::string index = folder / name;
    ASSERT_EQ(run_warpdex({"index", "--input", data / "docs.jsonl.xz", "--format", "jsonl",
                           "--output", index, "--quiet"})
                  .status,
              0);
    const auto run_of = [&](const std::string& of, const std::string& mode) {
      const Outcome run = run_warpdex(
          {"search", of, "--queries", data / "queries.tsv", "--mode", mode, "-k", "1000"});
      EXPECT_EQ(run.status, 0) << run.err;
      return run.out;
    };
    for (const std::string format : {"ciff", "ds2i"}) {
      const std::string file = folder / (name + "." + format);
      ASSERT_EQ(run_export(index, format, file).status, 0);
      const Outcome import = run_import(format, file, index + format, {"--analyzer", "english"});
      ASSERT_EQ(import.status, 0) << import.err;
      EXPECT_EQ(import.err, "");
      EXPECT_EQ(run_warpdex({"verify", index + format}).status, 0);
      for (const std::string mode : {"or", "and"}) {
        const std::string expected = run_of(index, mode);
        EXPECT_GT(std::count(expected.begin(), expected.end(), '\n'), 10);
        EXPECT_EQ(run_of(index + format, mode), expected) << name << ' ' << format << ' ' << mode;
      }
    }
  }
}

TEST(ExchangeCommands, StandardInputAndOutputAreStreams) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  const Outcome out = run_export(folder / "index", "ciff", "-");
  ASSERT_EQ(out.status, 0) << out.err;
  EXPECT_EQ(foreign::parse_ciff(out.out).collection.names.size(), 5U);
  const Outcome in = run_warpdex({"import", "--format", "ciff", "--input", "-", "--output",
                                  folder / "back", "--analyzer", "standard", "--quiet"},
                                 {.input = out.out});
  ASSERT_EQ(in.status, 0) << in.err;
  EXPECT_EQ(in.out, "");
  EXPECT_EQ(run_warpdex({"search", folder / "back", "Green apple"}).out,
            run_warpdex({"search", folder / "index", "Green apple"}).out);
}

TEST(ExchangeCommands, IndexOptionsApply) {
  const TemporaryFolder folder;
  build_small_index(folder / "index", {"--impacts", "--impact-b", "0.7", "--codec", "rice"});
  build_small_index(folder / "plain");
  ASSERT_EQ(run_export(folder / "plain", "ds2i", folder / "out").status, 0);
  const Outcome outcome = run_import("ds2i", folder / "out", folder / "back",
                                     {"--analyzer", "standard", "--impacts", "--impact-b", "0.7",
                                      "--codec", "rice", "--memory", "64M", "--threads", "1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_warpdex({"search", folder / "back", "pear tree"}).out,
            run_warpdex({"search", folder / "index", "pear tree"}).out);
  const rapidjson::Document stats =
      parse_json(run_warpdex({"stats", folder / "back", "--json", "-"}).out);
  EXPECT_STREQ(stats["codec"].GetString(), "rice");
  EXPECT_STREQ(stats["fields"].GetString(), "imported from ds2i");
  EXPECT_EQ(stats["impacts"]["b"].GetDouble(), 0.7);
}

TEST(ExchangeCommands, WhatGetsLostIsTold) {
  const TemporaryFolder folder;
  write_file(folder / "static", "d1\t2\n");
  build_small_index(folder / "index", {"--impacts", "--static", folder / "static"});
  const Outcome out = run_export(folder / "index", "ds2i", folder / "out");
  EXPECT_EQ(out.status, 0);
  EXPECT_THAT(out.err, HasSubstr("holds impacts; they are written as frequencies"));
  EXPECT_THAT(out.err, HasSubstr("static scores, which are left out"));
  EXPECT_EQ(run_warpdex({"index", "--input", "-", "--format", "jsonl", "--store", "contents",
                         "--vectors", "field:v", "--output", folder / "rich"},
                        {.input = "{\"id\": \"a\", \"contents\": \"word\", \"v\": [1, 2]}\n"})
                .status,
            0);
  const Outcome rich = run_export(folder / "rich", "ciff", folder / "rich.ciff");
  EXPECT_EQ(rich.status, 0);
  EXPECT_THAT(rich.err, HasSubstr("stored texts, which are left out"));
  EXPECT_THAT(rich.err, HasSubstr("vectors, which are left out"));
  std::filesystem::remove(folder / "out.terms");
  const Outcome in = run_import("ds2i", folder / "out", folder / "in", {"--lengths", "postings"});
  EXPECT_EQ(in.status, 0) << in.err;
  EXPECT_THAT(in.err, HasSubstr("out.terms is not there; terms are the lists' numbers"));
}

TEST(ExchangeCommands, ImportedIndexesTakeDocuments) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  for (const std::string format : {"ciff", "ds2i"}) {
    const std::string back = folder / (format + ".index");
    ASSERT_EQ(run_export(folder / "index", format, folder / format).status, 0);
    ASSERT_EQ(run_import(format, folder / format, back, {"--analyzer", "standard"}).status, 0);
    const Outcome added =
        run_warpdex({"add", back, "--input", "-", "--format", "jsonl"},
                    {.input = "{\"id\": \"new\", \"contents\": \"quince apple\"}\n"});
    EXPECT_EQ(added.status, 0) << added.err;
    EXPECT_THAT(run_warpdex({"search", back, "quince"}).out, HasSubstr("  new\n"));
  }
}

TEST(ExchangeCommands, ImportSaysWhatItCannotTake) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  ASSERT_EQ(run_export(folder / "index", "ciff", folder / "in.ciff").status, 0);
  const std::string file = folder / "in.ciff";
  const std::string out = folder / "out";
  expect_complaint(run_import("pisa", file, out), 2, {"no format 'pisa'", "ciff or ds2i"});
  expect_complaint(run_import("ciff", "", out), 2, {"--input is empty"});
  expect_complaint(run_import("ciff", file, ""), 2, {"--output is empty"});
  expect_complaint(run_import("ciff", folder / "none", out), 1, {"none", "No such file"});
  expect_complaint(run_import("ciff", file, out, {"--terms", "x"}), 2, {"--terms is for"});
  expect_complaint(run_import("ciff", file, out, {"--documents", "x"}), 2, {"--documents is for"});
  expect_complaint(run_import("ciff", file, out, {"--lengths", "exact"}), 2,
                   {"--lengths takes file or postings"});
  expect_complaint(run_import("ciff", file, out, {"--analyzer", "klingon"}), 2, {"klingon"});
  expect_complaint(run_import("ciff", file, out, {"--memory", "1M"}), 2, {"--memory 1M"});
  expect_complaint(run_import("ciff", file, out, {"--impact-b", "0.3"}), 2,
                   {"--impact-b is for --impacts"});
  expect_complaint(run_import("ciff", file, out, {"--impacts", "--impact-k1", "-1"}), 2, {"k1"});
  expect_complaint(run_warpdex({"import", file, "--format", "ciff", "--output", out}), 2,
                   {"--input"});
  expect_complaint(run_import("ds2i", file, out), 1, {"in.ciff.docs", "No such file"});
  expect_complaint(run_import("ds2i", "-", out), 2, {"several files; name a prefix"});
  expect_complaint(run_import("ds2i", folder / "x.docs", out), 2, {"without '.docs'"});
  write_file(folder / "index.tsv", "d1\tnothing of CIFF\n");
  expect_complaint(run_import("ciff", folder / "index.tsv", out), 1, {"index.tsv: "});
  EXPECT_FALSE(std::filesystem::exists(out));
  // Nor does it replace what it reads, or what is no index.
  std::filesystem::create_directories(folder / "full");
  write_file(folder / "full/notes", "mine");
  EXPECT_EQ(run_import("ciff", file, folder / "full").status, 2);
  EXPECT_EQ(read_file(folder / "full/notes"), "mine");
  std::filesystem::create_directories(folder / "own");
  std::filesystem::copy_file(file, folder / "own/in.ciff");
  expect_complaint(run_import("ciff", folder / "own/in.ciff", folder / "own"), 2,
                   {"lies in the output"});
}

TEST(ExchangeCommands, ExportSaysWhatItCannotTake) {
  const TemporaryFolder folder;
  build_small_index(folder / "index");
  const std::string index = folder / "index";
  expect_complaint(run_export(index, "pisa", folder / "out"), 2, {"no format 'pisa'"});
  expect_complaint(run_export(index, "ds2i", "-"), 2, {"five files"});
  expect_complaint(run_export(index, "ciff", ""), 2, {"--output is empty"});
  expect_complaint(run_export(folder / "none", "ciff", folder / "out"), 1, {"no index at"});
  expect_complaint(run_export(index, "ciff", folder / "none/out"), 1, {"none/out"});
  expect_complaint(run_export(index, "ciff", index + "/out.ciff"), 2, {"lies in the index"});
  expect_complaint(run_export(index, "ds2i", index + "/segment-0/out"), 2, {"lies in the index"});
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"index"});
}

TEST(ExchangeCommands, AFullDiskLeavesWhatWasThere) {
  // Names of documents take the most: the other files must not appear before they are written.
  const TemporaryFolder folder;
  std::string documents;
  for (int i = 0; i < 40; ++i) documents += std::string(100, 'n') + std::to_string(i) + "\tword\n";
  ASSERT_EQ(run_warpdex({"index", "--input", "-", "--format", "tsv", "--output", folder / "index"},
                        {.input = documents})
                .status,
            0);
  write_file(folder / "out.docs", "kept");
  for (const std::string format : {"ds2i", "ciff"}) {
    const Outcome full =
        run_warpdex({"export", folder / "index", "--format", format, "--output", folder / "out"},
                    {.file_size_limit = 1000});
    expect_complaint(full, 1, {"cannot write", "make room there"});
    EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"index", "out.docs"}));
    EXPECT_EQ(read_file(folder / "out.docs"), "kept");
  }
}

}  // namespace
}  // namespace warpdex::test
