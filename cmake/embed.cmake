# Writes a source that holds a file's bytes: cmake -DINPUT=FILE -DOUTPUT=FILE -DNAME=SYMBOL
# -DNAMESPACE=SPACE -P embed.cmake. The symbol is an extern const std::string_view. The bytes stand in
# pieces, since compilers limit a literal's length.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
string(REGEX REPLACE "(................................................................)" "\\1\"\n    \"" bytes "${bytes}")
file(SIZE ${INPUT} size)
file(WRITE ${OUTPUT} "#include <string_view>

namespace ${NAMESPACE} {

extern const std::string_view ${NAME};
const std::string_view ${NAME}{
    \"${bytes}\",
    ${size}};

}  // namespace ${NAMESPACE}
")
