/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Sealed files whose writer dies at every system call of a commit, or finds the disk full or broken at every one. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

#include "fault/sealed_calls.h"

/* ---- killed ---- */

/* Killed at every system call of commit `c` of a file with c - 1 commits: a reader sees c - 1 or c, never changes
 * anything, and a writer goes on. */
static void kill_sweep(int c, fault kind) {
    size_t size = 0;
    contents_make(path, c - 1);
    unsigned char *start = bytes_of(path, &size);
    bool seen_old = false, seen_new = false;
    for (long at = 1;; at++) {
        assert_true(at < 500);
        put(path, start, size);
        (void)unlink(beside("-journal"));
        (void)unlink(beside("-journal.new"));
        pid_t child = fork();
        if (child == 0) {
            hid_t f = pp_sealed_open_write(path, NULL);
            if (f < 0 || !contents_step(f, c)) _exit(2);
            faults_on(kind, at, false, 0);
            perp_status s = pp_sealed_commit(f, NULL);
            _exit(s == PERP_OK ? 0 : 3);
        }
        int r = child_result(child);
        if (r == 0) break; /* fewer calls than that */
        assert_int_equal(r, 1000 + SIGKILL);
        perp_refusal why = {0};
        int got = contents_of(path, &why);
        if (got != c && got != c - 1) print_message("killed at call %ld: %d %s\n", at, got, why.text);
        assert_true(got == c || got == c - 1);
        seen_old |= got == c - 1;
        seen_new |= got == c;
        assert_int_equal(contents_of(path, &why), got);
        /* Recovery killed at its own calls, several times, before one is let through. */
        for (long again = 1; again < 12; again += 4) {
            child = fork();
            if (child == 0) {
                faults_on(kind, again, false, 0);
                hid_t f = pp_sealed_open_write(path, NULL);
                _exit(f < 0 ? 2 : 0);
            }
            r = child_result(child);
            assert_true(r == 0 || r == 1000 + SIGKILL);
            assert_int_equal(contents_of(path, &why), got);
        }
        hid_t f = pp_sealed_open_write(path, &why);
        assert_true(f >= 0);
        assert_false(exists(beside("-journal")));
        assert_false(exists(beside("-journal.new")));
        assert_int_equal(contents_check(f), got);
        for (int k = got + 1; k <= c + 1; k++) {
            assert_true(contents_step(f, k));
            assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
        }
        pp_sealed_close(f);
        assert_int_equal(contents_of(path, &why), c + 1);
    }
    assert_true(seen_old && seen_new);
    free(start);
}

static void test_killed_growing(void **state) {
    (void)state;
    kill_sweep(3, FAULT_KILL);
}
static void test_killed_growing_half(void **state) {
    (void)state;
    kill_sweep(3, FAULT_KILL_HALF);
}
static void test_killed_shrinking(void **state) {
    (void)state;
    kill_sweep(4, FAULT_KILL);
}
static void test_killed_shrinking_half(void **state) {
    (void)state;
    kill_sweep(4, FAULT_KILL_HALF);
}

/* Killed while it is created: no file, or a complete one. */
static void test_killed_creating(void **state) {
    (void)state;
    bool done = false;
    for (long at = 1; !done; at++) {
        assert_true(at < 100);
        pid_t child = fork();
        if (child == 0) {
            faults_on(FAULT_KILL_HALF, at, false, 0);
            _exit(pp_sealed_create(path, NULL) >= 0 ? 0 : 2);
        }
        done = child_result(child) == 0;
        if (exists(path)) {
            hid_t f = pp_sealed_open_read(path, NULL);
            assert_true(f >= 0);
            pp_sealed_close(f);
            (void)unlink(path);
        }
    }
}

/* At random moments, by another process; `reported` are the commits that were said to be done. */
static void test_killed_at_random(void **state) {
    (void)state;
    unsigned seed = 12345;
    perp_refusal why = {0};
    contents_make(path, 0);
    hid_t f = pp_sealed_open_write(path, &why);
    contents_begin(f);
    assert_true(contents_step(f, 1));
    assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
    pp_sealed_close(f);
    int begun = 1;
    for (int k = 0; k < 30; k++) {
        int tell[2];
        assert_int_equal(pipe(tell), 0);
        pid_t child = fork();
        if (child == 0) {
            close(tell[0]);
            f = pp_sealed_open_write(path, NULL);
            if (f < 0) _exit(2);
            for (int c = contents_check(f) + 1;; c++) {
                if (!contents_step(f, c) || pp_sealed_commit(f, NULL) != PERP_OK) _exit(3);
                if (write(tell[1], &c, sizeof c) != sizeof c) _exit(4);
            }
        }
        close(tell[1]);
        seed = seed * 1664525u + 1013904223u;
        struct timespec t = {0, (long)(seed >> 8) % 60000000};
        nanosleep(&t, NULL);
        kill(child, SIGKILL);
        assert_int_equal(child_result(child), 1000 + SIGKILL);
        int reported = begun, c;
        while (read(tell[0], &c, sizeof c) == sizeof c) reported = c;
        close(tell[0]);
        int got = contents_of(path, &why);
        if (got < reported) print_message("%d of %d: %s\n", got, reported, why.text);
        assert_true(got == reported || got == reported + 1);
        begun = got;
        if (begun > 150) { /* keep it short */
            (void)unlink(path);
            (void)unlink(beside("-journal"));
            contents_make(path, 1);
            begun = 1;
        }
    }
}

/* Readers while a writer commits without end: each sees one commit, in whole, and they follow one another. */
static void test_readers_beside_writer(void **state) {
    (void)state;
    contents_make(path, 1);
    pid_t child = fork();
    if (child == 0) {
        hid_t f = pp_sealed_open_write(path, NULL);
        for (int c = 2; c <= 60; c++) {
            struct timespec t = {0, c % 5 * 1000000};
            nanosleep(&t, NULL);
            if (f < 0 || !contents_step(f, c) || pp_sealed_commit(f, NULL) != PERP_OK) _exit(2);
        }
        _exit(0);
    }
    int last = 1, seen = 0;
    for (int k = 0; k < 100000; k++) {
        perp_refusal why = {0};
        int status = 0;
        bool ended = waitpid(child, &status, WNOHANG) == child;
        int got = contents_of(path, &why);
        /* The reader may have looked before the writer began, and then hears of it. */
        if (got == -1 && last == 1) continue;
        if (got < last) print_message("%d after %d: %s\n", got, last, why.text);
        assert_true(got >= last);
        seen += got > last;
        last = got;
        if (ended) {
            assert_int_equal(status, 0);
            break;
        }
    }
    assert_int_equal(last, 60);
    assert_true(seen > 1);
}

/* ---- full and broken disks ---- */

/* Every call of a commit in turn fails once, or for good until the space is back; nothing is lost, and a later commit
 * succeeds. */
static void error_sweep(int c, fault kind, bool stays, int e) {
    size_t size = 0;
    perp_refusal why = {0};
    contents_make(path, c - 1);
    unsigned char *start = bytes_of(path, &size);
    int failures = 0;
    for (long at = 1;; at++) {
        assert_true(at < 500);
        put(path, start, size);
        hid_t f = pp_sealed_open_write(path, &why);
        assert_true(f >= 0);
        assert_true(contents_step(f, c));
        faults_on(kind, at, stays, e);
        memset(&why, 0, sizeof why);
        perp_status s = pp_sealed_commit(f, &why);
        bool reached = calls >= at;
        faults_off();
        if (s != PERP_OK) {
            failures++;
            assert_int_equal(s, PERP_E_IO);
            assert_int_equal(why.status, PERP_E_IO);
            snprintf(text, sizeof text, "%s: cannot be written: %s; ", path, strerror(e));
            assert_memory_equal(why.text, text, strlen(text));
            assert_true(strlen(pp_sealed_trouble(f)) > 0);
            int got = contents_of(path, &why);
            if (e == ENOSPC && !stays && kind == FAULT_ERROR && !exists(beside("-journal")))
                assert_int_equal(got, c - 1);
            assert_true(got == c - 1 || (got == c && exists(beside("-journal"))));
            if (at % 2) { /* go on, with more */
                assert_true(contents_step(f, c + 1));
                assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
                assert_false(exists(beside("-journal")));
                assert_int_equal(contents_of(path, &why), c + 1);
            } else if (at % 4) { /* fail again */
                faults_on(kind, at, stays, e);
                assert_true(contents_step(f, c + 1));
                s = pp_sealed_commit(f, &why);
                faults_off();
                int then = contents_of(path, &why);
                assert_true(s == PERP_OK ? then == c + 1 : then == got || then == c + 1);
                got = then;
            }
        } else {
            assert_int_equal(contents_of(path, &why), c);
        }
        int last = contents_of(path, &why);
        pp_sealed_close(f); /* must not write */
        assert_int_equal(contents_of(path, &why), last);
        f = pp_sealed_open_write(path, &why);
        assert_true(f >= 0);
        assert_int_equal(contents_check(f), last);
        pp_sealed_close(f);
        assert_int_equal(contents_of(path, &why), last);
        if (!reached) break;
    }
    assert_true(failures > 10);
    free(start);
}

static void test_disk_full_at_every_call(void **state) {
    (void)state;
    error_sweep(3, FAULT_ERROR, false, ENOSPC);
    (void)unlink(path);
    error_sweep(3, FAULT_ERROR_HALF, true, ENOSPC);
}
static void test_disk_full_shrinking(void **state) {
    (void)state;
    error_sweep(4, FAULT_ERROR_HALF, true, ENOSPC);
}
static void test_disk_broken_at_every_call(void **state) {
    (void)state;
    error_sweep(3, FAULT_ERROR, true, EIO);
    (void)unlink(path);
    error_sweep(4, FAULT_ERROR, false, EIO);
}

/* A commit fails while it copies, and the next one at any call: the journal of one of them stays until a third
 * succeeds. */
static void test_broken_twice(void **state) {
    (void)state;
    perp_refusal why = {0};
    size_t size = 0;
    contents_make(path, 2);
    unsigned char *start = bytes_of(path, &size);
    int twice = 0;
    for (long first = 40; first > 0; first -= 3)
        for (long second = 1; second < 60; second += 2) {
            put(path, start, size);
            (void)unlink(beside("-journal"));
            hid_t f = pp_sealed_open_write(path, &why);
            assert_true(f >= 0 && contents_step(f, 3));
            faults_on(FAULT_ERROR, first, true, EIO);
            perp_status s = pp_sealed_commit(f, &why);
            faults_off();
            if (s == PERP_OK || !exists(beside("-journal"))) { /* not reached, or before the copying */
                pp_sealed_close(f);
                break;
            }
            assert_int_equal(contents_of(path, &why), 3);
            assert_true(contents_step(f, 4) && contents_step(f, 5));
            faults_on(FAULT_ERROR_HALF, second, true, second % 4 == 1 ? EIO : ENOSPC);
            s = pp_sealed_commit(f, &why);
            faults_off();
            int got = contents_of(path, &why);
            if (s == PERP_OK)
                assert_int_equal(got, 5);
            else
                assert_true(got == 3 || got == 5);
            twice += s != PERP_OK;
            if (second % 3 == 0) {
                assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
                assert_int_equal(contents_of(path, &why), got = 5);
                assert_false(exists(beside("-journal")));
            }
            pp_sealed_close(f);
            f = pp_sealed_open_write(path, &why);
            assert_true(f >= 0);
            pp_sealed_close(f);
            assert_int_equal(contents_of(path, &why), got);
        }
    assert_true(twice > 50);
    free(start);
}

/* A commit of a shorter file fails after its seal was written into the longer one; then the file becomes long again. */
static void test_broken_while_shrinking(void **state) {
    (void)state;
    perp_refusal why = {0};
    for (int calls_back = 1; calls_back < 5; calls_back++) {
        (void)unlink(path);
        hid_t f = pp_sealed_create(path, &why);
        pp_sealed *s = pp_sealed_of(f);
        enum { LONG = 6 * PP_BLOCK + 500, SHORT = 2 * PP_BLOCK + 300 };
        unsigned char *v = malloc(LONG), *got = malloc(LONG);
        for (int i = 0; i < LONG; i++) v[i] = (unsigned char)(series_value(i) >> 4);
        assert_true(pp_blocks_write(s, 0, LONG, v));
        s->eoa = s->eof;
        assert_true(pp_commit(s));
        s->eof = s->eoa = SHORT;
        faults_on(FAULT_KILL_HALF, LONG_MAX, false, EIO); /* counts the calls of such a commit on a copy */
        fault_kind = FAULT_ERROR;
        fault_at = LONG_MAX;
        pid_t child = fork();
        if (child == 0) _exit(pp_commit(s) ? (int)calls : 255);
        int all = child_result(child);
        assert_true(all > 5 && all < 255);
        faults_off();
        pp_sealed_close(f);
        (void)unlink(path);
        f = pp_sealed_create(path, &why);
        s = pp_sealed_of(f);
        assert_true(pp_blocks_write(s, 0, LONG, v));
        s->eoa = s->eof;
        assert_true(pp_commit(s));
        s->eof = s->eoa = SHORT;
        faults_on(FAULT_ERROR, all - calls_back, true, EIO);
        assert_false(pp_commit(s));
        faults_off();
        s->trouble[0] = 0;
        /* Long again; only some of it is written. */
        memset(v + SHORT, 0, LONG - SHORT);
        memset(v + 4 * PP_BLOCK + 10, 0x77, 1000);
        s->eof = s->eoa = SHORT;
        assert_true(pp_blocks_write(s, 4 * PP_BLOCK + 10, 1000, v + 4 * PP_BLOCK + 10));
        s->eof = s->eoa = LONG;
        assert_true(pp_commit(s));
        assert_true(pp_blocks_read(s, 0, LONG, got));
        assert_memory_equal(got, v, SHORT);
        assert_memory_equal(got + 4 * PP_BLOCK + 10, v + 4 * PP_BLOCK + 10, 1000);
        pp_sealed_close(f);
        free(v);
        free(got);
    }
}

/* The size of files is limited: by turns the journal and the file itself are too long. The real calls, not ours. */
static void limit(rlim_t most) {
    struct rlimit r = {most, RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}
static void test_size_limit(void **state) {
    (void)state;
    perp_refusal why = {0};
    signal(SIGXFSZ, SIG_IGN);
    contents_make(path, 6);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    hid_t f = pp_sealed_open_write(path, &why);
    assert_true(contents_step(f, 7));
    for (int k = 0; k < 2; k++) {
        limit(k == 0 ? 100000 : (rlim_t)st.st_size - 50000);
        if (k == 1) /* the journal fits now; the file must become too long */
            for (int c = 8; c <= 12; c++) assert_true(contents_step(f, c));
        assert_int_equal(pp_sealed_commit(f, &why), PERP_E_IO);
        assert_string_equal(why.text, message("cannot be written: File too large; it is as it was last saved"));
        limit(RLIM_INFINITY);
        assert_false(exists(beside("-journal")));
        assert_false(exists(beside("-journal.new")));
        assert_int_equal(contents_of(path, &why), 6);
        struct stat now;
        assert_int_equal(stat(path, &now), 0);
        assert_int_equal(now.st_size, st.st_size);
    }
    assert_int_equal(pp_sealed_commit(f, &why), PERP_OK);
    pp_sealed_close(f);
    assert_int_equal(contents_of(path, &why), 12);
    limit(100);
    assert_true(pp_sealed_create(beside(".new"), &why) < 0);
    limit(RLIM_INFINITY);
    assert_int_equal(why.status, PERP_E_IO);
    assert_non_null(strstr(why.text, "File too large"));
    assert_false(exists(beside(".new")));
    signal(SIGXFSZ, SIG_DFL);
}

/* A small file system of its own, where the test may make one. */
static void test_full_file_system(void **state) {
    (void)state;
    perp_refusal why = {0};
    char small[100];
    snprintf(small, sizeof small, "%s/small", folder);
    assert_int_equal(mkdir(small, 0777), 0);
    if (mount("none", small, "tmpfs", 0, "size=2m") != 0) skip(); /* needs the right to mount */
    snprintf(path, sizeof path, "%s/out.h5", small);
    contents_make(path, 1);
    hid_t f = pp_sealed_open_write(path, &why);
    perp_status s = PERP_OK;
    int c = 1;
    while (s == PERP_OK && c < 200) {
        assert_true(contents_step(f, ++c));
        s = pp_sealed_commit(f, &why);
    }
    assert_int_equal(s, PERP_E_IO);
    assert_string_equal(why.text, message("cannot be written: No space left on device; it is as it was last saved"));
    assert_false(exists(beside("-journal")));
    assert_false(exists(beside("-journal.new")));
    assert_int_equal(contents_of(path, &why), c - 1);
    pp_sealed_close(f);
    assert_int_equal(contents_of(path, &why), c - 1);
    assert_true(c > 5 && c < 200);
    /* Full to the last byte: a new file cannot be made, and leaves nothing. */
    char filler[160];
    snprintf(filler, sizeof filler, "%s/filler", small);
    int fd = open(filler, O_WRONLY | O_CREAT, 0666);
    char byte[4096] = {0};
    while (write(fd, byte, sizeof byte) > 0) {}
    close(fd);
    assert_true(pp_sealed_create(beside(".new"), &why) < 0);
    assert_int_equal(why.status, PERP_E_IO);
    assert_non_null(strstr(why.text, "No space left on device"));
    assert_false(exists(beside(".new")));
    assert_int_equal(contents_of(path, &why), c - 1);
    assert_int_equal(umount(small), 0);
}

int main(void) {
    pp_quiet_begin(); /* at its end HDF5 reports that failed readings have left something behind in it */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_killed_growing, before, after),
        cmocka_unit_test_setup_teardown(test_killed_growing_half, before, after),
        cmocka_unit_test_setup_teardown(test_killed_shrinking, before, after),
        cmocka_unit_test_setup_teardown(test_killed_shrinking_half, before, after),
        cmocka_unit_test_setup_teardown(test_killed_creating, before, after),
        cmocka_unit_test_setup_teardown(test_killed_at_random, before, after),
        cmocka_unit_test_setup_teardown(test_readers_beside_writer, before, after),
        cmocka_unit_test_setup_teardown(test_disk_full_at_every_call, before, after),
        cmocka_unit_test_setup_teardown(test_disk_full_shrinking, before, after),
        cmocka_unit_test_setup_teardown(test_disk_broken_at_every_call, before, after),
        cmocka_unit_test_setup_teardown(test_broken_twice, before, after),
        cmocka_unit_test_setup_teardown(test_broken_while_shrinking, before, after),
        cmocka_unit_test_setup_teardown(test_size_limit, before, after),
        cmocka_unit_test_setup_teardown(test_full_file_system, before, after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
