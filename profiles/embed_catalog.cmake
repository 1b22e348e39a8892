# cmake -DROOT=profiles/catalog -DOUTPUT=embedded_catalog.cpp -P embed_catalog.cmake
# Writes every JSON file below ROOT into one C++ source as a sorted table of path and text.
file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/*.json")
list(SORT files)
set(rows "")
foreach(path IN LISTS files)
  file(READ "${ROOT}/${path}" text)
  # GCC and clang accept long literals; 8 KiB pieces keep within every compiler's limit.
  string(LENGTH "${text}" length)
  set(literal "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8192 piece)
    string(APPEND literal "R\"__json__(${piece})__json__\"\n")
    math(EXPR begin "${begin} + 8192")
  endwhile()
  if(literal STREQUAL "")
    set(literal "\"\"")
  endif()
  string(APPEND rows "    {\"${path}\", ${literal}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "#include \"profiles/catalog_files.h\"

namespace ndtune::profiles {
namespace {

constexpr CatalogFile kFiles[] = {
${rows}    {\"~\", \"\"}};

}  // namespace

std::span<const CatalogFile> embedded_catalog() {
    return std::span(kFiles).first(std::size(kFiles) - 1);
}

}  // namespace ndtune::profiles
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
