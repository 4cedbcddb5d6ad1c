/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* yaml.h - in place of libyaml's header in a build with PERP_WITH_YAML=OFF: pp_yaml_parse() refuses with this text. */
#ifndef PERP_WITHOUT_YAML
#define PERP_WITHOUT_YAML "this perp was built without libyaml; on Debian install libyaml-dev and build again with PERP_WITH_YAML=ON"

static inline const char *yaml_get_version_string(void) { return "none"; }

#endif
