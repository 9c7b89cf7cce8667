#include "warpdex/server/server.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "app/application.hpp"
#include "net/listener.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::server {
namespace {

/// Processors for which one I/O thread reads: a search on the CPU takes some three times what its
/// request does, one on a GPU takes less.
constexpr std::size_t kProcessorsOfIoThread = 4;
constexpr std::size_t kProcessorsOfIoThreadWithGpu = 2;
constexpr std::size_t kMinHeaderBytes = 1 << 10;
constexpr std::size_t kMaxHeaderBytes = 32 << 10;
constexpr std::chrono::milliseconds kBetweenLooks{20};

std::size_t io_threads_of(const ServerOptions& options) {
  if (options.io_threads > 0) return options.io_threads;
  return std::max<std::size_t>(
      1, default_threads() / (options.device == Device::kCpu ? kProcessorsOfIoThread
                                                             : kProcessorsOfIoThreadWithGpu));
}

/// Each connection takes a descriptor, so as many as the system lets this process have.
void raise_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// One account of the GPU's memory for all indexes. Throws CudaError where kGpu finds none; of
/// kAuto the CPU takes over, and `notes` says why.
ServerOptions checked(ServerOptions options, std::vector<std::string>& notes) {
  if (!is_loopback(options.address) && options.keys.empty()) {
    throw UsageError("whoever reaches " + options.address +
                     " could change the indexes; give --keys FILE, or listen at 127.0.0.1");
  }
  const std::size_t header = options.limits.header_bytes;
  if (header < kMinHeaderBytes || header > kMaxHeaderBytes) {
    throw UsageError("the limit of headers is " + std::to_string(header) + " bytes; take " +
                     std::to_string(kMinHeaderBytes) + " to " + std::to_string(kMaxHeaderBytes));
  }
  options.limits.k = std::min<std::uint32_t>(options.limits.k, 10'000);
  if (options.device == Device::kCpu) {
    options.gpus.clear();
    return options;
  }
  try {
    check_gpu(options.gpus.empty() ? 0 : options.gpus.front().device());
    for (const Gpu& gpu : options.gpus) check_gpu(gpu.device());
    if (options.gpus.empty()) options.gpus.emplace_back();
  } catch (const Error& error) {
    if (options.device == Device::kGpu) throw;
    notes.push_back(std::string("the CPU searches: ") + error.what());
    options.device = Device::kCpu;
    options.gpus.clear();
  }
  return options;
}

}  // namespace

struct Server::State {
  explicit State(const ServerOptions& given)
      : options(checked(given, notes)),
        application(std::make_unique<Application>(options)),
        listener(options.address, options.port, io_threads_of(options), *application,
                 options.limits) {}

  ~State() {
    application->drain();
    listener.stop();
    application.reset();  // its threads answer what they have, to connections that are cut off
  }

  std::vector<std::string> notes{};
  const ServerOptions options;
  std::unique_ptr<Application> application;
  Listener listener;
};

Server::Server(const ServerOptions& options) {
  raise_descriptors();
  state_ = std::make_unique<State>(options);
}

Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

std::uint16_t Server::port() const { return state_->listener.port(); }

std::vector<std::string> Server::indexes() const {
  std::vector<std::string> names;
  for (const IndexPtr& index : state_->application->catalog().all()) names.push_back(index->name());
  return names;
}

std::vector<std::string> Server::notes() const {
  std::vector<std::string> notes = state_->notes;
  for (const auto& [name, why] : state_->application->catalog().problems()) {
    notes.push_back("'" + name + "' is not served: " + why);
  }
  return notes;
}

bool Server::drain(std::chrono::milliseconds most) {
  state_->application->drain();
  state_->listener.stop_listening();
  const auto end = std::chrono::steady_clock::now() + most;
  while (state_->listener.connections() > 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kBetweenLooks);
    state_->listener.close_idle();
  }
  return true;
}

void Server::reload() { state_->application->reload(); }

}  // namespace warpdex::server
