/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* study_view.h - shows a study in the browser: its maps, the trials of a cell, and a trial that is run again
 *
 *   view_data.c    reads files of results into memory, again when a running sweep changes them
 *   view_maps.c    makes the maps, and finds the cell of a trial
 *   view_json.c    writes the JSON that the page reads
 *   view_play.c    runs trials again in a separate thread, and records them
 *   view_answer.c  answers the requests of the page
 *   view_serve.c   runs the server, or writes all maps to one page
 *
 * The server and the running trial are two threads. Both call HDF5, which may not be thread-safe, so each call holds the
 * mutex study_view.hdf5. The study is constant and shared. Only the thread of the server uses the other fields. */
#ifndef CLI_STUDY_STUDY_VIEW_H
#define CLI_STUDY_STUDY_VIEW_H

#include <pthread.h>

#include "study/report.h"
#include "view/view.h"

/* A variable of the page: values in increasing order, or names. */
typedef struct view_axis {
    const char *name, *unit;
    int n;
    double *value;      /* increasing; NULL: names */
    const char **label; /* NULL: values */
    int *place;         /* position here of value i of the study */
    bool log;           /* values are a geometric sequence */
    char *text;         /* memory of labels made here; NULL: none */
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
    view_stamp *stamp; /* size and time of each file when it was read */
    pthread_mutex_t hdf5;
    /* A search (perp design): each trial belongs to a design. The last few designs form an axis. */
    bool search;
    uint64_t designs;    /* number of designs drawn, each run again on every level; 0: points of a minimiser */
    uint64_t *design;    /* numbers of the designs on the axis, increasing */
    uint64_t all, tried; /* number of designs with rows, and number on the axis */
    view_axis *axis;     /* axes of the study, then one more: designs, or all trials in one place */
    report_entry *entry;
    int nentry;
    view_map *map;
    int nmap;
} study_view;

/* ---- view_data.c ---- */
/* Reads files that are parts of one study. On failure nothing is left to close. */
perp_status study_view_open(study_view *v, const char *const *path, int n, perp_refusal *why);
/* Reads files that have changed again. On failure the earlier rows stay. */
perp_status study_view_refresh(study_view *v, perp_refusal *why);
void study_view_close(study_view *v);
/* The row of a trial, valid until study_view_refresh(). NULL: the files have no trial with this number. */
const pp_row *study_view_row(const study_view *v, uint64_t number);

/* ---- view_maps.c ---- */
/* Makes axes, entries and maps. For a search they depend on the rows. */
perp_status study_view_make_maps(study_view *v, perp_refusal *why);
/* Makes the axis of designs again from the rows. */
perp_status study_view_list_designs(study_view *v, perp_refusal *why);
void study_view_free_maps(study_view *v);
/* Number of cells of one map. */
uint64_t view_map_cells(const study_view *v, const report_entry *e);
/* The cell of a trial among all combinations of an entry: combination * cells + cell. UINT64_MAX: no cell. */
uint64_t view_entry_place(const study_view *v, const report_entry *e, const pp_row *row);
/* Collects the trials of all combinations of an entry by view_entry_place(). */
perp_status view_entry_grid(const study_view *v, const report_entry *e, grid *out, perp_refusal *why);

/* ---- view_json.c ---- */
/* Writes the study for the page. token "": trials cannot be run. */
perp_status view_json_study(const study_view *v, const char *token, FILE *to, perp_refusal *why);
/* Writes the trials of a cell of a map. */
void view_json_cell(const study_view *v, const view_map *m, uint64_t cell, FILE *to);

/* ---- view_play.c ---- */
typedef enum view_play_state { VIEW_NONE, VIEW_WAITING, VIEW_RUNNING, VIEW_READY, VIEW_FAILED } view_play_state;
typedef struct view_play {
    view_play_state state;
    double part;   /* fraction done, 0 to 1 */
    char why[280]; /* reason of a failure */
} view_play;
typedef struct view_player view_player;
/* Makes a player, which runs trials of a study one after another. Its thread starts with the first trial. It keeps the
 * last few recordings in a temporary folder, which view_player_free() removes. `study` and `hdf5` are borrowed.
 * @param program name and version that wrote the results, for messages */
view_player *view_player_new(const pp_study *study, const char *program, pthread_mutex_t *hdf5);
void view_player_free(view_player *p);
/* Queues the trial of this row (copied), to run and record it, unless it runs or is recorded already. Its result must
 * equal the row. @return false: too many trials wait */
bool view_player_ask(view_player *p, const pp_row *row);
view_play view_player_state(view_player *p, uint64_t number);
/* A file descriptor of the recording, which the caller closes; -1: there is none. */
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
/* Shows the files of results given as operands, or writes them as a page. Options: export, force, port, no-open.
 * @param who name of the command. @return exit code */
int study_view_show(const cli_args *a, const char *who);

#endif
