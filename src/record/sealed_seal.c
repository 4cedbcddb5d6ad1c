/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed_seal.c - the seal behind the end of a file: its making, reading and checking. Layout: sealed_internal.h.
 *
 * Validity: a seal is accepted only if it is the end of the file to the byte, its sizes agree, and its hash is right; a
 * file that was cut, or to which another program has appended, has none. Cost: 8 bytes for each 64 KiB. */
#define _GNU_SOURCE
#include "record/sealed_internal.h"

#include <assert.h>
#include <errno.h>
#include <sys/stat.h>

static const char magic[8] = {'p', 'e', 'r', 'p', 's', 'e', 'a', 'l'};
#define VERSION 1u

uint64_t pp_seal_finish(unsigned char *seal, uint64_t length, uint64_t commits) {
    unsigned char *t = seal + pp_seal_size(length) - PP_SEAL_TRAILER;
    memcpy(t, magic, sizeof magic);
    pp_put32(t + 8, VERSION);
    pp_put32(t + 12, PP_BLOCK);
    pp_put64(t + 16, length);
    pp_put64(t + 24, commits);
    uint64_t h = pp_seal_hash(seal, (size_t)(t + 32 - seal));
    pp_put64(t + 32, h);
    return h;
}

/* What the trailer at the end of `size` bytes says of the length. */
static pp_seal_state trailer_length(const unsigned char *t, uint64_t size, uint64_t *length) {
    if (memcmp(t, magic, sizeof magic) != 0) return PP_SEAL_NONE;
    if (pp_le32(t + 8) > VERSION) return PP_SEAL_NEWER;
    if (pp_le32(t + 8) != VERSION || pp_le32(t + 12) != PP_BLOCK) return PP_SEAL_DAMAGED;
    *length = pp_le64(t + 16);
    if (*length > PP_SEALED_LENGTH || *length > size || size - *length != pp_seal_size(*length)) return PP_SEAL_DAMAGED;
    return PP_SEAL_GOOD;
}

pp_seal_state pp_seal_adopt(pp_sealed *s, const unsigned char *seal, size_t seal_size, uint64_t size) {
    if (seal_size < PP_SEAL_TRAILER) return PP_SEAL_NONE;
    const unsigned char *t = seal + seal_size - PP_SEAL_TRAILER;
    uint64_t length = 0;
    pp_seal_state state = trailer_length(t, size, &length);
    if (state != PP_SEAL_GOOD) return state;
    if (pp_seal_size(length) != seal_size) return PP_SEAL_DAMAGED;
    uint64_t h = pp_le64(t + 32);
    if (pp_hash_differs(pp_seal_hash(seal, seal_size - 8), h)) return PP_SEAL_DAMAGED;
    int n = pp_block_count(length);
    if (!pp_blocks_room(s, n)) return PP_SEAL_FAILED;
    for (int k = n; k < s->nblock; k++) pp_block_drop(s, k);
    s->nblock = n;
    for (int k = 0; k < n; k++) {
        s->block[k].hash = pp_le64(seal + 8 * (size_t)k);
        s->block[k].checked = false;
    }
    for (int i = 0; i < PP_SEALED_CACHE; i++) s->cached[i] = -1; /* of blocks as they were */
    s->length = s->intact = s->eof = length;
    s->size = size;
    s->commits = pp_le64(t + 24);
    s->seal = h;
    return PP_SEAL_GOOD;
}

pp_seal_state pp_seal_read(pp_sealed *s) {
    uint64_t size = s->image_size;
    s->seal = 0;
    if (!s->image) {
        struct stat st;
        if (fstat(s->fd, &st) != 0) {
            (void)pp_sealed_say(s, PERP_E_IO, "cannot be read: %s", strerror(errno));
            return PP_SEAL_FAILED;
        }
        size = (uint64_t)st.st_size;
    }
    s->size = size;
    if (size < PP_SEAL_TRAILER) return PP_SEAL_NONE;
    if (s->image) { /* adopt() looks at the trailer first, and that alone says how long the seal is */
        uint64_t length = 0;
        pp_seal_state state = trailer_length(s->image + (size - PP_SEAL_TRAILER), size, &length);
        return state == PP_SEAL_GOOD ? pp_seal_adopt(s, s->image + length, (size_t)(size - length), size) : state;
    }
    unsigned char t[PP_SEAL_TRAILER];
    int e = pp_read_all(s->fd, t, sizeof t, size - sizeof t);
    if (e == ENODATA) return PP_SEAL_NONE; /* a writer has just shortened it */
    if (e) {
        (void)pp_sealed_say(s, PERP_E_IO, "cannot be read: %s", strerror(e));
        return PP_SEAL_FAILED;
    }
    uint64_t length = 0;
    pp_seal_state state = trailer_length(t, size, &length);
    if (state != PP_SEAL_GOOD) return state;
    size_t seal_size = (size_t)(size - length);
    unsigned char *seal = pp_alloc(&pp_sealed_memory, seal_size);
    if (!seal) {
        (void)pp_sealed_say(s, PERP_E_MEMORY, "not enough memory");
        return PP_SEAL_FAILED;
    }
    e = pp_read_all(s->fd, seal, seal_size, length);
    if (e == 0) {
        state = pp_seal_adopt(s, seal, seal_size, size);
    } else if (e == ENODATA) {
        state = PP_SEAL_NONE;
    } else {
        (void)pp_sealed_say(s, PERP_E_IO, "cannot be read: %s", strerror(e));
        state = PP_SEAL_FAILED;
    }
    pp_free(&pp_sealed_memory, seal);
    return state;
}

bool pp_seal_changed(const pp_sealed *s) {
    struct stat st;
    unsigned char t[8];
    if (fstat(s->fd, &st) != 0 || (uint64_t)st.st_size != s->size) return true;
    return pp_read_all(s->fd, t, sizeof t, s->size - sizeof t) != 0 || pp_le64(t) != s->seal;
}

size_t pp_sealed_room(size_t size) {
    assert(size <= PP_SEALED_LENGTH);
    return pp_seal_size(size);
}

size_t pp_seal_image(void *data, size_t size) {
    unsigned char *p = data, *seal = p + size;
    for (int k = 0; k < pp_block_count(size); k++) {
        const unsigned char *b = p + (size_t)k * PP_BLOCK;
        pp_put64(seal + 8 * (size_t)k, pp_seal_hash(b, pp_block_size(size, k)));
    }
    pp_seal_finish(seal, size, 1);
    return size + pp_sealed_room(size);
}
