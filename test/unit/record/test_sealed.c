/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Sealed files in normal use: what is committed is there, what is not is not, and plain HDF5 reads the file too. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "record/sealed_internal.h"
#include "sealed_help.h"

static char folder[64], path[128];

static int before(void **state) {
    (void)state;
    if (!folder_make(folder, sizeof folder)) return -1;
    snprintf(path, sizeof path, "%s/out.h5", folder);
    return 0;
}
static int after(void **state) {
    (void)state;
    folder_remove(folder);
    return 0;
}

static char *beside(const char *tail) {
    static char p[200];
    snprintf(p, sizeof p, "%s%s", path, tail);
    return p;
}

static void test_create(void **state) {
    (void)state;
    perp_refusal why = {0};
    hid_t f = pp_sealed_create(path, &why);
    assert_true(f >= 0);
    assert_int_equal(pp_sealed_pending(f), 0);
    assert_string_equal(pp_sealed_trouble(f), "");
    pp_sealed_close(f); /* an empty file is a file */
    f = pp_sealed_open_read(path, &why);
    assert_true(f >= 0);
    H5G_info_t info;
    assert_true(H5Gget_info(f, &info) >= 0);
    assert_int_equal(info.nlinks, 0);
    pp_sealed_close(f);

    size_t size = 0, again = 0;
    unsigned char *was = bytes_of(path, &size), *is;
    assert_true(pp_sealed_create(path, &why) < 0);
    assert_int_equal(why.status, PERP_E_IO);
    char text[300];
    snprintf(text, sizeof text, "%s: cannot be created: File exists", path);
    assert_string_equal(why.text, text);
    is = bytes_of(path, &again);
    assert_int_equal(size, again);
    assert_memory_equal(was, is, size);
    free(was);
    free(is);
}

static void test_commit_and_forget(void **state) {
    (void)state;
    perp_refusal why = {0};
    hid_t f = pp_sealed_create(path, &why);
    contents_begin(f);
    assert_true(contents_step(f, 1));
    assert_true(H5Fflush(f, H5F_SCOPE_LOCAL) >= 0);
    assert_true(pp_sealed_pending(f) >= (STEP_ITEMS + FIXED_ITEMS) * sizeof(int));
    assert_int_equal(pp_sealed_pending(f) % PP_BLOCK, 0);
    assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
    assert_int_equal(pp_sealed_pending(f), 0);
    assert_false(exists(beside("-journal")));
    assert_int_equal(contents_check(f), 1);
    assert_true(contents_step(f, 2));
    assert_true(H5Fflush(f, H5F_SCOPE_LOCAL) >= 0); /* HDF5's flush alone makes nothing permanent */
    assert_int_equal(contents_check(f), 2);
    pp_sealed_close(f);
    assert_int_equal(contents_of(path, &why), 1);
}

/* Objects left open are closed with the file, and their data is not committed. */
static void test_objects_left_open(void **state) {
    (void)state;
    perp_refusal why = {0};
    contents_make(path, 2);
    hid_t f = pp_sealed_open_write(path, &why);
    hid_t d = H5Dopen2(f, "series", H5P_DEFAULT);
    hsize_t n = 100000;
    assert_true(H5Dset_extent(d, &n) >= 0);
    pp_sealed_close(f);
    assert_true(H5Iis_valid(d) <= 0);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    assert_int_equal(contents_of(path, &why), 2);
}

static void test_many_commits(void **state) {
    (void)state;
    perp_refusal why = {0};
    hid_t f = pp_sealed_create(path, &why);
    contents_begin(f);
    struct stat st;
    off_t size = 0;
    int shrunk = 0;
    for (int c = 1; c <= 20; c++) {
        if (c % 4 == 0) { /* go on as another process would */
            pp_sealed_close(f);
            f = pp_sealed_open_write(path, &why);
            assert_true(f >= 0);
        }
        assert_true(contents_step(f, c));
        assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
        assert_int_equal(contents_check(f), c);
        assert_int_equal(contents_of(path, &why), c);
        assert_int_equal(stat(path, &st), 0);
        shrunk += st.st_size < size;
        size = st.st_size;
    }
    assert_true(shrunk > 0); /* else this test does not see a file that becomes shorter */
    assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
    struct stat same;
    assert_int_equal(stat(path, &same), 0);
    assert_int_equal(same.st_mtim.tv_nsec, st.st_mtim.tv_nsec); /* nothing new: nothing written */
    pp_sealed_close(f);
}

/* The same calls give the same bytes, but for the time that HDF5 keeps of the header of its constants, right behind the
 * superblock. */
static void test_same_bytes(void **state) {
    (void)state;
    char other[160];
    snprintf(other, sizeof other, "%s/other.h5", folder);
    contents_make(path, 4);
    contents_make(other, 4);
    size_t n = 0, m = 0;
    unsigned char *a = bytes_of(path, &n), *b = bytes_of(other, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a + 256, b + 256, pp_le64(a + n - PP_SEAL_TRAILER + 16) - 256);
    hid_t f = pp_sealed_open_memory("a", a, n, NULL);
    assert_true(f >= 0);
    assert_int_equal(contents_check(f), 4);
    pp_sealed_close(f);
    free(a);
    free(b);
}

static void test_memory(void **state) {
    (void)state;
    perp_refusal why = {0};
    contents_make(path, 5);
    size_t n = 0;
    unsigned char *a = bytes_of(path, &n);
    hid_t f = pp_sealed_open_memory("mem", a, n, &why);
    assert_true(f >= 0);
    assert_int_equal(contents_check(f), 5);
    pp_sealed_close(f);

    /* What is behind the seal's length is taken off and put on again. */
    uint64_t length = pp_le64(a + n - PP_SEAL_TRAILER + 16);
    assert_int_equal(n - length, pp_sealed_room(length));
    unsigned char *b = malloc(length + pp_sealed_room(length));
    memcpy(b, a, length);
    assert_int_equal(pp_seal_image(b, length), n);
    assert_memory_equal(a, b, n - PP_SEAL_TRAILER);
    f = pp_sealed_open_memory("mem", b, n, &why);
    assert_true(f >= 0);
    assert_int_equal(contents_check(f), 5);
    pp_sealed_close(f);
    free(a);
    free(b);
}

/* Plain HDF5 reads the file; if it writes it, the seal is gone and the file refused. */
static void test_plain_reader(void **state) {
    (void)state;
    perp_refusal why = {0};
    contents_make(path, 6);
    hid_t f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(f >= 0);
    assert_int_equal(contents_check(f), 6);
    H5Fclose(f);
    f = pp_sealed_open_read(path, &why); /* unchanged by that */
    assert_true(f >= 0);
    pp_sealed_close(f);
    f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(f >= 0);
    assert_true(contents_step(f, 7));
    H5Fclose(f);
    assert_true(pp_sealed_open_read(path, &why) < 0);
    assert_int_equal(why.status, PERP_E_ARG);
    assert_string_equal(why.found, "no seal at its end");
    assert_string_equal(why.allowed, "a recording as perp wrote it (it was truncated, or changed by another program)");
}

static void test_second_writer(void **state) {
    (void)state;
    perp_refusal why = {0};
    contents_make(path, 1);
    hid_t f = pp_sealed_open_write(path, &why);
    assert_true(f >= 0);
    assert_true(pp_sealed_open_write(path, &why) < 0);
    assert_int_equal(why.status, PERP_E_IO);
    assert_non_null(strstr(why.text, ": is in use: another program is writing it or has locked it"));
    assert_true(contents_step(f, 2));
    assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
    pp_sealed_close(f);
    f = pp_sealed_open_write(path, &why);
    assert_true(f >= 0);
    pp_sealed_close(f);
    f = pp_sealed_create(beside(".new"), &why); /* a new file is locked too */
    assert_true(f >= 0);
    assert_true(pp_sealed_open_write(beside(".new"), &why) < 0);
    pp_sealed_close(f);
}

/* A reader keeps the state of the file that it has opened, while a writer continues. */
static void test_reader_beside_writer(void **state) {
    (void)state;
    perp_refusal why = {0};
    hid_t w = pp_sealed_create(path, &why);
    contents_begin(w);
    assert_true(contents_step(w, 1));
    assert_int_equal(pp_sealed_commit(w, &why), PERP_OK);
    hid_t r[8];
    for (int c = 2; c < 10; c++) {
        assert_true(contents_step(w, c));
        r[c - 2] = pp_sealed_open_read(path, &why);
        assert_true(r[c - 2] >= 0);
        assert_int_equal(pp_sealed_commit(w, &why), PERP_OK);
    }
    for (int c = 2; c < 10; c++) assert_int_equal(contents_check(r[c - 2]), c - 1);
    for (int c = 2; c < 10; c++) pp_sealed_close(r[c - 2]);
    pp_sealed_close(w);

    /* Opened while there was no writer, and one came: an error that says so, no wrong numbers. */
    hid_t old = pp_sealed_open_read(path, &why);
    w = pp_sealed_open_write(path, &why);
    assert_true(contents_step(w, 10));
    assert_int_equal(pp_sealed_commit(w, &why), PERP_OK);
    int c = contents_check(old);
    assert_true(c == 9 || c == -1);
    assert_int_equal(c, -1);
    assert_string_equal(pp_sealed_trouble(old), "was changed since it was opened; open it again");
    pp_sealed_close(old);
    pp_sealed_close(w);
}

static void test_link(void **state) {
    (void)state;
    perp_refusal why = {0};
    contents_make(path, 1);
    char real[PATH_MAX];
    assert_non_null(realpath(path, real));
    assert_int_equal(symlink(real, beside(".link")), 0);
    hid_t f = pp_sealed_open_write(beside(".link"), &why);
    assert_true(f >= 0);
    const pp_sealed *s = pp_sealed_of(f);
    assert_memory_equal(s->journal, real, strlen(real));
    assert_string_equal(s->journal + strlen(real), "-journal");
    assert_true(contents_step(f, 2));
    assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
    pp_sealed_close(f);
    assert_int_equal(contents_of(path, &why), 2);
}

/* Blocks whose ends fall on, before and after the end of the file: raw bytes through HDF5's user block would not do, so
 * the lengths come from a dataset of bytes that grows by odd steps. */
static void test_lengths(void **state) {
    (void)state;
    perp_refusal why = {0};
    hid_t f = pp_sealed_create(path, &why);
    unsigned char *v = malloc(400000);
    for (int i = 0; i < 400000; i++) v[i] = (unsigned char)(series_value(i) >> 5);
    for (int k = 0; k < 40; k++) {
        hsize_t n = (hsize_t)((int)PP_BLOCK - 20 + 7 * k) * (hsize_t)(1 + k % 4);
        hid_t space = H5Screate_simple(1, &n, NULL);
        if (k > 0) assert_true(H5Ldelete(f, "d", H5P_DEFAULT) >= 0);
        hid_t d = H5Dcreate2(f, "d", H5T_NATIVE_UCHAR, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Dwrite(d, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
        H5Dclose(d);
        H5Sclose(space);
        assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
        hid_t r = pp_sealed_open_read(path, &why);
        assert_true(r >= 0);
        unsigned char *got = calloc(1, n);
        d = H5Dopen2(r, "d", H5P_DEFAULT);
        assert_true(H5Dread(d, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
        assert_memory_equal(got, v, n);
        free(got);
        H5Dclose(d);
        pp_sealed_close(r);
    }
    pp_sealed_close(f);
    free(v);
}

/* The blocks below HDF5, against a plain array of bytes: random writes, growth, shortening and commits. */
static void test_blocks(void **state) {
    (void)state;
    enum { MOST = 5 * PP_BLOCK + 1234 };
    perp_refusal why = {0};
    hid_t f = pp_sealed_create(path, &why);
    pp_sealed *s = pp_sealed_of(f);
    unsigned char *model = calloc(1, MOST), *got = malloc(MOST);
    size_t length = s->length;
    assert_true(pp_blocks_read(s, 0, length, model));
    srand(7);
    for (int k = 0; k < 2000; k++) {
        int what = rand() % 12;
        if (what < 7) {
            size_t at = (size_t)rand() % MOST, n = (size_t)rand() % (what < 2 ? 3 * PP_BLOCK : 3000);
            if (at + n > MOST) n = MOST - at;
            for (size_t i = 0; i < n; i++) got[i] = (unsigned char)rand();
            memcpy(model + at, got, n);
            assert_true(pp_blocks_write(s, at, n, got));
            if (n > 0 && at + n > length) length = at + n;
            s->eoa = s->eof;
        } else if (what < 9) {
            size_t at = (size_t)rand() % MOST, n = (size_t)rand() % 100000;
            if (at + n > MOST) n = MOST - at;
            memset(got, 0x55, n);
            assert_true(pp_blocks_read(s, at, n, got));
            for (size_t i = 0; i < n; i++) assert_int_equal(got[i], at + i < length ? model[at + i] : 0);
        } else if (what == 9 &&
                   rand() % 4 ==
                       0) { /* cut, as HDF5 does; what is cut off may come back as anything, so it is cleared */
            size_t to = (size_t)rand() % (length + 1);
            memset(got, 0, length - to);
            if (length > to) assert_true(pp_blocks_write(s, to, length - to, got));
            memset(model + to, 0, MOST - to);
            s->eof = s->eoa = length = to;
        } else if (what == 10) {
            assert_true(pp_commit(s));
            assert_int_equal(s->length, length);
            assert_int_equal(s->pending, 0);
        }
    }
    assert_true(pp_commit(s));
    size_t size = 0;
    unsigned char *disk = bytes_of(path, &size);
    assert_int_equal(size, length + pp_sealed_room(length));
    assert_memory_equal(disk, model, length);
    free(disk);
    free(model);
    free(got);
    pp_sealed_close(f);
}

static void test_hash(void **state) {
    (void)state;
    unsigned char b[300] = {0};
    for (size_t n = 0; n <= sizeof b; n += n < 70 ? 1 : 23) {
        for (size_t i = 0; i < n; i++) b[i] = (unsigned char)series_value((int)i);
        uint64_t h = pp_seal_hash(b, n);
        assert_int_equal(h, pp_seal_hash(b, n));
        assert_int_equal(pp_hash_differs(h, pp_seal_hash(b, n)), 0);
        for (size_t i = 0; i < 8 * n; i++) { /* every single bit */
            b[i / 8] ^= (unsigned char)(1u << i % 8);
            assert_int_equal(pp_hash_differs(h, pp_seal_hash(b, n)), 1);
            b[i / 8] ^= (unsigned char)(1u << i % 8);
        }
        if (n > 0) assert_true(pp_seal_hash(b, n - 1) != h); /* and the length */
    }
    memset(b, 0, sizeof b);
    for (size_t n = 1; n < sizeof b; n++) assert_true(pp_seal_hash(b, n) != pp_seal_hash(b, n - 1));
    for (int i = 0; i < 64; i++) assert_int_equal(pp_hash_differs(5, 5 ^ (uint64_t)1 << i), 1);
    /* A file must be readable by other machines and later versions: the numbers are part of the format. */
    for (size_t i = 0; i < sizeof b; i++) b[i] = (unsigned char)i;
    assert_true(pp_seal_hash(b, 0) == 0x029a9f46372fc790u);
    assert_true(pp_seal_hash(b, 5) == 0x8783e3ba0ca2d1c7u);
    assert_true(pp_seal_hash(b, 64) == 0x137ea963cdfcab1fu);
    assert_true(pp_seal_hash(b, 300) == 0xfe7c8c65e6019344u);
}

static void test_quiet(void **state) {
    (void)state;
    H5E_auto2_t print = NULL, now = NULL;
    void *data = NULL, *p = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &data);
    pp_quiet a = pp_quiet_begin(), b = pp_quiet_begin();
    H5Eget_auto2(H5E_DEFAULT, &now, &p);
    assert_true(now == NULL);
    pp_quiet_end(b);
    H5Eget_auto2(H5E_DEFAULT, &now, &p);
    assert_true(now == NULL);
    pp_quiet_end(a);
    H5Eget_auto2(H5E_DEFAULT, &now, &p);
    assert_true(now == print && p == data);
    perp_refusal why;
    assert_true(pp_sealed_open_read("nothing/here", &why) < 0);
    H5Eget_auto2(H5E_DEFAULT, &now, &p);
    assert_true(now == print && p == data);
}

/* A journal that an earlier file of the same name left behind has no part in a new file. */
static void test_foreign_journal(void **state) {
    (void)state;
    perp_refusal why = {0};
    bytes_to(beside("-journal"), "perpjrnl and so on", 18);
    contents_make(path, 2);
    assert_false(exists(beside("-journal")));
    bytes_to(beside("-journal"), "perpjrnl and so on", 18);
    assert_int_equal(contents_of(path, &why), 2);
    assert_true(exists(beside("-journal"))); /* a reader removes nothing */
    hid_t f = pp_sealed_open_write(path, &why);
    assert_true(f >= 0);
    assert_false(exists(beside("-journal")));
    pp_sealed_close(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_create, before, after),
        cmocka_unit_test_setup_teardown(test_commit_and_forget, before, after),
        cmocka_unit_test_setup_teardown(test_objects_left_open, before, after),
        cmocka_unit_test_setup_teardown(test_many_commits, before, after),
        cmocka_unit_test_setup_teardown(test_same_bytes, before, after),
        cmocka_unit_test_setup_teardown(test_memory, before, after),
        cmocka_unit_test_setup_teardown(test_plain_reader, before, after),
        cmocka_unit_test_setup_teardown(test_second_writer, before, after),
        cmocka_unit_test_setup_teardown(test_reader_beside_writer, before, after),
        cmocka_unit_test_setup_teardown(test_link, before, after),
        cmocka_unit_test_setup_teardown(test_lengths, before, after),
        cmocka_unit_test_setup_teardown(test_blocks, before, after),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test_setup_teardown(test_foreign_journal, before, after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
