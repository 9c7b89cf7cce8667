#include "mpi/part_ranks.hpp"

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <cstring>
#include <exception>
#include <numeric>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr std::string_view kOnGpu = " gpu";

// What ranks exchange are fields: the bytes after their number.
void put(std::string& bytes, std::string_view field) {
  const std::uint64_t size = field.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size).append(field);
}

std::string_view take(std::string_view& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::string_view field = bytes.substr(sizeof size, size);
  bytes.remove_prefix(sizeof size + size);
  return field;
}

/// What rank 0 gives. Empty: the end. Throws Error where MPI cannot count the bytes.
std::string broadcast(std::string request = "") {
  if (request.size() > INT_MAX) throw Error("a batch of queries takes more than 2 GiB");
  int size = static_cast<int>(request.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  request.resize(static_cast<std::size_t>(size));
  MPI_Bcast(request.data(), size, MPI_BYTE, 0, MPI_COMM_WORLD);
  return request;
}

}  // namespace

PartRanks::PartRanks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

/// All ranks together.
void PartRanks::find_rank_of_host() noexcept {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &rank_of_host_);
  MPI_Comm_free(&host);
}

/// `task`: the number of threads, and what kOnGpu adds.
PartServer PartRanks::open_part(std::string_view folder, const std::string& task) {
  SearcherOptions options{.threads = std::stoul(task)};
  if (task.ends_with(kOnGpu)) {
    const int gpus = static_cast<int>(list_gpus().size());
    if (gpus_.empty()) gpus_.emplace_back(gpus == 0 ? 0 : rank_of_host_ % gpus);
    options.device = Device::kGpu;
    options.gpus = gpus_;
  }
  return PartServer(folder, options);
}

/// The replies of all ranks on rank 0. None on the others, and where MPI cannot count their bytes.
std::vector<std::string> PartRanks::gather(const std::string& mine) const noexcept {
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks_));
  const std::uint64_t size = mine.size();
  MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (total > INT_MAX) return {};
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  std::string all(rank_ == 0 ? total : 0, '\0');
  MPI_Gatherv(mine.data(), static_cast<int>(size), MPI_BYTE, all.data(), counts.data(),
              starts.data(), MPI_BYTE, 0, MPI_COMM_WORLD);
  std::vector<std::string> replies;
  for (std::size_t i = 0; rank_ == 0 && i < sizes.size(); ++i) {
    replies.push_back(all.substr(static_cast<std::size_t>(starts[i]), sizes[i]));
  }
  return replies;
}

/// An answer and a failure for each message to a part of this rank. The request's first field is
/// the task: empty (answer), or how parts are to be opened.
std::string PartRanks::reply(std::string_view request) noexcept {
  const std::string task(take(request));
  if (!task.empty()) find_rank_of_host();
  std::string replies;
  while (!request.empty()) {
    const std::size_t part = std::stoul(std::string(take(request)));
    const std::string_view message = take(request);
    if (part % static_cast<std::size_t>(ranks_) != static_cast<std::size_t>(rank_)) continue;
    PartReply reply;
    try {
      if (task.empty()) {
        reply.bytes = parts_.at(part).answer(message);
      } else {
        parts_.emplace(part, open_part(message, task));
      }
    } catch (const std::exception& error) {
      reply.failure = error.what();
    }
    put(replies, reply.bytes);
    put(replies, reply.failure);
  }
  return replies;
}

std::vector<PartReply> PartRanks::ask(const std::vector<PartMessage>& messages,
                                      const std::string& task) {
  std::string request;
  put(request, task);
  for (const PartMessage& message : messages) {
    put(request, std::to_string(message.part));
    put(request, message.bytes);
  }
  const std::vector<std::string> gathered = gather(reply(broadcast(std::move(request))));
  if (gathered.empty()) throw Error("answers to a batch of queries take more than 2 GiB; lower -k");
  std::vector<std::string_view> left(gathered.begin(), gathered.end());
  std::vector<PartReply> replies;
  for (const PartMessage& message : messages) {
    std::string_view& bytes = left[message.part % left.size()];
    const std::string_view answer = take(bytes);
    replies.push_back({std::string(answer), std::string(take(bytes))});
  }
  return replies;
}

void PartRanks::open(std::span<const std::string> folders, std::size_t threads, bool on_gpu) {
  std::vector<PartMessage> messages;
  for (const std::string& folder : folders) {
    messages.push_back({static_cast<std::uint32_t>(messages.size()), folder});
  }
  const std::vector<PartReply> replies =
      ask(messages, std::to_string(threads).append(on_gpu ? kOnGpu : ""));
  for (std::size_t part = 0; part < replies.size(); ++part) {
    if (replies[part].failure.empty()) continue;
    throw IoError("part " + std::to_string(part) + ": " + replies[part].failure);
  }
}

void PartRanks::end() { broadcast(); }

void PartRanks::serve() {
  for (std::string request = broadcast(); !request.empty(); request = broadcast()) {
    gather(reply(request));
  }
}

}  // namespace warpdex::tools
