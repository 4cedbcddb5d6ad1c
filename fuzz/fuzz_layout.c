/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* fuzz_layout.c - recordings with wrong contents, beneath the seal: the bytes are a list of edits of a small recording, made once through
 * the public interface; see edits.h. Everything that the reader offers is then read: it must refuse with one line, or answer. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <unistd.h>

#include "perp/perp.h"
#include "record/layout.h"
#include "edits.h"

#define SERIES_PARTS 8

/* ---- the recording ---- */

static const char scene_text[] =
    "perp: 1\ntitle: small\ndim: 3\nh: 0.01\nduration: 0.05\nparameters: {mu: 0.4}\nlaw: {mu: mu}\n"
    "bodies:\n"
    "  - {name: floor, kind: obstacle, shape: {type: halfspace, normal: [0, 0, 1]}}\n"
    "  - {name: box, at: [0, 0, 0.1], velocity: [1, 0, 0], mass: 1, shape: {type: box, size: [0.2, 0.2, 0.2]}}\n"
    "  - {name: ball, at: [1, 0, 0.1], mass: 1, shape: {type: sphere, radius: 0.1}}\n"
    "  - {name: arm, at: [0.3, 1, 1], mass: 1, inertia: [0.01, 0.02, 0.02]}\n"
    "joints: [{name: hinge, type: revolute, b: arm, at: [0, 1, 1], axis: [0, 1, 0]}]\n"
    "record: {compression: 0}\n";

static void make_base(void) {
    char folder[] = "/tmp/perp-fuzz-XXXXXX", path[64];
    must(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/small.h5", folder);
    perp_source_file file = {"small.yaml", scene_text, sizeof scene_text - 1};
    perp_scene_options o = {.file = &file, .nfile = 1};
    perp_scene *s;
    perp_recorder *r;
    perp_refusal why;
    must(!perp_scene_open("small.yaml", &o, &s, &why));
    must(!perp_recorder_create(path, s, NULL, &r, &why));
    perp_certificate c;
    for (uint64_t i = 0; i < perp_scene_steps(s); i++) {
        must(!perp_world_step(perp_scene_world(s), &c));
        must(!perp_recorder_step(r, &c, &why));
    }
    must(!perp_recorder_close(r, true, &why));
    perp_scene_close(s);
    take_base(path);
    rmdir(folder);
}

/* A dataset of the layout, or a file of the scene. */
static const char *some_path(unsigned k) {
    return k < PP_DATASET_COUNT ? pp_layout[k].path : k == 255 ? "scene/file_0" : pp_layout[k % PP_DATASET_COUNT].path;
}

/* ---- reading ---- */

static void read_frames(perp_recording *r, const perp_recording_info *about) {
    perp_refusal why = {0};
    perp_pose *X = malloc(((size_t)about->nbody + 1) * sizeof *X);
    perp_vec3 *v = malloc(((size_t)about->nbody + 1) * sizeof *v), *w = malloc(((size_t)about->nbody + 1) * sizeof *w);
    for (uint64_t f = 0; f <= about->frames;
         f = f == 0 && about->frames > 2 ? about->frames - 1 : f + 1) { /* one too many */
        perp_certificate c;
        const perp_recorded_contact *contact;
        int n = 0;
        told(perp_recording_poses(r, f, X, &why), &why);
        told(perp_recording_twists(r, f, v, w, &why), &why);
        told(perp_recording_certificate(r, f, &c, &why), &why);
        perp_status s = perp_recording_contacts(r, f, &contact, &n, &why);
        told(s, &why);
        for (int i = 0; !s && i < n; i++)
            if (contact[i].body[0] < 0 || contact[i].body[0] >= about->nbody || contact[i].body[1] < 0 ||
                contact[i].body[1] >= about->nbody || contact[i].shape[0] >= about->nshape)
                abort();
    }
    free(X);
    free(v);
    free(w);
}

/* part: which of the series; all of them each time would take most of the time. */
static void read_all(perp_recording *r, unsigned part) {
    perp_refusal why = {0};
    const perp_recording_info *about = perp_recording_about(r);
    size_t letters = strlen(about->title) + strlen(about->program);
    for (int i = 0; i < about->nbody; i++) letters += strlen(perp_recording_body(r, i).name);
    for (int i = 0; i < about->njoint; i++) {
        perp_recorded_joint j = perp_recording_joint(r, i);
        letters += strlen(j.name);
        if (j.a < -1 || j.a >= about->nbody || j.b < 0 || j.b >= about->nbody) abort();
    }
    double sum = 0;
    for (int i = 0; i < about->nshape; i++) {
        perp_recorded_shape s = perp_recording_shape(r, i);
        if (s.body < 0 || s.body >= about->nbody) abort();
        for (int k = 0; k < 3 * s.nvertex; k++) sum += s.vertex[k];
        for (int k = 0; k < s.nface; k++)
            for (int c = s.face_start[k]; c < s.face_start[k + 1]; c++)
                if (s.face[c] < 0 || s.face[c] >= s.nvertex) abort();
    }
    read_frames(r, about);
    perp_recording_worst worst;
    told(perp_recording_total(r, &worst, &why), &why);
    if (about->frames < 1000) {
        double *x = malloc(((size_t)about->frames + 1) * sizeof *x);
        const char *name;
        for (int i = 0; x && (name = perp_recording_series_name(r, i)) != NULL; i++) {
            if ((unsigned)i % SERIES_PARTS != part % SERIES_PARTS) continue;
            told(perp_recording_series(r, name, x, &why), &why);
            letters += strlen(perp_recording_unit(r, name));
        }
        free(x);
    }
    perp_scene *s = NULL;
    told(perp_recording_scene(r, &s, &why), &why);
    perp_scene_close(s);
    volatile double used = sum + (double)letters; /* so that none of it is left out */
    (void)used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!base) make_base();
    pp_quiet q = pp_quiet_begin();
    bytes b = {data, size};
    size_t n = 0;
    unsigned char *image = edited(&b, &n);
    pp_quiet_end(q);
    if (!image) return 0;
    perp_recording *r;
    perp_refusal why = {0};
    perp_status s = perp_recording_open_memory("fuzz.h5", image, n, &r, &why);
    told(s, &why);
    if (!s) read_all(r, size ? data[size - 1] : 0);
    if (s && size == 0) abort(); /* the recording as it was made */
    perp_recording_close(r);
    free(image);
    return 0;
}
