/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_page.c - the pages in the program. The build names their files if they are there; the assembler takes them in as
 * they are. */
#include "view/view.h"

/* A file as the symbols NAME and NAME_end, with a zero behind it. */
#define TAKE_IN(NAME, FILE)                              \
    __asm__(".pushsection .rodata\n"                     \
            ".balign 16\n"                               \
            ".globl " NAME ", " NAME "_end\n" NAME ":\n" \
            ".incbin \"" FILE "\"\n" NAME "_end:\n"      \
            ".byte 0\n"                                  \
            ".popsection\n")

#ifdef PERP_VIEWER_PAGE
TAKE_IN("perp_viewer_page", PERP_VIEWER_PAGE);
extern const char perp_viewer_page[] __attribute__((visibility("hidden")));
extern const char perp_viewer_page_end[] __attribute__((visibility("hidden")));

const char *view_page(size_t *size) {
    *size = (size_t)(perp_viewer_page_end - perp_viewer_page);
    return perp_viewer_page;
}
#else
const char *view_page(size_t *size) {
    *size = 0;
    return NULL;
}
#endif

#ifdef PERP_STUDY_PAGE
TAKE_IN("perp_study_page", PERP_STUDY_PAGE);
extern const char perp_study_page[] __attribute__((visibility("hidden")));
extern const char perp_study_page_end[] __attribute__((visibility("hidden")));

const char *view_study_page(size_t *size) {
    *size = (size_t)(perp_study_page_end - perp_study_page);
    return perp_study_page;
}
#else
const char *view_study_page(size_t *size) {
    *size = 0;
    return NULL;
}
#endif

static int tell_missing(const cli_args *a) {
    return cli_refuse_say(a, CLI_BAD_INPUT,
                          "this program was built without the viewer's page: run tools/viewer (it needs node and npm), "
                          "then build perp again");
}

int view_has_page(const cli_args *a) {
    size_t size;
    return view_page(&size) ? CLI_OK : tell_missing(a);
}

int view_has_study_page(const cli_args *a) {
    size_t size;
    return view_study_page(&size) && view_page(&size) ? CLI_OK : tell_missing(a);
}
