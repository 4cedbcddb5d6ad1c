/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* expat.h - in place of expat's header in a build with PERP_WITH_EXPAT=OFF: pp_xml_parse() refuses with this text. */
#ifndef PERP_WITHOUT_EXPAT
#define PERP_WITHOUT_EXPAT "this perp was built without expat; on Debian install libexpat1-dev and build again with PERP_WITH_EXPAT=ON"
#endif
