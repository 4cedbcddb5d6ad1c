/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mpi.c - trials handed out to ranks of MPI. Rank 0 keeps the file and hands out numbers; the others run trials.
 *
 * Protocol  A free rank sends its last row, or none. Rank 0 answers with the number of the next trial, or END. Rank 0 runs
 *           no trials: it waits for rows. Rows are put into order before they are handed on, so the file has the same
 *           rows in the same order as that of one process.
 * Failure   If a rank dies, mpirun ends all of them; the file is as at its last commit, and --resume does the rest. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdlib.h>

#include "study/sweep.h"

bool sweep_mpi_asked(void) {
    const char *open = getenv("OMPI_COMM_WORLD_SIZE"), *other = getenv("PMI_SIZE");
    return (open && atoi(open) > 1) || (other && atoi(other) > 1);
}

#ifdef PERP_HAVE_MPI
#include <mpi.h>
#include <string.h>
#include <time.h>

enum { TAG_ROW = 1, TAG_NUMBER = 2 };
#define END UINT64_MAX /* in place of a number: no more trials */
#define NAP 200000     /* while nothing has come: time between two looks [ns] */

typedef struct coordinator {
    const pp_study *study;
    int ranks;
    char *row; /* `window` rows that wait for their turn */
    bool *there;
    uint64_t window;
    uint64_t *busy; /* of each rank: index of the trial it has; END: none */
    bool *idle;     /* of each rank: waits for a number */
} coordinator;

bool sweep_mpi_built(void) { return true; }

int sweep_mpi_begin(void) {
    int rank = 0, level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void sweep_mpi_end(void) { MPI_Finalize(); }

/* ---- ranks that work ---- */

int sweep_mpi_serve(const pp_study *s, perp_refusal *why) {
    pp_worker_pool pool;
    size_t size = pp_row_size(s);
    char *row = calloc(1, size);
    if (!row || pp_worker_pool_new(s, 1, &pool, why)) {
        fprintf(stderr, "perp: %s\n", row ? why->text : "not enough memory");
        MPI_Abort(MPI_COMM_WORLD, CLI_BAD_INPUT);
    }
    int bytes = 0;
    for (;;) {
        uint64_t number;
        double value[PP_STUDY_VARIABLES];
        MPI_Send(row, bytes, MPI_BYTE, 0, TAG_ROW, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_UINT64_T, 0, TAG_NUMBER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number == END) break;
        pp_row *r = (pp_row *)(void *)row;
        memset(row, 0, size);
        memcpy(value, s->base, sizeof *value * (size_t)s->nparameter);
        if (pp_study_values(s, (pp_study_trial){.number = number}, value, why)) {
            r->number = number;
            r->outcome = PP_TRIAL_REFUSED;
            snprintf(r->why, sizeof r->why, "%.190s", why->text);
        } else {
            (void)pp_runner_run(pool.runner[0], pp_ensemble_scene(pool.ensemble, 0), number, value, r);
        }
        bytes = (int)size;
    }
    pp_worker_pool_free(&pool);
    free(row);
    return CLI_OK;
}

/* ---- rank 0 ---- */

static void send_number(int rank, uint64_t number) {
    MPI_Send(&number, 1, MPI_UINT64_T, rank, TAG_NUMBER, MPI_COMM_WORLD);
}

/* Takes one message, if there is one. */
static bool take_message(coordinator *c) {
    int waiting = 0, bytes = 0;
    MPI_Status st;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_ROW, MPI_COMM_WORLD, &waiting, &st);
    if (!waiting) return false;
    int rank = st.MPI_SOURCE;
    size_t size = pp_row_size(c->study);
    MPI_Get_count(&st, MPI_BYTE, &bytes);
    uint64_t index = c->busy[rank];
    if (bytes > 0 && index != END) {
        MPI_Recv(c->row + (index % c->window) * size, bytes, MPI_BYTE, rank, TAG_ROW, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        c->there[index % c->window] = true;
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG_ROW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    c->busy[rank] = END;
    c->idle[rank] = true;
    return true;
}

static perp_status run_ranks(void *ctx, const pp_worker_pool_job *job, perp_refusal *why) {
    (void)why;
    coordinator *c = ctx;
    uint64_t next = 0, handed = 0, count = job->count;
    size_t size = pp_row_size(c->study);
    memset(c->there, 0, (size_t)c->window);
    while (handed < count) {
        for (int rank = 1; rank < c->ranks; rank++) {
            if (!c->idle[rank] || next >= count || next >= handed + c->window) continue;
            c->idle[rank] = false;
            c->busy[rank] = next;
            send_number(rank, job->number ? job->number[next] : job->first + next);
            next++;
        }
        if (!take_message(c)) {
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
            if (job->stop && job->stop(job->ctx)) return PERP_E_STOPPED;
        }
        while (handed < count && c->there[handed % c->window]) {
            c->there[handed % c->window] = false;
            if (!job->done(job->ctx, (const pp_row *)(const void *)(c->row + (handed % c->window) * size)))
                return PERP_E_STOPPED;
            handed++;
        }
    }
    return PERP_OK;
}

perp_status sweep_mpi_engine(const pp_study *s, sweep_engine *out, perp_refusal *why) {
    coordinator *c = calloc(1, sizeof *c);
    if (c) {
        MPI_Comm_size(MPI_COMM_WORLD, &c->ranks);
        c->study = s;
        c->window = 64 * (uint64_t)c->ranks;
        c->row = malloc(pp_row_size(s) * (size_t)c->window);
        c->there = calloc((size_t)c->window, sizeof *c->there);
        c->busy = malloc(sizeof *c->busy * (size_t)c->ranks);
        c->idle = calloc((size_t)c->ranks, sizeof *c->idle);
    }
    *out = (sweep_engine){run_ranks, c, c ? c->ranks - 1 : 0};
    if (!c || !c->row || !c->there || !c->busy || !c->idle)
        return pp_complain_say(why, PERP_E_MEMORY, (pp_location){s->path, 0, 0}, "", "not enough memory");
    for (int i = 0; i < c->ranks; i++) c->busy[i] = END;
    return PERP_OK;
}

/* Tells all ranks that there are no more trials; those that still run one are waited for. */
void sweep_mpi_free(sweep_engine *e) {
    coordinator *c = e->ctx;
    int left = c->ranks - 1;
    for (int rank = 1; rank < c->ranks; rank++)
        if (c->idle[rank]) send_number(rank, END), left--;
    while (left > 0) {
        for (int rank = 1; rank < c->ranks; rank++) c->idle[rank] = false;
        if (!take_message(c)) {
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
            continue;
        }
        for (int rank = 1; rank < c->ranks; rank++)
            if (c->idle[rank]) send_number(rank, END), left--;
    }
    free(c->row);
    free(c->there);
    free(c->busy);
    free(c->idle);
    free(c);
}
#else

/* Rank 0 refuses for all ranks; the others end silently with the same exit code. */
bool sweep_mpi_built(void) { return false; }
int sweep_mpi_begin(void) {
    const char *open = getenv("OMPI_COMM_WORLD_RANK"), *other = getenv("PMI_RANK");
    return atoi(open ? open : other ? other : "0");
}
void sweep_mpi_end(void) {}
int sweep_mpi_serve(const pp_study *s, perp_refusal *why) {
    (void)s, (void)why;
    return CLI_BAD_INPUT;
}
perp_status sweep_mpi_engine(const pp_study *s, sweep_engine *out, perp_refusal *why) {
    *out = (sweep_engine){0};
    return pp_complain_say(why, PERP_E_FIT, (pp_location){s->path, 0, 0}, "",
                           "this perp was built without MPI, so its ranks cannot write one --output; on Debian install "
                           "libopenmpi-dev and build again, or leave out --output: each rank then writes its own part");
}
void sweep_mpi_free(sweep_engine *e) { (void)e; }
#endif
