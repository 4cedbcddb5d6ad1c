/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - running the trials of a study and keeping their rows: what perp sweep does with one process, with a part of
 * the trials, or under mpirun. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli.h"
#include "study/table.h"

/* Part `index` of `of`, counted from 1; of = 1: everything. */
typedef struct sweep_part {
    int index, of;
    char from[48]; /* where it comes from: "--part", or a variable of the environment */
} sweep_part;

/* part.c: --part I/N and --parts N, else the environment of Slurm arrays, Open MPI, MPICH, indexed jobs of Kubernetes.
 * Exit code. `ranks` true: ranks of MPI are not parts, because the program itself hands out trials to them. */
int sweep_part_find(const cli_args *a, bool ranks, sweep_part *out);

/* Stop sampling a cell once the interval of this measure is narrower than `width`. */
typedef struct sweep_until {
    int measure; /* -1: sample all */
    double width;
} sweep_until;

/* What is known of a trial. */
typedef enum sweep_state { SWEEP_MISSING, SWEEP_FAILED, SWEEP_NO, SWEEP_YES } sweep_state;
typedef struct sweep_count {
    int64_t yes, trials;
} sweep_count;

/* Runs the trials of a list: a pool on this machine, or ranks of MPI. */
typedef struct sweep_engine {
    perp_status (*run)(void *ctx, const pp_worker_pool_job *job, perp_refusal *why);
    void *ctx;
    int workers;
} sweep_engine;

typedef struct sweep {
    const pp_study *study;
    pp_study_file *file;
    sweep_part part;
    sweep_until until;
    bool progress;
    /* filled: */
    unsigned char *state;          /* of each trial: sweep_state */
    sweep_count *cell;             /* of the measure of `until`, for each cell; NULL without it */
    uint64_t wanted, done, failed; /* trials of this part; rows so far; those of them that failed */
    uint64_t outcome[PP_OUTCOMES];
    double seconds, trial_seconds; /* wall time of this call; processor time of its trials */
    perp_refusal why;              /* of writing that failed */
    bool write_failed;
    double begun, last_commit, commit_took, last_draw; /* [s] */
    uint64_t begun_done;
    char first_failure[PP_TRIAL_WHY + 40];
} sweep;

/* Runs what is missing in the file. Exit code; the complaint is in why. */
int sweep_run(sweep *w, const sweep_engine *e, perp_refusal *why);
void sweep_free(sweep *w);

/* mpi.c: is this process one of several ranks, and is it built to use them? */
bool sweep_mpi_asked(void); /* mpirun started several ranks */
bool sweep_mpi_built(void); /* the program has MPI in it */
int sweep_mpi_begin(void);  /* rank; starts MPI */
void sweep_mpi_end(void);
/* Other ranks than 0: run trials until rank 0 has no more. */
int sweep_mpi_serve(const pp_study *s, perp_refusal *why);
perp_status sweep_mpi_engine(const pp_study *s, sweep_engine *out, perp_refusal *why);
void sweep_mpi_free(sweep_engine *e);

/* scene_study.c: a study of a scene from --vary, --sample, --measure, --end. *text is to be freed. */
int sweep_scene_study(const cli_args *a, const char *scene, char **text);

#endif
