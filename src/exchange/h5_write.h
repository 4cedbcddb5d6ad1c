/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* h5_write.h - building an HDF5 file in memory.
 *
 * The HDF5 library writes into memory only, because it does not handle a full disk. The files are in its oldest format, which every
 * version reads, and contain no times: the same problem gives the same bytes. */
#ifndef PP_H5_WRITE_H
#define PP_H5_WRITE_H

#include <hdf5.h>

#include "exchange/exchange.h"

typedef struct pp_h5_writer {
    hid_t file, make, links; /* properties of new datasets, and of the links to them */
    bool ok;                 /* false once something failed: nothing is done any more */
    H5E_auto2_t print;       /* HDF5's way of telling errors, given back at the end */
    void *print_data;
} pp_h5_writer;

pp_h5_writer pp_h5_begin(void);
/* Attributes of the root. */
void pp_h5_put_int(pp_h5_writer *w, const char *name, int v);
void pp_h5_put_double(pp_h5_writer *w, const char *name, double v);
void pp_h5_put_text(pp_h5_writer *w, const char *name, const char *text);
/* Datasets; groups on the way are made. cols < 0: a list. A text is a scalar. */
void pp_h5_put_doubles(pp_h5_writer *w, const char *path, const double *v, size_t rows, long cols);
void pp_h5_put_ints(pp_h5_writer *w, const char *path, const int *v, size_t rows, long cols);
void pp_h5_put_words(pp_h5_writer *w, const char *path, const char *text);
/* Closes and adds the whole file to the image. PERP_E_MEMORY if anything failed on the way: nothing else can. */
perp_status pp_h5_end(pp_h5_writer *w, const char *path, pp_image *out, perp_refusal *why);

#endif
