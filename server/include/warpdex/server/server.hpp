// Serves indexes over HTTP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpdex/gpu.hpp"

namespace warpdex::server {

/// What bounds a request, and all of them together. What is over a limit is refused with a status
/// that says so: 400, 413, 429 or 431.
struct ServerLimits {
  std::size_t connections = 10'000;                ///< open at a time; others are closed at once
  std::size_t header_bytes = 16 << 10;             ///< of a request's line and header
  std::size_t body_bytes = std::size_t{64} << 20;  ///< of a body, as sent and unpacked
  std::size_t waiting_bytes = std::size_t{512} << 20;  ///< of all bodies that are not answered yet
  std::size_t queue = 1024;                            ///< searches that wait for a thread
  std::size_t work_queue = 256;  ///< other requests that wait: documents, bulks, batches
  std::uint32_t k = 10'000;      ///< documents of an answer, `from` included
  std::size_t clauses = 1024;    ///< words of a query
  std::size_t query_bytes = 64 << 10;
  /// Searches are refused while the 99th percentile of their times is past it; 0: never.
  std::chrono::milliseconds p99{3000};
  std::chrono::milliseconds search_time{30'000};    ///< then the best found so far are the answer
  std::chrono::milliseconds read_timeout{30'000};   ///< from a request's first byte to its last
  std::chrono::milliseconds send_timeout{30'000};   ///< in which a client must take some bytes
  std::chrono::milliseconds idle_timeout{120'000};  ///< between two requests of a connection
};

struct ServerOptions {
  /// Each is an index, which is served under its folder's name, or a folder of indexes.
  std::vector<std::filesystem::path> folders{};
  std::string address = "127.0.0.1";
  std::uint16_t port = 7700;  ///< 0: a free one
  Device device = Device::kCpu;
  /// The GPUs that share each index; none: GPU 0, with most of its free memory. SearcherOptions
  /// says what shards are.
  std::vector<Gpu> gpus{};
  std::size_t shards = 1;
  std::size_t threads = 0;       ///< that search; 0: as many as this process may run on
  bool document_blocks = false;  ///< SearcherOptions::document_blocks, of indexes of impacts
  std::size_t io_threads = 0;    ///< that read requests; 0: one for 4 processors, with a GPU for 2
  std::size_t probes = 16;       ///< lists of vectors that a query probes
  std::size_t refine = 0;        ///< nearest codes that are ranked again by their vectors
  bool is_read_only = false;
  std::filesystem::path keys{};      ///< empty: whoever reaches the server may do everything
  std::vector<std::string> hosts{};  ///< names that a Host may have, beside IP addresses
  std::vector<std::string>
      origins{};                      ///< of pages of other servers that may ask: https://a.example
  std::filesystem::path snapshots{};  ///< the folder in which snapshots are made; empty: refused
  std::uint64_t writer_memory = std::uint64_t{256} << 20;  ///< bytes, of each index that changes
  // Files of JSON lines; "-" is standard output; empty: none.
  std::string access_log{};
  std::string slow_log{};
  std::chrono::milliseconds slow{500};  ///< searches that take longer are in the slow log
  /// Called with a sentence for what goes wrong beside requests, from threads of the server, one
  /// at a time; may be empty.
  std::function<void(const std::string&)> on_problem{};
  ServerLimits limits{};
};

/// Runs on threads of its own from its construction to its end.
class Server {
 public:
  /// Opens the indexes and listens. Throws UsageError for options that do not go together (another
  /// address than a loopback one needs keys), IoError where the address is taken or a file cannot
  /// be read.
  explicit Server(const ServerOptions& options);
  /// Ends at once; requests under way are cut off.
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  std::uint16_t port() const;
  /// The names of the indexes that are served.
  std::vector<std::string> indexes() const;
  /// A sentence for each thing that whoever starts the server should know: an index that cannot be
  /// opened, a GPU that is not there.
  std::vector<std::string> notes() const;

  /// Takes no new connections and no new requests, and waits until those under way are answered.
  /// False if some were not within that time.
  bool drain(std::chrono::milliseconds most);
  /// Reads the file of keys again and opens the logs anew. Throws InputError and IoError; the keys
  /// are then what they were.
  void reload();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::server
