/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* test_problem_file_faults.c - problem files where something goes wrong around them: files are replaced whole or not at
 * all, damaged ones are refused, and memory may run out. */
#include "unit/problem_file_trip.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#include "fault/allocator.h"

/* ---- files in place of others ---- */

static void writes_files(void **state) {
    (void)state;
    static const char *const path[] = {"trip.h5", "trip.hdf5", "trip.dat"};
    cone_data d = fclib_cone(3, 4, 0, false);
    for (int f = PERP_FORMAT_PERP; f <= PERP_FORMAT_SICONOS_TEXT; f++) {
        perp_refusal why;
        perp_problem_format found;
        put_text(path[f], "something else");
        if (perp_problem_write(path[f], (perp_problem_format)f, &d.p, d.guess, "a trip", &why))
            fail_msg("%s", why.text);
        perp_stored *s = good(path[f], &found);
        assert_int_equal((int)found, f);
        assert_true(same_problem(&d.p, perp_stored_problem(s)));
        assert_string_equal(perp_stored_title(s), "a trip");
        perp_stored_free(s);
    }
    free_cone(&d);
}

static int files_here(const char *prefix) {
    int n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) n += strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    closedir(d);
    return n;
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    int n = 60;
    double *M = numbers(n * n), *q = numbers(n);
    perp_problem p = {.cls = PERP_LCP, .as.lcp = {n, M, q}};
    perp_refusal why;
    put_text("full.h5", "as it was");
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4096;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    perp_status s = perp_problem_write("full.h5", PERP_FORMAT_PERP, &p, NULL, NULL, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, before);
    assert_int_equal(s, PERP_E_IO);
    assert_string_equal(why.text, "full.h5: cannot be written: File too large");
    size_t size;
    char *d = get_bytes("full.h5", &size);
    assert_int_equal(size, 9);
    assert_memory_equal(d, "as it was", 9);
    free(d);
    assert_int_equal(files_here("full.h5"), 1); /* nothing is left beside it */
    assert_int_equal(perp_problem_write("full.h5", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_OK);
    assert_int_equal(files_here("full.h5"), 1);
    assert_int_equal(perp_problem_write("nowhere/p.h5", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_IO);
    assert_string_equal(why.text, "nowhere/p.h5: cannot be written: No such file or directory");
    assert_int_equal(perp_problem_write(".", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_IO);
    assert_string_equal(why.text, ".: found a folder; allowed: a file");
    assert_int_equal(perp_problem_write("/dev/null", PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_IO);
    assert_string_equal(why.text, "/dev/null: found a device or a pipe; allowed: a file");
    assert_int_equal(perp_problem_write(NULL, PERP_FORMAT_PERP, &p, NULL, NULL, &why), PERP_E_ARG);
    assert_int_equal(perp_problem_write("x.h5", (perp_problem_format)9, &p, NULL, NULL, NULL), PERP_E_ARG);
    free(M), free(q);
}

/* ---- any bytes, and memory that is refused ---- */

static const char *const sample[] = {PROBLEMS "qp-triangle.h5",        PROBLEMS "guided-box.hdf5",
                                     PROBLEMS "guided-box-local.hdf5", PROBLEMS "box-on-feet.dat",
                                     PROBLEMS "contacts-2d.dat",       PROBLEMS "mlcp-alternating.dat",
                                     PROBLEMS "lcp-listing.dat"};
#define SAMPLES ((int)(sizeof sample / sizeof *sample))

static void try_bytes(const char *data, size_t size) {
    perp_stored *s;
    perp_refusal why = {0};
    if (pp_exchange_read("x", data, size, NULL, &s, NULL, &why)) {
        assert_null(s);
        assert_true(why.text[0] != 0 && !strchr(why.text, '\n'));
        return;
    }
    assert_true(perp_problem_size(perp_stored_problem(s)) >= 0);
    perp_stored_free(s);
}

static void damaged_files_are_safe(void **state) {
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        size_t size;
        char *d = get_bytes(sample[k], &size);
        size_t step = size > 4000 ? 9 : 1;
#ifdef PERP_TEST_SHORT
        step *= 11;
#endif
        for (size_t n = 0; n < size; n += step) {
            char *cut = malloc(n + 1); /* of its own, so that reading past the end is seen */
            memcpy(cut, d, n);
            try_bytes(cut, n);
            free(cut);
        }
        for (size_t i = 0; i<size; i += size> 4000 ? step - 2 : 1) {
            char old = d[i];
            static const unsigned char other[] = {0xff, 0x80, 0x01, 0x00, '9', ' '};
            for (size_t j = 0; j < sizeof other; j++) {
                d[i] = (char)(j < 2 ? (unsigned char)old ^ other[j] : other[j]);
                try_bytes(d, size);
            }
            d[i] = old;
        }
        free(d);
    }
}

static void refused_memory_is_told(void **state) {
    (void)state;
    for (int k = 0; k < SAMPLES; k++)
        for (long refuse = 0;; refuse++) {
            counter c = {.refuse = refuse};
            perp_allocator a = counting(&c);
            perp_stored *s;
            perp_refusal why = {0};
            perp_status e = perp_problem_read(sample[k], &a, &s, NULL, &why);
            if (!e) {
                perp_stored_free(s);
                assert_int_equal(c.live, 0);
                assert_int_equal(c.refused, 0);
                break;
            }
            assert_int_equal(e, PERP_E_MEMORY);
            assert_null(s);
            assert_int_equal(c.live, 0);
            assert_true(why.text[0] != 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_files),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(damaged_files_are_safe),
        cmocka_unit_test(refused_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
