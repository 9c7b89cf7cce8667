# `cpack` in a build folder makes a Debian package of what is installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpdex)
set(CPACK_PACKAGE_CONTACT "The Warpdex developers <warpdex@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The libraries are static: programs that embed them link these.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "libicu-dev, zlib1g-dev, libzstd-dev, liblzma-dev, libxxhash-dev, libtbb-dev, libhdf5-dev, libprotobuf-dev, pkg-config")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
