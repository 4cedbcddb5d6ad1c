/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* status.c - names and texts of status codes, from the one map in base.h */
#include "perp/base.h"

#define STR2(x) #x
#define STR(x)  STR2(x)

const char *perp_status_name(perp_status s) {
    switch (s) {
#define NAME(name, value, text) \
    case PERP_##name: return "PERP_" #name;
        PERP_STATUS_MAP(NAME)
#undef NAME
    }
    return "unknown status";
}

const char *perp_status_text(perp_status s) {
    switch (s) {
#define TEXT(name, value, text) \
    case PERP_##name: return text;
        PERP_STATUS_MAP(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *perp_version(void) {
    return STR(PERP_VERSION_MAJOR) "." STR(PERP_VERSION_MINOR) "." STR(PERP_VERSION_PATCH);
}
