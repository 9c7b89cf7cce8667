// Indexes under another codec: the bytes are those of a build from the documents.
#include "warpdex/indexer/rewrite/rewrite.hpp"

#include <gmock/gmock.h>

#include "tests/indexer/build_support.hpp"
#include "tests/indexer/reorder/order_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex::test {
namespace {

std::vector<CodecSettings> codecs() {
  std::vector<CodecSettings> all;
  for (const CodecKind kind : {CodecKind::kRice, CodecKind::kPforBlock, CodecKind::kBitpack}) {
    for (const bool bit_sets : {true, false}) {
      CodecSettings codec;
      codec.kind = kind;
      codec.bit_sets = bit_sets;
      all.push_back(codec);
    }
  }
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    CodecSettings codec;
    codec.kind = CodecKind::kPfor;
    codec.pfor_levels = levels;
    all.push_back(codec);
  }
  return all;
}

ConvertOptions options_of(const std::filesystem::path& input, const std::filesystem::path& output,
                          const CodecSettings& codec) {
  ConvertOptions options;
  options.rewrite.input = input;
  options.rewrite.output = output;
  options.rewrite.memory = kMinBuildMemory;
  options.rewrite.threads = 1;
  options.codec = codec;
  return options;
}

class Convert : public testing::Test {
 protected:
  std::filesystem::path build(const std::string& name, const std::vector<Document>& documents,
                              const CodecSettings& codec, bool impacts, bool statics) {
    BuildOptions options = options_for(folder_ / name);
    options.codec = codec;
    if (impacts) options.impacts = ImpactSettings{1.1, 0.3};
    if (statics) {
      std::string scores;
      for (std::size_t i = 0; i < documents.size(); i += 2) {
        scores += documents[i].id + "\t" + std::to_string(static_cast<double>(i) / 7) + "\n";
      }
      write_file(folder_ / "scores", scores);
      options.static_scores = folder_ / "scores";
    }
    build_from_memory(documents, options);
    return folder_ / name;
  }

  const TemporaryFolder folder_{place_in_memory()};
};

// Everything, manifest too: of each codec, converted from a codec drawn at random.
TEST_F(Convert, GivesTheBytesOfABuild) {
  auto random = generator(520);
  for (const std::size_t count : {1, 33, 3000}) {
    const auto documents = random_documents(random, count, 4000, 90);
    for (const bool impacts : {false, true}) {
      for (const CodecSettings& codec : codecs()) {
        const CodecSettings other = codecs()[random() % codecs().size()];
        const bool statics = random() % 2 == 0;
        const auto from = build("from", documents, other, impacts, statics);
        const auto expected = build("expected", documents, codec, impacts, statics);
        ConvertOptions options = options_of(from, folder_ / "to", codec);
        options.rewrite.threads = 1 + random() % 4;
        const ConvertReport report = convert_index(options);
        EXPECT_EQ(report.documents, count);
        ASSERT_EQ(folder_bytes(folder_ / "to"), folder_bytes(expected))
            << codec_name(other.kind) << " to " << codec_name(codec.kind) << impacts << statics;
      }
    }
  }
}

TEST_F(Convert, QuantisesAsABuildDoes) {
  auto random = generator(521);
  const auto documents = random_documents(random, 2000, 3000, 90);
  for (const bool statics : {false, true}) {
    const auto from = build("from", documents, {}, false, statics);
    const auto expected = build("expected", documents, {CodecKind::kBitpack}, true, statics);
    ConvertOptions options = options_of(from, folder_ / "to", {CodecKind::kBitpack});
    options.impacts = ImpactSettings{1.1, 0.3};
    convert_index(options);
    EXPECT_EQ(folder_bytes(folder_ / "to"), folder_bytes(expected));
    // Impacts do not say what they came from.
    options.rewrite.input = expected;
    EXPECT_THROW(convert_index(options), UsageError);
    EXPECT_EQ(folder_bytes(folder_ / "to"), folder_bytes(expected));
  }
}

TEST_F(Convert, StaticScoresTooLargeForImpactsEndIt) {
  write_file(folder_ / "scores", "a\t5e6\n");
  BuildOptions build_options = options_for(folder_ / "from");
  build_options.static_scores = folder_ / "scores";
  build_from_memory({{"b", "word"}, {"a", "word"}}, build_options);
  ConvertOptions options = options_of(folder_ / "from", folder_ / "to", {});
  options.impacts.emplace();
  try {
    convert_index(options);
    ADD_FAILURE() << "was converted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("static score of the document 'a' is too large"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "to"));
}

TEST_F(Convert, EmptyIndexesAndReplacingInPlace) {
  const auto empty = build("empty", {}, {}, false, false);
  const auto expected = build("expected", {}, {CodecKind::kBitpack}, false, false);
  convert_index(options_of(empty, folder_ / "to", {CodecKind::kBitpack}));
  EXPECT_EQ(folder_bytes(folder_ / "to"), folder_bytes(expected));

  auto random = generator(522);
  const auto documents = random_documents(random, 1500, 500, 60);
  const auto index = build("index", documents, {}, false, true);
  const auto wished = build("expected", documents, {CodecKind::kBitpack}, false, true);
  std::filesystem::create_directory_symlink(index, folder_ / "link");
  convert_index(options_of(folder_ / "link", index, {CodecKind::kBitpack}));
  EXPECT_EQ(folder_bytes(index), folder_bytes(wished));
}

TEST_F(Convert, RefusesWhatItCannotDo) {
  const auto index = build("index", {{"a", "some text"}}, {}, false, false);
  const auto before = folder_bytes(folder_.path());
  EXPECT_THROW(convert_index(options_of(folder_ / "none", folder_ / "to", {})), IoError);
  EXPECT_THROW(convert_index(options_of(index, "", {})), UsageError);
  EXPECT_THROW(convert_index(options_of(index, index / "to", {})), UsageError);
  EXPECT_THROW(convert_index(options_of(index, index / "segment-0", {})), UsageError);
  EXPECT_THROW(convert_index(options_of(index, folder_.path(), {})), UsageError);
  EXPECT_THROW(convert_index(options_of(index, folder_ / "to", {CodecKind::kPfor, 5})), UsageError);
  ConvertOptions options = options_of(index, folder_ / "to", {});
  options.rewrite.memory = kMinBuildMemory - 1;
  EXPECT_THROW(convert_index(options), UsageError);
  EXPECT_EQ(folder_bytes(folder_.path()), before);
}

// Whatever byte is damaged: a sentence, and the target stays as it was. The bytes of lists would
// otherwise get new checksums and look whole.
TEST_F(Convert, DamageIsNotPassedOn) {
  auto random = generator(523);
  const auto index = build("index", random_documents(random, 800, 900, 60), {}, false, true);
  const auto files = folder_bytes(index);
  const auto target = build("target", {{"old", "an index"}}, {}, false, false);
  const auto before = folder_bytes(target);
  for (const auto& [name, bytes] : files) {
    for (int round = 0; round < 4; ++round) {
      if (bytes.empty()) continue;
      std::string damaged = bytes;
      const std::size_t place = random() % damaged.size();
      if (round == 0) {
        damaged.resize(place);
      } else {
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
      }
      write_file(index / name, damaged);
      try {
        convert_index(options_of(index, target, {CodecKind::kBitpack}));
        EXPECT_TRUE(verify_index(index).ok()) << name << ' ' << place;  // in what nobody reads
        ADD_FAILURE() << name << ' ' << place << ' ' << bytes.size();
      } catch (const FormatError&) {
      } catch (const IoError&) {
      } catch (const UsageError&) {  // a manifest that does not look like one any more
      }
      ASSERT_EQ(folder_bytes(target), before) << name << ' ' << place;
    }
    write_file(index / name, bytes);
  }
}

}  // namespace
}  // namespace warpdex::test
