/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_view.c - perp view: recordings in the browser, or as one page to keep. */
#include "study_view/study_view.h"

static const cli_option options[] = {
    {.name = "export",
     .letter = 'e',
     .kind = CLI_FILE,
     .argument = "FILE",
     .help = "Write one HTML file with the viewer and the recordings, and end. The file needs neither perp nor a "
             "network."},
    {.name = "force",
     .letter = 'f',
     .kind = CLI_FLAG,
     .help = "With --export: replace an existing file. A recording is never replaced."},
    {.name = "port",
     .letter = 'p',
     .kind = CLI_WHOLE,
     .argument = "PORT",
     .min = 1,
     .max = 65535,
     .help = "Use this port of 127.0.0.1. The default is any free port."},
    {.name = "no-open", .letter = 'n', .kind = CLI_FLAG, .help = "Only print the address; do not open a browser."},
    {.name = "anyway",
     .kind = CLI_FLAG,
     .help = "Also serve recordings that perp itself cannot read: truncated files, files of a newer perp or of "
             "another program. The page shows what it can, or says why it cannot."},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp view pile.h5", "look at a recording"},
    {"perp view rough.h5 smooth.h5", "two of them, in step"},
    {"perp view grasp-map.h5", "the maps of a study and its trials; perp sweep writes such files"},
    {"perp view --export pile.html pile.h5", "a page to send to somebody, or to put on a server"},
    {"perp view --no-open --port 8080 pile.h5",
     "on a machine far away; then ssh -L 8080:127.0.0.1:8080 from here, and open the address that was printed there"},
    {NULL, NULL},
};

/* Options that do not go together. */
static int check_together(const cli_args *a) {
    static const char *const only_served[] = {"port", "no-open"};
    for (int i = 0; cli_given(a, "export") && i < 2; i++) {
        char key[32];
        snprintf(key, sizeof key, "--%s", only_served[i]);
        if (cli_given(a, only_served[i])) return cli_mistake(a, key, "together with --export", "one of the two");
    }
    if (cli_given(a, "force") && !cli_given(a, "export"))
        return cli_mistake(a, "--force", "without --export", "both together");
    return CLI_OK;
}

static bool interrupted(void *ctx) {
    (void)ctx;
    return cli_interrupted();
}

static void announce(const cli_args *a, const char *url, const view_site *site) {
    if (!cli_json(a)) {
        printf("perp view: %s  (stop with Ctrl-C)\n", url);
    } else {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, "url", url);
        json_key(&j, "recordings");
        json_array(&j);
        for (int i = 0; i < site->nfile; i++) json_string(&j, site->file[i].path);
        json_end(&j, ']');
        json_end(&j, '}');
    }
    fflush(stdout);
}

static int serve(const cli_args *a, const view_file *file, int n) {
    view_site site = {.file = file, .nfile = n, .version = perp_version()};
    view_server *server;
    perp_refusal why;
    cli_catch_interrupt();
    if (view_server_open(&site, (int)cli_number(a, "port", 0), &server, &why)) return cli_refuse_writing(a, &why);
    announce(a, view_server_url(server), &site);
    if (!cli_given(a, "no-open")) view_browse(view_server_url(server));
    view_server_serve(server, interrupted, NULL);
    view_server_close(server);
    return CLI_OK; /* Ctrl-C is how it ends */
}

static int run(const cli_args *a) {
    const char *output = cli_text(a, "export", NULL);
    int code = check_together(a);
    if (!code && recording_signature(cli_operand(a, 0)) && pp_study_file_is(cli_operand(a, 0)))
        return study_view_show(a, "view");
    if (!code) code = view_has_page(a);
    if (!code && !output) code = view_has_server(a);
    if (code) return code;
    view_file *file;
    int n;
    code = view_open_files(a, cli_given(a, "anyway"), &file, &n);
    if (!code) code = output ? view_export(a, output, cli_given(a, "force"), file, n) : serve(a, file, n);
    view_close_files(file, n);
    return code;
}

const cli_command command_view = {
    .name = "view",
    .operands = "RECORDING...\nRESULTS...\n--export FILE RECORDING...",
    .min_operand = 1,
    .max_operand = -1,
    .summary = "show recordings in the browser, or write them as one HTML page",
    .about =
        "Shows recordings in a browser. perp starts a server on this machine, prints its address, and opens a "
        "browser if it finds one and a display (BROWSER, xdg-open). Ctrl-C stops it. The page plays the run in 3D "
        "or 2D, and shows contacts, forces, joints and charts. It shows two recordings side by side or overlaid.\n\n"
        "The address contains a secret, which is different each time. Other users of this machine who do not know "
        "it get nothing from the server. Keep the address to yourself. Other machines cannot reach the server. It "
        "serves only the page and the files that you named, accepts no uploads, and refuses requests from pages "
        "of other servers. You can view a recording while it is being written; reload the page to see new frames.\n\n"
        "To watch a run while it is computed, use perp run --view.\n\n"
        "Results of a study are shown as maps, with the trials of each cell; see perp study --view.",
    .option = options,
    .example = examples,
    .run = run,
};
