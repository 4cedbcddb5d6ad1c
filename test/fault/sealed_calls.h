/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_calls.h - the system calls by which a commit changes the disk, defined over the C library's, so that each of
 * them in turn can be the last one of the process, or be done by half, or fail; and what the tests of sealed files
 * under faults share. For one .c file of a program. */
#ifndef SEALED_CALLS_H
#define SEALED_CALLS_H

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "record/sealed_internal.h"
#include "sealed_help.h"

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

/* ---- the file of a test, in a folder of its own ---- */

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

#endif
