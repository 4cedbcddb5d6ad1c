/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* reader.h - a recording that is being read. Types, shapes and numbers of the file are checked before they are used. */
#ifndef PP_READER_H
#define PP_READER_H

#include "record/store.h"

struct pp_trace;

struct perp_recording {
    perp_allocator alloc;
    const struct pp_trace *trace; /* not NULL: a run in memory (trace.h), without a file; it owns this recording */
    char *path;
    hid_t file;
    bool borrowed; /* the file stays open at the end */
    perp_recording_info info;
    char program[64], title[PP_TEXT_MAX + 1], unit[3][32];
    uint64_t extent[PP_EXTENT_COUNT];
    hid_t set[PP_DATASET_COUNT];   /* negative: not in this recording */
    size_t text[PP_DATASET_COUNT]; /* TEXT: bytes of each */
    int files;

    void *data[PP_DATASET_COUNT]; /* what does not change, read at opening; TEXT: each with a final zero; else NULL */
    int *face_start;              /* of each shape from 0: shape i's at first_face[i] + i */
    uint64_t *step, *first;       /* of each frame */
    uint32_t *count;
    double *time;
    char solver[1 + PERP_FALLBACK_MAX][PP_SOLVER_NAME];
    int nsolver;

    perp_recorded_contact *contact; /* of the last call */
    char *rows;                     /* room for rows as they are in the file */
    int cap_contact, cap_rows;

    char **name; /* names of the series, made on the first request */
    int nname, cap_name;
    bool named;
};

/* Checks everything and reads what does not change. The file is closed on failure unless it is borrowed. */
perp_status pp_recording_load(const char *path, hid_t file, bool borrowed, uint64_t file_size, perp_recording **out,
                              perp_refusal *why);

static inline pp_location pp_recording_place(const perp_recording *r) { return (pp_location){r->path, 0, 0}; }
/* Fills `why` after a failed call on the file. */
perp_status pp_recording_trouble(const perp_recording *r, const char *key, perp_refusal *why);
perp_status pp_recording_no_memory(const perp_recording *r, perp_refusal *why);
/* Checks that the dataset exists; else fills `why`: the recording does not hold it. */
perp_status pp_recording_holds(const perp_recording *r, pp_dataset d, perp_refusal *why);

/* Rows first .. first + n of a growing dataset, as they are, into out. Only column `col` if it is not negative. */
perp_status pp_recording_rows(perp_recording *r, pp_dataset d, uint64_t first, uint64_t n, int col, void *out,
                              perp_refusal *why);
/* Part of a growing dataset. */
typedef struct pp_slab {
    pp_dataset d;
    uint64_t first, n; /* rows first .. first + n */
    int col;           /* column; < 0: all */
    int component;     /* of an entry with several numbers; < 0: all */
} pp_slab;
/* The same for one number of each row, as doubles. */
perp_status pp_recording_column(perp_recording *r, const pp_slab *part, double *out, perp_refusal *why);
/* Certificates of frames first .. first + n. */
perp_status pp_recording_sums(perp_recording *r, uint64_t first, uint64_t n, pp_sum *out, perp_refusal *why);
/* Contacts first .. first + n of all frames together. */
perp_status pp_recording_contact_rows(perp_recording *r, uint64_t first, size_t n, perp_recorded_contact *out,
                                      perp_refusal *why);
/* A buffer of at least `size` bytes, reused by every call; NULL: no memory. */
void *pp_recording_room(perp_recording *r, size_t size);

static inline const double *pp_numbers(const perp_recording *r, pp_dataset d) { return (const double *)r->data[d]; }
static inline const int32_t *pp_wholes(const perp_recording *r, pp_dataset d) { return (const int32_t *)r->data[d]; }
static inline const uint8_t *pp_bytes(const perp_recording *r, pp_dataset d) { return (const uint8_t *)r->data[d]; }
/* Text i; "" if the recording does not have that dataset, as runs kept in memory. */
static inline const char *pp_words(const perp_recording *r, pp_dataset d, int i) {
    return r->data[d] ? (const char *)r->data[d] + (size_t)i * (r->text[d] + 1) : "";
}

#endif
