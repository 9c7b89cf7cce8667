#include "shards/statistics_bytes.hpp"

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::shards {
namespace {

constexpr std::size_t kCollectionBytes = 16;

void put(MessageWriter& to, const CollectionStatistics& collection) {
  to.number(collection.documents);
  to.number(collection.tokens);
}

CollectionStatistics take(MessageReader& from) {
  CollectionStatistics collection;
  collection.documents = from.number<std::uint64_t>();
  collection.tokens = from.number<std::uint64_t>();
  return collection;
}

}  // namespace

void put_frequencies(MessageWriter& to, const TermFrequencies& frequencies) {
  to.number(frequencies.documents);
  to.number(frequencies.occurrences);
}

TermFrequencies take_frequencies(MessageReader& from) {
  TermFrequencies frequencies;
  frequencies.documents = from.number<std::uint64_t>();
  frequencies.occurrences = from.number<std::uint64_t>();
  return frequencies;
}

void put_collection(MessageWriter& to, const CollectionStatistics& collection,
                    const std::vector<CollectionStatistics>& texts) {
  put(to, collection);
  to.count(texts.size());
  for (const CollectionStatistics& text : texts) put(to, text);
}

void take_collection(MessageReader& from, CollectionStatistics& collection,
                     std::vector<CollectionStatistics>& texts) {
  collection = take(from);
  texts.resize(from.count(kCollectionBytes, kMaxFields));
  for (CollectionStatistics& text : texts) text = take(from);
}

}  // namespace warpdex::shards
