# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# Limits of the verdict on a run: one table for the program and the viewer. Makes verdict_limits.h in PERP_GENERATED.
set(table ${PROJECT_SOURCE_DIR}/viewer/src/data/verdict_limits.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
file(READ ${table} limits)
set(VERDICT_LIMITS "")
foreach(aspect laws overlap joints energy energy_loss creep twist)
  string(JSON good GET "${limits}" ${aspect} 0)
  string(JSON fair GET "${limits}" ${aspect} 1)
  string(TOUPPER ${aspect} name)
  string(APPEND VERDICT_LIMITS "#define VERDICT_${name} {${good}, ${fair}}\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/verdict_limits.h.in ${PERP_GENERATED}/verdict_limits.h @ONLY)
