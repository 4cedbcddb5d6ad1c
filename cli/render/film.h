/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* film.h - a sequence of pictures as one file.
 *
 *   .mp4 .webm .mkv .mov .gif   ffmpeg makes the file from PNG pictures that it reads from a pipe
 *   .png .apng                  an animated PNG (PNG specification, third edition, 11.3.6): no other program is needed, and
 *                               browsers play it
 *
 * The film is written under a name with .part in it and renamed when it is complete. */
#ifndef FILM_H
#define FILM_H

#include <perp/perp.h>
#include <stddef.h>

typedef enum film_kind { FILM_NONE, FILM_ANIMATED_PNG, FILM_FFMPEG } film_kind;
/* By the end of the name. */
film_kind film_kind_of(const char *path);
/* Is there a program ffmpeg on the PATH? */
bool film_has_ffmpeg(void);

typedef struct film film;
/* Begins a film. fps: pictures in a second, > 0. even: width and height of the pictures are even, as most codecs want;
 * else ffmpeg adds a row or a column. The path is copied. PERP_E_ARG: the path is too long. */
perp_status film_open(const char *path, film_kind kind, double fps, bool even, film **out, perp_refusal *why);
/* Adds a picture: a PNG of the same size and kind as the others. */
perp_status film_add(film *f, const unsigned char *png, size_t size, perp_refusal *why);
/* Ends the film. If `keep`, the file is moved to its place; else it is removed. Frees the film in any case. */
perp_status film_close(film *f, bool keep, perp_refusal *why);

#endif
