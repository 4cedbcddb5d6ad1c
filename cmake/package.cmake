# SPDX-FileCopyrightText: the perp authors
# SPDX-License-Identifier: Apache-2.0
# cpack: two Debian packages, `perp` (the program with all that it reads) and `libperp-dev` (the library to link). tools/package calls it.
set(PERP_PACKAGE_CONTACT "perp maintainers <maintainers@perp.invalid>" CACHE STRING "Maintainer of packages, NAME <ADDRESS>")
mark_as_advanced(PERP_PACKAGE_CONTACT)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perp)
set(CPACK_PACKAGE_CONTACT ${PERP_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_COMPONENTS_ALL development)
if(PERP_BUILD_PROGRAM)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME perp)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON) # dpkg-shlibdeps finds the packages of the libraries that the program is linked with
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "fonts-liberation")
if(PERP_HAVE_IPOPT) # loaded when it is called, so the linker does not know of it
  string(APPEND CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ", coinor-libipopt1v5")
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libperp-dev, xdg-utils")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION 
"The program perp runs scenes, records them, and shows, plots and renders
recordings. Every step comes with a certificate that says how well the laws of
contact hold.")

# A static library: whoever links it needs the libraries below with their headers.
set(needed libsuitesparse-dev libmetis-dev libqhull-dev)
if(PERP_WITH_YAML)
  list(APPEND needed libyaml-dev)
endif()
if(PERP_WITH_EXPAT)
  list(APPEND needed libexpat1-dev)
endif()
if(PERP_WITH_HDF5)
  list(APPEND needed libhdf5-dev)
endif()
if(PERP_HAVE_NLOPT)
  list(APPEND needed libnlopt-dev)
endif()
list(JOIN needed ", " needed)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libperp-dev)
set(CPACK_DEBIAN_DEVELOPMENT_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${needed}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "perp, pkg-config, cmake")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION 
"Headers and library for programs in C and C++, with files for pkg-config and
CMake.")
unset(needed)
include(CPack)
