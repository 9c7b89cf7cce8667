// What is behind a VectorIndex. Internal.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "vectors/stored_vectors.hpp"

namespace warpdex {

struct VectorIndex::State {
  State(const std::filesystem::path& searched, const VectorIndexOptions& wanted);

  std::shared_ptr<const OpenVectors> current() const {
    const std::lock_guard lock(mutex);
    return open;
  }
  void set(std::shared_ptr<const OpenVectors> next) const {
    const std::lock_guard lock(mutex);
    open.swap(next);
  }
  /// Searches the commit from now on, by these options; where kAuto finds no GPU for it, by the
  /// CPU.
  void take(std::shared_ptr<const StoredVectors> stored, const VectorIndexOptions& options) const;
  /// Searches the last commit.
  void take_last() const;
  /// The same after a change, which stands: what goes wrong becomes a note.
  void take_after(CommitReport& report) const;

  /// What `find` finds in the current commit. Where it fails for want of GPU memory, the CPU may
  /// take over.
  template <class Find>
  auto search(const Find& find) const;

  const std::filesystem::path folder;    ///< as the caller named it
  const std::filesystem::path absolute;  ///< which holds wherever the process stands
  std::mutex changing;                   ///< one change at a time
  mutable std::mutex mutex;
  mutable std::shared_ptr<const OpenVectors> open;
};

template <class Find>
auto VectorIndex::State::search(const Find& find) const {
  const std::shared_ptr<const OpenVectors> now = current();
  if (!now->is_on_gpu()) return find(*now);
  try {
    return find(*now);
  } catch (const Error& error) {
    let_cpu_take_over(now->options(), error);
  }
  auto by_cpu = std::make_shared<const OpenVectors>(now->on_cpu());
  {
    const std::lock_guard lock(mutex);
    if (open == now) open = by_cpu;
  }
  return find(*by_cpu);
}

}  // namespace warpdex
