// A CUDA stream and its events, owned. Builds without CUDA have them too; their constructors
// throw there.
#pragma once

// CUDA's own opaque types, so that this header needs none of CUDA's.
struct CUstream_st;
struct CUevent_st;

namespace warpdex {

/// A queue of work on one GPU, independent of the default stream. Move-only; used by one thread at
/// a time.
class Stream {
 public:
  /// An empty queue. Throws CudaError where `device` does not exist.
  explicit Stream(int device = 0);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  /// The GPU that the work runs on, from 0.
  int device() const { return device_; }
  /// The cudaStream_t.
  CUstream_st* handle() const { return handle_; }

  /// Waits until all queued work is done. Throws CudaError if any of it failed.
  void synchronize() const;
  /// Whether all queued work is done. Throws CudaError if any of it failed.
  bool is_idle() const;

 private:
  int device_ = 0;
  CUstream_st* handle_ = nullptr;
};

/// Whether an event is for timing, or only for ordering streams, which costs them less.
enum class EventUse { kTiming, kOrder };

/// A point in a stream's work. Move-only.
class Event {
 public:
  /// Not recorded yet. Throws CudaError if `device` does not exist.
  explicit Event(int device = 0, EventUse use = EventUse::kTiming);
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();

  /// Records the point behind all work that is queued in `stream` so far.
  void record(const Stream& stream);
  /// Makes work that is queued in `stream` from now on wait for this event.
  void make_wait(const Stream& stream) const;
  /// Whether the event's point was passed, or none was recorded. Throws CudaError if work before it
  /// failed.
  bool has_passed() const;
  /// Waits until the event's point is passed.
  void synchronize() const;
  /// Seconds from `start` to this event, to about half a microsecond. Both must be for timing,
  /// recorded, and passed.
  double seconds_since(const Event& start) const;

 private:
  [[maybe_unused]] int device_ = 0;  // without CUDA nothing uses them
  [[maybe_unused]] CUevent_st* handle_ = nullptr;
};

}  // namespace warpdex
