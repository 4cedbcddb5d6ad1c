/* view_page.c - the viewer's page in the program. The build names its file if it is there; the assembler takes it in as
 * it is. */
#include "view.h"

#ifdef PERP_VIEWER_PAGE
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl perp_viewer_page, perp_viewer_page_end\n"
        "perp_viewer_page:\n"
        ".incbin \"" PERP_VIEWER_PAGE "\"\n"
        "perp_viewer_page_end:\n"
        ".byte 0\n"
        ".popsection\n");
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

int view_has_page(const cli_args *a) {
    size_t size;
    if (view_page(&size)) return CLI_OK;
    return cli_refuse_say(a, CLI_BAD_INPUT,
                          "this program was built without the viewer's page: run tools/viewer (it needs node and npm), "
                          "then build perp again");
}
