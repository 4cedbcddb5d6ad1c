/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Files that lie in a folder: traversal, absolute paths, symbolic links of every kind, files that are not there. */
#define _XOPEN_SOURCE 700 /* mkdtemp, symlink */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/input.h"

static char base[64]; /* holds scene/, scene-other/ and secret.yaml */

static const char *at(const char *rest) {
    static char path[4][512];
    static int k;
    char *p = path[k++ % 4];
    (void)snprintf(p, sizeof path[0], "%s/%s", base, rest);
    return p;
}

static void put(const char *path, const char *text) {
    FILE *f = fopen(at(path), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int make(void **state) {
    (void)state;
    (void)snprintf(base, sizeof base, "/tmp/perp-within-XXXXXX");
    if (!mkdtemp(base)) return -1;
    (void)mkdir(at("scene"), 0777);
    (void)mkdir(at("scene/parts"), 0777);
    (void)mkdir(at("scene-other"), 0777);
    put("secret.yaml", "secret");
    put("scene-other/near.yaml", "secret");
    put("scene/main.yaml", "main");
    put("scene/parts/a.yaml", "part");
    static const char *const link[][2] = {
        {"parts/a.yaml", "scene/in"},
        {"../secret.yaml", "scene/out"},
        {"..", "scene/up"},
        {"/etc", "scene/etc"},
        {"in", "scene/twice"},
        {"out", "scene/twice-out"},
        {"loop", "scene/loop"},
        {"../scene/parts/a.yaml", "scene/out-and-in"},
        {"nowhere", "scene/dangling"},
        {"../nowhere", "scene/dangling-out"},
        {"scene", "named"},
        {"../../secret.yaml", "scene/parts/deep"},
        {"../parts", "scene/parts/self"},
    };
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        if (symlink(link[i][0], at(link[i][1]))) return -1;
    char whole[600];
    (void)snprintf(whole, sizeof whole, "%s/scene/main.yaml", base);
    return symlink(whole, at("scene/absolute")) || symlink(at("secret.yaml"), at("scene/absolute-out"));
}

static int unmake(void **state) {
    (void)state;
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command); /* NOLINT: a path of our own */
}

/* Reads path with that root; "": it was refused for its place, "?": for another reason. */
static const char *read_within(const char *root, const char *path) {
    static const perp_allocator plain = {0};
    static char out[64];
    char *data;
    size_t size;
    perp_refusal why = {0};
    perp_status s = pp_source_read_within(&plain, root, "scene", path, &data, &size, &why);
    assert_int_equal(pp_source_is_within(root, "scene", path, NULL) == PERP_E_ARG, s == PERP_E_ARG);
    assert_null(strstr(why.text, "secret\n"));
    if (s == PERP_E_ARG) {
        char text[600];
        (void)snprintf(
            text, sizeof text,
            "%s: found a file outside the folder of the scene; allowed: files in that folder or below it, unless "
            "--allow-outside is given",
            path);
        assert_string_equal(why.text, text);
        return "";
    }
    if (s) return "?";
    (void)snprintf(out, sizeof out, "%s", data);
    pp_free(&plain, data);
    return out;
}

static void inside(void **state) {
    (void)state;
    static const char *const path[] = {"scene/parts/a.yaml", "scene/./parts//a.yaml", "scene/parts/../parts/a.yaml",
                                       "scene/in",           "scene/twice",           "scene/out-and-in",
                                       "named/parts/a.yaml", "scene/../scene/in",     "scene/parts/self/a.yaml"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        assert_string_equal(read_within(at("scene"), at(path[i])), "part");
        assert_string_equal(read_within(at("named"), at(path[i])), "part");
        assert_string_equal(read_within("/", at(path[i])), "part");
    }
    assert_string_equal(read_within(at("scene"), at("scene/absolute")), "main");
    assert_string_equal(read_within("/", at("secret.yaml")), "secret");
    assert_string_equal(read_within(at("scene/.."), at("secret.yaml")), "secret");
}

static void outside(void **state) {
    (void)state;
    static const char *const path[] = {"secret.yaml",
                                       "scene/../secret.yaml",
                                       "scene/out",
                                       "scene/up/secret.yaml",
                                       "scene/etc/passwd",
                                       "scene/twice-out",
                                       "scene/absolute-out",
                                       "scene/parts/deep",
                                       "scene-other/near.yaml",
                                       "scene/../nowhere.yaml",
                                       "nowhere.yaml",
                                       "scene/parts/../../nowhere",
                                       "scene/..",
                                       "scene-nowhere"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        if (*read_within(at("scene"), at(path[i]))) fail_msg("%s was not refused for its place", path[i]);
    assert_string_equal(read_within(at("scene"), "/etc/passwd"), "");
    assert_string_equal(read_within(at("scene"), "/etc/nothing-there"), "");
    assert_string_equal(read_within(at("scene/parts"), at("scene/main.yaml")), "");
}

/* Within, but not to be read: told as such. */
static void unreadable(void **state) {
    (void)state;
    static const char *const path[] = {"scene",          "scene/nothing.yaml", "scene/parts",    "scene/loop",
                                       "scene/dangling", "scene/main.yaml/x",  "scene/nothing/x"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        if (strcmp(read_within(at("scene"), at(path[i])), "?") != 0) fail_msg("%s", path[i]);
    assert_string_equal(read_within(at("nothing"), at("scene/main.yaml")), "?");
}

static void relative(void **state) {
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(at("scene")), 0);
    assert_string_equal(read_within(".", "parts/a.yaml"), "part");
    assert_string_equal(read_within(".", "../secret.yaml"), "");
    assert_string_equal(read_within(".", "../nowhere"), "");
    assert_string_equal(read_within(".", "nowhere"), "?");
    assert_string_equal(read_within("parts", "parts/a.yaml"), "part");
    assert_string_equal(read_within("parts", "main.yaml"), "");
    assert_int_equal(chdir(before), 0);
    char folder[16];
    assert_true(pp_source_folder("a/b/c.yaml", folder, sizeof folder) && !strcmp(folder, "a/b"));
    assert_true(pp_source_folder("c.yaml", folder, sizeof folder) && !strcmp(folder, "."));
    assert_true(pp_source_folder("/c.yaml", folder, sizeof folder) && !strcmp(folder, "/"));
    assert_false(pp_source_folder("a-long-folder-name/c.yaml", folder, sizeof folder));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inside), cmocka_unit_test(outside),
                                       cmocka_unit_test(unreadable), cmocka_unit_test(relative)};
    return cmocka_run_group_tests(tests, make, unmake);
}
