/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_commit.c - atomic commit of changed blocks, and completion of a commit that another process began.
 *
 * Method: write-ahead journal. (1) The changed blocks and the new seal are written to a file with another name, which is then renamed
 * to PATH-journal: from this moment the commit is valid. (2) The file is extended to its new length. If the disk is full, this fails
 * before any byte is changed; the journal is removed and the file stays as it was. (3) The blocks and the seal are copied into the
 * file. (4) The file is truncated to its size, and the journal is removed. A journal contains the hash of the previous seal. It
 * belongs to a file that has that seal (nothing copied, or all except the seal), or the journal's own seal (all copied), or no valid
 * seal (in between). Validity: safe against the death of the process at any moment, and against loss of power if the disk really
 * writes what it reports as written. Cost: each changed block is hashed once and written twice; three syncs. */
#define _GNU_SOURCE
#include "record/sealed_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'p', 'e', 'r', 'p', 'j', 'r', 'n', 'l'};
#define VERSION 1u

static const unsigned char zeros[PP_BLOCK];

/* A commit or a journal under way. */
typedef struct change {
    unsigned char *seal; /* new */
    size_t seal_size;
    uint64_t length; /* new */
    int n;           /* blocks of it */
    int first_new;   /* blocks from here on are not in the file */
} change;

static bool changed(const pp_sealed *s, const change *c, int k) { return s->block[k].data || k >= c->first_new; }

/* A block that HDF5 has made room for but never written is zero. */
static const unsigned char *content(const pp_sealed *s, int k) { return s->block[k].data ? s->block[k].data : zeros; }

static int sync_file(int fd) {
    while (fdatasync(fd) != 0) {
        if (errno == EINTR) continue;
        return errno == EINVAL || errno == ENOSYS ? 0 : errno; /* a file system that cannot */
    }
    return 0;
}

/* Syncs the folder of `path`, so that file names are permanent. If the system does not support this, commits are safe against the
 * death of the process but not against loss of power. */
static void sync_folder(const char *path) {
    char folder[PP_SEALED_PATH];
    const char *slash = strrchr(path, '/');
    size_t n = slash && slash > path ? (size_t)(slash - path) : 1; /* the path is absolute */
    memcpy(folder, path, n);
    folder[n] = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static int cut(int fd, uint64_t size) {
    while (ftruncate(fd, (off_t)size) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* Allocates disk space for the file up to `size`. */
static int extend(int fd, uint64_t from, uint64_t size) {
    if (size <= from) return 0;
    int e;
    do e = posix_fallocate(fd, (off_t)from, (off_t)(size - from));
    while (e == EINTR);
    if (e != EINVAL && e != EOPNOTSUPP && e != ENOSYS) return e;
    e = 0;
    while (from < size && e == 0) {
        size_t n = size - from < PP_BLOCK ? (size_t)(size - from) : PP_BLOCK;
        e = pp_write_all(fd, zeros, n, from);
        from += n;
    }
    return e;
}

/* Steps 3 and 4, up to the journal. */
static int copy(const pp_sealed *s, const change *c) {
    for (int k = 0; k < c->n; k++) {
        if (!changed(s, c, k)) continue;
        int e = pp_write_all(s->fd, content(s, k), pp_block_size(c->length, k), (uint64_t)k * PP_BLOCK);
        if (e) return e;
    }
    int e = pp_write_all(s->fd, c->seal, c->seal_size, c->length);
    if (!e) e = cut(s->fd, c->length + c->seal_size);
    if (!e) e = sync_file(s->fd);
    return e;
}

/* ---- writing a journal ---- */

/* Room for the head of a journal: header, seal, as many block numbers. */
static bool head_room(pp_sealed *s, size_t size) {
    if (size <= s->cap_head) return true;
    size_t cap = size + size / 2;
    unsigned char *p = pp_alloc(&pp_sealed_memory, cap);
    if (!p) return pp_sealed_say(s, PERP_E_MEMORY, "not enough memory");
    pp_free(&pp_sealed_memory, s->head);
    s->head = p;
    s->cap_head = cap;
    return true;
}

/* The hash of a head is taken with zero in its place. */
static uint64_t head_hash(unsigned char *head, size_t size) {
    memset(head + 56, 0, 8);
    return pp_seal_hash(head, size);
}

/* Step 1. `present`: size of the file now. */
static int write_journal(pp_sealed *s, const change *c, uint64_t present) {
    unsigned char *h = s->head, *number = c->seal + c->seal_size;
    uint64_t count = 0, after = c->length + c->seal_size;
    for (int k = 0; k < c->n; k++)
        if (changed(s, c, k)) pp_put64(number + 8 * count++, (uint64_t)k);
    memset(h, 0, PP_JOURNAL_HEADER);
    memcpy(h, magic, sizeof magic);
    pp_put32(h + 8, VERSION);
    pp_put32(h + 12, PP_BLOCK);
    pp_put64(h + 16, s->seal);
    pp_put64(h + 24, c->seal_size);
    pp_put64(h + 32, count);
    pp_put64(h + 40, present < after ? present : after);
    size_t size = PP_JOURNAL_HEADER + c->seal_size + 8 * (size_t)count;
    pp_put64(h + 56, head_hash(h, size));

    int fd = open(s->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return errno;
    int e = pp_write_all(fd, h, size, 0);
    uint64_t at = size;
    for (int k = 0; k < c->n && !e; k++) {
        if (!changed(s, c, k)) continue;
        size_t n = pp_block_size(c->length, k);
        e = pp_write_all(fd, content(s, k), n, at);
        at += n;
    }
    if (!e) e = sync_file(fd);
    if (close(fd) != 0 && !e && errno != EINTR) e = errno;
    if (!e && rename(s->part, s->journal) != 0) e = errno;
    if (e) unlink(s->part);
    if (!e) sync_folder(s->journal);
    return e;
}

static bool say_unwritten(pp_sealed *s, int e) {
    if (s->commit_failed)
        return pp_sealed_say(s, PERP_E_IO, "cannot be written: %s; what was saved last is whole together with %s",
                             strerror(e), s->journal);
    return pp_sealed_say(s, PERP_E_IO, "cannot be written: %s; it is as it was last saved", strerror(e));
}

/* Steps 2 to 4; `journalled`: the journal is in place. */
static bool install(pp_sealed *s, const change *c, uint64_t present, bool journalled) {
    int e = extend(s->fd, present, c->length + c->seal_size);
    if (e) {
        bool back = cut(s->fd, present) == 0;
        if (journalled && back && !s->commit_failed) unlink(s->journal);
        return say_unwritten(s, e);
    }
    s->commit_failed = journalled;
    if (c->length < s->intact) s->intact = c->length; /* the new seal is written from there on */
    e = copy(s, c);
    if (e) return say_unwritten(s, e);
    if (journalled) unlink(s->journal);
    s->commit_failed = false;
    return true;
}

static bool present_size(pp_sealed *s, uint64_t *size) {
    struct stat st;
    if (fstat(s->fd, &st) != 0) return pp_sealed_say(s, PERP_E_IO, "cannot be written: %s", strerror(errno));
    *size = (uint64_t)st.st_size;
    return true;
}

bool pp_commit(pp_sealed *s) {
    assert(s->writable);
    if (s->eof < s->eoa) s->eof = s->eoa;
    if (s->eof > PP_SEALED_LENGTH) return say_unwritten(s, EFBIG);
    change c = {.seal_size = pp_seal_size(s->eof),
                .length = s->eof,
                .n = pp_block_count(s->eof),
                .first_new = pp_block_count(s->intact)};
    if (s->pending == 0 && c.length == s->length && !s->fresh) return true;

    if (!pp_blocks_room(s, c.n)) return false;
    /* The block in which the shorter of the two lengths ends has other bytes in it now, even if none was written. */
    uint64_t least = c.length < s->intact ? c.length : s->intact;
    if (c.length != s->length && least % PP_BLOCK != 0 && !pp_block_own(s, (int)(least / PP_BLOCK))) return false;
    size_t count = 0;
    for (int k = 0; k < c.n; k++) count += changed(s, &c, k);
    if (!head_room(s, PP_JOURNAL_HEADER + c.seal_size + 8 * count)) return false;
    c.seal = s->head + PP_JOURNAL_HEADER;
    for (int k = 0; k < c.n; k++) {
        uint64_t h = changed(s, &c, k) ? pp_seal_hash(content(s, k), pp_block_size(c.length, k)) : s->block[k].hash;
        pp_put64(c.seal + 8 * (size_t)k, h);
    }
    pp_seal_finish(c.seal, c.length, s->commits + 1);

    uint64_t present = 0;
    if (!present_size(s, &present)) return false;
    if (!s->fresh) {
        int e = write_journal(s, &c, present);
        if (e) return say_unwritten(s, e);
    }
    if (!install(s, &c, present, !s->fresh)) return false;
    for (int k = 0; k < s->nblock; k++) pp_block_drop(s, k);
    pp_seal_state state = pp_seal_adopt(s, c.seal, c.seal_size, c.length + c.seal_size);
    assert(state == PP_SEAL_GOOD);
    (void)state;
    return true;
}

/* ---- taking over a journal ---- */

/* Reads the blocks behind the head; false: one is missing or damaged, or memory ran out (then with trouble). */
static bool take_blocks(pp_sealed *s, int fd, const unsigned char *number, uint64_t count, uint64_t at, uint64_t size) {
    uint64_t last = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t k = pp_le64(number + 8 * i);
        if (k >= (uint64_t)s->nblock || (i > 0 && k <= last)) return false;
        last = k;
        size_t n = pp_block_size(s->length, (int)k);
        unsigned char *b = pp_block_fresh(s, (int)k);
        if (!b || at + n > size || pp_read_all(fd, b, n, at) != 0) return false;
        memset(b + n, 0, PP_BLOCK - n);
        if (pp_hash_differs(pp_seal_hash(b, n), s->block[k].hash)) return false;
        at += n;
    }
    return at == size;
}

/* The journal in fd, of `size` bytes; `state`, `own`, `present`: the file's seal and size. Leaves in s->head the
 * head. */
static pp_journal_state take(pp_sealed *s, int fd, uint64_t size, pp_seal_state state, uint64_t own, uint64_t present) {
    unsigned char h[PP_JOURNAL_HEADER];
    if (size < sizeof h || pp_read_all(fd, h, sizeof h, 0) != 0) return PP_JOURNAL_TORN;
    if (memcmp(h, magic, sizeof magic) != 0 || pp_le32(h + 8) != VERSION || pp_le32(h + 12) != PP_BLOCK)
        return PP_JOURNAL_TORN;
    uint64_t follows = pp_le64(h + 16), seal_size = pp_le64(h + 24), count = pp_le64(h + 32), least = pp_le64(h + 40);
    if (seal_size < PP_SEAL_TRAILER || seal_size > size || count > size / 8) return PP_JOURNAL_TORN;
    uint64_t head = sizeof h + seal_size + 8 * count;
    if (head > size) return PP_JOURNAL_TORN;
    if (!head_room(s, (size_t)head)) return PP_JOURNAL_FAILED;
    if (pp_read_all(fd, s->head, (size_t)head, 0) != 0) return PP_JOURNAL_TORN;
    uint64_t hash = pp_le64(s->head + 56);
    if (pp_hash_differs(hash, head_hash(s->head, (size_t)head))) return PP_JOURNAL_TORN;

    const unsigned char *seal = s->head + sizeof h, *trailer = seal + (seal_size - PP_SEAL_TRAILER);
    uint64_t made = pp_le64(trailer + 32), length = pp_le64(trailer + 16);
    if (length > PP_SEALED_LENGTH || pp_seal_size(length) != seal_size) return PP_JOURNAL_TORN;
    bool belongs = state == PP_SEAL_GOOD ? own == follows || own == made : present >= least;
    if (!belongs) return PP_JOURNAL_FOREIGN;
    pp_seal_state adopted = pp_seal_adopt(s, seal, (size_t)seal_size, length + seal_size);
    if (adopted == PP_SEAL_FAILED) return PP_JOURNAL_FAILED;
    if (adopted != PP_SEAL_GOOD) return PP_JOURNAL_TORN;
    if (take_blocks(s, fd, seal + seal_size, count, head, size)) return PP_JOURNAL_TAKEN;
    for (int k = 0; k < s->nblock; k++) pp_block_drop(s, k);
    return s->trouble[0] ? PP_JOURNAL_FAILED : PP_JOURNAL_TORN;
}

pp_journal_state pp_journal_take(pp_sealed *s, pp_seal_state state) {
    uint64_t own = s->seal, present = s->size;
    int fd = open(s->journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        if (errno == ENOENT || errno == ELOOP) return PP_JOURNAL_NONE;
        (void)pp_sealed_say(s, PERP_E_IO, "its journal %s cannot be read: %s", s->journal, strerror(errno));
        return PP_JOURNAL_FAILED;
    }
    struct stat st;
    pp_journal_state j = PP_JOURNAL_TORN;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) j = take(s, fd, (uint64_t)st.st_size, state, own, present);
    close(fd);
    return j;
}

bool pp_journal_finish(pp_sealed *s) {
    change c = {.seal = s->head + PP_JOURNAL_HEADER,
                .seal_size = pp_seal_size(s->length),
                .length = s->length,
                .n = s->nblock,
                .first_new = s->nblock};
    uint64_t present = 0;
    if (!present_size(s, &present)) return false;
    s->commit_failed = true; /* the journal stays until the commit is complete */
    if (!install(s, &c, present, true)) return false;
    for (int k = 0; k < s->nblock; k++) pp_block_drop(s, k);
    return true;
}

void pp_journal_remove(const pp_sealed *s) {
    unlink(s->journal);
    unlink(s->part);
}
