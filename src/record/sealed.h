/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sealed.h - HDF5 files with atomic commits, and with a checksum for every block that is compared when the block is read.
 *
 * This is a virtual file driver of HDF5. Data that HDF5 writes stays in memory until pp_sealed_commit(). The commit writes all changed
 * blocks and a new seal into a journal beside the file (PATH-journal), then into the file itself, and then removes the journal. If the
 * process is killed or the disk is full at any moment of this, there is either the old file, or a complete journal that the next
 * opening uses (a reader as an overlay in memory; a writer completes the copying). The seal is after the end of the HDF5 data: magic,
 * block size, length, a hash for each block, and a
 * hash of itself. A block is compared with its hash before HDF5 gets any of its bytes, so HDF5 never parses damaged
 * data; a file without a seal was truncated, or not written by perp, or changed by another program, and is refused. */
#ifndef PP_SEALED_H
#define PP_SEALED_H

#include <hdf5.h>

#include "base/memory.h"
#include "perp/input.h"

/* All return a file id of HDF5, or a negative number with a complaint in why. HDF5's own error printing is off within
 * these calls; callers use pp_quiet_begin/end around theirs. `path` is kept for messages. */
hid_t pp_sealed_create(const char *path,
                       perp_refusal *why); /* the file must not exist; it is committed as an empty file */
/* The same, but the file appears in its folder only with its first commit, if the system supports this. A program
 * that is killed before leaves no file. */
hid_t pp_sealed_create_nameless(const char *path, perp_refusal *why);
/* Whether the file has a name in its folder. */
bool pp_sealed_named(hid_t file);
hid_t pp_sealed_open_write(
    const char *path,
    perp_refusal *why); /* continues a file; it applies a journal that was left; it refuses a second writer (lock) */
hid_t pp_sealed_open_read(const char *path,
                          perp_refusal *why); /* never writes; a complete journal is overlaid in memory */
hid_t pp_sealed_open_memory(const char *path, const void *data, size_t size,
                            perp_refusal *why); /* data borrowed until close */

/* Flushes HDF5 and makes everything written since the last commit permanent, atomically. After a failure (disk full) the file is in
 * the state of the last commit, and a later commit may succeed. */
perp_status pp_sealed_commit(hid_t file, perp_refusal *why);
/* Closes the file. Everything since the last commit is discarded. */
void pp_sealed_close(hid_t file);
/* Bytes of changed blocks waiting for the next commit. */
size_t pp_sealed_pending(hid_t file);
/* The cause of a failed call on this file, if the driver knows it (a damaged block with its position, a disk
 * error); else "". */
const char *pp_sealed_trouble(hid_t file);
/* Computes and appends the seal for an unsealed HDF5 image of `size` bytes in a buffer with room for
 * pp_sealed_room(size) more; returns the whole size. For tests and fuzzing. */
size_t pp_sealed_room(size_t size);
size_t pp_seal_image(void *data, size_t size);

/* Turns HDF5's error printing off and on again, for the calling thread. Nested use is fine. */
typedef struct pp_quiet {
    H5E_auto2_t print;
    void *data;
} pp_quiet;
pp_quiet pp_quiet_begin(void);
void pp_quiet_end(pp_quiet q);

#endif
