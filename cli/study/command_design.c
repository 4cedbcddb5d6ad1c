/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_design.c - perp design: a search over the parameters of a scene, judged by simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/design_checks.h"
#include "study/figure.h"
#include "study/open.h"

static const cli_option options[] = {
    STUDY_OPTIONS,
    STUDY_OUTPUT("File of all trials; by default the name of the study with -design.h5 in the current folder."),
    STUDY_TRIAL_OPTIONS,
    {.name = "all-trials", .kind = CLI_FLAG, .help = "Run all trials of a design, also after one of them failed."},
    {.name = "no-verify", .kind = CLI_FLAG, .help = "Do not run the best design again at h/2 and on fresh samples."},
    STUDY_FIGURES("Draw the history of the search into this folder."),
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp design plate.yaml", "search for the best parameters; writes plate-design.h5"},
    {"perp design plate.yaml --resume", "continue after Ctrl-C, a crash or a power cut"},
    {"perp design feeder.yaml --figures out", "with the history as a figure"},
    {NULL, NULL},
};

typedef struct state {
    pp_design_search *h;
    bool progress;
    double last;
} state;

static bool stop(void *ctx) {
    (void)ctx;
    return cli_interrupted();
}

static void tick(void *ctx) {
    state *s = ctx;
    double now = pp_clock();
    if (!s->progress || now - s->last < 0.2) return;
    s->last = now;
    const pp_design_search *h = s->h;
    fprintf(stderr, "\r\033[K%llu designs, %llu trials", (unsigned long long)h->count,
            (unsigned long long)(h->trials + h->reused));
    if (h->best != UINT64_MAX) fprintf(stderr, ", best %.6g", h->record[h->best].f);
    fflush(stderr);
}

/* ---- verification ---- */

/* The best design with another seed or step. Exit code. */
static int verify(const cli_args *a, const study_args *x, const double *best, int64_t seed, int64_t count, int refine,
                  verified *out) {
    pp_study *s = NULL;
    pp_design d = {0};
    pp_worker_pool pool = {0};
    perp_refusal why = {0};
    int code = study_open_again(a, x, seed, count, refine, &s);
    perp_status st = code ? PERP_OK : pp_design_read(s, &d, &why);
    if (!code && !st) st = pp_worker_pool_new(s, (int)cli_number(a, "workers", 0), &pool, &why);
    if (!code && !st) st = pp_design_search_verify(&d, &pool, best, &out->f, &out->failed, &why);
    out->done = !code && !st;
    if (pool.study) pp_worker_pool_free(&pool);
    pp_design_free(&d);
    pp_study_close(s);
    return code ? code : st ? cli_refuse(a, &why) : CLI_OK;
}

/* ---- output ---- */

/* Designs that pass all levels up to this one, by number. */
static void print_passing(const pp_design_search *h, int level, const char *name) {
    uint64_t n = design_passed(h, level);
    printf("\n  designs that pass %s:", name);
    for (uint64_t i = 0; i < h->count; i++)
        if (pp_design_record_passed(&h->record[i], level)) printf(" %llu", (unsigned long long)i);
    printf("%s  (%llu of %llu)\n", n ? "" : " none", (unsigned long long)n, (unsigned long long)designs_run(h));
}

static void print_levels(const pp_design_search *h) {
    const pp_design *d = h->design;
    bool own = false; /* a level that runs trials is in the list */
    printf("\n  %-22s %-8s %9s %9s %9s %12s\n", "level", "kind", "designs", "pass", "trials", "processor");
    for (int l = 0; l <= d->nlevel && l < PP_DESIGN_LEVELS; l++) {
        const pp_design_work *w = &h->work[l];
        const pp_design_level *x = &d->level[l];
        bool last = l == d->nlevel;
        if (last && own) break;
        char time[64] = "";
        own = own || (!last && x->trials);
        if (w->trials) cli_seconds(time, sizeof time, w->seconds);
        printf("  %-22s %-8s %9llu %9llu %9llu %12s\n", last ? "trials" : x->name,
               last || x->trials ? "trials"
               : x->proof        ? "proof"
                                 : "guess",
               (unsigned long long)w->entered, (unsigned long long)w->passed, (unsigned long long)w->trials, time);
    }
    for (int l = 0; l < d->nlevel; l++) /* of several levels that run trials, each */
        if (d->level[l].trials && l + 1 < d->nlevel) print_passing(h, l, d->level[l].name);
    print_passing(h, PP_DESIGN_LEVELS, "everything");
    for (int l = 0; l < d->nlevel; l++) { /* how well a guess predicts the result */
        if (d->level[l].proof || d->level[l].trials) continue;
        uint64_t count[2][2] = {{0}};
        bool met = false;
        for (uint64_t i = 0; i < h->count; i++) {
            int level = h->record[i].level;
            bool run = pp_design_record_passed(&h->record[i], l);
            if (!run || pp_design_meets(d, l, h->x + i * (uint64_t)d->n, &met, NULL)) continue;
            count[met][level == PP_DESIGN_PASSED]++;
        }
        printf("  guess %s: %llu of %llu that meet it pass, %llu of %llu that do not\n", d->level[l].name,
               (unsigned long long)count[1][1], (unsigned long long)(count[1][0] + count[1][1]),
               (unsigned long long)count[0][1], (unsigned long long)(count[0][0] + count[0][1]));
    }
}

static void print_best(const pp_design_search *h) {
    const pp_design *d = h->design;
    if (h->best == UINT64_MAX) return;
    const pp_design_record *r = &h->record[h->best];
    const double *x = h->x + h->best * (uint64_t)d->n;
    printf("\n  best       %.9g, design %llu%s\n", r->f, (unsigned long long)h->best,
           r->violation > 0 ? ", constraints violated" : "");
    for (int i = 0; i < d->n; i++) {
        bool at = x[i] == d->lower[i] || x[i] == d->upper[i];
        printf("    %-18s %.9g%s\n", d->study->parameter[d->parameter[i]], x[i], at ? "  (at its bound)" : "");
    }
    if (r->failed) printf("  failed     %llu of its trials\n", (unsigned long long)r->failed);
    bool flat = h->count > 1;
    for (uint64_t i = 0; flat && i < h->count; i++) flat = isnan(h->record[i].f) || h->record[i].f == r->f;
    if (flat)
        printf("  note       all designs gave the same objective: the start lies on a plateau; try another start, "
               "larger steps, or a "
               "global method\n");
}

static void print_all(const design_result *r, const char *path, double seconds) {
    const pp_design_search *h = r->hunt;
    char wall[64];
    cli_seconds(wall, sizeof wall, seconds);
    study_print_title(h->design->study, stdout);
    uint64_t run = designs_run(h);
    for (int i = 0; i < h->design->nstage; i++)
        printf("%s%s", i ? ", then " : "  method     ", h->design->stage[i].method);
    printf(": %llu designs, %llu trials", (unsigned long long)h->count, (unsigned long long)(h->trials + h->reused));
    if (run < h->count)
        printf("; ended after %llu designs: %llu pass, %d are enough", (unsigned long long)run,
               (unsigned long long)design_passed(h, PP_DESIGN_LEVELS), h->design->enough);
    if (h->reused) printf(" (%llu from the file)", (unsigned long long)h->reused);
    if (h->result.reason) printf("; %d restarts; ended: %s", h->result.restarts, h->result.reason);
    printf("; %s\n  results    %s\n", wall, path);
    if (h->design->sample) print_levels(h);
    print_best(h);
    if (r->half.done) printf("  at h/2     %.9g%s\n", r->half.f, r->half.failed ? ", some trials failed" : "");
    if (r->fresh.done)
        printf("  fresh      %.9g on samples that the search has not seen%s\n", r->fresh.f,
               r->fresh.failed ? ", some trials failed" : "");
}

static void print_json(const design_result *r, const char *path, const study_check *c, int n) {
    const pp_design_search *h = r->hunt;
    const pp_design *d = h->design;
    json j;
    json_begin(&j, stdout);
    json_object(&j);
    char methods[PP_DESIGN_STAGES * 40] = "";
    for (int i = 0; i < d->nstage; i++)
        snprintf(methods + strlen(methods), sizeof methods - strlen(methods), "%s%.30s", i ? ", " : "",
                 d->stage[i].method);
    json_field_string(&j, "method", methods);
    json_field_whole(&j, "designs", (long long)h->count);
    json_field_whole(&j, "trials", (long long)(h->trials + h->reused));
    json_field_string(&j, "results", path);
    if (h->result.reason) json_field_string(&j, "ended", h->result.reason);
    if (h->best != UINT64_MAX) {
        json_field_whole(&j, "best_design", (long long)h->best);
        json_field_number(&j, "best", h->record[h->best].f);
        json_key(&j, "parameters");
        json_object(&j);
        for (int i = 0; i < d->n; i++)
            json_field_number(&j, d->study->parameter[d->parameter[i]], h->x[h->best * (uint64_t)d->n + (uint64_t)i]);
        json_end(&j, '}');
    }
    if (r->half.done) json_field_number(&j, "half_step", r->half.f);
    if (r->fresh.done) json_field_number(&j, "fresh", r->fresh.f);
    json_key(&j, "passing");
    json_array(&j);
    for (uint64_t i = 0; i < h->count; i++)
        if (h->record[i].level == PP_DESIGN_PASSED && d->sample) json_whole(&j, (long long)i);
    json_end(&j, ']');
    json_key(&j, "history");
    json_array(&j);
    for (uint64_t i = 0; i < h->count; i++) json_number(&j, h->record[i].f);
    json_end(&j, ']');
    checks_json(c, n, &j);
    json_end(&j, '}');
}

/* ---- the command ---- */

static int conclude(const cli_args *a, const study_args *x, const pp_design_search *h, const char *path,
                    double seconds) {
    const pp_design *d = h->design;
    const pp_study *s = d->study;
    design_result r = {.design = d, .hunt = h};
    int code = CLI_OK, n = 0;
    if (h->best != UINT64_MAX && d->objective && !cli_given(a, "no-verify")) {
        const double *best = h->x + h->best * (uint64_t)d->n;
        if (d->verify_half) code = verify(a, x, best, -1, -1, 2, &r.half);
        int64_t seed = d->verify_seed >= 0 ? d->verify_seed : (int64_t)(s->seed + 1) & 0xffffffff;
        if (!code && s->ndraw > 0) code = verify(a, x, best, seed, d->verify_count, 1, &r.fresh);
    }
    if (code) return code;
    perp_refusal why = {0};
    study_check *c = NULL;
    perp_status st = design_checks(&r, &c, &n, &why);
    /* without verification, checks of it are left out */
    for (int i = 0; !st && i < n; i++) c[i].applies = !(cli_given(a, "no-verify") && isnan(c[i].got));
    if (!st && cli_json(a)) {
        print_json(&r, path, c, n);
    } else if (!st && !cli_given(a, "quiet")) {
        print_all(&r, path, seconds);
        checks_print(c, n, stdout, false);
    }
    bool ok = !st && checks_hold(c, n);
    free(c);
    if (!st && cli_given(a, "figures")) st = design_figures(h, cli_text(a, "figures", "."), &why);
    if (st) return cli_refuse(a, &why);
    bool none = !d->sample && (h->best == UINT64_MAX || h->record[h->best].violation > 0);
    return none || !ok ? CLI_FAILED : CLI_OK;
}

/* Mistakes in checks are told before anything runs. */
static perp_status try_checks(const pp_design *d, perp_refusal *why) {
    study_check *c = NULL;
    int n = 0;
    perp_status st = design_checks(&(design_result){.design = d}, &c, &n, why);
    free(c);
    return st;
}

static int run_design(const cli_args *a, const study_args *x, const pp_design *d, pp_worker_pool *pool) {
    char path[CLI_PATH];
    perp_refusal why = {0};
    pp_design_search h = {
        .design = d, .pool = pool, .all_trials = cli_given(a, "all-trials"), .stop = stop, .tick = tick};
    state st = {.h = &h, .progress = study_progress(a)};
    h.ctx = &st;
    if (!study_output(a, "-design", path, sizeof path))
        return cli_mistake(a, "--output", "a path that is too long", "a shorter one");
    int code = study_results(a, path, d->study, x, 0, cli_given(a, "resume"), &h.file);
    if (code) return code;
    double begun = pp_clock();
    perp_status status = pp_design_search_begin(&h, &why);
    if (!status) status = pp_design_search_run(&h, &why);
    if (st.progress) fprintf(stderr, "\r\033[K");
    if (status == PERP_E_STOPPED) {
        fprintf(stderr, "perp: interrupted after %llu designs; perp design %s --resume goes on\n",
                (unsigned long long)h.count, cli_operand(a, 0));
        code = CLI_INTERRUPTED;
    } else if (status) {
        code = cli_refuse(a, &why);
    } else {
        code = conclude(a, x, &h, path, pp_clock() - begun);
    }
    pp_design_search_free(&h);
    pp_study_file_close(h.file);
    return code;
}

static int run(const cli_args *a) {
    study_args x;
    pp_study *s = NULL;
    pp_design d = {0};
    pp_worker_pool pool = {0};
    perp_refusal why = {0};
    cli_catch_interrupt();
    int code = study_open(a, STUDY_DESIGN, &x, &s);
    if (!code && (pp_design_read(s, &d, &why) || try_checks(&d, &why))) code = cli_refuse(a, &why);
    if (!code && pp_worker_pool_new(s, (int)cli_number(a, "workers", 0), &pool, &why)) code = cli_refuse(a, &why);
    if (!code) code = run_design(a, &x, &d, &pool);
    if (pool.study) pp_worker_pool_free(&pool);
    pp_design_free(&d);
    pp_study_close(s);
    study_args_free(&x);
    return code;
}

const cli_command command_design = {
    .name = "design",
    .operands = "STUDY",
    .min_operand = 1,
    .max_operand = 1,
    .summary = "search for the best parameters of a scene by simulation",
    .about = "Searches for the parameters that minimise a measure, or that meet a condition in every trial. The key "
             "`design` of a study names the free parameters and their bounds, the objective or the condition, and the "
             "method; docs/studies.md describes it. Every design is evaluated on all trials of the study.\n\n"
             "Levels make a search cheap. A level of kind proof is a necessary condition on the parameters: a design "
             "that fails it is not simulated. A level of kind guess only orders the search: random designs that meet "
             "it are simulated first, and the command prints how well it predicted the result.\n\n"
             "The best design is verified with half of the time step, and on samples with another seed. The verified "
             "figure is not biased by the samples that the search used.",
    .option = options,
    .example = examples,
    .run = run,
};
