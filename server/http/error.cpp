#include "http/error.hpp"

#include <new>

#include "warpdex/search_options.hpp"

namespace warpdex::server {

HttpError bad_request(const std::string& reason) { return {400, "bad_request", reason}; }
HttpError not_found(const std::string& reason) { return {404, "not_found", reason}; }
HttpError conflict(const std::string& reason) { return {409, "conflict", reason}; }
HttpError too_large(const std::string& reason) { return {413, "too_large", reason}; }
HttpError too_busy(const std::string& reason) {
  HttpError error(429, "too_busy", reason);
  error.add_header("Retry-After", "1");
  return error;
}

HttpError unavailable(const std::string& reason) {
  HttpError error(503, "unavailable", reason);
  error.add_header("Retry-After", "1");
  return error;
}

HttpError http_error_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const HttpError& error) {
    return error;
  } catch (const UsageError& error) {
    return bad_request(error.what());
  } catch (const InputError& error) {
    return bad_request(error.what());
  } catch (const CancelledError&) {  // by Exchange::gone alone
    return {kClientGone, "client_gone",
            "the client closed its connection before the answer was there"};
  } catch (const CudaError& error) {
    return unavailable(error.what());
  } catch (const IoError& error) {
    return {500, "io_error", error.what()};
  } catch (const FormatError& error) {
    return {500, "damaged_index", error.what()};
  } catch (const std::bad_alloc&) {
    return unavailable("there is too little memory for this request; ask for less, or later");
  } catch (const std::exception& error) {
    return {500, "internal_error", error.what()};
  } catch (...) {
    return {500, "internal_error", "the request failed"};
  }
}

}  // namespace warpdex::server
