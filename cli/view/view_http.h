/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_http.h - between view_server.c, view_answer.c and view_live.c: one request, and the server it came to. Only for
 * builds that have libmicrohttpd. */
#ifndef VIEW_HTTP_H
#define VIEW_HTTP_H

#include <microhttpd.h>

#include "view/view.h"

/* A connected client. */
typedef struct view_client {
    struct view_client *next, **link;
    int fd;
    bool served;  /* has had an answer before */
    bool waiting; /* for us: the request is here */
    bool trusted; /* has brought the secret */
    bool held;    /* its request is held: see view_server_hold() */
    bool cut;     /* off; libmicrohttpd will close it */
    double since; /* time of its last activity: connected, was answered, or took a part of an answer */
} view_client;

typedef struct view_request {
    struct MHD_Connection *connection;
    view_client *client;
    char body[LIVE_COMMAND_LENGTH];
    size_t length;
    /* a request that waits for news of a run */
    struct view_request *next_held;
    bool held, had_its_time;
    double until;
    uint64_t run, from, changes;
} view_request;

struct view_server {
    const view_site *site;
    struct MHD_Daemon *daemon;
    int poll_fd, wake[2];
    char secret[VIEW_TOKEN + 1], url[96];
    view_client *clients;
    int nclient;
    unsigned room; /* for clients */
    view_request *held;
};

/* The handler of libmicrohttpd. */
enum MHD_Result view_answer(void *server, struct MHD_Connection *c, const char *url, const char *method,
                            const char *version, const char *data, size_t *size, void **request);
/* Suspends a request for up to so many seconds. It is processed again when live_ring_news() is true or the time is
 * over. */
void view_server_hold(view_server *s, view_request *q, double seconds);

/* The client of a connection; NULL: unknown. */
view_client *view_client_of(struct MHD_Connection *c);

/* ---- view_answer.c ---- */
/* Answers with a sentence. */
enum MHD_Result view_say(struct MHD_Connection *c, unsigned status, const char *text);
/* Answers with a text from malloc, which is freed. NULL: no memory. */
enum MHD_Result view_give_json(struct MHD_Connection *c, char *text, size_t length);

/* Answers with a page that lives as long as the program. */
enum MHD_Result view_give_page(struct MHD_Connection *c, const char *page, size_t size);
/* Answers with a file, whole or the requested range. The descriptor is closed at the end if it is `owned`. */
enum MHD_Result view_give_file(struct MHD_Connection *c, int fd, bool owned, bool head);

/* ---- view_live.c ---- */
/* True if the address belongs to the run; the answer is then in *result. The caller has checked the method. */
bool view_live_answer(view_server *s, view_request *q, const char *url, enum MHD_Result *result);

#endif
