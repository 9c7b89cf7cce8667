// Writes the inputs that the targets of binary formats start from: seeds FOLDER makes
// FOLDER/TARGET/NAME. They are made, and not kept, so that they follow the formats.
#include <cstdio>
#include <exception>
#include <random>

#include "tests/fuzz/codec_choice.hpp"
#include "tests/fuzz/fuzz_support.hpp"
#include "tests/fuzz/index_copies.hpp"
#include "tests/fuzz/journal_base.hpp"
#include "tests/indexer/exchange/foreign_bytes.hpp"
#include "tests/indexer/reader_support.hpp"
#include "tests/query/shards/message_support.hpp"

namespace warpdex::fuzz {
namespace {

using Values = std::vector<std::uint32_t>;

void append_number(std::string& bytes, std::uint32_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
}

/// Gaps of a list: small ones, with one of up to `largest` now and then.
Values make_gaps(std::size_t count, std::uint32_t largest) {
  std::minstd_rand random(1);
  Values gaps(count);
  for (std::uint32_t& gap : gaps) {
    gap = static_cast<std::uint32_t>(random() % (random() % 40 == 0 ? largest + 1 : 3));
  }
  return gaps;
}

Values sums_of(const Values& gaps) {
  Values docids;
  std::uint32_t next = 0;
  for (const std::uint32_t gap : gaps) docids.push_back((next += gap + 1) - 1);
  return docids;
}

/// What decode_target.cpp reads: the list's first block, or its last.
std::string decode_input(std::uint8_t codec, const Values& docids, bool take_last) {
  const EncodedValues encoded = encode_docids(kCodecs[codec], docids);
  const auto index = static_cast<std::uint32_t>(take_last ? encoded.codes.size() - 1 : 0);
  const std::uint32_t base = index == 0 ? ~std::uint32_t{0} : docids[index * kBlockSize - 1];
  const std::uint32_t last =
      docids[std::min(docids.size(), (index + std::size_t{1}) * kBlockSize) - 1];
  std::string input;
  append_number(input, codec, 1);
  append_number(input, encoded.parameter, 1);
  append_number(input, encoded.codes[index], 1);
  append_number(input, index == 0 ? 0 : 1, 1);
  append_number(input, static_cast<std::uint32_t>(docids.size()), 4);
  append_number(input, encoded.offsets.back(), 4);
  append_number(input, index, 4);
  append_number(input, encoded.offsets[index], 2);
  append_number(input, base, 4);
  append_number(input, last - base, 4);
  return input.append(encoded.bytes.begin(), encoded.bytes.end());
}

void write_codec_seeds(const std::filesystem::path& folder) {
  constexpr std::pair<std::size_t, std::uint32_t> kShapes[] = {
      {5, 1000}, {128, 2}, {400, 100'000}, {300, 1U << 25}};
  for (std::uint8_t codec = 0; codec < kCodecs.size(); ++codec) {
    for (const auto& [count, largest] : kShapes) {
      const std::string name = "codec-" + std::to_string(codec) + "-" + std::to_string(count);
      const Values gaps = make_gaps(count, largest);
      const Values docids = sums_of(gaps);
      write_file(folder / "decode" / name, decode_input(codec, docids, false));
      write_file(folder / "decode" / (name + "-last"), decode_input(codec, docids, true));
      std::string values{static_cast<char>(codec), 3};
      for (const std::uint32_t gap : gaps) append_number(values, gap, 4);
      write_file(folder / "round_trip" / name, values);
    }
  }
}

/// Appends an edit as index_target.cpp reads it: 0 overwrites, 1 adds `length` to a byte.
void append_edit(std::string& input, std::uint32_t file, std::uint32_t kind, std::uint32_t place,
                 std::uint32_t length) {
  append_number(input, file, 1);
  append_number(input, kind, 1);
  append_number(input, place, 3);
  append_number(input, length, 1);
  if (kind == 0) input.append(length, '\3');
}

/// Each file of each index, changed in one place: what is in it, or its bytes. And several files at
/// once, which shows the fuzzer how long an input may be.
void write_index_seeds(const std::filesystem::path& folder) {
  constexpr std::uint32_t kFiles = 21;
  for (std::uint32_t index = 0; index < kIndexes; ++index) {
    const std::string name = std::to_string(index);
    for (std::uint32_t file = 0; file < kFiles; ++file) {
      const bool repaired = (index + file) % 4 != 0;
      std::string input;
      append_number(input, index, 1);
      append_number(input, (repaired ? 1 : 0) + file % 8 * 2, 1);
      append_edit(input, file, file % 2, file * 11, 1);
      write_file(folder / "index" / (name + "-" + std::to_string(file)), input);
    }
    std::string input;
    append_number(input, index, 1);
    append_number(input, 1, 1);
    for (std::uint32_t i = 0; i < 4; ++i) append_edit(input, index * 4 + i, 0, 100 * i, 16);
    write_file(folder / "index" / (name + "-several"), input);
  }
}

void write_packed_seeds(const std::filesystem::path& folder) {
  const std::string text = "\xEF\xBB\xBFone line\r\n\nanother and another and another";
  for (std::size_t i = 0; i < test::reading::kSuffixes.size(); ++i) {
    const std::string packed = test::reading::pack(text, test::reading::kSuffixes[i]);
    const std::string name = "packed" + test::reading::kSuffixes[i];
    const std::string head{static_cast<char>(i), 3};
    write_file(folder / "packed" / name, head + packed);
    write_file(folder / "packed" / (name + "-twice"), head + packed + packed);
    write_file(folder / "packed" / (name + "-unnamed"), '\0' + head.substr(1) + packed);
  }
}

/// Of a few documents, with lists of one form of index or another.
test::Collection collection_of(std::uint32_t documents) {
  test::Collection collection;
  for (std::uint32_t i = 0; i < documents; ++i) {
    collection.names.push_back("d" + std::to_string(i));
    collection.lengths.push_back(10 + i % 7);
    collection.lists["all"][i] = 1 + i % 5;
    if (i % 3 == 0) collection.lists["third"][i] = 1;
  }
  if (documents > 0) collection.lists["one"][documents / 2] = 3;
  return collection;
}

void write_exchange_seeds(const std::filesystem::path& folder) {
  using test::foreign::Ds2i;
  for (const std::uint32_t documents : {0U, 1U, 5U, 200U}) {
    const std::string name = std::to_string(documents) + "-documents";
    const test::Collection collection = collection_of(documents);
    const std::string ciff = test::foreign::ciff_of(collection).bytes();
    write_file(folder / "exchange" / ("ciff-" + name), std::string(1, '\0') + ciff);
    write_file(folder / "exchange" / ("ciff-lengths-" + name), std::string(1, '\2') + ciff);
    Ds2i files = test::foreign::ds2i_of(collection);
    std::string input(1, '\1');
    std::string unnamed(1, '\3');
    for (const char* ending : {"docs", "freqs", "sizes", "terms", "documents"}) {
      std::string part;
      append_number(part, static_cast<std::uint32_t>(files[ending].size()), 2);
      part += files[ending];
      input += part;
      const bool is_names = ending[0] == 't' || std::string_view(ending) == "documents";
      unnamed += is_names ? std::string(2, '\xFF') : part;
    }
    write_file(folder / "exchange" / ("ds2i-" + name), input);
    write_file(folder / "exchange" / ("ds2i-unnamed-" + name), unnamed);
  }
}

/// A whole journal, and the records of it one by one.
void write_journal_seeds(const std::filesystem::path& folder) {
  const Document whole{.id = "id",
                       .text = "some text",
                       .texts = {"a title", ""},
                       .vector = {{"term", 0.5F}, {"other", 2}},
                       .stored = {"value", std::nullopt},
                       .values = {{std::int64_t{1990}}, {}, {std::string("de"), std::string("en")}},
                       .embedding = {1, 0.25F}};
  std::filesystem::remove(work_folder() / kJournalName);
  ChangeJournal journal(work_folder(), kFuzzedBase);
  for (const char* id : {"a", "b", "c"}) {
    journal.put({id, "text"});
    journal.put(whole);
    journal.remove(id);
    journal.sync();
  }
  const std::filesystem::path file = work_folder() / kJournalName;
  write_file(folder / "journal" / "whole", '\0' + read_file(file));
  std::uint32_t number = 0;
  read_journal(*Folder::find(work_folder()), kFuzzedBase, [&](const JournalRecord& record) {
    std::string input{'\1', static_cast<char>(record.kind)};
    input.append(record.bytes.begin(), record.bytes.end());
    write_file(folder / "journal" / ("record-" + std::to_string(number++)), input);
  });
  std::filesystem::remove(file);
}

/// Messages as they are, and as a kind and a body.
void write_message_seeds(const std::filesystem::path& folder) {
  constexpr std::size_t kHeader = 24;
  test::Random random(3);
  for (int turn = 0; turn < 3; ++turn) {
    for (const std::string& message : test::draw_messages(random)) {
      const std::string name = std::to_string(message[6]) + "-" + std::to_string(turn);
      write_file(folder / "messages" / ("whole-" + name), '\0' + message);
      write_file(folder / "messages" / ("body-" + name),
                 std::string{'\1', message[6]} + message.substr(kHeader));
    }
  }
}

}  // namespace
}  // namespace warpdex::fuzz

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fprintf(stderr, "seeds: give a folder to write to\n");
    return 1;
  }
  const std::filesystem::path folder = arguments[1];
  for (const char* target :
       {"decode", "exchange", "index", "journal", "messages", "packed", "round_trip"}) {
    std::filesystem::create_directories(folder / target);
  }
  warpdex::fuzz::write_codec_seeds(folder);
  warpdex::fuzz::write_index_seeds(folder);
  warpdex::fuzz::write_exchange_seeds(folder);
  warpdex::fuzz::write_packed_seeds(folder);
  warpdex::fuzz::write_journal_seeds(folder);
  warpdex::fuzz::write_message_seeds(folder);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "seeds: %s\n", error.what());
  return 1;
}
