/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_export.c - the page with recordings in it, as one file that needs no server.
 *
 * Each recording stands in a script element of a type that browsers do not run, in base64, at the page's marker. Read
 * and written in pieces: a recording may be larger than memory. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view/view.h"
#include "whole_file.h"

static const char marker[] = "<!--perp:data-->";

/* The last one of the page: scripts before it may name it. */
const char *view_find_marker(const char *page, size_t size, size_t *length) {
    size_t n = *length = sizeof marker - 1;
    for (size_t i = size < n ? 0 : size - n + 1; i-- > 0;)
        if (!memcmp(page + i, marker, n)) return page + i;
    return NULL;
}

/* As the server's policy (view_answer.c), without connections: all that the page shows is in it. */
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline' "
    "'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "connect-src data: blob:; base-uri 'none'; form-action 'none'\">";

const char view_no_head[] = "the page in this program has no <head>; build it again with tools/viewer";

bool view_put_sealed(FILE *to, const char *page, const char *end) {
    static const char head[] = "<head>";
    size_t n = sizeof head - 1;
    const char *at = page;
    while ((size_t)(end - at) >= n && memcmp(at, head, n) != 0) at++;
    if ((size_t)(end - at) < n) return false;
    at += n;
    fwrite(page, 1, (size_t)(at - page), to);
    fputs(policy, to);
    fwrite(at, 1, (size_t)(end - at), to);
    return true;
}

static void put_attribute(FILE *to, const char *text) {
    for (; *text; text++) {
        if (strchr("&<>\"'", *text) || (unsigned char)*text < 0x20 || *text == 0x7f)
            fprintf(to, "&#%d;", (unsigned char)*text);
        else
            fputc(*text, to);
    }
}

enum { PIECE = 3 << 14 }; /* a multiple of 3: only the last piece is filled up with = */

static void put_base64(FILE *to, const unsigned char *in, size_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static char out[PIECE / 3 * 4];
    size_t k = 0;
    for (size_t i = 0; i < n; i += 3) {
        unsigned x = (unsigned)in[i] << 16 | (i + 1 < n ? (unsigned)in[i + 1] << 8 : 0) | (i + 2 < n ? in[i + 2] : 0u);
        out[k++] = digit[x >> 18];
        out[k++] = digit[x >> 12 & 63];
        out[k++] = i + 1 < n ? digit[x >> 6 & 63] : '=';
        out[k++] = i + 2 < n ? digit[x & 63] : '=';
    }
    fwrite(out, 1, k, to);
}

/* As many bytes as the file has now; false if they cannot be read. */
static bool put_recording(FILE *to, const view_file *f) {
    static unsigned char piece[PIECE];
    struct stat st;
    if (fstat(f->fd, &st)) return false;
    fputs("<script type=\"application/x-perp-recording\" data-name=\"", to);
    put_attribute(to, f->name);
    fputs("\">", to);
    for (off_t at = 0; at < st.st_size && !ferror(to);) {
        size_t want = st.st_size - at < PIECE ? (size_t)(st.st_size - at) : PIECE, got = 0;
        while (got < want) {
            ssize_t n = pread(f->fd, piece + got, want - got, at + (off_t)got);
            if (n <= 0) {
                if (n == 0) errno = EIO; /* it has shrunk */
                return false;
            }
            got += (size_t)n;
        }
        put_base64(to, piece, got);
        at += (off_t)got;
    }
    fputs("</script>\n", to);
    return true;
}

static void report(const cli_args *a, const char *output, const view_file *file, int n) {
    struct stat st = {0};
    char size[32], shown[CLI_PATH];
    stat(output, &st);
    if (!cli_json(a)) {
        printf("%s: %d recording%s, %s; opens in any browser\n", cli_printable(shown, sizeof shown, output), n,
               n == 1 ? "" : "s", cli_bytes(size, sizeof size, (double)st.st_size));
        return;
    }
    json j;
    json_begin(&j, stdout);
    json_object(&j);
    json_field_string(&j, "output", output);
    json_field_whole(&j, "bytes", (long long)st.st_size);
    json_key(&j, "recordings");
    json_array(&j);
    for (int i = 0; i < n; i++) json_string(&j, file[i].path);
    json_end(&j, ']');
    json_end(&j, '}');
}

int view_export(const cli_args *a, const char *output, bool force, const view_file *file, int n) {
    char shown[CLI_PATH];
    size_t size, mark;
    const char *page = view_page(&size), *at = view_find_marker(page, size, &mark);
    if (!at)
        return cli_refuse_say(a, CLI_BAD_INPUT,
                              "the page in this program has no place for recordings (%s); build it "
                              "again with tools/viewer",
                              marker);
    for (int i = 0; i < n; i++)
        if (recording_busy(file[i].path))
            return cli_refuse_say(a, CLI_BAD_INPUT,
                                  "%s: found a recording that a run is writing; allowed: one that is not in use",
                                  cli_printable(shown, sizeof shown, file[i].path));
    if (!force && !access(output, F_OK))
        return cli_refuse_say(a, CLI_BAD_INPUT,
                              "%s: found a file of that name; allowed: a name that is free, --force to replace it",
                              cli_printable(shown, sizeof shown, output));
    perp_refusal why = {0};
    whole_file out;
    if (whole_file_begin(&out, output, &why)) return cli_refuse_writing(a, &why);
    int bad = -1, reason = 0;
    bool sealed = view_put_sealed(out.to, page, at);
    for (int i = 0; i < n && bad < 0 && sealed; i++)
        if (!put_recording(out.to, &file[i])) bad = i, reason = errno;
    at += mark;
    fwrite(at, 1, size - (size_t)(at - page), out.to);
    if (whole_file_end(&out, bad < 0 && sealed, &why)) return cli_refuse_writing(a, &why);
    if (!sealed) return cli_refuse_say(a, CLI_BAD_INPUT, "%s", view_no_head);
    if (bad >= 0)
        return cli_refuse_say(a, CLI_MACHINE, "%s: cannot be read: %s",
                              cli_printable(shown, sizeof shown, file[bad].path), strerror(reason));
    report(a, output, file, n);
    return CLI_OK;
}
