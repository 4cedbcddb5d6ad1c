/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* study_view.h - a study in the browser: its maps, the trials of a cell, and one of them run again.
 *
 *   view_data.c    files of results -> rows in memory, read again while a sweep goes on
 *   view_maps.c    which maps there are, and which cell of them a trial is in
 *   view_json.c    what the page is told
 *   view_play.c    trials run again in a thread of their own, and recorded
 *   view_answer.c  what is answered to what
 *   view_serve.c   the server, or all maps in one page
 *
 * The server and the trial that runs are two threads. HDF5 is called by both and may not be built for that: whoever
 * calls it holds study_view.hdf5. All else of a study_view belongs to the thread of the server, but for the study, which
 * nobody changes. */
#ifndef CLI_STUDY_STUDY_VIEW_H
#define CLI_STUDY_STUDY_VIEW_H

#include <pthread.h>

#include "study/report.h"
#include "view/view.h"

/* A variable as the page has it: values in rising order, or names. */
typedef struct view_axis {
    const char *name, *unit;
    int n;
    double *value;      /* rising; NULL: names */
    const char **label; /* NULL: values */
    int *place;         /* of value i of the study among them */
    bool log;           /* each value is the same multiple of the one before */
    char *text;         /* room for labels that are ours; NULL: none */
} view_axis;

/* One map of the page: combination `k` of the variables `by` of an entry of the report. */
typedef struct view_map {
    const report_entry *entry; /* its x and y are axes of the view; y -1: a curve */
    uint64_t k;
} view_map;

typedef struct view_stamp {
    long long size, seconds, nanoseconds;
} view_stamp;

typedef struct study_view {
    const char *const *path; /* borrowed */
    int nfile;
    pp_study *study;
    pp_study_info info;
    pp_table table;
    view_stamp *stamp; /* of each file, when it was read */
    pthread_mutex_t hdf5;
    /* A search (perp design): trials belong to designs, of which the last few are an axis. */
    bool search;
    uint64_t designs;    /* that were drawn, level after level; 0: points of a minimiser */
    uint64_t *design;    /* numbers of those on the axis, rising */
    uint64_t all, tried; /* designs that have rows; those on the axis */
    view_axis *axis;     /* those of the study, then one of ours: designs, or all trials in one place */
    report_entry *entry;
    int nentry;
    view_map *map;
    int nmap;
} study_view;

/* ---- view_data.c ---- */
/* Reads files that are parts of one study. On failure nothing is left to close. */
perp_status study_view_open(study_view *v, const char *const *path, int n, perp_refusal *why);
/* Reads again the files that have changed. On failure the earlier rows stay. */
perp_status study_view_refresh(study_view *v, perp_refusal *why);
void study_view_close(study_view *v);
/* The row of a trial; NULL: the files have none of that number. Borrowed until study_view_refresh(). */
const pp_row *study_view_row(const study_view *v, uint64_t number);

/* ---- view_maps.c ---- */
/* Makes axes, entries and maps; those of a search depend on the rows. */
perp_status study_view_make_maps(study_view *v, perp_refusal *why);
/* Makes the axis of designs anew from the rows. */
perp_status study_view_list_designs(study_view *v, perp_refusal *why);
void study_view_free_maps(study_view *v);
/* Cells of one map. */
uint64_t view_map_cells(const study_view *v, const report_entry *e);
/* The cell of a trial among all combinations of an entry: combination * cells + cell. UINT64_MAX: it is in none. */
uint64_t view_entry_place(const study_view *v, const report_entry *e, const pp_row *row);
/* Trials of all combinations of an entry, by place. */
perp_status view_entry_grid(const study_view *v, const report_entry *e, grid *out, perp_refusal *why);

/* ---- view_json.c ---- */
/* The study, as the page reads it. token "": trials cannot be run. */
perp_status view_json_study(const study_view *v, const char *token, FILE *to, perp_refusal *why);
/* Trials of a cell of a map. */
void view_json_cell(const study_view *v, const view_map *m, uint64_t cell, FILE *to);

/* ---- view_play.c ---- */
typedef enum view_play_state { VIEW_NONE, VIEW_WAITING, VIEW_RUNNING, VIEW_READY, VIEW_FAILED } view_play_state;
typedef struct view_play {
    view_play_state state;
    double part;   /* that is done, 0 to 1 */
    char why[280]; /* of one that failed */
} view_play;
typedef struct view_player view_player;
/* Runs trials of a study one after the other. Its thread is made with the first; recordings lie in a temporary folder
 * that goes with the player, and the last few of them are kept. `study`, `hdf5` borrowed.
 * @param program that wrote the results, for complaints */
view_player *view_player_new(const pp_study *study, const char *program, pthread_mutex_t *hdf5);
void view_player_free(view_player *p);
/* Runs the trial of this row (copied) and records it, unless it runs or is there already. What it gives must be what the
 * row says. @return false: too many wait */
bool view_player_ask(view_player *p, const pp_row *row);
view_play view_player_state(view_player *p, uint64_t number);
/* A descriptor of the recording, to be closed by the caller; -1: it is not there. */
int view_player_recording(view_player *p, uint64_t number);

/* ---- view_answer.c ---- */
typedef struct study_site {
    study_view *view;
    view_player *player;
    char token[VIEW_TOKEN + 1];
    view_guest guest; /* for view_site.guest */
} study_site;
void study_site_init(study_site *s);

/* ---- view_serve.c ---- */
/* Shows the files of results that are the operands, or writes them as a page: options export, force, port, no-open.
 * @param who name of the command. @return exit code */
int study_view_show(const cli_args *a, const char *who);

#endif
