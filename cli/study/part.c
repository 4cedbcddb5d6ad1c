/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* part.c - which part of the trials this process does: from the command line or from the job system it runs under. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/sweep.h"

/* A whole number in the environment; -1 if there is none. */
static long number_of(const char *name) {
    const char *text = getenv(name);
    char *end;
    if (!text || !*text) return -1;
    long x = strtol(text, &end, 10);
    return *end || x < 0 || x > INT_MAX ? -1 : x;
}

typedef struct job_system {
    const char *index, *of, *first; /* variables: number of this job, how many there are, number of the first */
    bool ranks;                     /* they are ranks of MPI */
} job_system;
static const job_system systems[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", false},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, true},
    {"PMI_RANK", "PMI_SIZE", NULL, true},
    {"JOB_COMPLETION_INDEX", NULL, NULL, false},
};

/* `parts` > 0: how many there are, where the system does not say. */
static bool from_environment(bool ranks, long parts, sweep_part *out) {
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        const job_system *s = &systems[i];
        long index = number_of(s->index), of = s->of ? number_of(s->of) : -1;
        long first = s->first ? number_of(s->first) : 0;
        if (index < 0 || (ranks && s->ranks)) continue;
        if (parts > 0) of = parts;
        if (first > 0) index -= first;
        if (of < 1 || index < 0 || index >= of) continue;
        *out = (sweep_part){.index = (int)index + 1, .of = (int)of};
        (void)snprintf(out->from, sizeof out->from, "%s", s->index);
        return true;
    }
    return false;
}

int sweep_part_find(const cli_args *a, bool ranks, sweep_part *out) {
    *out = (sweep_part){.index = 1, .of = 1, .from = ""};
    const char *text = cli_text(a, "part", NULL);
    long parts = cli_given(a, "parts") ? (long)cli_number(a, "parts", 1) : -1;
    if (text) {
        int index = 0, of = 0, n = 0;
        if (sscanf(text, "%d/%d%n", &index, &of, &n) != 2 || text[n] || index < 1 || of < index || of > 1000000)
            return cli_mistake(a, "--part", text, "I/N with I from 1 to N, such as 3/16");
        *out = (sweep_part){.index = index, .of = of, .from = "--part"};
        return CLI_OK;
    }
    if (from_environment(ranks, parts, out) || parts < 0) return CLI_OK;
    return cli_mistake(a, "--parts", "no number of this part in the environment",
                       "SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, PMI_RANK or JOB_COMPLETION_INDEX, or --part I/N");
}
