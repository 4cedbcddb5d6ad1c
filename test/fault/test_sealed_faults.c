/* Sealed files under faults: processes killed at every system call of a commit, disks that are full or broken at every one, damaged, cut and
 * foreign files, forbidden folders.
 *
 * The system calls by which a commit changes the disk are defined here over the C library's, so that each of them in turn can be the last one, or
 * be done by half, or fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "record/sealed_internal.h"
#include "sealed_help.h"

/* ---- system calls that can go wrong ---- */

typedef enum fault { FAULT_NONE, FAULT_KILL, FAULT_KILL_HALF, FAULT_ERROR, FAULT_ERROR_HALF } fault;
static fault fault_kind;
static long fault_at;    /* number of the call, from 1 */
static bool fault_stays; /* all later calls fail too */
static int fault_errno;
static long calls;

/* What is to happen with this call. */
static fault next_call(void) {
    if (fault_kind == FAULT_NONE) return FAULT_NONE;
    calls++;
    if (calls == fault_at || (fault_stays && calls > fault_at)) {
        if (fault_kind == FAULT_KILL) kill(getpid(), SIGKILL);
        return fault_kind;
    }
    return FAULT_NONE;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    fault f = next_call();
    if (f == FAULT_ERROR || (f == FAULT_ERROR_HALF && size < 2)) {
        errno = fault_errno;
        return -1;
    }
    if (f == FAULT_KILL_HALF || f == FAULT_ERROR_HALF) size = size / 2;
    ssize_t n = syscall(SYS_pwrite64, fd, data, size, at);
    if (f == FAULT_KILL_HALF) kill(getpid(), SIGKILL);
    return n;
}

#define SIMPLE_CALL(f, call)                               \
    do {                                                   \
        if (f == FAULT_ERROR || f == FAULT_ERROR_HALF) {   \
            errno = fault_errno;                           \
            return -1;                                     \
        }                                                  \
        int r = (int)(call);                               \
        if (f == FAULT_KILL_HALF) kill(getpid(), SIGKILL); \
        return r;                                          \
    } while (0)

int rename(const char *from, const char *to) {
    fault f = next_call();
    SIMPLE_CALL(f, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlink(const char *name) {
    fault f = next_call();
    if (f == FAULT_ERROR || f == FAULT_ERROR_HALF) f = FAULT_NONE; /* removing needs no space */
    SIMPLE_CALL(f, syscall(SYS_unlinkat, AT_FDCWD, name, 0));
}
int ftruncate(int fd, off_t size) {
    fault f = next_call();
    if ((f == FAULT_ERROR || f == FAULT_ERROR_HALF) && fault_errno == ENOSPC) f = FAULT_NONE; /* nor does cutting */
    SIMPLE_CALL(f, syscall(SYS_ftruncate, fd, size));
}
int fdatasync(int fd) {
    fault f = next_call();
    SIMPLE_CALL(f, 0 * fd);
}
int fsync(int fd) {
    fault f = next_call();
    SIMPLE_CALL(f, 0 * fd);
}
int posix_fallocate(int fd, off_t at, off_t size) {
    fault f = next_call();
    if (f == FAULT_ERROR) return fault_errno;
    if (f == FAULT_ERROR_HALF || f == FAULT_KILL_HALF) {
        (void)syscall(SYS_fallocate, fd, 0, at, size / 2 > 0 ? size / 2 : 1);
        if (f == FAULT_KILL_HALF) kill(getpid(), SIGKILL);
        return fault_errno;
    }
    return syscall(SYS_fallocate, fd, 0, at, size) == 0 ? 0 : errno;
}

static void faults_on(fault kind, long at, bool stays, int e) {
    fault_kind = kind;
    fault_at = at;
    fault_stays = stays;
    fault_errno = e;
    calls = 0;
}
static void faults_off(void) { fault_kind = FAULT_NONE; }

/* ---- */

static char folder[64], path[160], text[500];

static int before(void **state) {
    (void)state;
    if (!folder_make(folder, sizeof folder)) return -1;
    snprintf(path, sizeof path, "%s/out.h5", folder);
    return 0;
}
static int after(void **state) {
    (void)state;
    faults_off();
    folder_remove(folder);
    return 0;
}
static const char *beside(const char *tail) {
    static char p[240];
    snprintf(p, sizeof p, "%s%s", path, tail);
    return p;
}
static const char *message(const char *tail) {
    snprintf(text, sizeof text, "%s: %s", path, tail);
    return text;
}
static void put(const char *name, const void *data, size_t size) { bytes_to(name, data, size); }

static int child_result(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : -1;
}

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

/* ---- killed ---- */

/* Killed at every system call of commit `c` of a file with c - 1 commits: a reader sees c - 1 or c, never changes anything, and a writer goes on. */
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

/* Every call of a commit in turn fails once, or for good until the space is back; nothing is lost, and a later commit succeeds. */
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
    if (mount("none", small, "tmpfs", 0, "size=2m") != 0) skip();
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

/* A journal cut or changed anywhere beside an untouched file: the file counts. Beside a half-copied file: refused, never a wrong number. */
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
    if (r == 77) skip();
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
        cmocka_unit_test_setup_teardown(test_broken_while_shrinking, before, after),
        cmocka_unit_test_setup_teardown(test_size_limit, before, after),
        cmocka_unit_test_setup_teardown(test_full_file_system, before, after),
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
