/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* client.c - a client that misbehaves on demand, for tests of the viewer's server.
 *
 *   client PORT raw                    sends stdin as it is, prints all that comes back until the other side closes
 *   client PORT parallel N PATH FILE   N connections at once, each asks for PATH half a request at a time; prints how many got FILE
 *   client PORT silent                 connects and says nothing; prints the seconds until it is cut off
 *   client PORT trickle                the same, with one letter of a header every tenth of a second
 *   client PORT deaf PATH              asks and does not read, for three seconds
 *   client PORT crowd N HOW PATH       N connections that stay: silent ones, or ones that ask for PATH and then are idle (they read the answer) or
 *                                      deaf (they do not); then asks for PATH on new connections, ten times; prints the longest seconds to an answer
 *   client PORT keep N HOW PATH KEPT   the same crowd, between two requests for KEPT on one connection; prints how many of the two are answered
 *
 * Gives up after PATIENCE seconds. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 20.0

static void give_up(const char *what) {
    fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int connect_to(int port) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at)) give_up("connect");
    return fd;
}

static void say(int fd, const char *text, size_t n) {
    while (n > 0) {
        ssize_t k = send(fd, text, n, MSG_NOSIGNAL);
        if (k <= 0) return; /* it hung up on us: what it said first is still to be read */
        text += k;
        n -= (size_t)k;
    }
}

/* Is there something to read, or an end, within the seconds? */
static bool ready(int fd, double seconds) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, (int)(seconds * 1000)) > 0;
}

static int raw(int port) {
    char buf[65536];
    int fd = connect_to(port);
    for (size_t n; (n = fread(buf, 1, sizeof buf, stdin)) > 0;) say(fd, buf, n);
    for (double end = now() + PATIENCE; now() < end;) {
        if (!ready(fd, end - now())) break;
        ssize_t n = recv(fd, buf, sizeof buf, 0);
        if (n <= 0) return 0;
        fwrite(buf, 1, (size_t)n, stdout);
    }
    fprintf(stderr, "client: no end after %g s\n", PATIENCE);
    return 1;
}

static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) give_up(path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size + 1);
    if (!data || fread(data, 1, *size, f) != *size) give_up(path);
    fclose(f);
    return data;
}

typedef struct talk {
    int fd;
    char *got;
    size_t n, cap;
    bool over;
} talk;

static void listen_to(talk *t) {
    if (t->cap - t->n < 65536) {
        t->cap = t->cap * 2 + 65536;
        t->got = realloc(t->got, t->cap);
        if (!t->got) give_up("memory");
    }
    ssize_t n = recv(t->fd, t->got + t->n, t->cap - t->n - 1, 0);
    if (n > 0) t->n += (size_t)n;
    if (n <= 0) t->over = true;
}

static bool is_whole(const talk *t, const char *want, size_t size) {
    static const char ok[] = "HTTP/1.1 200 OK\r\n";
    if (t->n < sizeof ok || memcmp(t->got, ok, sizeof ok - 1) != 0) return false;
    t->got[t->n] = 0;
    const char *body = strstr(t->got, "\r\n\r\n");
    return body && t->n - (size_t)(body + 4 - t->got) == size && !memcmp(body + 4, want, size);
}

/* As many files as this process may have. */
static void raise_limit(void) {
    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

static int parallel(int port, int n, const char *path, const char *file) {
    size_t size;
    char *want = read_file(file, &size), request[512];
    talk *t = calloc((size_t)n, sizeof *t);
    struct pollfd *p = calloc((size_t)n, sizeof *p);
    if (!t || !p) give_up("memory");
    raise_limit();
    size_t length = (size_t)snprintf(request, sizeof request,
                                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", path, port);
    for (int i = 0; i < n; i++) t[i].fd = connect_to(port);
    for (int i = 0; i < n; i++) say(t[i].fd, request, length / 2);
    for (int i = 0; i < n; i++) say(t[i].fd, request + length / 2, length - length / 2);
    int left = n, good = 0;
    for (double end = now() + PATIENCE; left > 0 && now() < end;) {
        for (int i = 0; i < n; i++) p[i] = (struct pollfd){.fd = t[i].over ? -1 : t[i].fd, .events = POLLIN};
        if (poll(p, (nfds_t)n, 1000) < 0) break;
        for (int i = 0; i < n; i++) {
            if (!p[i].revents) continue;
            listen_to(&t[i]);
            left -= t[i].over;
        }
    }
    for (int i = 0; i < n; i++) good += is_whole(&t[i], want, size);
    for (int i = 0; i < n; i++) {
        close(t[i].fd);
        free(t[i].got);
    }
    free(want);
    free(t);
    free(p);
    printf("%d\n", good);
    return 0;
}

static int slow(int port, bool trickle) {
    static const char head[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    double began = now();
    int fd = connect_to(port);
    if (trickle) say(fd, head, sizeof head - 1);
    while (now() - began < PATIENCE) {
        if (ready(fd, 0.1)) {
            char buf[4096];
            if (recv(fd, buf, sizeof buf, 0) <= 0) break;
        }
        if (trickle) say(fd, "a", 1);
    }
    printf("%.1f\n", now() - began);
    return 0;
}

static int deaf(int port, const char *path) {
    char request[512];
    int fd = connect_to(port), small = 4096;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    int n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
    say(fd, request, (size_t)n);
    nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
    return 0;
}

/* Reads some of an answer: until there is nothing for a moment. */
static void read_some(int fd) {
    char buf[65536];
    while (ready(fd, 0.02) && recv(fd, buf, sizeof buf, 0) > 0) {}
}

/* Seconds until the first bytes of an answer of 200 are there; PATIENCE: none. */
static double ask_once(int port, const char *request, size_t length) {
    char buf[4096] = "";
    double began = now();
    int fd = connect_to(port);
    say(fd, request, length);
    bool good = ready(fd, PATIENCE) && recv(fd, buf, sizeof buf - 1, 0) > 0 && !strncmp(buf, "HTTP/1.1 200 ", 13);
    double took = now() - began;
    close(fd);
    return good ? took : PATIENCE;
}

static size_t put_request(char *out, size_t size, const char *path, int port) {
    return (size_t)snprintf(out, size, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", path, port);
}

/* Connections that stay, owned by the caller. Idle ones get their answers in turn: each is there before the next
 * connection comes. What follows the first bytes of an answer is read at the end, of all together. */
static int *gather(int port, int n, const char *how, const char *path) {
    char request[512], buf[65536];
    bool idle = !strcmp(how, "idle");
    int *fd = calloc((size_t)n, sizeof *fd), small = 4096;
    if (!fd) give_up("memory");
    raise_limit();
    size_t length = put_request(request, sizeof request, path, port);
    for (int i = 0; i < n; i++) {
        fd[i] = connect_to(port);
        if (!strcmp(how, "deaf")) setsockopt(fd[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        if (strcmp(how, "silent") != 0) say(fd[i], request, length);
        if (idle && ready(fd[i], 0.02)) (void)recv(fd[i], buf, sizeof buf, 0);
    }
    for (int i = 0; i < n && idle; i++)
        while (ready(fd[i], 0) && recv(fd[i], buf, sizeof buf, 0) > 0) {}
    return fd;
}

static void disperse(int *fd, int n) {
    for (int i = 0; i < n; i++) close(fd[i]);
    free(fd);
}

static int crowd(int port, int n, const char *how, const char *path) {
    char request[512];
    size_t length = put_request(request, sizeof request, path, port);
    int *fd = gather(port, n, how, path);
    double longest = 0;
    for (int i = 0; i < 10; i++) {
        double took = ask_once(port, request, length);
        if (took > longest) longest = took;
    }
    disperse(fd, n);
    printf("%.3f\n", longest);
    return 0;
}

/* Asks on a connection that is open; true: answered with 200. */
static bool ask_again(int fd, const char *request, size_t length) {
    char buf[4096] = "";
    say(fd, request, length);
    bool good = ready(fd, PATIENCE) && recv(fd, buf, sizeof buf - 1, 0) > 0 && !strncmp(buf, "HTTP/1.1 200 ", 13);
    read_some(fd);
    return good;
}

static int keep(int port, int n, const char *how, const char *path, const char *kept) {
    char request[512];
    size_t length = put_request(request, sizeof request, kept, port);
    int fd = connect_to(port), good = ask_again(fd, request, length);
    int *others = gather(port, n, how, path);
    good += ask_again(fd, request, length);
    disperse(others, n);
    close(fd);
    printf("%d\n", good);
    return 0;
}

int main(int argc, char **argv) {
    int port = argc > 2 ? atoi(argv[1]) : 0;
    const char *how = argc > 2 ? argv[2] : "";
    signal(SIGPIPE, SIG_IGN);
    if (!strcmp(how, "raw")) return raw(port);
    if (!strcmp(how, "parallel") && argc == 6) return parallel(port, atoi(argv[3]), argv[4], argv[5]);
    if (!strcmp(how, "silent")) return slow(port, false);
    if (!strcmp(how, "trickle")) return slow(port, true);
    if (!strcmp(how, "deaf") && argc == 4) return deaf(port, argv[3]);
    if (!strcmp(how, "crowd") && argc == 6) return crowd(port, atoi(argv[3]), argv[4], argv[5]);
    if (!strcmp(how, "keep") && argc == 7) return keep(port, atoi(argv[3]), argv[4], argv[5], argv[6]);
    fputs("client PORT raw|parallel N PATH FILE|silent|trickle|deaf PATH|crowd N HOW PATH|keep N HOW PATH KEPT\n",
          stderr);
    return 2;
}
