/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_file.c - a figure that is ready in memory becomes a file. */
#include "plot/plot.h"
#include "whole_file.h"

perp_status plot_write_file(const char *path, const void *data, size_t size, perp_refusal *why) {
    whole_file file;
    perp_status status = whole_file_begin(&file, path, why);
    if (status) return status;
    fwrite(data, 1, size, file.to); /* errors are reported at the end */
    return whole_file_end(&file, true, why);
}
