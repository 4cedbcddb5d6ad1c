/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_internal.h - the parts of a sealed file (sealed.h): its blocks, its seal, its journal, and the driver that
 * shows them to HDF5.
 *
 * A file on disk, all numbers little-endian:
 *
 *     [0, length)            what HDF5 sees
 *     hash of each block     8 bytes each; the last block ends with the length
 *     trailer, 40 bytes      "perpseal", version, block size, length, number of the commit, hash of all hashes and of
 *     the trailer before it
 *
 * and a journal (PATH-journal), which is there from a commit's beginning to its end:
 *
 *     header, 64 bytes       "perpjrnl", version, block size, hash of the seal it follows, size of the new seal, number
 *     of blocks, least size
 *                            the file may have meanwhile, two zeros, hash of header, seal and block numbers
 *     new seal               as above
 *     block numbers          8 bytes each, ascending
 *     blocks                 checked by the hashes in the new seal */
#ifndef PP_SEALED_INTERNAL_H
#define PP_SEALED_INTERNAL_H

#include <limits.h>
#include <string.h>

#include "record/sealed.h"

#define PP_BLOCK          65536u                /* bytes */
#define PP_SEALED_LENGTH  ((uint64_t)1 << 45)   /* longest file; block numbers then fit an int */
#define PP_SEAL_TRAILER   40u                   /* bytes */
#define PP_JOURNAL_HEADER 64u                   /* bytes */
#define PP_SEALED_CACHE   32                    /* blocks kept after reading */
#define PP_SEALED_SPARE   256                   /* buffers kept between commits: 16 MiB */
#define PP_SEALED_COPY    ((uint64_t)256 << 20) /* a file being written is read in whole at opening if it is not longer */
#define PP_SEALED_PATH    (PATH_MAX + 16)       /* room for the path of the journal */

typedef struct pp_block {
    uint64_t hash;       /* at the last commit; for blocks within the committed length */
    unsigned char *data; /* PP_BLOCK bytes that take precedence over the file, or NULL */
    bool checked;        /* in an image in memory: compared with its hash */
} pp_block;

typedef struct pp_sealed {
    int refs;     /* one for the caller, one for each handle HDF5 holds */
    hid_t driver; /* of HDF5, for this file; negative: none yet */
    char *path;
    char journal[PP_SEALED_PATH];
    char part[PP_SEALED_PATH]; /* a journal while it is being written */
    int fd;                    /* -1: an image in memory, or none yet */
    bool writable;
    bool changed; /* a reader has found that the file is another one than it has opened */
    bool shut;    /* closed, although HDF5 may still hold a handle */
    bool lost;    /* something HDF5 wrote could not be kept: there will be no more commits */
    bool fresh;   /* has no name in the folder yet: nobody sees it, so no journal is needed */
    bool
        commit_failed; /* blocks of a commit that failed are in the file: its journal must stay until a later one succeeds */
    const unsigned char *image; /* in memory, borrowed */
    uint64_t image_size;

    uint64_t length, size; /* at the last commit: of what HDF5 sees; with the seal */
    uint64_t
        intact; /* bytes that the file still has from then; less than the length only after a failed commit of a shorter file */
    uint64_t commits, seal; /* number of commits; hash of the seal, 0: none */
    uint64_t eof, eoa;      /* what HDF5 sees now */
    pp_block *block;
    int nblock, cap_block; /* entries in use: committed ones, then such as were written since */
    size_t pending;        /* entries with data */

    unsigned char *cache[PP_SEALED_CACHE]; /* block k, checked, lies at k % PP_SEALED_CACHE */
    int cached[PP_SEALED_CACHE];           /* -1: none */
    unsigned char *spare;                  /* buffers, each beginning with a pointer to the next */
    int nspare;
    unsigned char *head; /* journal without its blocks */
    size_t cap_head;

    perp_status trouble_status;
    char trouble[400];
} pp_sealed;

extern const perp_allocator pp_sealed_memory;

static inline uint32_t pp_le32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t pp_le64(const unsigned char *p) { return (uint64_t)pp_le32(p) | (uint64_t)pp_le32(p + 4) << 32; }
static inline void pp_put32(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> (8 * i));
}
static inline void pp_put64(unsigned char *p, uint64_t v) {
    for (int i = 0; i < 8; i++) p[i] = (unsigned char)(v >> (8 * i));
}
static inline int pp_block_count(uint64_t length) { return (int)((length + PP_BLOCK - 1) / PP_BLOCK); }
/* Bytes of block k in a file of that length. */
static inline size_t pp_block_size(uint64_t length, int k) {
    uint64_t from = (uint64_t)k * PP_BLOCK;
    if (from >= length) return 0;
    return length - from < PP_BLOCK ? (size_t)(length - from) : PP_BLOCK;
}
static inline size_t pp_seal_size(uint64_t length) { return 8 * (size_t)pp_block_count(length) + PP_SEAL_TRAILER; }

/* Bytes of block k that are to be had from the last commit. What a failed commit has cut off is gone, and HDF5 had
 * given it up. */
static inline size_t pp_block_have(const pp_sealed *s, int k) {
    return (uint64_t)k * PP_BLOCK < s->intact ? pp_block_size(s->length, k) : 0;
}

/* ---- sealed_blocks.c ---- */

uint64_t pp_seal_hash(const void *data, size_t size);
/* 0 if the hashes are equal, else 1, without a comparison whose operands could be observed. */
static inline int pp_hash_differs(uint64_t a, uint64_t b) {
    uint64_t d = a ^ b;
    return (int)((d | (0 - d)) >> 63);
}
/* Keeps the first sentence about what went wrong below HDF5; returns false. */
bool pp_sealed_say(pp_sealed *s, perp_status status, const char *format, ...) PERP_PRINTF(3, 4);
/* Whole transfers; 0, or errno (reading past the end: ENODATA). */
int pp_read_all(int fd, void *data, size_t size, uint64_t at);
int pp_write_all(int fd, const void *data, size_t size, uint64_t at);

bool pp_blocks_read(pp_sealed *s, uint64_t at, size_t size, void *out);
bool pp_blocks_write(pp_sealed *s, uint64_t at, size_t size, const void *data);
/* Entries 0 .. n-1 exist. */
bool pp_blocks_room(pp_sealed *s, int n);
/* Block k in a buffer of its own that may be changed, with its present contents. */
bool pp_block_own(pp_sealed *s, int k);
/* A buffer for block k with undefined contents, which becomes its data. NULL if memory is refused. */
unsigned char *pp_block_fresh(pp_sealed *s, int k);
/* Forgets the data of block k. */
void pp_block_drop(pp_sealed *s, int k);
void pp_blocks_free(pp_sealed *s);

/* ---- sealed_seal.c ---- */

typedef enum pp_seal_state { PP_SEAL_GOOD, PP_SEAL_NONE, PP_SEAL_DAMAGED, PP_SEAL_NEWER, PP_SEAL_FAILED } pp_seal_state;

/* Writes the trailer behind the hashes of all blocks, which are already in place; returns the hash of the seal. */
uint64_t pp_seal_finish(unsigned char *seal, uint64_t length, uint64_t commits);
/* Takes over a seal of that many bytes, the last of a file of `size` bytes. The entries of s keep their data. */
pp_seal_state pp_seal_adopt(pp_sealed *s, const unsigned char *seal, size_t seal_size, uint64_t size);
/* Reads the seal of the file or image as it is now. PP_SEAL_FAILED: with trouble. */
pp_seal_state pp_seal_read(pp_sealed *s);
/* Has the file changed since its seal was read? */
bool pp_seal_changed(const pp_sealed *s);

/* ---- sealed_commit.c ---- */

/* Makes what HDF5 has written permanent; false with trouble. */
bool pp_commit(pp_sealed *s);
typedef enum pp_journal_state {
    PP_JOURNAL_NONE,
    PP_JOURNAL_TORN,
    PP_JOURNAL_TAKEN,
    PP_JOURNAL_FOREIGN,
    PP_JOURNAL_FAILED
} pp_journal_state;
/* Looks for a complete journal of this file, whose own seal was found to be `state`; if there is one, takes over its
 * seal, and its blocks as data. */
pp_journal_state pp_journal_take(pp_sealed *s, pp_seal_state state);
/* Writes what pp_journal_take() took into the file; false with trouble. */
bool pp_journal_finish(pp_sealed *s);
/* Removes journals that are not needed. */
void pp_journal_remove(const pp_sealed *s);

/* ---- sealed_driver.c ---- */

/* Access properties by which HDF5 works on s; negative if HDF5 refuses. */
hid_t pp_sealed_access(pp_sealed *s, bool writing);
/* The sealed file behind a file of HDF5, or NULL. */
pp_sealed *pp_sealed_of(hid_t file);

/* ---- sealed.c ---- */

void pp_sealed_release(pp_sealed *s);

#endif
