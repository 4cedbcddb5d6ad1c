/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view.h - the viewer's server: a page, the recordings that were named, and a run that goes on; on loopback only.
 *
 *   view_page.c    the page, built from viewer/ and carried in the program
 *   view_file.c    the recordings: opened once, served from there
 *   view_server.c  sockets and the loop: who is served, for how long
 *   view_answer.c  what is answered to what
 *   view_range.c   byte ranges
 *   view_token.c   the secret of the address, and what commands must bring
 *   view_live.c    what is answered about a run that goes on
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
/* Can this program show and serve the page? CLI_OK, or 2 after a complaint that says what to do. */
int view_has_page(const cli_args *a);
int view_has_study_page(const cli_args *a);
int view_has_server(const cli_args *a);

/* ---- recordings ---- */
typedef struct view_file {
    const char *path; /* borrowed */
    const char *name; /* within path, without the folders where that is enough to tell it from the others */
    int fd;           /* open for reading */
} view_file;
/* Opens them all. What perp cannot read is refused, unless `anyway`; no folder, pipe or file that is not HDF5 is ever
 * taken. CLI_OK, or another code after a complaint. */
int view_open_files(const cli_args *a, bool anyway, view_file **out, int *n);
void view_close_files(view_file *file, int n);

/* ---- the server ---- */
/* Somebody else's answers, asked for before the viewer's own; see view_http.h for what they are made with. */
struct view_request;
typedef struct view_guest {
    void *ctx;
    bool (*posted)(void *ctx, const char *url); /* is it an address that is posted to? All others are only read. */
    /* True if it is one of its addresses; *result is what libmicrohttpd is told then. */
    bool (*answer)(void *ctx, struct view_request *q, const char *url, bool head, int *result);
} view_guest;
typedef struct view_site {
    const view_file *file;
    int nfile;
    live_ring *live;   /* NULL: there is no run */
    const char *token; /* that commands to the run must bring */
    const char *version;
    const view_guest *guest; /* NULL: none */
} view_site;
typedef struct view_server view_server;

/* Takes a port of 127.0.0.1; 0: any that is free. `site` is borrowed. Each server has a secret of its own in its address:
 * requests without it get nothing, so that other users of the machine can neither read nor drive what is served. */
perp_status view_server_open(const view_site *site, int port, view_server **out, perp_refusal *why);
const char *view_server_url(const view_server *s); /* "http://127.0.0.1:4711/SECRET/" */
/* Serves until stop(ctx), which is asked several times a second. */
void view_server_serve(view_server *s, bool (*stop)(void *), void *ctx);
void view_server_close(view_server *s);

/* Shows the address in a browser, if there is a screen and a browser. Arguments of programs can be read by all users, so
 * the browser gets a file that only this user can read and that leads to the address. */
void view_browse(const char *url);
/* Removes that file. */
void view_browse_end(void);

/* ---- tokens ---- */
enum { VIEW_TOKEN = 32 }; /* letters: 128 random bits */
/* Letters that nobody can guess. False: the system has no random numbers. */
bool view_make_token(char out[VIEW_TOKEN + 1]);
/* Is it the token? The same time for every text, right or wrong. */
bool view_same_token(const char *text, size_t length, const char *token);

/* ---- one file of it all ---- */
/* Where data have their place in a page, and how long the mark is that stands there; NULL: nowhere. */
const char *view_find_marker(const char *page, size_t size, size_t *length);
/* Writes the page up to `end`, with a policy at its beginning that forbids it any connection. False: the page has no
 * head to put it in. */
extern const char view_no_head[]; /* the complaint then */
bool view_put_sealed(FILE *to, const char *page, const char *end);
int view_export(const cli_args *a, const char *output, bool force, const view_file *file, int n);

/* ---- view_range.c ---- */
typedef enum view_range_kind { VIEW_WHOLE, VIEW_PART, VIEW_OUTSIDE } view_range_kind;
/* What the value of the header Range (NULL: none) asks for of so many bytes: a single range that can be had, whole
 * where there is none or one that is not understood (as RFC 9110 allows), outside if it begins behind the end. */
view_range_kind view_range(const char *header, uint64_t size, uint64_t *first, uint64_t *length);
/* Is it a name of this machine, with or without a port? Other names are other people's pages that had their name point
 * here. */
bool view_host_is_loopback(const char *host);
/* Does a request with this header Origin (NULL: none) come from a page of the server that it asked for as `host`? Without
 * the header it is no page of another server that asks. */
bool view_origin_is_own(const char *origin, const char *host);

#endif
