/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Sealed files that are not what they should be: missing, foreign, cut, changed, forbidden, locked; journals too. Each
 * is refused with one sentence, or read as it was, and never altered. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <cmocka.h>

#include "fault/sealed_calls.h"

/* Reader and writer refuse the file with these words. */
static void refused(const char *why_text, perp_status s) {
    perp_refusal why = {0};
    assert_true(pp_sealed_open_read(path, &why) < 0);
    assert_string_equal(why.text, message(why_text));
    assert_int_equal(why.status, s);
    memset(&why, 0, sizeof why);
    assert_true(pp_sealed_open_write(path, &why) < 0);
    assert_string_equal(why.text, message(why_text));
    assert_int_equal(why.status, s);
}

/* ---- files that are not what they should be ---- */

static void test_not_there(void **state) {
    (void)state;
    refused("cannot be opened: No such file or directory", PERP_E_IO);
    assert_false(exists(path));
    assert_int_equal(mkdir(path, 0777), 0);
    refused("cannot be opened: Is a directory", PERP_E_IO);
    perp_refusal why = {0};
    assert_true(pp_sealed_create(path, &why) < 0);
    assert_string_equal(why.text, message("cannot be created: File exists"));
    assert_true(pp_sealed_create(beside("/no/such/folder.h5"), &why) < 0);
    assert_non_null(strstr(why.text, "cannot be created: No such file or directory"));
    assert_true(pp_sealed_create(beside("/"), &why) < 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0);
    refused("found something that is not a file; allowed: a recording as perp wrote it", PERP_E_ARG);
    (void)unlink(path);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_true(pp_sealed_create(path, &why) < 0);
    assert_string_equal(why.text, message("cannot be created: File exists"));
    assert_true(pp_sealed_create("", &why) < 0);
    assert_true(pp_sealed_open_read("", &why) < 0);
    char *longest = malloc(10000);
    memset(longest, 'a', 9999);
    longest[9999] = 0;
    assert_true(pp_sealed_create(longest, &why) < 0);
    assert_int_equal(why.status, PERP_E_IO);
    assert_true(pp_sealed_open_write(longest, &why) < 0);
    free(longest);
}

static void test_foreign(void **state) {
    (void)state;
    put(path, "", 0);
    refused("found an empty file; allowed: a recording as perp wrote it", PERP_E_ARG);
    put(path, "x", 1);
    refused("found a file that is not HDF5; allowed: a recording as perp wrote it", PERP_E_ARG);
    char junk[100000];
    for (size_t i = 0; i < sizeof junk; i++) junk[i] = (char)series_value((int)i);
    put(path, junk, sizeof junk);
    refused("found a file that is not HDF5; allowed: a recording as perp wrote it", PERP_E_ARG);
    (void)unlink(path);
    hid_t f = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    contents_begin(f);
    H5Fclose(f);
    refused("found no seal at its end; allowed: a recording as perp wrote it (it was truncated, or changed by another "
            "program)",
            PERP_E_ARG);
    /* Sealed, but not HDF5. */
    unsigned char image[1000 + 100] = {1, 2, 3};
    put(path, image, pp_seal_image(image, 1000));
    refused("found data that HDF5 cannot read; allowed: a recording as perp wrote it", PERP_E_ARG);
    put(path, image, pp_seal_image(image, 0));
    perp_refusal why = {0};
    assert_true(pp_sealed_open_read(path, &why) < 0);
    assert_int_equal(why.status, PERP_E_ARG);
    /* A seal of a version to come. */
    size_t size = pp_seal_image(image, 1000);
    image[size - PP_SEAL_TRAILER + 8] = 2;
    put(path, image, size);
    refused("found a seal of a newer version of perp; allowed: a recording of this version or an older one",
            PERP_E_ARG);
    assert_true(pp_sealed_open_memory("mem", NULL, 0, &why) < 0);
    assert_string_equal(why.text, "mem: found an empty file; allowed: a recording as perp wrote it");
}

/* Cut anywhere, or with bytes put behind: refused, and left as it is. */
static void test_cut(void **state) {
    (void)state;
    size_t size = 0;
    contents_make(path, 3);
    unsigned char *whole = bytes_of(path, &size), *copy = malloc(size + 100);
    perp_refusal why = {0};
    for (size_t n = 0; n < size; n += n < 3000 || n + 3000 > size ? 1 : 997) {
        memcpy(copy, whole, n); /* of its own size, so that a look past the end is seen */
        unsigned char *exact = malloc(n ? n : 1);
        memcpy(exact, whole, n);
        assert_true(pp_sealed_open_memory("mem", exact, n, &why) < 0);
        assert_int_equal(why.status, PERP_E_ARG);
        free(exact);
    }
    for (size_t n = 0; n < size; n += 20011) {
        put(path, whole, n);
        refused(n == 0 ? "found an empty file; allowed: a recording as perp wrote it"
                       : "found no seal at its end; allowed: a recording as perp wrote it (it was truncated, or "
                         "changed by another program)",
                PERP_E_ARG);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, n);
    }
    memcpy(copy, whole, size);
    memset(copy + size, 0, 100);
    for (size_t n = 1; n <= 100; n++) assert_true(pp_sealed_open_memory("mem", copy, size + n, &why) < 0);
    free(copy);
    free(whole);
}

/* One byte changed: found, or of no effect on what is read. */
static void test_flipped(void **state) {
    (void)state;
    size_t size = 0;
    contents_make(path, 3);
    unsigned char *v = bytes_of(path, &size);
    uint64_t length = pp_le64(v + size - PP_SEAL_TRAILER + 16);
    long found = 0, harmless = 0, bad_seal = 0;
    unsigned seed = 1;
    for (size_t i = 0; i < size; i += i < 2000 ? 1 : i + 400 > size ? 1 : 1009) {
        seed = seed * 1664525u + 1013904223u;
        unsigned char flip = (unsigned char)(1u << (seed >> 29));
        v[i] ^= flip;
        perp_refusal why = {0};
        hid_t f = pp_sealed_open_memory("mem", v, size, &why);
        if (f < 0) {
            assert_int_equal(why.status, PERP_E_ARG);
            assert_true(strlen(why.text) > 10);
            if (i >= length) {
                bad_seal++;
            } else {
                snprintf(text, sizeof text, "mem: bytes %zu to ", i / PP_BLOCK * PP_BLOCK);
                assert_memory_equal(why.text, text, strlen(text));
                assert_non_null(strstr(why.text, " are damaged"));
            }
            found++;
        } else {
            assert_true(i < length);
            int c = contents_check(f);
            assert_true(c == 3 || c == -1);
            if (c == -1) {
                snprintf(text, sizeof text, "bytes %zu to ", i / PP_BLOCK * PP_BLOCK);
                assert_memory_equal(pp_sealed_trouble(f), text, strlen(text));
                found++;
            } else {
                harmless++;
            }
            pp_sealed_close(f);
        }
        v[i] ^= flip;
    }
    assert_int_equal(bad_seal, size - length); /* every byte of the seal is needed */
    assert_true(found > 2000);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    /* On disk, by a writer: a block that is to be changed in part must be whole; the file stays as it is. */
    v[length - 1] ^= 1;
    put(path, v, size);
    perp_refusal why = {0};
    hid_t f = pp_sealed_open_write(path, &why);
    if (f >= 0) {
        pp_quiet q = pp_quiet_begin();
        bool ok = contents_step(f, 4);
        pp_quiet_end(q);
        if (ok) assert_true(pp_sealed_commit(f, &why) != PERP_OK);
        assert_string_not_equal(pp_sealed_trouble(f), "");
        pp_sealed_close(f);
    }
    size_t now = 0;
    unsigned char *is = bytes_of(path, &now);
    assert_int_equal(now, size);
    assert_memory_equal(is, v, size);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    free(is);
    free(v);
}

/* A journal cut or changed anywhere beside an untouched file: the file counts. Beside a half-copied file: refused,
 * never a wrong number. */
static void test_damaged_journal(void **state) {
    (void)state;
    perp_refusal why = {0};
    size_t size[2] = {0}, n = 0;
    unsigned char *file[2] = {0}, *journal = NULL;
    contents_make(path, 2);
    file[0] = bytes_of(path, &size[0]);
    /* The state in the middle of a copy: killed at the last write but one. */
    for (long at = 40; at > 0 && !journal; at--) {
        put(path, file[0], size[0]);
        pid_t child = fork();
        if (child == 0) {
            hid_t f = pp_sealed_open_write(path, NULL);
            if (f < 0 || !contents_step(f, 3)) _exit(2);
            faults_on(FAULT_KILL, at, false, 0);
            _exit(pp_sealed_commit(f, NULL) == PERP_OK ? 0 : 3);
        }
        (void)child_result(child);
        if (!exists(beside("-journal"))) continue;
        file[1] = bytes_of(path, &size[1]);
        if (size[1] != size[0] && pp_le64(file[1] + size[1] - 8) == 0)
            journal = bytes_of(beside("-journal"), &n);
        else
            free(file[1]);
        (void)unlink(beside("-journal"));
    }
    assert_non_null(journal);
    size_t head = PP_JOURNAL_HEADER + (size_t)pp_le64(journal + 24) + 8 * (size_t)pp_le64(journal + 32);
    for (int which = 0; which < 2; which++) {
        put(path, file[which], size[which]);
        put(beside("-journal"), journal, n);
        assert_int_equal(contents_of(path, &why), 3);
        int fd = open(beside("-journal"), O_WRONLY);
        assert_true(fd >= 0);
        for (size_t i = 0; i < n; i += i < head ? 1 : i + 300 > n ? 37 : 30011) {
            unsigned char flipped = journal[i] ^ 0x10;
            assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
            assert_int_equal(contents_of(path, &why), which == 0 ? 2 : -3);
            assert_int_equal(pwrite(fd, &journal[i], 1, (off_t)i), 1);
        }
        assert_int_equal(contents_of(path, &why), 3);
        for (size_t i = n; i-- > 0; i -= i < head || i + 20 > n ? 0 : i < 10007 + head ? i - head : 10007) {
            assert_int_equal(ftruncate(fd, (off_t)i), 0);
            assert_int_equal(contents_of(path, &why), which == 0 ? 2 : -3);
            if (which == 1) assert_string_equal(why.found, "no seal at its end");
        }
        close(fd);
        /* A writer does not touch what it cannot mend. */
        put(beside("-journal"), journal, n / 2);
        hid_t f = pp_sealed_open_write(path, &why);
        assert_true(which == 0 ? f >= 0 : f < 0);
        assert_true(exists(beside("-journal")) == (which == 1));
        pp_sealed_close(f);
    }
    /* Of another file: it has its own seal, so the journal is not for it. */
    (void)unlink(path);
    (void)unlink(beside("-journal"));
    contents_make(path, 4);
    put(beside("-journal"), journal, n);
    assert_int_equal(contents_of(path, &why), 4);
    hid_t f = pp_sealed_open_write(path, &why);
    assert_true(f >= 0);
    assert_false(exists(beside("-journal")));
    pp_sealed_close(f);
    put(path, "", 0);
    put(beside("-journal"), journal, n);
    refused("found an empty file; allowed: a recording as perp wrote it", PERP_E_ARG);
    free(journal);
    free(file[0]);
    free(file[1]);
}

/* ---- not allowed ---- */

/* As a user without rights: in a child, since root may do anything. */
static void test_forbidden(void **state) {
    (void)state;
    contents_make(path, 2);
    pid_t child = fork();
    if (child == 0) {
        perp_refusal why = {0};
        if (chmod(folder, 0755) != 0 || chmod(path, 0444) != 0) _exit(2);
        if (geteuid() == 0 && seteuid(65534) != 0) _exit(77);
        if (access(".", X_OK) != 0) _exit(77);
        if (geteuid() != 65534 && chmod(folder, 0555) != 0) _exit(2);
        hid_t f = pp_sealed_open_write(path, &why);
        if (f >= 0 || strcmp(why.text, message("cannot be opened: Permission denied")) != 0 || why.status != PERP_E_IO)
            _exit(3);
        if (contents_of(path, &why) != 2) _exit(4); /* reading needs no rights to write */
        if (pp_sealed_create(beside(".new"), &why) >= 0) _exit(5);
        if (!strstr(why.text, "cannot be created: Permission denied") || why.status != PERP_E_IO) _exit(6);
        if (exists(beside(".new"))) _exit(7);
        _exit(0);
    }
    int r = child_result(child);
    if (r == 77) skip(); /* root that may not become another user: nothing is forbidden to it */
    assert_int_equal(r, 0);
    /* A file that may be written in a folder that may not: the journal cannot be made, and the file stays as it is. */
    child = fork();
    if (child == 0) {
        perp_refusal why = {0};
        if (chmod(path, 0666) != 0) _exit(2);
        if (geteuid() == 0 && seteuid(65534) != 0) _exit(77);
        if (geteuid() != 65534 && chmod(folder, 0555) != 0) _exit(2);
        hid_t f = pp_sealed_open_write(path, &why);
        if (f < 0 || !contents_step(f, 3)) _exit(3);
        if (pp_sealed_commit(f, &why) != PERP_E_IO) _exit(4);
        if (strcmp(why.text, message("cannot be written: Permission denied; it is as it was last saved")) != 0)
            _exit(5);
        pp_sealed_close(f);
        _exit(contents_of(path, &why) == 2 ? 0 : 6);
    }
    assert_int_equal(child_result(child), 0);
    assert_int_equal(chmod(folder, 0755), 0);
}

/* A lock of another program, such as a plain reader of HDF5, keeps a writer out and not a reader. */
static void test_locked(void **state) {
    (void)state;
    perp_refusal why = {0};
    contents_make(path, 1);
    int fd = open(path, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_SH), 0);
    assert_true(pp_sealed_open_write(path, &why) < 0);
    assert_string_equal(why.text, message("is in use: another program is writing it or has locked it"));
    assert_int_equal(contents_of(path, &why), 1);
    close(fd);
    fd = open(path, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(contents_of(path, &why), 1);
    close(fd);
    hid_t f = pp_sealed_open_write(path, &why);
    assert_true(f >= 0);
    pp_sealed_close(f);
}

int main(void) {
    pp_quiet_begin(); /* at its end HDF5 reports that failed readings have left something behind in it */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_not_there, before, after),
        cmocka_unit_test_setup_teardown(test_foreign, before, after),
        cmocka_unit_test_setup_teardown(test_cut, before, after),
        cmocka_unit_test_setup_teardown(test_flipped, before, after),
        cmocka_unit_test_setup_teardown(test_damaged_journal, before, after),
        cmocka_unit_test_setup_teardown(test_forbidden, before, after),
        cmocka_unit_test_setup_teardown(test_locked, before, after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
