/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* film.c - see film.h */
#define _POSIX_C_SOURCE 200809L
#include "render/film.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page.h"

enum { PATH = 4096, IHDR = 13, ACTL_AT = 8 + 25 }; /* after the signature and the header */

extern char **environ;

struct film {
    film_kind kind;
    char path[PATH], part[PATH];
    double fps;
    int frames;
    /* animated PNG */
    FILE *file;
    uint32_t sequence; /* of fcTL and fdAT */
    unsigned char header[IHDR];
    /* ffmpeg */
    pid_t child;
    int pipe;
};

static perp_status trouble(perp_refusal *why, perp_status status, const char *what, const char *reason) {
    *why = (perp_refusal){.status = status};
    snprintf(why->text, sizeof why->text, "%.1000s: %.300s", what, reason);
    return status;
}

static const char *ending(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

film_kind film_kind_of(const char *path) {
    static const char *const coded[] = {".mp4", ".webm", ".mkv", ".mov", ".gif"};
    const char *e = ending(path);
    if (!strcmp(e, ".png") || !strcmp(e, ".apng")) return FILM_ANIMATED_PNG;
    for (size_t i = 0; i < sizeof coded / sizeof *coded; i++)
        if (!strcmp(e, coded[i])) return FILM_FFMPEG;
    return FILM_NONE;
}

bool film_has_ffmpeg(void) {
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char program[PATH];
        int length = snprintf(program, sizeof program, "%.*s/ffmpeg", (int)n, n ? path : ".");
        if (length > 0 && (size_t)length < sizeof program && !access(program, X_OK)) return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* ---- animated PNG ---- */

static void big_endian(unsigned char *to, uint32_t v, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(v >> (8 * (bytes - 1 - i)));
}

static uint32_t read_big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* A chunk whose data are in two parts, the first of them at most 26 bytes. */
static bool put_chunk(FILE *to, const char *type, const unsigned char *head, size_t nhead, const unsigned char *rest,
                      size_t nrest) {
    unsigned char length[4], crc[4];
    big_endian(length, (uint32_t)(nhead + nrest), 4);
    uint32_t sum = page_png_crc(0xffffffffu, (const unsigned char *)type, 4);
    if (nhead) sum = page_png_crc(sum, head, nhead);
    if (nrest) sum = page_png_crc(sum, rest, nrest);
    big_endian(crc, ~sum, 4);
    return fwrite(length, 1, 4, to) == 4 && fwrite(type, 1, 4, to) == 4 && fwrite(head, 1, nhead, to) == nhead &&
           (nrest == 0 || fwrite(rest, 1, nrest, to) == nrest) && fwrite(crc, 1, 4, to) == 4;
}

/* How many pictures there are, played once and again. */
static bool put_count(film *f) {
    unsigned char data[8] = {0};
    big_endian(data, (uint32_t)f->frames, 4);
    return put_chunk(f->file, "acTL", data, sizeof data, NULL, 0);
}

/* A picture is shown for 1/fps seconds: exactly if fps is a whole number, else rounded to a thousandth of a second. */
static bool put_frame_control(film *f) {
    unsigned char data[26] = {0};
    bool whole = f->fps == floor(f->fps) && f->fps <= 65535;
    big_endian(data, f->sequence++, 4);
    memcpy(data + 4, f->header, 8); /* width, height; no offset */
    big_endian(data + 20, whole ? 1 : (uint32_t)fmin(fmax(1, round(1000 / f->fps)), 65535), 2);
    big_endian(data + 22, whole ? (uint32_t)f->fps : 1000, 2);
    return put_chunk(f->file, "fcTL", data, sizeof data, NULL, 0);
}

static bool put_image(film *f, const unsigned char *data, size_t n) {
    unsigned char number[4];
    if (f->frames == 0) return put_chunk(f->file, "IDAT", data, 0, data, n);
    big_endian(number, f->sequence++, 4);
    return put_chunk(f->file, "fdAT", number, 4, data, n);
}

static perp_status add_png(film *f, const unsigned char *png, size_t size, perp_refusal *why) {
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    bool good = size > 8 + 25 && !memcmp(png, signature, 8) && !memcmp(png + 12, "IHDR", 4);
    if (good && f->frames == 0) memcpy(f->header, png + 16, IHDR);
    if (!good || memcmp(f->header, png + 16, IHDR) != 0)
        return trouble(why, PERP_E_ARG, f->path, "a picture is not of the size and kind of the others");
    bool ok = f->frames > 0 || (fwrite(signature, 1, 8, f->file) == 8 &&
                                put_chunk(f->file, "IHDR", f->header, IHDR, NULL, 0) && put_count(f));
    ok = ok && put_frame_control(f);
    for (size_t at = 8; ok && at + 12 <= size;) {
        size_t n = read_big_endian(png + at);
        if (n > size - at - 12) return trouble(why, PERP_E_ARG, f->path, "a picture is cut off");
        if (!memcmp(png + at + 4, "IDAT", 4)) ok = put_image(f, png + at + 8, n);
        at += n + 12;
    }
    if (!ok) return trouble(why, PERP_E_IO, f->part, strerror(errno));
    f->frames++;
    return PERP_OK;
}

static perp_status end_png(film *f, perp_refusal *why) {
    bool ok = put_chunk(f->file, "IEND", (const unsigned char *)"", 0, NULL, 0);
    ok = ok && !fseek(f->file, ACTL_AT, SEEK_SET) && put_count(f);
    int reason = errno;
    if (fclose(f->file)) ok = false, reason = errno;
    f->file = NULL;
    return ok ? PERP_OK : trouble(why, PERP_E_IO, f->part, strerror(reason));
}

/* ---- ffmpeg ---- */

static perp_status start_ffmpeg(film *f, bool even, perp_refusal *why) {
    int ends[2];
    char rate[32];
    if (pipe(ends)) return trouble(why, PERP_E_IO, "ffmpeg", strerror(errno));
    snprintf(rate, sizeof rate, "%.9g", f->fps);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const char *list[24] = {"ffmpeg", "-loglevel",  "error", "-y", "-f",     "image2pipe", "-c:v",
                            "png",    "-framerate", rate,    "-i", "pipe:0", "-an"};
    int n = 13;
    if (!even) list[n++] = "-vf", list[n++] = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    if (strcmp(ending(f->path), ".gif") != 0) list[n++] = "-pix_fmt", list[n++] = "yuv420p";
    list[n++] = f->part;
    list[n] = NULL;
    posix_spawn_file_actions_t act;
    posix_spawn_file_actions_init(&act);
    posix_spawn_file_actions_adddup2(&act, ends[0], 0);
    posix_spawn_file_actions_addclose(&act, ends[0]);
    posix_spawn_file_actions_addopen(&act, 1, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&f->child, "ffmpeg", &act, NULL, (char *const *)(uintptr_t)list, environ);
    posix_spawn_file_actions_destroy(&act);
    close(ends[0]);
    f->pipe = ends[1];
    if (!failed) return PERP_OK;
    f->child = 0;
    return trouble(why, PERP_E_IO, "ffmpeg cannot be started", strerror(failed));
}

static perp_status send(film *f, const unsigned char *data, size_t size, perp_refusal *why) {
    while (size > 0) {
        ssize_t n = write(f->pipe, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return trouble(why, PERP_E_IO, "ffmpeg ended before the film did", strerror(errno));
        data += n;
        size -= (size_t)n;
    }
    f->frames++;
    return PERP_OK;
}

static perp_status end_ffmpeg(film *f, perp_refusal *why) {
    int how = 0;
    if (f->pipe >= 0) close(f->pipe);
    if (!f->child) return PERP_OK;
    while (waitpid(f->child, &how, 0) < 0 && errno == EINTR) {}
    char text[64];
    snprintf(text, sizeof text, "ended with %d", WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
    return WIFEXITED(how) && WEXITSTATUS(how) == 0 ? PERP_OK : trouble(why, PERP_E_IO, "ffmpeg", text);
}

/* ---- both ---- */

perp_status film_open(const char *path, film_kind kind, double fps, bool even, film **out, perp_refusal *why) {
    *out = NULL;
    const char *end = ending(path);
    film *f = calloc(1, sizeof *f);
    if (!f) return trouble(why, PERP_E_MEMORY, "the film", "no memory");
    f->kind = kind;
    f->fps = fps;
    f->pipe = -1;
    int n = snprintf(f->path, sizeof f->path, "%s", path);
    /* ffmpeg chooses the format by the ending of the name */
    int m = snprintf(f->part, sizeof f->part, "%.*s.part%s", (int)(strlen(path) - strlen(end)), path, end);
    perp_status s = PERP_OK;
    if (n < 0 || m < 0 || (size_t)m >= sizeof f->part || (size_t)n >= sizeof f->path)
        s = trouble(why, PERP_E_ARG, "the film", "its path is too long");
    if (!s && kind == FILM_FFMPEG) {
        signal(SIGPIPE, SIG_IGN); /* write() then reports the error */
        s = start_ffmpeg(f, even, why);
    } else if (!s) {
        f->file = fopen(f->part, "wb");
        if (!f->file) s = trouble(why, PERP_E_IO, f->part, strerror(errno));
    }
    if (s) {
        if (f->pipe >= 0) close(f->pipe);
        free(f);
        return s;
    }
    *out = f;
    return PERP_OK;
}

perp_status film_add(film *f, const unsigned char *png, size_t size, perp_refusal *why) {
    return f->kind == FILM_FFMPEG ? send(f, png, size, why) : add_png(f, png, size, why);
}

perp_status film_close(film *f, bool keep, perp_refusal *why) {
    if (!f) return PERP_OK;
    perp_refusal ours;
    perp_status s = f->kind == FILM_FFMPEG ? end_ffmpeg(f, keep ? why : &ours) : PERP_OK;
    if (f->file && keep)
        s = end_png(f, why);
    else if (f->file)
        fclose(f->file);
    if (keep && !s && rename(f->part, f->path)) s = trouble(why, PERP_E_IO, f->path, strerror(errno));
    if (!keep || s) remove(f->part);
    free(f);
    return keep ? s : PERP_OK;
}
