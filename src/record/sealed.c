/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed.c - opening, creating and closing sealed files, and their error messages. See sealed.h.
 *
 * A writer holds an exclusive lock (flock) on the file from opening to closing. A reader checks whether there is a writer. If there is
 * none, seal and journal do not change while it opens the file. If there is one, the reader repeats its attempt until it has read a
 * consistent state between two changes; then it copies the whole file into memory, unless it is very long, so that the writer can
 * continue. If the system supports it, a new file has no name until its first commit. */
#define _GNU_SOURCE
#include "record/sealed_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "input/input.h"

#define CHUNK_TREE \
    8u /* half the entries of a node of HDF5's chunk index: small nodes, as there are many short series */
#define SYMBOL_TREE  4u
#define SYMBOL_LEAF  4u
#define READER_TRIES 300 /* while a writer is at work: 100 of 1 ms, then of 10 ms */
#define LOCK_TRIES   120 /* so too: a reader holds a lock for moments only */

#define RECORDING "a recording as perp wrote it"

pp_quiet pp_quiet_begin(void) {
    pp_quiet q = {0};
    H5Eget_auto2(H5E_DEFAULT, &q.print, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

void pp_quiet_end(pp_quiet q) { H5Eset_auto2(H5E_DEFAULT, q.print, q.data); }

static pp_location at(const char *path) {
    pp_location p = {path, 0, 0};
    return p;
}

static void wait_a_little(int tries) {
    struct timespec t = {0, tries < 100 ? 1000000 : 10000000};
    nanosleep(&t, NULL);
}

/* Whether this build has HDF5; if not, an error report is filled in. */
static bool possible(const char *path, perp_refusal *why) {
#ifdef PERP_WITHOUT_HDF5
    pp_complain_say(why, PERP_E_FIT, at(path), NULL, "%s", PERP_WITHOUT_HDF5);
    return false;
#else
    (void)path;
    (void)why;
    return true;
#endif
}

/* ---- the object ---- */

static pp_sealed *make(const char *path, perp_refusal *why) {
    pp_sealed *s = pp_alloc(&pp_sealed_memory, sizeof *s);
    size_t n = strlen(path) + 1;
    char *copy = pp_alloc(&pp_sealed_memory, n);
    if (!s || !copy) {
        pp_free(&pp_sealed_memory, s);
        pp_free(&pp_sealed_memory, copy);
        pp_complain_say(why, PERP_E_MEMORY, at(path), NULL, "not enough memory");
        return NULL;
    }
    memset(s, 0, sizeof *s);
    memcpy(copy, path, n);
    s->path = copy;
    s->refs = 1;
    s->driver = -1;
    s->fd = -1;
    for (int i = 0; i < PP_SEALED_CACHE; i++) s->cached[i] = -1;
    return s;
}

/* Releases everything except the object itself. If HDF5 could not close a damaged file, it may still use the object; then reading
 * gives nothing and writing has no effect. */
static void shut(pp_sealed *s) {
    s->shut = true;
    if (s->fd >= 0) close(s->fd); /* and with it the lock */
    s->fd = -1;
    s->image = NULL;
    pp_blocks_free(s);
    pp_free(&pp_sealed_memory, s->head);
    s->head = NULL;
    s->cap_head = 0;
}

void pp_sealed_release(pp_sealed *s) {
    if (--s->refs > 0) return;
    if (s->driver >= 0) H5FDunregister(s->driver);
    shut(s);
    pp_free(&pp_sealed_memory, s->path);
    pp_free(&pp_sealed_memory, s);
}

/* Error report with the stored cause, or with `other` if there is none. */
static perp_status complain(const pp_sealed *s, perp_refusal *why, const char *other) {
    if (!s->trouble[0]) return pp_complain(why, PERP_E_ARG, at(s->path), NULL, other, RECORDING);
    return pp_complain_say(why, s->trouble_status, at(s->path), NULL, "%s", s->trouble);
}

static perp_status complain_system(const pp_sealed *s, perp_refusal *why, const char *what, int e) {
    return pp_complain_say(why, PERP_E_IO, at(s->path), NULL, "%s: %s", what, strerror(e));
}

/* The journal lies beside the file itself, not beside a link to it. */
static bool name_journal(pp_sealed *s, perp_refusal *why) {
    char real[PATH_MAX];
    if (!realpath(s->path, real)) {
        complain_system(s, why, "cannot be opened", errno);
        return false;
    }
    snprintf(s->journal, sizeof s->journal, "%s-journal", real);
    snprintf(s->part, sizeof s->part, "%s-journal.new", real);
    return true;
}

/* ---- locks ---- */

typedef enum held { HELD_MINE, HELD_OTHER, HELD_UNKNOWN } held;

static held lock(int fd, int how) {
    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        return errno == EWOULDBLOCK ? HELD_OTHER : HELD_UNKNOWN; /* unknown: a file system without locks */
    }
    return HELD_MINE;
}

static bool lock_for_writing(pp_sealed *s, perp_refusal *why) {
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (lock(s->fd, LOCK_EX) != HELD_OTHER) return true;
        wait_a_little(i);
    }
    pp_complain_say(why, PERP_E_IO, at(s->path), NULL, "is in use: another program is writing it or has locked it");
    return false;
}

/* ---- opening ---- */

static bool open_file(pp_sealed *s, int flags, perp_refusal *why) {
    s->fd = open(s->path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not keep us waiting */
    struct stat st;
    if (s->fd < 0 || fstat(s->fd, &st) != 0) {
        complain_system(s, why, "cannot be opened", errno);
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        complain_system(s, why, "cannot be opened", EISDIR);
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        pp_complain(why, PERP_E_ARG, at(s->path), NULL, "something that is not a file", RECORDING);
        return false;
    }
    return name_journal(s, why);
}

/* Why there is no good seal, in words. */
static perp_status complain_seal(pp_sealed *s, pp_seal_state state, perp_refusal *why) {
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const char *found = "no seal at its end", *allowed = RECORDING " (it was truncated, or changed by another program)";
    unsigned char first[8] = {0};
    uint64_t size = s->size;
    if (size >= sizeof first) {
        if (s->image)
            memcpy(first, s->image, sizeof first);
        else
            (void)pp_read_all(s->fd, first, sizeof first, 0);
    }
    if (state == PP_SEAL_FAILED) return complain(s, why, "");
    if (state == PP_SEAL_NEWER) {
        found = "a seal of a newer version of perp";
        allowed = "a recording of this version or an older one";
    } else if (state == PP_SEAL_DAMAGED) {
        found = "a damaged seal at its end";
    } else if (size == 0) {
        found = "an empty file";
        allowed = RECORDING;
    } else if (memcmp(first, hdf5, sizeof hdf5) != 0) {
        found = "a file that is not HDF5";
        allowed = RECORDING;
    }
    return pp_complain(why, PERP_E_ARG, at(s->path), NULL, found, allowed);
}

/* Reads every block that is not in memory yet into memory. False, with trouble or without: some block was not as its
 * hash says. */
static bool take_copy(pp_sealed *s) {
    for (int k = 0; k < s->nblock; k++)
        if (!pp_block_own(s, k)) return false;
    return true;
}

static void forget(pp_sealed *s) {
    for (int k = 0; k < s->nblock; k++) pp_block_drop(s, k);
    s->trouble[0] = 0;
}

/* Finds the seal of a file that is read, and the journal if one is left. */
static bool find_for_reading(pp_sealed *s, perp_refusal *why) {
    for (int i = 0;; i++) {
        held h = lock(s->fd, LOCK_SH); /* mine: no writer can begin before it is given back below */
        bool quiet = h == HELD_MINE, last = quiet || i >= READER_TRIES || (h == HELD_UNKNOWN && i >= 10);
        forget(s);
        pp_seal_state state = pp_seal_read(s);
        pp_journal_state j = state == PP_SEAL_FAILED ? PP_JOURNAL_NONE : pp_journal_take(s, state);
        if (j == PP_JOURNAL_TORN ||
            j == PP_JOURNAL_FOREIGN) { /* a journal that a writer is making, or one of another file */
            forget(s);
            state = pp_seal_read(s);
        }
        bool good = j == PP_JOURNAL_TAKEN || (j != PP_JOURNAL_FAILED && state == PP_SEAL_GOOD);
        if (good && h == HELD_OTHER && s->length <= PP_SEALED_COPY) {
            /* A writer came by if the copy fails and the seal is another one now; else the file is damaged, and reading
             * will say where. */
            if (!take_copy(s) && !last) good = false;
        }
        if (quiet) flock(s->fd, LOCK_UN);
        if (good) {
            s->trouble[0] = 0;
            return true;
        }
        if (last) {
            complain_seal(s, j == PP_JOURNAL_FAILED ? PP_SEAL_FAILED : state, why);
            return false;
        }
        wait_a_little(i);
    }
}

static bool find_for_writing(pp_sealed *s, perp_refusal *why) {
    pp_seal_state state = pp_seal_read(s);
    if (state != PP_SEAL_FAILED) {
        pp_journal_state j = pp_journal_take(s, state);
        if (j == PP_JOURNAL_TAKEN) {
            if (pp_journal_finish(s)) return true;
            complain(s, why, "");
            return false;
        }
        if (j == PP_JOURNAL_FAILED) state = PP_SEAL_FAILED;
        if (j == PP_JOURNAL_TORN || j == PP_JOURNAL_FOREIGN) state = pp_seal_read(s);
    }
    if (state == PP_SEAL_GOOD) {
        pp_journal_remove(s);
        return true;
    }
    complain_seal(s, state, why);
    return false;
}

/* Opens s with HDF5. On failure s is freed; *again (not NULL): a writer began meanwhile, so the opening should be tried again. */
static hid_t show(pp_sealed *s, bool writing, bool *again, perp_refusal *why) {
    hid_t file = -1, access = pp_sealed_access(s, writing);
    if (access >= 0) {
        file = H5Fopen(s->path, writing ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
        H5Pclose(access);
    }
    if (again) *again = file < 0 && s->changed;
    if (file < 0) {
        complain(s, why, "data that HDF5 cannot read");
        pp_sealed_release(s);
    }
    return file;
}

static hid_t refuse(pp_sealed *s) {
    pp_sealed_release(s);
    return -1;
}

static hid_t open_once(const char *path, bool writing, bool *again, perp_refusal *why) {
    *again = false;
    pp_sealed *s = make(path, why);
    if (!s) return -1;
    s->writable = writing;
    if (!open_file(s, writing ? O_RDWR : O_RDONLY, why)) return refuse(s);
    if (writing ? !lock_for_writing(s, why) || !find_for_writing(s, why) : !find_for_reading(s, why)) return refuse(s);
    return show(s, writing, again, why);
}

static hid_t open_any(const char *path, bool writing, perp_refusal *why) {
    bool again;
    hid_t file = open_once(path, writing, &again, why);
    for (int i = 0; again && i < 10; i++) file = open_once(path, writing, &again, why);
    return file;
}

hid_t pp_sealed_open_read(const char *path, perp_refusal *why) {
    if (!possible(path, why)) return -1;
    pp_quiet q = pp_quiet_begin();
    hid_t file = open_any(path, false, why);
    pp_quiet_end(q);
    return file;
}

hid_t pp_sealed_open_write(const char *path, perp_refusal *why) {
    if (!possible(path, why)) return -1;
    pp_quiet q = pp_quiet_begin();
    hid_t file = open_any(path, true, why);
    pp_quiet_end(q);
    return file;
}

static hid_t open_memory(const char *path, const void *data, size_t size, perp_refusal *why) {
    pp_sealed *s = make(path, why);
    if (!s) return -1;
    s->image = data;
    s->image_size = size;
    pp_seal_state state = size > 0 && data ? pp_seal_read(s) : PP_SEAL_NONE;
    if (state != PP_SEAL_GOOD) {
        complain_seal(s, state, why);
        return refuse(s);
    }
    return show(s, false, NULL, why);
}

hid_t pp_sealed_open_memory(const char *path, const void *data, size_t size, perp_refusal *why) {
    if (!possible(path, why)) return -1;
    pp_quiet q = pp_quiet_begin();
    hid_t file = open_memory(path, data, size, why);
    pp_quiet_end(q);
    return file;
}

/* ---- creating ---- */

/* A file without a name in the folder of `path`, or -1 if the system cannot do that. */
static int open_unnamed(const char *path) {
#ifdef O_TMPFILE
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 1;
    if (n == 0) n = 1; /* the root */
    if (n >= sizeof folder) return -1;
    memcpy(folder, slash ? path : ".", n);
    folder[n] = 0;
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#else
    (void)path;
    return -1;
#endif
}

/* Gives an unnamed file its name, if that is not taken. 0 or errno. */
static int give_name(const pp_sealed *s) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", s->fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, s->path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static bool create_named(pp_sealed *s, perp_refusal *why) {
    s->fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (s->fd >= 0) return true;
    complain_system(s, why, "cannot be created", errno);
    return false;
}

/* An empty file of HDF5 in memory; what is on disk is up to the caller. */
static hid_t create_in_memory(pp_sealed *s) {
    hid_t access = pp_sealed_access(s, true), creation = H5Pcreate(H5P_FILE_CREATE), file = -1;
    if (access >= 0 && creation >= 0 && H5Pset_istore_k(creation, CHUNK_TREE) >= 0 &&
        H5Pset_sym_k(creation, SYMBOL_TREE, SYMBOL_LEAF) >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        file = H5Fcreate(s->path, H5F_ACC_TRUNC, creation, access);
    if (creation >= 0) H5Pclose(creation);
    if (access >= 0) H5Pclose(access);
    return file;
}

/* `unnamed`: tries with a file that has no name until it is complete; *cannot is set if the system cannot do that. */
static hid_t create(const char *path, bool unnamed, bool *cannot, perp_refusal *why) {
    pp_sealed *s = make(path, why);
    if (!s) return -1;
    s->writable = s->fresh = true;
    if (unnamed) {
        s->fd = open_unnamed(path);
        *cannot = s->fd < 0;
        if (*cannot) return refuse(s);
    } else if (!create_named(s, why)) {
        return refuse(s);
    }
    (void)lock(s->fd, LOCK_EX);
    hid_t file = create_in_memory(s);
    bool ok = file >= 0 && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && !s->lost && pp_commit(s);
    if (!ok) complain(s, why, "an error of HDF5");
    if (ok && unnamed) {
        int e = give_name(s);
        ok = e == 0;
        *cannot = e != 0 && e != EEXIST;
        if (e) complain_system(s, why, "cannot be created", e);
    }
    if (ok) ok = name_journal(s, why);
    if (ok) {
        pp_journal_remove(s); /* left by a file of this name that is gone */
        s->fresh = false;
        return file;
    }
    if (!unnamed) unlink(path);
    if (file >= 0)
        pp_sealed_close(file);
    else
        pp_sealed_release(s);
    return -1;
}

/* A file that gets its name with its first commit. -1, and *cannot, if the system has no such files. */
static hid_t create_nameless(const char *path, bool *cannot, perp_refusal *why) {
    *cannot = access("/proc/self/fd", X_OK) != 0; /* where its name will come from */
    pp_sealed *s = *cannot ? NULL : make(path, why);
    if (!s) return -1;
    s->writable = s->fresh = true;
    s->fd = open_unnamed(path);
    *cannot = s->fd < 0;
    if (*cannot) return refuse(s);
    (void)lock(s->fd, LOCK_EX);
    hid_t file = create_in_memory(s);
    if (file >= 0 && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && !s->lost) return file;
    complain(s, why, "an error of HDF5");
    if (file >= 0)
        pp_sealed_close(file);
    else
        pp_sealed_release(s);
    return -1;
}

/* After the first commit of a nameless file. */
static perp_status name_it(pp_sealed *s, perp_refusal *why) {
    int e = give_name(s);
    if (e) {
        complain_system(s, why, "cannot be created", e);
        return PERP_E_IO;
    }
    if (!name_journal(s, why)) return PERP_E_IO;
    pp_journal_remove(s); /* left by a file of this name that is gone */
    s->fresh = false;
    return PERP_OK;
}

static hid_t create_either(const char *path, perp_refusal *why) {
    struct stat st;
    if (lstat(path, &st) == 0) {
        pp_complain_say(why, PERP_E_IO, at(path), NULL, "cannot be created: %s", strerror(EEXIST));
        return -1;
    }
    bool cannot = false;
    hid_t file = create(path, true, &cannot, why);
    return cannot ? create(path, false, &cannot, why) : file;
}

hid_t pp_sealed_create(const char *path, perp_refusal *why) {
    if (!possible(path, why)) return -1;
    pp_quiet q = pp_quiet_begin();
    hid_t file = create_either(path, why);
    pp_quiet_end(q);
    return file;
}

hid_t pp_sealed_create_nameless(const char *path, perp_refusal *why) {
    if (!possible(path, why)) return -1;
    pp_quiet q = pp_quiet_begin();
    struct stat st;
    bool cannot = true;
    hid_t file = lstat(path, &st) == 0 ? -1 : create_nameless(path, &cannot, why);
    if (cannot) file = create_either(path, why);
    pp_quiet_end(q);
    return file;
}

bool pp_sealed_named(hid_t file) { return !pp_sealed_of(file)->fresh; }

/* ---- in use ---- */

perp_status pp_sealed_commit(hid_t file, perp_refusal *why) {
    pp_quiet q = pp_quiet_begin();
    pp_sealed *s = pp_sealed_of(file);
    assert(s && s->writable);
    if (!s->lost) s->trouble[0] = 0;
    perp_status status = PERP_OK;
    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 || s->lost)
        status = complain(s, why, "an error of HDF5");
    else if (!pp_commit(s))
        status = complain(s, why, "");
    else if (s->fresh)
        status = name_it(s, why);
    pp_quiet_end(q);
    return status;
}

void pp_sealed_close(hid_t file) {
    if (file < 0) return;
    pp_quiet q = pp_quiet_begin();
    pp_sealed *s = pp_sealed_of(file);
    assert(s);
    H5Fclose(file);
    if (s->refs > 1) shut(s);
    pp_sealed_release(s);
    pp_quiet_end(q);
}

size_t pp_sealed_pending(hid_t file) {
    const pp_sealed *s = pp_sealed_of(file);
    return s ? s->pending * PP_BLOCK : 0;
}

const char *pp_sealed_trouble(hid_t file) {
    const pp_sealed *s = pp_sealed_of(file);
    return s ? s->trouble : "";
}
