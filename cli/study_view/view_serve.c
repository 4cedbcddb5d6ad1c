/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* view_serve.c - a study to be looked at: served on this machine, or as one page with its maps. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study_view/study_view.h"
#include "whole_file.h"

/* ---- the server ---- */

static bool interrupted(void *ctx) {
    (void)ctx;
    return cli_interrupted();
}

static void put_files(json *j, const char *key, const study_view *v) {
    json_key(j, key);
    json_array(j);
    for (int i = 0; i < v->nfile; i++) json_string(j, v->path[i]);
    json_end(j, ']');
}

static void announce(const cli_args *a, const char *who, const char *url, const study_view *v) {
    if (!cli_json(a)) {
        printf("perp %s: %s  (stop with Ctrl-C)\n", who, url);
    } else {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, "url", url);
        put_files(&j, "results", v);
        json_end(&j, '}');
    }
    fflush(stdout);
}

static int serve(const cli_args *a, const char *who, study_view *v) {
    study_site site = {.view = v};
    view_site http = {.version = perp_version(), .guest = &site.guest};
    view_server *server;
    perp_refusal why;
    study_site_init(&site);
    if (!view_make_token(site.token)) return cli_refuse_say(a, CLI_MACHINE, "the system has no random numbers");
    site.player = view_player_new(v->study, v->info.program, &v->hdf5);
    if (!site.player) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
    cli_catch_interrupt();
    if (view_server_open(&http, (int)cli_number(a, "port", 0), &server, &why)) {
        view_player_free(site.player);
        return cli_refuse_writing(a, &why);
    }
    announce(a, who, view_server_url(server), v);
    if (!cli_given(a, "no-open")) view_browse(view_server_url(server));
    view_server_serve(server, interrupted, NULL);
    view_server_close(server);
    view_player_free(site.player);
    return CLI_OK; /* Ctrl-C is how it ends */
}

/* ---- one page ---- */

/* The JSON in a script element that browsers do not run: "<" is written so that nothing in it ends the element. */
static perp_status put_data(const study_view *v, FILE *to, perp_refusal *why) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    perp_status st = PERP_E_MEMORY;
    *why = (perp_refusal){.status = PERP_E_MEMORY, .text = "not enough memory"};
    if (memory) {
        st = view_json_study(v, "", memory, why);
        if (fclose(memory) && !st) st = PERP_E_MEMORY;
    }
    if (!st) {
        fputs("<script type=\"application/x-perp-study\">", to);
        for (size_t i = 0; i < size; i++)
            if (text[i] == '<')
                fputs("\\u003c", to);
            else
                fputc(text[i], to);
        fputs("</script>\n", to);
    }
    free(text);
    return st;
}

static void tell_export(const cli_args *a, const char *output, const study_view *v) {
    struct stat st = {0};
    char size[32], shown[CLI_PATH];
    stat(output, &st);
    if (!cli_json(a)) {
        printf("%s: %d map%s, %s; opens in any browser, without trials\n", cli_printable(shown, sizeof shown, output),
               v->nmap, v->nmap == 1 ? "" : "s", cli_bytes(size, sizeof size, (double)st.st_size));
        return;
    }
    json j;
    json_begin(&j, stdout);
    json_object(&j);
    json_field_string(&j, "output", output);
    json_field_whole(&j, "bytes", (long long)st.st_size);
    put_files(&j, "results", v);
    json_end(&j, '}');
}

static int export_page(const cli_args *a, const char *output, const study_view *v) {
    char shown[CLI_PATH];
    size_t size, mark;
    const char *page = view_study_page(&size), *at = view_find_marker(page, size, &mark);
    if (!at)
        return cli_refuse_say(a, CLI_BAD_INPUT,
                              "the page in this program has no place for a study; build it again with tools/viewer");
    if (!cli_given(a, "force") && !access(output, F_OK))
        return cli_refuse_say(a, CLI_BAD_INPUT,
                              "%s: found a file of that name; allowed: a name that is free, --force to replace it",
                              cli_printable(shown, sizeof shown, output));
    perp_refusal why = {0}, writing = {0};
    whole_file out;
    if (whole_file_begin(&out, output, &why)) return cli_refuse_writing(a, &why);
    bool sealed = view_put_sealed(out.to, page, at);
    perp_status st = sealed ? put_data(v, out.to, &why) : PERP_OK;
    at += mark;
    fwrite(at, 1, size - (size_t)(at - page), out.to);
    if (whole_file_end(&out, !st && sealed, &writing)) return cli_refuse_writing(a, &writing);
    if (!sealed) return cli_refuse_say(a, CLI_BAD_INPUT, "%s", view_no_head);
    if (st) return cli_refuse(a, &why);
    tell_export(a, output, v);
    return CLI_OK;
}

/* ---- from outside ---- */

int study_view_show(const cli_args *a, const char *who) {
    const char *output = cli_text(a, "export", NULL);
    int code = view_has_study_page(a);
    if (!code && !output) code = view_has_server(a);
    if (code) return code;
    int n = cli_operands(a);
    const char **path = malloc(sizeof *path * (size_t)n);
    if (!path) return cli_refuse_say(a, CLI_MACHINE, "not enough memory");
    for (int i = 0; i < n; i++) path[i] = cli_operand(a, i);
    study_view v;
    perp_refusal why = {0};
    if (study_view_open(&v, path, n, &why)) {
        code = cli_refuse(a, &why);
    } else {
        code = output ? export_page(a, output, &v) : serve(a, who, &v);
        study_view_close(&v);
    }
    free((void *)path);
    return code;
}
