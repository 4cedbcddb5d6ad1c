/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* command_sweep.c - perp sweep: all trials of a study on all cores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/open.h"

static const cli_option options[] = {
    STUDY_OPTIONS,
    STUDY_OUTPUT("File of the results; by default STUDY.h5 or SCENE-sweep.h5 in the current folder."),
    STUDY_TRIAL_OPTIONS,
    {.name = "part",
     .kind = CLI_TEXT,
     .argument = "I/N",
     .help = "Run part I of N of the trials. By default from the environment of a Slurm array, of Open MPI or MPICH."},
    {.name = "parts",
     .kind = CLI_WHOLE,
     .argument = "N",
     .min = 1,
     .max = 1000000,
     .help = "Number of parts where the environment tells only which part this is, as indexed jobs of Kubernetes do."},
    {.name = "only",
     .kind = CLI_TEXT,
     .argument = "NAME=VALUE",
     .many = true,
     .help = "Use only this value, or class, of a variable. May be repeated."},
    {.name = "until",
     .kind = CLI_TEXT,
     .argument = "MEASURE=WIDTH",
     .help = "Sample each combination until the 95 % interval of this fraction is no wider than WIDTH, at most `count` "
             "times."},
    {.name = "trial",
     .kind = CLI_WHOLE,
     .argument = "K",
     .min = 0,
     .max = 1e15,
     .help = "Run only trial K and print it."},
    {.name = "record", .kind = CLI_FILE, .argument = "RECORDING", .help = "With --trial: record the run."},
    {.name = "vary",
     .kind = CLI_TEXT,
     .argument = "NAME=FROM:TO:COUNT",
     .many = true,
     .help = "With a scene: vary a parameter over a range, or over a list NAME=A,B,C. May be repeated."},
    {.name = "sample",
     .kind = CLI_TEXT,
     .argument = "NAME=EXPR",
     .many = true,
     .help = "With a scene: draw a parameter for each trial, such as mu=uniform(0.1,0.5). May be repeated."},
    {.name = "measure",
     .letter = 'm',
     .kind = CLI_TEXT,
     .argument = "NAME=EXPR",
     .many = true,
     .help = "With a scene: what is measured in each trial, such as 'x=last(\"block.x\")'. May be repeated."},
    {.name = "end", .kind = CLI_TEXT, .argument = "EXPR", .help = "With a scene: end a trial early when this holds."},
    STUDY_FIGURES("Draw the figures of the study into this folder."),
    {.name = NULL},
};

static const cli_example examples[] = {
    {"perp sweep grasp-map.yaml", "all trials on all cores; writes grasp-map.h5"},
    {"perp sweep grasp-map.yaml --resume", "continue after Ctrl-C, a crash or a power cut"},
    {"perp sweep grasp-map.yaml --part 3/16", "a sixteenth of the trials; perp study joins the files"},
    {"mpirun -n 4 perp sweep grasp-map.yaml", "trials handed out to ranks, one file"},
    {"perp sweep grasp-map.yaml --trial 1234 --record trial.h5", "one trial again, to look at"},
    {"perp sweep slide.yaml --vary mu=0.1:0.5:9 -m 'x=last(\"block.x\")'", "a study without a study file"},
    {NULL, NULL},
};

static int read_until(const cli_args *a, const pp_study *s, sweep_until *out) {
    *out = (sweep_until){.measure = -1};
    const char *text = cli_text(a, "until", NULL);
    if (!text) return CLI_OK;
    const char *equal = strchr(text, '=');
    char name[80] = "", *end = NULL;
    if (equal && equal - text < (long)sizeof name) memcpy(name, text, (size_t)(equal - text));
    out->measure = pp_study_measure_find(s, name);
    out->width = equal ? strtod(equal + 1, &end) : NAN;
    if (out->measure < 0 || !end || *end || end == equal + 1 || !(out->width > 0 && out->width < 1))
        return cli_mistake(a, "--until", text, "MEASURE=WIDTH with a measure of the study and a width between 0 and 1");
    return CLI_OK;
}

static void print_summary(const sweep *w, const char *path, uint64_t digest) {
    char wall[64], processor[64];
    cli_seconds(wall, sizeof wall, w->seconds);
    cli_seconds(processor, sizeof processor, w->trial_seconds);
    study_print_title(w->study, stdout);
    printf("  trials     %llu of %llu", (unsigned long long)w->done, (unsigned long long)w->wanted);
    if (w->part.of > 1) printf(" of part %d of %d (%s)", w->part.index, w->part.of, w->part.from);
    printf("; %llu to the end, %llu ended early\n", (unsigned long long)w->outcome[0],
           (unsigned long long)w->outcome[1]);
    study_print_failed(w->outcome, stdout);
    if (w->failed) printf("             %s\n", w->first_failure);
    if (w->done > w->begun_done)
        printf("  time       %s, %s of processors in %llu trials\n", wall, processor,
               (unsigned long long)(w->done - w->begun_done));
    printf("  digest     %016llx\n  results    %s\n", (unsigned long long)digest, path);
}

/* Tables, figures, checks of a finished sweep. Exit code. */
static int conclude(const cli_args *a, sweep *w, report *r, const char *path) {
    perp_refusal why = {0};
    pp_table t;
    uint64_t digest = 0;
    bool ok = true;
    int figures = 0;
    pp_table_init(&t, w->study);
    int code = study_load(a, &w->file, 1, &t);
    perp_status st = code ? PERP_OK : pp_study_digest(&w->file, 1, &digest, &why);
    bool whole = w->part.of == 1 && (w->done == w->wanted || w->until.measure >= 0);
    if (!code && !st && whole) st = report_evaluate(r, &t, &ok, &why);
    if (!whole) r->ncheck = 0; /* checks need all trials */
    if (!code && !st && cli_json(a)) {
        json j;
        json_begin(&j, stdout);
        json_object(&j);
        json_field_string(&j, "results", path);
        json_field_whole(&j, "trials", (long long)w->wanted);
        json_field_whole(&j, "done", (long long)w->done);
        json_field_whole(&j, "failed", (long long)w->failed);
        json_field_number(&j, "seconds", w->seconds);
        json_field_number(&j, "processor_seconds", w->trial_seconds);
        char text[32];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
        json_field_string(&j, "digest", text);
        report_json(r, &t, &j);
        json_end(&j, '}');
    } else if (!code && !st && !cli_given(a, "quiet")) {
        print_summary(w, path, digest);
        st = report_print(r, &t, stdout, false, &why);
    }
    if (!code && !st && cli_given(a, "figures"))
        st = report_figures(r, &t, cli_text(a, "figures", "."), &figures, &why);
    pp_table_free(&t);
    if (code) return code;
    return st ? cli_refuse(a, &why) : ok ? CLI_OK : CLI_FAILED;
}

static int run_sweep(const cli_args *a, const pp_study *s, const study_args *x, const sweep_engine *e) {
    char path[CLI_PATH], suffix[64];
    perp_refusal why = {0};
    report r;
    sweep w = {.study = s};
    int code = sweep_part_find(a, sweep_mpi_built(), &w.part);
    if (!code) code = read_until(a, s, &w.until);
    if (code) return code;
    const char *sweep_of = x->text ? "-sweep" : ""; /* SCENE.h5 is the recording of a scene */
    snprintf(suffix, sizeof suffix, "%s", sweep_of);
    if (w.part.of > 1) snprintf(suffix, sizeof suffix, "%s-part%dof%d", sweep_of, w.part.index, w.part.of);
    if (!study_output(a, suffix, path, sizeof path))
        return cli_mistake(a, "--output", "a path that is too long", "a shorter one");
    if (report_read(s, &r, &why)) return cli_refuse(a, &why);
    w.progress = study_progress(a);
    code = study_results(a, path, s, x, pp_study_trials(s), cli_given(a, "resume"), &w.file);
    if (!code) {
        code = sweep_run(&w, e, &why);
        if (code == CLI_INTERRUPTED)
            fprintf(stderr, "perp: interrupted after %llu of %llu trials; perp sweep %s --resume goes on\n",
                    (unsigned long long)w.done, (unsigned long long)w.wanted, cli_operand(a, 0));
        else if (code)
            code = code == CLI_MACHINE ? cli_refuse_writing(a, &why) : cli_refuse(a, &why);
        else
            code = conclude(a, &w, &r, path);
        pp_study_file_close(w.file);
    }
    sweep_free(&w);
    report_free(&r);
    return code;
}

static perp_status run_in_pool(void *ctx, const pp_worker_pool_job *job, perp_refusal *why) {
    return pp_worker_pool_run(ctx, job, why);
}

static int run_local(const cli_args *a, const pp_study *s, const study_args *x) {
    pp_worker_pool pool;
    perp_refusal why = {0};
    if (pp_worker_pool_new(s, (int)cli_number(a, "workers", 0), &pool, &why)) return cli_refuse(a, &why);
    sweep_engine e = {run_in_pool, &pool, pool.n};
    int code = run_sweep(a, s, x, &e);
    pp_worker_pool_free(&pool);
    return code;
}

static int run_ranks(const cli_args *a, const pp_study *s, const study_args *x) {
    perp_refusal why = {0};
    int code;
    if (sweep_mpi_begin() > 0) {
        code = sweep_mpi_serve(s, &why);
    } else {
        sweep_engine e;
        if (sweep_mpi_engine(s, &e, &why)) {
            code = cli_refuse(a, &why);
        } else {
            code = run_sweep(a, s, x, &e);
            sweep_mpi_free(&e);
        }
    }
    sweep_mpi_end();
    return code;
}

/* Under mpirun ranks share the trials and one file. A perp without MPI takes each rank as a part with a file of its own,
 * so one --output for all of them is refused, unless --part or --parts say that the ranks are meant as parts. */
static bool wants_ranks(const cli_args *a) {
    if (!sweep_mpi_asked()) return false;
    return sweep_mpi_built() || (cli_given(a, "output") && !cli_given(a, "part") && !cli_given(a, "parts"));
}

static int run(const cli_args *a) {
    study_args x;
    pp_study *s = NULL;
    cli_catch_interrupt();
    int code = study_open(a, STUDY_SWEEP, &x, &s);
    if (!code && s->nmeasure == 0)
        code = cli_refuse_say(a, CLI_BAD_INPUT,
                              "%s: found no measure; allowed: one or more under `measure`, or --measure", s->path);
    if (!code && cli_given(a, "trial")) {
        uint64_t k = (uint64_t)cli_number(a, "trial", 0);
        if (k >= pp_study_trials(s)) {
            char allowed[64];
            snprintf(allowed, sizeof allowed, "0 to %llu", (unsigned long long)pp_study_trials(s) - 1);
            code = cli_mistake(a, "--trial", cli_text(a, "trial", ""), allowed);
        } else {
            code = study_record_trial(a, s, k, NULL, cli_text(a, "record", NULL));
        }
    } else if (!code && wants_ranks(a)) {
        code = run_ranks(a, s, &x);
    } else if (!code) {
        code = run_local(a, s, &x);
    }
    pp_study_close(s);
    study_args_free(&x);
    return code;
}

const cli_command command_sweep = {
    .name = "sweep",
    .operands = "STUDY\nSCENE --measure NAME=EXPR [--vary NAME=A:B:N]",
    .min_operand = 1,
    .max_operand = 1,
    .summary = "run all trials of a study: grids, classes and samples of a scene's parameters",
    .about = "Runs all trials of a study. A study names a scene, the parameters that vary from trial to trial, and "
             "what is measured in each trial; docs/studies.md describes the file. Trials are numbered, and each has "
             "its own random numbers. A trial therefore gives the same result on any worker, part or machine.\n\n"
             "The results go into one file, which is consistent at every moment. After Ctrl-C or a crash, --resume "
             "runs the missing trials. --part runs a part of the study on each of several machines; perp study joins "
             "the parts. Under mpirun, each rank gets a new trial when it is free.\n\n"
             "Trials that fail are counted, reported and kept in the file with the reason.",
    .option = options,
    .example = examples,
    .run = run,
};
