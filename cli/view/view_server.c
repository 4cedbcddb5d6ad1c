/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_server.c - sockets and the loop of the viewer's server.
 *
 * There is one thread: libmicrohttpd is called whenever one of its sockets is ready, so two hundred clients need two hundred sockets
 * and nothing else. A client is disconnected if it does not complete its first request within FIRST_SECONDS, or if it is idle for
 * IDLE_SECONDS. Requests for frames that do not exist yet wait here.
 *
 * New connections are always accepted. Those that have not sent the secret yet may use two fifths of all places, and those that have
 * sent it two fifths. If one of the two groups exceeds its share, a connection of it is closed at once: in the first group the
 * oldest; in the second the one that has had no request for longest, or, if all have one, the one that has not read from its answer
 * for longest. So idle connections do not delay others, and connections without the secret do not displace the user's. A browser opens
 * a lost connection again. */
#define _DEFAULT_SOURCE
#include "view/view.h"

#ifdef PERP_HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/view_http.h"

#define FIRST_SECONDS 3.0
#define IDLE_SECONDS  30u
enum {
    CLIENTS = 640,            /* connections at a time */
    QUEUE = 1024,             /* backlog of the socket: connections that arrive within one round of the loop */
    REQUEST_BYTES = 24 << 10, /* memory of a request: its headers must fit */
    SEND_BYTES = 64 << 10,    /* that the kernel takes for a client who does not read; by itself it takes megabytes */
    TICK_MS = 200,            /* how long the loop may sleep */
    FULL_MS = 1               /* while all places are taken, and libmicrohttpd does not listen */
};

int view_has_server(const cli_args *a) {
    (void)a;
    return CLI_OK;
}

/* ---- clients ---- */

static void on_connection(void *server, struct MHD_Connection *c, void **context,
                          enum MHD_ConnectionNotificationCode what) {
    view_server *s = server;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        view_client *old = *context;
        if (!old) return;
        s->nclient--;
        *old->link = old->next;
        if (old->next) old->next->link = old->link;
        free(old);
        return;
    }
    view_client *client = *context = calloc(1, sizeof *client);
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!client) return;
    s->nclient++;
    client->fd = info ? info->connect_fd : -1;
    client->since = pp_clock();
    client->next = s->clients;
    client->link = &s->clients;
    if (s->clients) s->clients->link = &client->next;
    s->clients = client;
}

static void on_completed(void *server, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode how) {
    view_request *q = *request;
    (void)server, (void)c, (void)how;
    if (q && q->client) {
        q->client->served = true;
        q->client->waiting = false;
        q->client->since = pp_clock();
    }
    free(q);
    *request = NULL;
}

view_client *view_client_of(struct MHD_Connection *c) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Ends a conversation; libmicrohttpd sees it and closes. */
static void cut_off(view_client *c) {
    shutdown(c->fd, SHUT_RDWR);
    c->cut = true;
}

/* Closes connections that take too long to complete their first request. */
static void cut_off_slow(view_server *s) {
    double now = pp_clock();
    for (view_client *c = s->clients; c; c = c->next)
        if (!c->cut && !c->waiting && c->fd >= 0 && now - c->since > (c->served ? (double)IDLE_SECONDS : FIRST_SECONDS))
            cut_off(c);
}

/* Would a rather be missed than b? */
static bool rather(const view_client *a, const view_client *b) {
    return a->waiting != b->waiting ? !a->waiting : a->since < b->since;
}

/* Closes connections until at most `most` of the given kind are left. A suspended request is not closed: it ends
 * within a second, and libmicrohttpd does not look at its connection before. */
static void leave(view_server *s, bool trusted, int most) {
    int n = 0;
    for (const view_client *c = s->clients; c; c = c->next) n += c->trusted == trusted && !c->cut;
    for (; n > most; n--) {
        view_client *least = NULL;
        for (view_client *c = s->clients; c; c = c->next)
            if (c->trusted == trusted && !c->cut && !c->held && c->fd >= 0 && (!least || rather(c, least))) least = c;
        if (!least) return;
        cut_off(least);
    }
}

static void make_room(view_server *s) {
    int part = (int)s->room * 2 / 5;
    if (s->nclient <= part) return;
    leave(s, false, part);
    leave(s, true, part);
}

/* ---- held requests ---- */

void view_server_hold(view_server *s, view_request *q, double seconds) {
    q->until = pp_clock() + seconds;
    q->held = true;
    if (q->client) q->client->held = true;
    q->next_held = s->held;
    s->held = q;
    MHD_suspend_connection(q->connection);
}

static void let_go_of_held(view_server *s, bool all) {
    double now = s->held ? pp_clock() : 0;
    for (view_request **at = &s->held; *at;) {
        view_request *q = *at;
        if (!all && now < q->until && !live_ring_news(s->site->live, q->run, q->from, q->changes)) {
            at = &q->next_held;
            continue;
        }
        *at = q->next_held;
        q->held = false;
        if (q->client) q->client->held = false;
        q->had_its_time = true;
        MHD_resume_connection(q->connection);
    }
}

/* ---- the loop ---- */

static void empty_pipe(int fd) {
    char bytes[256];
    while (read(fd, bytes, sizeof bytes) > 0) {}
}

void view_server_serve(view_server *s, bool (*stop)(void *), void *ctx) {
    bool full =
        false; /* libmicrohttpd looks at its listening socket again in the round after places have become free */
    while (!stop(ctx)) {
        MHD_UNSIGNED_LONG_LONG asked;
        int ms = full ? FULL_MS : s->held ? TICK_MS / 10 : TICK_MS;
        if (MHD_get_timeout(s->daemon, &asked) == MHD_YES && asked < (unsigned long long)ms) ms = (int)asked;
        struct pollfd ready[2] = {{.fd = s->poll_fd, .events = POLLIN}, {.fd = s->wake[0], .events = POLLIN}};
        poll(ready, 2, ms);
        if (ready[1].revents) empty_pipe(s->wake[0]);
        let_go_of_held(s, false);
        cut_off_slow(s);
        make_room(s);
        full = s->nclient >= (int)s->room;
        MHD_run(s->daemon);
        full = full || s->nclient >= (int)s->room;
    }
}

/* ---- opening and closing ---- */

/* A socket that listens on 127.0.0.1. */
static int listen_on(int port, int *taken) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    int send_bytes = SEND_BYTES;
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes); /* connections inherit it */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);            /* a port that we have just left */
    if (bind(fd, (struct sockaddr *)&at, size) || listen(fd, QUEUE) || getsockname(fd, (struct sockaddr *)&at, &size)) {
        int reason = errno;
        close(fd);
        errno = reason;
        return -1;
    }
    *taken = ntohs(at.sin_port);
    return fd;
}

/* Limits the number of clients by the number of files that may be open; raises that limit if necessary. */
static unsigned room_for_clients(void) {
    struct rlimit files;
    rlim_t want = CLIENTS + 64;
    if (getrlimit(RLIMIT_NOFILE, &files)) return CLIENTS / 4;
    if (files.rlim_cur != RLIM_INFINITY && files.rlim_cur < want) {
        files.rlim_cur = files.rlim_max == RLIM_INFINITY || files.rlim_max > want ? want : files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur == RLIM_INFINITY || files.rlim_cur >= want) return CLIENTS;
    return files.rlim_cur > 80 ? (unsigned)files.rlim_cur - 64 : 16;
}

/* Addresses stay as they came: nothing of ours needs an escape. */
static size_t keep_escapes(void *ctx, struct MHD_Connection *c, char *text) {
    (void)ctx, (void)c;
    return strlen(text);
}

static perp_status trouble(perp_refusal *why, perp_status status, const char *what, const char *reason) {
    *why = (perp_refusal){.status = status};
    snprintf(why->text, sizeof why->text, "%s: %s", what, reason);
    return status;
}

perp_status view_server_open(const view_site *site, int port, view_server **out, perp_refusal *why) {
    view_server *s = *out = calloc(1, sizeof *s);
    if (!s) return trouble(why, PERP_E_MEMORY, "the viewer's server", "no memory");
    s->site = site;
    s->wake[0] = s->wake[1] = -1;
    signal(SIGPIPE, SIG_IGN); /* send() reports a client that has disconnected */
    int taken = 0, fd = listen_on(port, &taken);
    if (fd < 0) {
        char what[64];
        int reason = errno;
        snprintf(what, sizeof what, port ? "--port %d: cannot be used" : "no port of 127.0.0.1 can be used", port);
        view_server_close(s);
        *out = NULL;
        return trouble(why, PERP_E_ARG, what, strerror(reason));
    }
    if (!view_make_token(s->secret)) {
        close(fd);
        view_server_close(s);
        *out = NULL;
        return trouble(why, PERP_E_IO, "the viewer's server", "the system has no random numbers");
    }
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d/%s/", taken, s->secret);
    s->room = room_for_clients();
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, view_answer, s,
                                 MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, s->room,
                                 MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 (size_t)REQUEST_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
                                 keep_escapes, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
                                 MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!s->daemon) close(fd);
    if (!info || pipe(s->wake)) {
        view_server_close(s);
        *out = NULL;
        return trouble(why, PERP_E_IO, "the viewer's server", "cannot be started");
    }
    s->poll_fd = info->epoll_fd;
    for (int i = 0; i < 2; i++) {
        fcntl(s->wake[i], F_SETFL, O_NONBLOCK);
        fcntl(s->wake[i], F_SETFD, FD_CLOEXEC);
    }
    if (site->live) live_ring_wake(site->live, s->wake[1]);
    return PERP_OK;
}

const char *view_server_url(const view_server *s) { return s->url; }

void view_server_close(view_server *s) {
    if (!s) return;
    view_browse_end();
    if (s->site->live) live_ring_wake(s->site->live, -1);
    let_go_of_held(s, true);
    if (s->daemon) MHD_stop_daemon(s->daemon);
    for (int i = 0; i < 2; i++)
        if (s->wake[i] >= 0) close(s->wake[i]);
    free(s);
}
#else
int view_has_server(const cli_args *a) {
    return cli_refuse_say(a, CLI_BAD_INPUT,
                          "this program was built without libmicrohttpd, so it cannot show pages (perp view --export "
                          "can write them); install it (tools/setup does) and build perp again");
}

/* Not reached: callers check view_has_server() first. */
perp_status view_server_open(const view_site *site, int port, view_server **out, perp_refusal *why) {
    (void)site, (void)port;
    *out = NULL;
    *why = (perp_refusal){.status = PERP_E_ARG, .text = "built without libmicrohttpd"};
    return PERP_E_ARG;
}
const char *view_server_url(const view_server *s) {
    (void)s;
    return "";
}
void view_server_serve(view_server *s, bool (*stop)(void *), void *ctx) { (void)s, (void)stop, (void)ctx; }
void view_server_close(view_server *s) { (void)s; }
#endif
