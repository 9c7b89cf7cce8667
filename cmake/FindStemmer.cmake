# Finds Snowball's libstemmer, which ships neither CMake nor pkg-config files: Stemmer::stemmer.
# Installed beside warpdexConfig.cmake, which uses it too.
find_path(Stemmer_INCLUDE_DIR libstemmer.h)
find_library(Stemmer_LIBRARY stemmer)
mark_as_advanced(Stemmer_INCLUDE_DIR Stemmer_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Stemmer REQUIRED_VARS Stemmer_LIBRARY Stemmer_INCLUDE_DIR)
if(Stemmer_FOUND AND NOT TARGET Stemmer::stemmer)
  add_library(Stemmer::stemmer UNKNOWN IMPORTED)
  set_target_properties(Stemmer::stemmer PROPERTIES
    IMPORTED_LOCATION "${Stemmer_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Stemmer_INCLUDE_DIR}")
endif()
