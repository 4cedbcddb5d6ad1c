/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* suites.c - main of a test program: `test_unit trace` runs the suite trace, which is test/unit/record/test_trace.c.
 * One suite per process: ctest starts the program once for each, so that a crash or a changed global hides no other suite. Several names run one
 * after the other: with a search for leaks at the end, which takes seconds on some machines (see CMakeLists.txt).
 * SUITE_LIST is a file that CMake writes: one line SUITE(what) for each source of the program. */
#include <stdio.h>
#include <string.h>

#define SUITE(what) int suite_##what(void);
#include SUITE_LIST
#undef SUITE

typedef struct suite {
    const char *name;
    int (*run)(void);
} suite;

#define SUITE(what) {#what, suite_##what},
static const suite suites[] = {
#include SUITE_LIST
};
#undef SUITE
enum { NSUITE = sizeof suites / sizeof *suites };

static const suite *find(const char *name) {
    for (int i = 0; i < NSUITE; i++)
        if (!strcmp(name, suites[i].name)) return &suites[i];
    return NULL;
}

int main(int argc, char **argv) {
    const char *unknown = NULL;
    int failed = 0;
    for (int k = 1; k < argc && !unknown; k++)
        if (!find(argv[k])) unknown = argv[k];
    if (argc > 1 && !unknown) {
        for (int k = 1; k < argc; k++) {
            if (argc > 2) fprintf(stderr, "== %s\n", argv[k]);
            failed |= find(argv[k])->run();
        }
        return failed;
    }
    if (unknown)
        fprintf(stderr, "%s: found the suite \"%s\"; allowed:\n", argv[0], unknown);
    else
        fprintf(stderr, "usage: %s SUITE..., of:\n", argv[0]);
    for (int i = 0; i < NSUITE; i++) fprintf(stderr, "  %s\n", suites[i].name);
    return 2;
}
