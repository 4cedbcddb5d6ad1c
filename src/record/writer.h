/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* writer.h - a recording that is being written. */
#ifndef PP_WRITER_H
#define PP_WRITER_H

#include "record/store.h"

/* A dataset that grows. Rows are buffered in memory until a chunk is complete or a commit is made. */
typedef struct pp_column {
    hid_t set;        /* negative: in no file */
    hid_t type;       /* in memory */
    uint64_t rows;    /* in the file */
    char *row;        /* those that wait; NULL: not in this recording */
    int waiting, cap; /* rows */
    size_t size;      /* bytes of a row */
} pp_column;

struct perp_recorder {
    perp_allocator alloc;
    const perp_scene *scene; /* borrowed */
    perp_scene *own_scene;   /* the same, if the recorder made it for a world and owns it; otherwise NULL */
    perp_world *w;
    hid_t file, state; /* state: dataset of the saved state */
    char *path;
    perp_record_choice choice;
    uint64_t extent[PP_EXTENT_COUNT];
    pp_column column[PP_DATASET_COUNT];

    perp_body_id *body; /* by index */
    perp_shape_id *shape;
    perp_joint_id *joint;
    int *joint_ncoord;
    perp_sensor_id *sensor;
    perp_force_id *spring;         /* forces between points */
    int *shape_index, *shape_body; /* index of a shape by its slot, -1: none; index of its body by its index */
    int nshape_slot;
    const char *solver[1 + PERP_FALLBACK_MAX]; /* the world's chain */
    int nsolver;
    double floor; /* speed that gravity gives in a step: h |g| */

    uint64_t frames, step0, last_step; /* step0: of frame 0; last_step: the last one that was handed in */
    pp_sum since, total;               /* since the last frame; of all frames */
    char *saved;                       /* room for the state */
    int cap_saved;
    double began, committed; /* on the clock */
    perp_status failed;      /* a frame was lost; nothing more is recorded or committed */
    perp_refusal first;      /* why */
};

/* Room for a recorder of the scene's world: ids, maps, extents, rows. Frees itself on failure. */
perp_status pp_recorder_new(const char *path, const perp_scene *scene, perp_record_choice choice, perp_recorder **out,
                            perp_refusal *why);
/* Frees everything; the file goes back to its last commit. */
void pp_recorder_free(perp_recorder *r);
/* Sets up the columns over datasets that are there already (`make` false) or makes them. */
perp_status pp_recorder_columns(perp_recorder *r, bool make, perp_refusal *why);
/* Fills `why` after a failed call on the file, with the driver's message if there is one. */
perp_status pp_recorder_trouble(const perp_recorder *r, const char *key, perp_refusal *why);
/* Names of all bodies or joints as one block of fixed texts, *size bytes each. Must be freed. NULL: no memory. */
char *pp_recorder_body_names(const perp_recorder *r, size_t *size);
char *pp_recorder_joint_names(const perp_recorder *r, size_t *size);
/* An attribute of the file. */
typedef struct pp_attribute {
    const char *name;
    const char *text; /* NULL: a number */
    int nreal;        /* numbers in `real`; 0: the whole number */
    double real[3];
    uint64_t whole;
} pp_attribute;
typedef struct pp_header {
    char program[64];
    pp_attribute list[20];
    int n;
} pp_header;
/* The attributes of the file as it begins: no frames, not finished. Texts are those of the scene. */
void pp_recorder_header(const perp_recorder *r, pp_header *h);
/* Everything that does not change in a run (writer_static.c). */
perp_status pp_recorder_statics(perp_recorder *r, perp_refusal *why);
/* Takes one dataset that does not change, whole; `size`: bytes of a text. False ends the handing over. */
typedef bool pp_static_taker(void *ctx, const perp_recorder *r, pp_dataset d, size_t size, const void *data);
/* The datasets of materials, bodies, shapes and joints, not into the file but to `take`, in the order of the layout. */
perp_status pp_recorder_hand_over(perp_recorder *r, pp_static_taker *take, void *ctx, perp_refusal *why);
/* The same for the scene's parameters and their values. */
perp_status pp_recorder_hand_over_scene(perp_recorder *r, pp_static_taker *take, void *ctx, perp_refusal *why);
/* The frame before the first step. */
perp_status pp_recorder_first(perp_recorder *r, perp_refusal *why);
/* Index of a solver of the world's chain by its name; PP_NO_SOLVER if it is none of them. */
uint8_t pp_recorder_solver(const perp_recorder *r, const char *name);
/* Adds a step to the sums of the next frame. */
void pp_recorder_count(perp_recorder *r, const perp_certificate *cert);
/* Adds the rows of a frame to the columns: the world as it stands, and the steps counted since the frame before. */
perp_status pp_recorder_frame(perp_recorder *r, perp_refusal *why);
/* Rows of a chunk of a dataset that grows. */
hsize_t pp_recorder_chunk(const perp_recorder *r, pp_dataset d);
/* checkpoint/sums as it is now, 2 x pp_figure_columns() numbers, and the names of its columns; returns their number. */
#define PP_FIGURES_MAX 64
void pp_recorder_sums(const perp_recorder *r, double sums[2 * PP_FIGURES_MAX]);
int pp_recorder_figures(const char *name[PP_FIGURES_MAX]);
/* A row of checkpoint/sums as sums. False: a number in it cannot be. */
bool pp_sums_unpack(const perp_recorder *r, const double *row, pp_sum *s);

#endif
