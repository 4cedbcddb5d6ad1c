/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* hard.c - the hard cone problems of steps: captures them, and solves a kept set of them
 *
 *     hard [--quiet] [--limit WORK] [--solver NAME] [--tol TOL] [--as CLASS] PATH...
 *                                                                 solves problem files, or those of folders
 *     hard --capture FOLDER [--seconds S] SCENE [NAME=VALUE]...   runs a scene and saves what was hard
 *     hard --capture FOLDER [--seconds S] --attack SEED COUNT     the same with random scenes (attack/generate.c)
 *
 * A problem is hard if `auto`, called by a step with its warm start, did not solve it in its first stage. A file contains the problem as
 * the solver got it, the warm start as its guess, and in its title the tolerance, the choice of loads and its origin. Two problems of a
 * scene are of the same kind if they passed through the same stages and their numbers of contacts are in the same power of two; two of
 * each kind are saved. S: processor time of a scene [s], default 20.
 *
 * Solving replays that call. One line per problem: solved or not, by the judge's own residual; work in multiplications (call.h); time;
 * what `auto` did. A file of another origin (FCLIB) is solved from nothing to 1e-9. NAME: another solver than
 * `auto`, from nothing; TOL: its tolerance, else that of the file; CLASS: problems are converted before, and solved from nothing: `cone` is the
 * local form, `lcp`, `mlcp` and `sparse-mlcp` have pyramids of four directions. The last line sums up; `tools/ablate` reads these. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack.h"
#include "perp/perp.h"
#include "perp/problem_file.h"
#include "perp/scene.h"
#include "seconds.h"
#include "solver/auto/auto.h"
#include "solver/common/solver.h"

#define USUAL_TOL 1e-9 /* tolerance for files that do not give one */
#define SLACK     2    /* factor on the tolerance: the judge's residual is computed in another order */
#define ROUNDING \
    1e-11 /* residual that rounding of gaps, which are differences of coordinates, explains: finer ones count as solved */
enum { FACETS = 4, KINDS = 1000, EACH = 2, PATHS = 1024, FILES = 20000 };

static void die(const char *what, const char *why) {
    fprintf(stderr, "hard: %s: %s\n", what, why);
    exit(2);
}

/* ---- capture ---------------------------------------------------------------------------------------------------- */

/* The linker puts the second in place of the first (--wrap). */
perp_outcome __real_pp_auto_cone(const perp_problem *p, double tol, pp_load_choice loads, double *z,
                                 const perp_call *call, perp_solve_info *info);
perp_outcome __wrap_pp_auto_cone(const perp_problem *p, double tol, pp_load_choice loads, double *z,
                                 const perp_call *call, perp_solve_info *info);

typedef struct kind {
    char way[240];
    int size, count;
} kind;

static struct capture {
    const char *folder; /* NULL: nobody captures */
    char scene[200];
    const perp_world *world;
    double until; /* processor time at which the scene ends */
    int saved, calls, hard;
    kind kinds[KINDS];
    int nkind;
} capture;

/* The stages of a story, without their figures. */
static void way_of(const char *story, char *way) {
    for (; *story; story++)
        if (!strchr("0123456789", *story)) *way++ = *story;
    *way = 0;
}

/* Whether an answer needed more than the warm start (or a cold Newton start if there was none). Selection and refinement of loads do
 * not count as stages. */
static bool needed_more(const perp_solve_info *info, bool guess, perp_outcome o) {
    if (o != PERP_OUTCOME_SOLVED) return true;
    if (info->warm) return false;
    const char *first = info->story;
    if (!strcmp(first, "closed form")) return false;
    if (!strncmp(first, "bodies found", 12)) first = strchr(first, ';') ? strchr(first, ';') + 2 : "";
    const char *then = strchr(first, ';');
    bool ended =
        !then || !strncmp(then, "; loads", 7) || !strncmp(then, "; polish", 8) || !strncmp(then, "; no loads", 10);
    return guess || !ended;
}

/* Is there room for one more of its kind? */
static bool is_new(const char *way, int contacts) {
    int size = 0;
    while (contacts >> size) size++;
    for (int i = 0; i < capture.nkind; i++)
        if (capture.kinds[i].size == size && !strcmp(capture.kinds[i].way, way)) return capture.kinds[i].count++ < EACH;
    if (capture.nkind == KINDS) return false;
    kind *k = &capture.kinds[capture.nkind++];
    *k = (kind){.size = size, .count = 1};
    snprintf(k->way, sizeof k->way, "%s", way);
    return true;
}

static void save(const perp_problem *p, double tol, pp_load_choice loads, const double *guess) {
    char path[PATHS], title[400];
    perp_refusal why;
    snprintf(path, sizeof path, "%s/%s-%d.h5", capture.folder, capture.scene, capture.saved++);
    snprintf(title, sizeof title, "tol %.17g loads %d: %s, t = %g", tol, (int)loads, capture.scene,
             perp_world_time(capture.world));
    if (perp_problem_write(path, PERP_FORMAT_PERP, p, guess, title, &why)) die(path, why.text);
}

perp_outcome __wrap_pp_auto_cone(const perp_problem *p, double tol, pp_load_choice loads, double *z,
                                 const perp_call *call, perp_solve_info *info) {
    if (!capture.folder || call->watch) return __real_pp_auto_cone(p, tol, loads, z, call, info);
    size_t n = (size_t)perp_problem_size(p);
    double *guess = malloc(sizeof *guess * (n + 1));
    bool any = false;
    perp_call own = *call;
    char way[sizeof info->story];
    if (!guess) die("capture", "out of memory");
    memcpy(guess, z, sizeof *guess * n);
    for (size_t i = 0; i < n; i++) any |= z[i] != 0;
    own.terse = false;
    info->story[0] = 0;
    perp_outcome o = __real_pp_auto_cone(p, tol, loads, z, &own, info);
    capture.calls++;
    if (o != PERP_OUTCOME_STOPPED && needed_more(info, any, o)) {
        capture.hard++;
        way_of(info->story, way);
        if (is_new(way, p->as.cone.ncontact)) save(p, tol, loads, any ? guess : NULL);
    }
    free(guess);
    return o;
}

static bool time_is_up(void *ctx) {
    (void)ctx;
    return processor_seconds() > capture.until;
}

static void run(perp_scene *s, double seconds_most) {
    perp_world *w = perp_scene_world(s);
    capture.world = w;
    capture.until = processor_seconds() + seconds_most;
    capture.nkind = capture.saved = capture.calls = capture.hard = 0;
    perp_world_set_stop(w, &(perp_stop){time_is_up, NULL});
    uint64_t steps = perp_scene_steps(s), k = 0;
    while (k < steps && !perp_world_step(w, NULL)) k++;
    printf("%-32s %6llu of %6llu steps, %7d cone problems, %6d hard, %4d saved\n", capture.scene, (unsigned long long)k,
           (unsigned long long)steps, capture.calls, capture.hard, capture.saved);
    fflush(stdout);
    perp_scene_close(s);
}

/* A name for files from the path of a scene and its parameters. */
static void name_scene(const char *path, char **set, int nset) {
    const char *end = path + strlen(path), *slash = strrchr(path, '/');
    if (slash && !strcmp(slash, "/scene.yaml")) {
        end = slash;
        while (slash > path && slash[-1] != '/') slash--;
        slash--;
    } else if (strrchr(path, '.') > slash) {
        end = strrchr(path, '.');
    }
    const char *from = slash ? slash + 1 : path;
    snprintf(capture.scene, sizeof capture.scene, "%.*s", (int)(end - from), from);
    for (int i = 0; i < nset; i++) {
        size_t used = strlen(capture.scene);
        snprintf(capture.scene + used, sizeof capture.scene - used, "-%s", set[i]);
    }
}

static void capture_scene(const char *path, char **set, int nset, double most) {
    perp_definition *define = calloc((size_t)nset + 1, sizeof *define);
    perp_scene *s;
    perp_refusal why;
    name_scene(path, set, nset);
    for (int i = 0; define && i < nset; i++) {
        char *eq = strchr(set[i], '=');
        if (!eq) die("NAME=VALUE expected, found", set[i]);
        *eq = 0;
        define[i] = (perp_definition){set[i], eq + 1};
    }
    perp_scene_options o = {.define = define, .ndefine = nset, .root = "/"};
    if (perp_scene_open(path, &o, &s, &why)) die(path, why.text);
    run(s, most);
    free(define);
}

static void capture_attack(uint64_t seed, int count, double most) {
    static char text[ATTACK_TEXT];
    char path[PATHS];
    attack_facts facts;
    snprintf(path, sizeof path, "%s/attack.obj", capture.folder);
    FILE *f = fopen(path, "w");
    if (!f || fputs(attack_mesh, f) < 0 || fclose(f)) die(path, "cannot be written");
    for (int i = 0; i < count; i++) {
        perp_scene *s;
        perp_refusal why;
        attack_generate(seed + (uint64_t)i, "attack.obj", text, &facts);
        snprintf(path, sizeof path, "%s/attack.yaml", capture.folder);
        if (!(f = fopen(path, "w")) || fputs(text, f) < 0 || fclose(f)) die(path, "cannot be written");
        snprintf(capture.scene, sizeof capture.scene, "attack-%llu", (unsigned long long)seed + (unsigned)i);
        if (!perp_scene_open(path, NULL, &s, &why)) run(s, most); /* stages that do not go together are refused */
    }
}

/* ---- the kept set ------------------------------------------------------------------------------------------------ */

typedef struct sums {
    int problems, solved;
    double work, seconds;
    bool quiet;
    double limit;
    const perp_solver_type *solver;
    double tol;    /* 0: that of the file */
    perp_class as; /* 0: as it is */
} sums;

/* What a step would accept: its own test is not in the file, but no step asks for more than ROUNDING. */
static bool is_enough(const double *z, void *ctx) {
    perp_measures m;
    return !perp_problem_measure(ctx, z, &m) && m.natural <= ROUNDING;
}

static void solve_file(const char *path, sums *all) {
    perp_stored *s;
    perp_refusal why;
    if (perp_problem_read(path, NULL, &s, NULL, &why)) die(path, why.text);
    const double *guess = perp_stored_guess(s);
    perp_stored *other = NULL;
    if (all->as && perp_problem_convert(perp_stored_problem(s), all->as, FACETS, NULL, &other))
        die(path, "is not converted");
    const perp_problem *p = perp_stored_problem(other ? other : s);
    double tol = USUAL_TOL;
    int loads = PP_LOADS_ANY, n = perp_problem_size(p);
    bool captured = sscanf(perp_stored_title(s), "tol %lf loads %d", &tol, &loads) == 2;
    double *z = calloc((size_t)n + 1, sizeof *z);
    if (!z) die(path, "out of memory");
    if (all->tol > 0) tol = all->tol;
    if (all->solver != &pp_solver_auto || other) captured = false, loads = PP_LOADS_ANY;
    if (guess && captured) memcpy(z, guess, sizeof *z * (size_t)n);
    pp_arena arena;
    pp_arena_init(&arena, (perp_allocator){0});
    pp_work work = {.limit = all->limit};
    perp_call call = {.arena = &arena,
                      .deadline = INFINITY,
                      .work = &work,
                      .loads = (pp_load_choice)loads,
                      .enough = captured ? is_enough : NULL,
                      .enough_ctx = (void *)(uintptr_t)p};
    pp_settings settings;
    perp_solve_info info = {0};
    perp_measures m = {.natural = INFINITY};
    pp_settings_default(all->solver, tol, &settings);
    double began = processor_seconds();
    if (pp_solve_within(&call, all->solver, &settings, p, z, &info)) die(path, "was not taken");
    double took = processor_seconds() - began;
    if (perp_problem_measure(p, z, &m)) m.natural = INFINITY;
    bool solved = m.natural <= fmax(SLACK * tol, ROUNDING);
    all->problems++;
    all->solved += solved;
    all->work += work.done;
    all->seconds += took;
    if (!all->quiet) {
        const char *name = strrchr(path, '/');
        bool cones = p->cls == PERP_CONE;
        printf("%-8s %10.4g %8.2f ms  %-40s %4d+%-4d %.0e %d %.1e  %s\n", solved ? "solved" : "FAILED", work.done,
               1e3 * took, name ? name + 1 : path, cones ? p->as.cone.ncontact : n, cones ? p->as.cone.nrow : 0, tol,
               loads, m.natural, info.story);
        fflush(stdout);
    }
    pp_arena_free(&arena);
    free(z);
    perp_stored_free(other);
    perp_stored_free(s);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool ends(const char *name, const char *with) {
    size_t n = strlen(name), m = strlen(with);
    return n > m && !strcmp(name + n - m, with);
}

static void solve_path(const char *path, sums *all) {
    struct stat what;
    if (stat(path, &what)) die(path, "is not there");
    if (!S_ISDIR(what.st_mode)) {
        solve_file(path, all);
        return;
    }
    static char *name[FILES];
    int n = 0;
    DIR *d = opendir(path);
    if (!d) die(path, "cannot be read");
    for (struct dirent *e; n < FILES && (e = readdir(d));)
        if (ends(e->d_name, ".h5") || ends(e->d_name, ".hdf5") || ends(e->d_name, ".dat"))
            name[n++] = strdup(e->d_name);
    closedir(d);
    qsort(name, (size_t)n, sizeof *name, by_name);
    for (int i = 0; i < n; i++) {
        char full[PATHS];
        snprintf(full, sizeof full, "%s/%s", path, name[i]);
        solve_file(full, all);
        free(name[i]);
    }
}

static perp_class class_named(const char *name) {
    const perp_class all[] = {PERP_CONE, PERP_LCP, PERP_MLCP, PERP_SPARSE_MLCP};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, perp_class_name(all[i]))) return all[i];
    die(name, "is no class; allowed: cone, lcp, mlcp, sparse-mlcp");
    return PERP_CONE;
}

int main(int argc, char **argv) {
    sums all = {.limit = INFINITY, .solver = &pp_solver_auto};
    double most = 20;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--capture") && i + 1 < argc) {
            capture.folder = argv[++i];
        } else if (!strcmp(argv[i], "--seconds") && i + 1 < argc) {
            most = strtod(argv[++i], NULL);
        } else if (!strcmp(argv[i], "--limit") && i + 1 < argc) {
            all.limit = strtod(argv[++i], NULL);
        } else if (!strcmp(argv[i], "--solver") && i + 1 < argc) {
            if (!(all.solver = perp_solver_find(argv[++i]))) die(argv[i], "is no solver");
        } else if (!strcmp(argv[i], "--tol") && i + 1 < argc) {
            all.tol = strtod(argv[++i], NULL);
        } else if (!strcmp(argv[i], "--as") && i + 1 < argc) {
            all.as = class_named(argv[++i]);
        } else if (!strcmp(argv[i], "--quiet")) {
            all.quiet = true;
        } else if (!strcmp(argv[i], "--attack") && i + 2 < argc && capture.folder) {
            capture_attack(strtoull(argv[i + 1], NULL, 10), (int)strtol(argv[i + 2], NULL, 10), most);
            return 0;
        } else if (capture.folder) {
            capture_scene(argv[i], argv + i + 1, argc - i - 1, most);
            return 0;
        } else {
            solve_path(argv[i], &all);
        }
    }
    if (!all.problems) die("usage", "hard PATH..., or hard --capture FOLDER SCENE [NAME=VALUE]...");
    printf("%d of %d solved, work %.4g, %.2f s\n", all.solved, all.problems, all.work, all.seconds);
    return 0;
}
