// One catch for each type, as an exception is copied as what it is caught as.
#include "search/named_errors.hpp"

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

void with_name(const std::string& name, const std::function<void()>& work) {
  const std::string start = name + ": ";
  try {
    work();
  } catch (const UsageError&) {
    throw;
  } catch (const CudaError& error) {
    throw CudaError(start + error.what(), error.code());
  } catch (const FormatError& error) {
    throw FormatError(start + error.what());
  } catch (const IoError& error) {
    throw IoError(start + error.what());
  } catch (const InputError& error) {
    throw InputError(start + error.what());
  } catch (const std::exception& error) {
    throw Error(start + error.what());
  }
}

}  // namespace warpdex::vector
