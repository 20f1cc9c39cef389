# SPDX-License-Identifier: Apache-2.0
# onefold_embed(OUT FILE...): the files, named from the root of the tree, as rows of a C++ table:
# {"name", R"onefold(text)onefold"}. A change of one configures anew.
function(onefold_embed out)
  set(rows "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} text)
    string(APPEND rows "    {\"${file}\", R\"onefold(${text})onefold\"},\n")
  endforeach()
  set(${out} "${rows}" PARENT_SCOPE)
endfunction()
