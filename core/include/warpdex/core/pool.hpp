// Objects that serve one thread at a time, kept for the next.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace warpdex {

/// Any thread. Holds as many objects as were ever in use at once.
template <class Object>
class Pool {
 public:
  /// An object for the lifetime of this; then it goes back.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Object> object) : pool_(&pool), object_(std::move(object)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (object_) pool_->give_back(std::move(object_));
    }
    Object& operator*() const { return *object_; }
    Object* operator->() const { return object_.get(); }

   private:
    Pool* pool_;
    std::unique_ptr<Object> object_;
  };

  /// One that is free, else what `make` returns, a unique_ptr.
  template <class Make>
  Lease take(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Lease lease(*this, std::move(free_.back()));
        free_.pop_back();
        return lease;
      }
    }
    return Lease(*this, make());
  }

 private:
  void give_back(std::unique_ptr<Object> object) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(object));
    } catch (...) {  // without room for it, it goes
      object.reset();
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> free_;
};

}  // namespace warpdex
