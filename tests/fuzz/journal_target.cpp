// Journals. Where the input's first byte is even, the rest is a journal's file; else its second
// byte is a record's kind, and the rest what the record holds.
#include <cstring>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"
#include "tests/fuzz/journal_base.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::fuzz {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// By their bits: a vector may hold what is no number.
bool are_same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

bool are_same(const Document& a, const Document& b) {
  if (a.id != b.id || a.text != b.text || a.stored != b.stored) return false;
  if (!are_same(a.embedding, b.embedding) || a.vector.size() != b.vector.size()) return false;
  for (std::size_t i = 0; i < a.vector.size(); ++i) {
    if (a.vector[i].term != b.vector[i].term) return false;
    if (!are_same({a.vector[i].weight}, {b.vector[i].weight})) return false;
  }
  return true;
}

/// The changes that `call` gives; of a removal the id.
template <class Call>
std::vector<Document> changes_of(const Call& call) {
  std::vector<Document> changes;
  const ChangeVisitor visit{[&](Document&& document) { changes.push_back(std::move(document)); },
                            [&](std::string_view id) { changes.push_back({std::string(id)}); }};
  call(visit);
  return changes;
}

void check_file(std::string_view bytes) {
  JournalContent content;
  const auto read = [&](std::string_view part) {
    return changes_of([&](const ChangeVisitor& visit) {
      content = read_changes(bytes_of(part), "fuzzed", kFuzzedBase, visit);
    });
  };
  const std::vector<Document> changes = read(bytes);
  require(content.records == changes.size(), "each record is a change");
  require(content.size == bytes.size() && content.end <= bytes.size(), "a journal has its bounds");
  const std::size_t again = read(bytes.substr(0, content.end)).size();
  require(again == changes.size() && content.end == content.size,
          "a journal without what was cut off is whole");
}

void check_record(std::uint64_t kind, std::string_view bytes) {
  const std::vector<Document> changes = changes_of([&](const ChangeVisitor& visit) {
    change_reader(visit, "fuzzed")({kind, bytes_of(bytes)});
  });
  ChangeJournal journal(work_folder(), kFuzzedBase);
  for (const Document& document : changes) journal.put(document);
  const std::vector<Document> again =
      changes_of([&](const ChangeVisitor& visit) { journal.for_each(visit); });
  require(changes.size() == 1 && again.size() == 1 && are_same(changes[0], again[0]),
          "a change comes back as it was written");
}

void run(InputBytes input) {
  try {
    if (input.byte() % 2 == 0) {
      check_file(input.rest());
    } else {
      const std::uint64_t kind = input.byte();
      check_record(kind, input.rest());
    }
  } catch (const FormatError&) {  // what is not whole
  }
}

}  // namespace
}  // namespace warpdex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpdex::fuzz::run({data, size});
  return 0;
}
