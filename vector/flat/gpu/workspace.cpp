// The pool of workspaces.
#include "flat/gpu/workspace.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/select/block_limit.hpp"

namespace warpdex::vector {

namespace {

void* at_least(PinnedBuffer& buffer, std::size_t bytes) {
  if (buffer.size() < bytes) {
    buffer = PinnedBuffer();
    buffer = PinnedBuffer(bytes);
  }
  return buffer.data();
}

}  // namespace

void* Workspace::pinned_bytes(std::size_t bytes) { return at_least(pinned, bytes); }

void* Workspace::pinned_flags(std::size_t bytes) { return at_least(flags, bytes); }

const PinnedBuffer& Workspace::pinned_answers(std::size_t bytes) {
  at_least(answers, bytes);
  return answers;
}

std::vector<std::uint32_t> find_open(const std::uint32_t* flags, std::uint32_t queries,
                                     Workspace& workspace) {
  auto* const copied =
      static_cast<std::uint32_t*>(workspace.pinned_flags(queries * sizeof(std::uint32_t)));
  copy_to_host(copied, flags, queries, workspace.stream);
  workspace.stream.synchronize();
  std::vector<std::uint32_t> open;
  for (std::uint32_t query = 0; query < queries; ++query) {
    if (copied[query] != 0) open.push_back(query);
  }
  return open;
}

std::size_t selection_room(std::size_t k, std::size_t memory) {
  constexpr std::size_t kSmall = std::size_t{8} << 20;
  constexpr std::size_t kLarge = std::size_t{600} << 20;
  if (k <= block_select_limit(sizeof(std::uint64_t))) return kSmall;
  // A row's entries, and as many to sort them by.
  const std::size_t row = 40 * k + kSmall;
  return std::max(row, std::min(kLarge, memory / 4));
}

std::unique_ptr<Workspace> WorkspacePool::take_idle() {
  if (idle_.empty()) return std::make_unique<Workspace>(memory_, device_);
  // The largest: it is the likeliest to be large enough.
  const auto largest = std::max_element(
      idle_.begin(), idle_.end(),
      [](const auto& a, const auto& b) { return a->scratch.size() < b->scratch.size(); });
  std::unique_ptr<Workspace> taken = std::move(*largest);
  idle_.erase(largest);
  return taken;
}

bool WorkspacePool::allocate(Workspace& workspace, std::size_t needed, std::size_t wanted,
                             std::size_t selection) {
  if (workspace.scratch.size() >= wanted && workspace.select.reserve(selection)) return true;
  workspace.scratch.reset();
  if (workspace.select.reserve(selection) && workspace.scratch.allocate(wanted, memory_, device_)) {
    return true;
  }
  empty_idle();
  workspace.select.reset();
  if (!workspace.select.reserve(selection)) return false;
  for (std::size_t bytes = std::min(wanted, memory_.left()); bytes >= needed; bytes /= 2) {
    if (workspace.scratch.allocate(bytes, memory_, device_)) return true;
  }
  return workspace.scratch.allocate(needed, memory_, device_);
}

void WorkspacePool::empty_idle() {
  for (const auto& workspace : idle_) {
    workspace->scratch.reset();
    workspace->select.reset();
  }
}

WorkspacePool::Lease::~Lease() {
  for (const Stream* stream : {&workspace_->stream, &workspace_->copies}) {
    try {
      stream->synchronize();
    } catch (const CudaError&) {  // the search threw it, or the next one will
    }
  }
  pool_.put_back(std::move(workspace_));
}

WorkspacePool::Lease WorkspacePool::take(std::size_t needed, std::size_t wanted,
                                         std::size_t selection) {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::unique_ptr<Workspace> workspace = take_idle();
    if (allocate(*workspace, needed, std::max(needed, wanted), selection)) {
      ++in_use_;
      lent_ += workspace->scratch.size();
      return {*this, std::move(workspace)};
    }
    idle_.push_back(std::move(workspace));
    if (in_use_ == 0) {
      throw Error("this search needs " + std::to_string((needed + selection) >> 20) +
                  " MiB of GPU memory, and " + std::to_string(memory_.left() >> 20) +
                  " MiB are left; give more, or ask for less at a time");
    }
    put_back_.wait(lock);
  }
}

std::size_t WorkspacePool::memory() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = memory_.left() + lent_;
  for (const auto& workspace : idle_) {
    bytes += workspace->scratch.size() + workspace->select.size();
  }
  return bytes;
}

void WorkspacePool::put_back(std::unique_ptr<Workspace> workspace) {
  {
    const std::lock_guard lock(mutex_);
    lent_ -= workspace->scratch.size();
    idle_.push_back(std::move(workspace));
    --in_use_;
  }
  put_back_.notify_all();
}

}  // namespace warpdex::vector
