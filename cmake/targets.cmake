# warpdex_library(NAME): the folder's library, warpdex::NAME. Sources and links are the folder's own.
# Headers are included as "warpdex/FOLDER/FILE.hpp", in the build tree through a link to the sources.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/warpdex SYMBOLIC)

# Scores must not depend on how a compiler contracts them: no fused multiply-add behind our back.
add_library(warpdex_flags INTERFACE)
target_compile_options(warpdex_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>  # g++ 12 sees overlaps where strings are added
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${WARPDEX_WERROR}>>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${WARPDEX_WERROR}>>:-Werror=all-warnings -Xcompiler=-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-ffp-contract=off --fmad=false>)
if(WARPDEX_SANITIZE)
  target_compile_options(warpdex_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${WARPDEX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(warpdex_flags INTERFACE -fsanitize=${WARPDEX_SANITIZE})
endif()
if(WARPDEX_FUZZ)
  target_compile_options(warpdex_flags INTERFACE
    -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/ignorelist.txt)
endif()

set(WARPDEX_LIBRARIES "" CACHE INTERNAL "")
function(warpdex_library name)
  add_library(warpdex_${name} STATIC)
  add_library(warpdex::${name} ALIAS warpdex_${name})
  set_target_properties(warpdex_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(warpdex_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(warpdex_${name} PUBLIC cxx_std_20)
  target_link_libraries(warpdex_${name} PRIVATE $<BUILD_INTERFACE:warpdex_flags>)
  set(WARPDEX_LIBRARIES ${WARPDEX_LIBRARIES} ${name} CACHE INTERNAL "")
endfunction()
