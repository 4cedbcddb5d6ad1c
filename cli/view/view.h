/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view.h - the viewer's server: a page, recordings, and a running simulation; on loopback only.
 *
 *   view_page.c    the page, built from viewer/ and included in the program
 *   view_file.c    the recordings, opened once
 *   view_server.c  sockets, the main loop, limits on connections
 *   view_answer.c  requests and their answers
 *   view_range.c   byte ranges
 *   view_token.c   the secret of the address, and the tokens of commands
 *   view_live.c    requests about a running simulation
 *   view_export.c  page and recordings as one file
 *   view_browse.c  a browser, if there is one */
#ifndef VIEW_H
#define VIEW_H

#include "cli.h"
#include "run/live_ring.h"

/* The page; NULL: this program was built without it. Borrowed for ever. */
const char *view_page(size_t *size);
/* The page of studies, likewise. */
const char *view_study_page(size_t *size);
/* Can this program show and serve the page? CLI_OK, or 2 after an error message that says what to do. */
int view_has_page(const cli_args *a);
int view_has_study_page(const cli_args *a);
int view_has_server(const cli_args *a);

/* ---- recordings ---- */
typedef struct view_file {
    const char *path; /* borrowed */
    const char *name; /* within path, without the folders where that is enough to tell it from the others */
    int fd;           /* open for reading */
} view_file;
/* Opens all recordings. A file that perp cannot read is refused, unless `anyway` is set. Folders, pipes and files
 * that are not HDF5 are always refused. CLI_OK, or another code after an error message. */
int view_open_files(const cli_args *a, bool anyway, view_file **out, int *n);
void view_close_files(view_file *file, int n);

/* ---- the server ---- */
/* Handler of another module that is asked before the viewer's own. It makes its answers with view_http.h. */
struct view_request;
typedef struct view_guest {
    void *ctx;
    bool (*posted)(void *ctx, const char *url); /* does the address take POST requests? All others are only read */
    /* True if the address belongs to the module; *result is then the return value for libmicrohttpd. */
    bool (*answer)(void *ctx, struct view_request *q, const char *url, bool head, int *result);
} view_guest;
typedef struct view_site {
    const view_file *file;
    int nfile;
    live_ring *live;   /* NULL: there is no run */
    const char *token; /* token that every command to the run must contain */
    const char *version;
    const view_guest *guest; /* NULL: none */
} view_site;
typedef struct view_server view_server;

/* Opens a port of 127.0.0.1; 0: any free one. `site` is borrowed. Each server has its own secret in its address.
 * Requests without the secret are refused, so that other users of the machine can neither read the data nor
 * control the run. */
perp_status view_server_open(const view_site *site, int port, view_server **out, perp_refusal *why);
const char *view_server_url(const view_server *s); /* "http://127.0.0.1:4711/SECRET/" */
/* Serves until stop(ctx) returns true. stop() is called several times a second. */
void view_server_serve(view_server *s, bool (*stop)(void *), void *ctx);
void view_server_close(view_server *s);

/* Shows the address in a browser, if there is a screen and a browser. Arguments of programs can be read by all users, so
 * the browser gets a file that only this user can read and that leads to the address. */
void view_browse(const char *url);
/* Removes that file. */
void view_browse_end(void);

/* ---- tokens ---- */
enum { VIEW_TOKEN = 32 }; /* letters: 128 random bits */
/* Makes random letters that cannot be guessed. False: the system has no random numbers. */
bool view_make_token(char out[VIEW_TOKEN + 1]);
/* Is it the token? The comparison takes the same time for every text. */
bool view_same_token(const char *text, size_t length, const char *token);

/* ---- one file of it all ---- */
/* The place for data in a page, and the length of the mark that stands there; NULL: the page has none. */
const char *view_find_marker(const char *page, size_t size, size_t *length);
/* Writes the page up to `end`, with a content policy in its head that forbids all connections. False: the page has
 * no head. */
extern const char view_no_head[]; /* the complaint then */
bool view_put_sealed(FILE *to, const char *page, const char *end);
int view_export(const cli_args *a, const char *output, bool force, const view_file *file, int n);

/* ---- view_range.c ---- */
typedef enum view_range_kind { VIEW_WHOLE, VIEW_PART, VIEW_OUTSIDE } view_range_kind;
/* Reads the header Range (NULL: none) of a request for a file of `size` bytes. The result is a single range; the
 * whole file if there is no range or it is not understood (RFC 9110 allows this); `outside` if the range begins
 * behind the end. */
view_range_kind view_range(const char *header, uint64_t size, uint64_t *first, uint64_t *length);
/* Is it a name of this machine, with or without a port? Any other name belongs to a foreign page whose name was
 * made to resolve to this machine. */
bool view_host_is_loopback(const char *host);
/* Does a request with this header Origin (NULL: none) come from a page of the server `host`? A request without the
 * header does not come from a page of another server. */
bool view_origin_is_own(const char *origin, const char *host);

#endif
