/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* h5_numbers.c - numbers of HDF5 arrays as they are in memory, and words about them. */
#include "exchange/h5_file.h"

#include <stdio.h>
#include <string.h>

static uint64_t bits(const pp_h5_array *a, uint64_t i) {
    const unsigned char *p = a->raw + i * a->size;
    uint64_t x = 0;
    for (size_t k = 0; k < a->size; k++) x = x << 8 | p[a->big ? k : a->size - 1 - k];
    return x;
}

/* Whether the machine's own order is little-endian, as nearly all files are: then numbers are copied as they are. */
static bool little(void) {
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void pp_h5_get_doubles(const pp_h5_array *a, double *out) {
    if (!a->big && little()) {
        if (a->count > 0) memcpy(out, a->raw, (size_t)a->count * sizeof *out);
        return;
    }
    for (uint64_t i = 0; i < a->count; i++) {
        uint64_t x = bits(a, i);
        memcpy(&out[i], &x, sizeof out[i]);
    }
}

int64_t pp_h5_get_integer(const pp_h5_array *a, uint64_t i) {
    if (a->size == 4 && a->sign && !a->big && little()) {
        int32_t v;
        memcpy(&v, a->raw + 4 * i, sizeof v);
        return v;
    }
    uint64_t x = bits(a, i);
    if (!a->sign) return x > INT64_MAX ? INT64_MAX : (int64_t)x;
    unsigned sign = (8 * (unsigned)a->size - 1) & 63; /* its bit: numbers have 1 to 8 bytes */
    uint64_t top = 1ull << sign;
    return (int64_t)((x ^ top) - top);
}

const char *pp_h5_type_words(const pp_h5_array *a, char *out, size_t size) {
    unsigned n = 8 * (unsigned)a->size;
    switch (a->type) {
    case PP_H5_INT: (void)snprintf(out, size, "%u-bit %sintegers", n, a->sign ? "" : "unsigned "); break;
    case PP_H5_FLOAT: (void)snprintf(out, size, "%u-bit floats", n); break;
    case PP_H5_TEXT: (void)snprintf(out, size, "text"); break;
    case PP_H5_OTHER: (void)snprintf(out, size, "another type"); break;
    }
    return out;
}

const char *pp_h5_shape_words(const pp_h5_array *a, char *out, size_t size) {
    if (a->rank == 0) {
        (void)snprintf(out, size, "a single one");
        return out;
    }
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < a->rank && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%llu", i ? " x " : "", (unsigned long long)a->dim[i]);
    return out;
}
