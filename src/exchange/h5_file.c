/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* h5_file.c - see h5_file.h: superblock, object headers, groups, datasets, attributes.
 *
 * Names follow the specification. Little-endian throughout, addresses and lengths of 8 bytes (others are refused: no
 * program of today writes them). An address is one into the file: files with a user block are refused. */
#include "exchange/h5_file.h"

#include <stdio.h>
#include <string.h>

#define UNDEFINED UINT64_MAX
#define CHUNKS    64 /* parts of one object header */

enum {
    MSG_DATASPACE = 1,
    MSG_LINK_INFO = 2,
    MSG_DATATYPE = 3,
    MSG_LINK = 6,
    MSG_EXTERNAL = 7,
    MSG_LAYOUT = 8,
    MSG_FILTERS = 11,
    MSG_ATTRIBUTE = 12,
    MSG_CONTINUATION = 16,
    MSG_SYMBOL_TABLE = 17
};

static uint64_t le(const unsigned char *p, unsigned n) {
    uint64_t x = 0;
    while (n-- > 0) x = x << 8 | p[n];
    return x;
}

static bool inside(const pp_h5 *h, uint64_t at, uint64_t n) { return at <= h->size && n <= h->size - at; }

static bool work(pp_h5 *h) {
    if (h->work == 0) return false;
    h->work--;
    return true;
}

perp_status pp_h5_refuse(pp_h5 *h, const char *path, const char *found, const char *allowed) {
    return pp_complain(h->why, PERP_E_ARG, (pp_location){h->file, 0, 0}, path, found, allowed);
}

perp_status pp_h5_damaged(pp_h5 *h, const char *path, uint64_t at, const char *what) {
    char found[96];
    (void)snprintf(found, sizeof found, "damaged data at byte %llu", (unsigned long long)at);
    return pp_h5_refuse(h, path, found, what);
}

/* ---- superblock ---- */

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

bool pp_h5_is(const void *data, size_t size) {
    return size >= sizeof signature && memcmp(data, signature, sizeof signature) == 0;
}

perp_status pp_h5_open(pp_h5 *h, const char *file, const void *data, size_t size, perp_refusal *why) {
    *h = (pp_h5){.data = data, .size = size, .file = file, .why = why, .work = 10000 + size / 4};
    if (!pp_h5_is(data, size)) return pp_h5_refuse(h, NULL, "a file that is not HDF5", "an HDF5 file");
    const unsigned char *d = h->data;
    unsigned version = size > 8 ? d[8] : 255, widths = version < 2 ? 13 : 9, base, least;
    if (version <= 1) {
        base = version == 0 ? 24 : 28;
        least = base + 32 + 40;
    } else if (version <= 3) {
        base = 12;
        least = 48;
    } else {
        char found[64];
        (void)snprintf(found, sizeof found, "HDF5 with superblock %u", version);
        return pp_h5_refuse(h, NULL, found, "0 to 3");
    }
    if (size < least) return pp_h5_damaged(h, NULL, size, "a whole HDF5 file");
    if (d[widths] != 8 || d[widths + 1] != 8) return pp_h5_refuse(h, NULL, "HDF5 with short addresses", "8 bytes");
    uint64_t end = le(d + base + 16, 8);
    if (le(d + base, 8) != 0) return pp_h5_refuse(h, NULL, "HDF5 that does not begin at byte 0", "no user block");
    if (end > size) {
        char found[96], allowed[96];
        (void)snprintf(found, sizeof found, "%zu bytes", size);
        (void)snprintf(allowed, sizeof allowed, "the %llu bytes of the whole HDF5 file", (unsigned long long)end);
        return pp_h5_refuse(h, NULL, found, allowed);
    }
    h->root = version < 2 ? le(d + base + 32 + 8, 8) : le(d + base + 24, 8);
    return PERP_OK;
}

/* ---- object headers: a list of messages in one or more pieces ---- */

typedef struct messages {
    pp_h5 *h;
    unsigned version, order; /* of the header; bytes of the creation order in each message */
    uint64_t at, end;        /* within the piece */
    uint64_t more[CHUNKS][2];
    int nmore, taken;
} messages;

typedef struct message {
    unsigned type, flags;
    uint64_t at;
    size_t size;
    const unsigned char *p;
} message;

static bool header_begin(messages *m, pp_h5 *h, uint64_t at) {
    memset(m, 0, sizeof *m);
    m->h = h;
    if (!inside(h, at, 16)) return false;
    const unsigned char *p = h->data + at;
    uint64_t size;
    if (p[0] == 1) {
        m->version = 1;
        m->at = at + 16;
        size = le(p + 8, 4);
    } else if (memcmp(p, "OHDR", 4) == 0 && p[4] == 2) {
        unsigned flags = p[5], width = 1u << (flags & 3);
        m->version = 2;
        m->order = flags & 4 ? 2 : 0;
        m->at = at + 6 + (flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0);
        if (!inside(h, m->at, width)) return false;
        size = le(h->data + m->at, width);
        m->at += width;
    } else {
        return false;
    }
    if (!inside(h, m->at, size)) return false;
    m->end = m->at + size;
    return true;
}

/* The next piece of the header; 0: there is none, -1: damaged. */
static int next_piece(messages *m) {
    if (m->taken == m->nmore) return 0;
    uint64_t at = m->more[m->taken][0], size = m->more[m->taken][1];
    m->taken++;
    if (!inside(m->h, at, size)) return -1;
    m->at = at;
    m->end = at + size;
    if (m->version == 2) {
        if (size < 8 || memcmp(m->h->data + at, "OCHK", 4) != 0) return -1;
        m->at += 4;
        m->end -= 4; /* checksum */
    }
    return 1;
}

/* 1: got one; 0: no more; -1: damaged, at m->at. */
static int next_message(messages *m, message *out) {
    for (;;) {
        const unsigned head = m->version == 1 ? 8 : 4 + m->order;
        if (!work(m->h)) return -1;
        if (m->end - m->at < head) {
            int more = next_piece(m);
            if (more <= 0) return more;
            continue;
        }
        const unsigned char *p = m->h->data + m->at;
        *out = (message){.type = m->version == 1 ? (unsigned)le(p, 2) : p[0],
                         .flags = m->version == 1 ? p[4] : p[3],
                         .at = m->at + head,
                         .size = (size_t)le(p + (m->version == 1 ? 2 : 1), 2),
                         .p = p + head};
        if (out->size > m->end - out->at) return -1;
        m->at = out->at + out->size;
        if (out->type != MSG_CONTINUATION) return 1;
        if (out->size < 16 || m->nmore == CHUNKS) return -1;
        m->more[m->nmore][0] = le(out->p, 8);
        m->more[m->nmore++][1] = le(out->p + 8, 8);
    }
}

/* ---- groups ---- */

typedef struct search {
    pp_h5 *h;
    const char *name;
    size_t length;
    uint64_t heap, heap_size; /* names of an old-style group */
    uint64_t found;           /* header of what has that name */
} search;

/* All three: 1 found, 0 not, -1 damaged. */
static int search_node(search *s, uint64_t at) {
    pp_h5 *h = s->h;
    if (!inside(h, at, 8) || memcmp(h->data + at, "SNOD", 4) != 0) return -1;
    uint64_t n = le(h->data + at + 6, 2);
    if (!inside(h, at + 8, 40 * n)) return -1;
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *e = h->data + at + 8 + 40 * i;
        uint64_t name = le(e, 8), kind = le(e + 16, 4);
        if (!work(h) || name >= s->heap_size || s->heap_size - name <= s->length) {
            if (h->work == 0 || name >= s->heap_size) return -1;
            continue; /* too near to the end of the heap to be this name */
        }
        const unsigned char *text = h->data + s->heap + name;
        if (memcmp(text, s->name, s->length) != 0 || text[s->length] != 0) continue;
        if (kind == 2) continue; /* a symbolic link */
        s->found = le(e + 8, 8);
        return 1;
    }
    return 0;
}

static int search_tree(search *s, uint64_t at, int depth) {
    pp_h5 *h = s->h;
    if (depth > 16 || !work(h) || !inside(h, at, 24)) return -1;
    const unsigned char *p = h->data + at;
    if (memcmp(p, "TREE", 4) != 0 || p[4] != 0) return -1;
    uint64_t n = le(p + 6, 2);
    if (!inside(h, at + 24, 16 * n + 8)) return -1;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t child = le(p + 24 + 16 * i + 8, 8);
        int r = p[5] > 0 ? search_tree(s, child, depth + 1) : search_node(s, child);
        if (r != 0) return r;
    }
    return 0;
}

static int search_table(search *s, const message *m) {
    pp_h5 *h = s->h;
    if (m->size < 16) return -1;
    uint64_t tree = le(m->p, 8), heap = le(m->p + 8, 8);
    if (!inside(h, heap, 32) || memcmp(h->data + heap, "HEAP", 4) != 0) return -1;
    s->heap_size = le(h->data + heap + 8, 8);
    s->heap = le(h->data + heap + 24, 8);
    if (!inside(h, s->heap, s->heap_size)) return -1;
    return search_tree(s, tree, 0);
}

/* A link message of a new-style group. */
static int search_link(search *s, const message *m) {
    const unsigned char *p = m->p, *end = m->p + m->size;
    if (m->size < 2 || p[0] != 1) return -1;
    unsigned flags = p[1], type = 0, width = 1u << (flags & 3);
    p += 2;
    if (flags & 8) {
        if (p == end) return -1;
        type = *p++;
    }
    size_t skip = (flags & 4 ? 8u : 0) + (flags & 16 ? 1u : 0);
    if ((size_t)(end - p) < skip + width) return -1;
    p += skip;
    uint64_t n = le(p, width);
    p += width;
    if ((uint64_t)(end - p) < n) return -1;
    bool same = n == s->length && memcmp(p, s->name, s->length) == 0;
    p += n;
    if (!same || type != 0) return 0;
    if (end - p < 8) return -1;
    s->found = le(p, 8);
    return 1;
}

/* Looks for s->name in the group with that header. `path` is for messages: so far. */
static perp_status search_group(search *s, uint64_t header, const char *path) {
    messages m;
    message e;
    int r = header_begin(&m, s->h, header) ? 0 : -1;
    bool many = false;
    s->found = UNDEFINED;
    while (r == 0 && (r = next_message(&m, &e)) == 1) {
        r = 0;
        if (e.type == MSG_SYMBOL_TABLE) r = search_table(s, &e);
        if (e.type == MSG_LINK) r = search_link(s, &e);
        if (e.type == MSG_LINK_INFO) {
            if (e.size < 2 || e.p[0] != 0) r = -1;
            size_t skip = 2 + (r == 0 && e.p[1] & 1 ? 8u : 0);
            if (r == 0 && e.size < skip + 8) r = -1;
            if (r == 0) many = le(e.p + skip, 8) != UNDEFINED;
        }
        if (r == 1) return PERP_OK;
    }
    if (r < 0) return pp_h5_damaged(s->h, path, r < 0 && m.at ? m.at : header, "an HDF5 group");
    if (many) return pp_h5_refuse(s->h, path, "a group with a newer index of its links", "the old format of HDF5");
    return PERP_OK;
}

/* A dataset has a data type; what has none is a group. */
static perp_status kind_of(pp_h5 *h, uint64_t header, const char *path, pp_h5_kind *kind) {
    messages m;
    message e;
    int r = header_begin(&m, h, header) ? 1 : -1;
    *kind = PP_H5_GROUP;
    while (r == 1 && (r = next_message(&m, &e)) == 1)
        if (e.type == MSG_DATATYPE) {
            *kind = PP_H5_DATASET;
            return PERP_OK;
        }
    return r < 0 ? pp_h5_damaged(h, path, m.at ? m.at : header, "an HDF5 object") : PERP_OK;
}

perp_status pp_h5_find(pp_h5 *h, const char *path, pp_h5_kind *kind, uint64_t *header) {
    *kind = PP_H5_GROUP;
    *header = h->root;
    for (const char *name = path; *name;) {
        size_t n = strcspn(name, "/");
        char so_far[128];
        (void)snprintf(so_far, sizeof so_far, "%.*s", (int)(name - path > 0 ? name - path - 1 : 0), path);
        search s = {.h = h, .name = name, .length = n};
        perp_status e = search_group(&s, *header, so_far);
        if (e) return e;
        if (s.found == UNDEFINED) {
            *kind = PP_H5_NONE;
            return PERP_OK;
        }
        *header = s.found;
        (void)snprintf(so_far, sizeof so_far, "%.*s", (int)(name - path) + (int)n, path);
        e = kind_of(h, *header, so_far, kind);
        if (e) return e;
        name += n;
        if (*name == '/') {
            name++;
            if (*kind != PP_H5_GROUP) {
                *kind = PP_H5_NONE;
                return PERP_OK;
            }
        }
    }
    return PERP_OK;
}

/* ---- types, shapes, where the numbers are ---- */

static bool read_type(const unsigned char *p, size_t size, pp_h5_array *out) {
    static const unsigned char f64[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
    static const unsigned char f32[12] = {0, 0, 32, 0, 23, 8, 0, 23, 0x7f, 0, 0, 0};
    if (size < 8) return false;
    unsigned class = p[0] & 15;
    out->size = (size_t)le(p + 4, 4);
    out->type = PP_H5_OTHER;
    out->big = p[1] & 1;
    if (out->size == 0) return false;
    if (class == 0 && size >= 12) {
        bool width = out->size == 1 || out->size == 2 || out->size == 4 || out->size == 8;
        if (width && le(p + 8, 2) == 0 && le(p + 10, 2) == 8 * out->size) out->type = PP_H5_INT;
        out->sign = (p[1] & 8) != 0;
    } else if (class == 1 && size >= 20) {
        bool plain = (p[1] & 0x40) == 0 && (p[1] & 0x30) == 0x20 && p[2] == 8 * out->size - 1;
        if (plain && out->size == 8 && memcmp(p + 8, f64, 12) == 0) out->type = PP_H5_FLOAT;
        if (plain && out->size == 4 && memcmp(p + 8, f32, 12) == 0) out->type = PP_H5_FLOAT;
    } else if (class == 3) {
        out->type = PP_H5_TEXT;
    }
    return true;
}

static bool read_space(const unsigned char *p, size_t size, pp_h5_array *out) {
    if (size < 4 || p[1] > PP_H5_RANK || (p[0] != 1 && p[0] != 2)) return false;
    size_t head = p[0] == 1 ? 8 : 4;
    out->rank = p[1];
    out->count = p[0] == 2 && p[3] == 2 ? 0 : 1; /* 2: no numbers at all */
    if (size < head + 8 * (size_t)out->rank) return false;
    for (int i = 0; i < out->rank; i++) {
        out->dim[i] = le(p + head + 8 * (size_t)i, 8);
        if (out->dim[i] > 0 && out->count > UINT32_MAX / out->dim[i])
            out->count = UINT32_MAX; /* more than any file here holds; never wraps */
        else
            out->count *= out->dim[i];
    }
    return true;
}

/* Where the numbers are. NULL in out->raw, and words, if they are stored in another way. */
static bool read_layout(pp_h5 *h, const message *m, pp_h5_array *out, const char **words) {
    const unsigned char *p = m->p;
    uint64_t at, room, need = out->count * out->size; /* both below 2^32 */
    if (m->size < 2 || (p[0] != 3 && p[0] != 4)) {
        *words = "an old layout of the data";
        return m->size >= 2;
    }
    if (p[1] == 0) {
        if (m->size < 4) return false;
        at = m->at + 4;
        room = le(p + 2, 2);
        if (room > m->size - 4) return false;
    } else if (p[1] == 1) {
        if (m->size < 18) return false;
        at = le(p + 2, 8);
        room = le(p + 10, 8);
        if (at == UNDEFINED && need > 0) {
            *words = "numbers that were never written";
            return true;
        }
        if (at == UNDEFINED) at = room = 0;
    } else {
        *words = p[1] == 2 ? "data in chunks" : "data in other datasets";
        return true;
    }
    if (need > room || !inside(h, at, need)) return false;
    out->raw = h->data + at;
    return true;
}

perp_status pp_h5_dataset(pp_h5 *h, const char *path, bool *there, pp_h5_array *out) {
    pp_h5_kind kind;
    uint64_t header;
    *out = (pp_h5_array){0};
    *there = false;
    perp_status s = pp_h5_find(h, path, &kind, &header);
    if (s || kind == PP_H5_NONE) return s;
    if (kind == PP_H5_GROUP) return pp_h5_refuse(h, path, "a group", "numbers or text");
    messages m;
    message e, layout = {0};
    const char *words = NULL;
    bool type = false, space = false;
    int r = header_begin(&m, h, header) ? 1 : -1;
    while (r == 1 && (r = next_message(&m, &e)) == 1) {
        bool shared = (e.flags & 2) != 0;
        if (e.type == MSG_DATATYPE && shared) words = "a named data type";
        if (e.type == MSG_DATASPACE && shared) words = "a shared shape";
        if (e.type == MSG_FILTERS) words = "compressed data";
        if (e.type == MSG_EXTERNAL) words = "data in another file";
        if (e.type == MSG_DATATYPE && !shared && !(type = read_type(e.p, e.size, out))) r = -1;
        if (e.type == MSG_DATASPACE && !shared && !(space = read_space(e.p, e.size, out))) r = -1;
        if (e.type == MSG_LAYOUT) layout = e;
    }
    if (r == 0 && !words && (!type || !space || !layout.p || !read_layout(h, &layout, out, &words))) r = -1;
    if (r < 0) return pp_h5_damaged(h, path, header, "an HDF5 dataset");
    if (words) return pp_h5_refuse(h, path, words, "numbers in one piece, not compressed");
    *there = true;
    return PERP_OK;
}

/* ---- attributes ---- */

/* Takes apart an attribute message; 1 if it has that name, 0 if another, -1 damaged. */
static int read_attribute(const message *m, const char *name, pp_h5_array *out) {
    const unsigned char *p = m->p;
    if (m->size < 8 || p[0] < 1 || p[0] > 3) return -1;
    size_t size[3], at = p[0] == 3 ? 9 : 8, where[4];
    for (int i = 0; i < 3; i++) {
        size[i] = (size_t)le(p + 2 + 2 * i, 2);
        where[i] = at;
        at += p[0] == 1 ? (size[i] + 7) & ~(size_t)7 : size[i];
    }
    where[3] = at;
    if (at > m->size) return -1;
    if (size[0] != strlen(name) + 1 || memcmp(p + where[0], name, size[0]) != 0) return 0;
    if (p[0] > 1 && (p[1] & 3)) return -1; /* shared type or shape */
    if (!read_type(p + where[1], size[1], out) || !read_space(p + where[2], size[2], out)) return -1;
    if (out->count * out->size > m->size - at) return -1;
    out->raw = p + at;
    return 1;
}

perp_status pp_h5_attribute(pp_h5 *h, const char *name, bool *there, pp_h5_array *out) {
    messages m;
    message e;
    *there = false;
    int r = header_begin(&m, h, h->root) ? 1 : -1;
    while (r == 1 && (r = next_message(&m, &e)) == 1) {
        if (e.type != MSG_ATTRIBUTE) continue;
        *out = (pp_h5_array){0};
        int got = read_attribute(&e, name, out);
        if (got == 0) continue;
        *there = got == 1;
        r = got == 1 ? 0 : -1;
    }
    return r < 0 ? pp_h5_damaged(h, name, m.at ? m.at : h->root, "an HDF5 attribute") : PERP_OK;
}
