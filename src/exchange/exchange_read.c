/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* exchange_read.c - reading a problem file of any layout, told apart by its first bytes and groups. */
#include "exchange/exchange.h"

#include <string.h>

perp_status pp_exchange_no_memory(const pp_exchange *x) {
    return pp_complain_say(x->why, PERP_E_MEMORY, (pp_location){x->file, 0, 0}, NULL, "no memory for the problem");
}

/* A fixed text, with or without zeros behind it. */
static bool text_is(const pp_h5_array *a, const char *text) {
    size_t n = strlen(text);
    if (a->type != PP_H5_TEXT || a->count != 1 || a->size < n || memcmp(a->raw, text, n) != 0) return false;
    return a->size == n || a->raw[n] == 0;
}

static perp_status read_hdf5(pp_exchange *x, perp_problem_format *format) {
    pp_h5 h;
    perp_status s = pp_h5_open(&h, x->file, x->data, x->size, x->why);
    if (s) return s;
    bool there = false;
    pp_h5_array a;
    s = pp_h5_attribute(&h, "format", &there, &a);
    if (s) return s;
    if (there && text_is(&a, "perp problem")) {
        *format = PERP_FORMAT_PERP;
        return pp_perp_read(x, &h);
    }
    if (there && text_is(&a, "perp recording")) return pp_h5_refuse(&h, NULL, "a recording", "a problem");
    static const char *const group[] = {"fclib_local", "fclib_global", "fclib_global_rolling"};
    for (int i = 0; i < 3; i++) {
        pp_h5_kind kind;
        uint64_t header;
        s = pp_h5_find(&h, group[i], &kind, &header);
        if (s) return s;
        if (kind != PP_H5_GROUP) continue;
        if (i == 2) return pp_h5_refuse(&h, group[i], "rolling friction", "FCLIB's groups fclib_local or fclib_global");
        *format = PERP_FORMAT_FCLIB;
        return pp_fclib_read(x, &h, i == 1);
    }
    return pp_h5_refuse(&h, NULL, "HDF5 without a problem",
                        "the attribute format (perp), or a group fclib_local or fclib_global (FCLIB)");
}

static perp_status read_any(pp_exchange *x, perp_problem_format *format) {
    pp_location at = {x->file, 0, 0};
    if (x->size == 0) return pp_complain(x->why, PERP_E_ARG, at, NULL, "an empty file", "a problem");
    if (pp_h5_is(x->data, x->size)) return read_hdf5(x, format);
    if (memchr(x->data, 0, x->size < 4096 ? x->size : 4096)) {
        return pp_complain(x->why, PERP_E_ARG, at, NULL, "bytes that are neither HDF5 nor text", "a problem");
    }
    *format = PERP_FORMAT_SICONOS_TEXT;
    return pp_text_read(x);
}

perp_status pp_exchange_read(const char *file, const void *data, size_t size, const perp_allocator *alloc,
                             perp_stored **out, perp_problem_format *format, perp_refusal *why) {
    const perp_allocator plain = {0};
    pp_exchange x = {.file = file, .data = data, .size = size, .why = why};
    perp_problem_format what = PERP_FORMAT_PERP;
    *out = NULL;
    x.out = pp_stored_new(alloc);
    if (!x.out) return pp_exchange_no_memory(&x);
    pp_arena_init(&x.scratch, alloc ? *alloc : plain);
    perp_status s = read_any(&x, &what);
    pp_arena_free(&x.scratch);
    if (s) {
        perp_stored_free(x.out);
        return s;
    }
    *out = x.out;
    if (format) *format = what;
    return PERP_OK;
}

perp_status perp_problem_read(const char *path, const perp_allocator *alloc, perp_stored **out,
                              perp_problem_format *format, perp_refusal *why) {
    const perp_allocator plain = {0};
    const perp_allocator *a = alloc ? alloc : &plain;
    char *data = NULL;
    size_t size = 0;
    if (why) memset(why, 0, sizeof *why);
    if (!out) return pp_complain_say(why, PERP_E_ARG, (pp_location){path, 0, 0}, NULL, "no place for the result");
    *out = NULL;
    if (!path) return pp_complain_say(why, PERP_E_ARG, (pp_location){0}, NULL, "no path");
    perp_status s = pp_source_read(a, path, path, &data, &size, why);
    if (s) return s;
    s = pp_exchange_read(path, data, size, a, out, format, why);
    pp_free(a, data);
    return s;
}
