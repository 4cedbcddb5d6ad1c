/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* recording.c SCENE - what recording costs: the share of the run's time, and the size of the file against that of the
 * numbers in it
 *
 * The share is measured within one run (time in the recorder over all time), so a noisy machine hardly matters.
 * Default: the demo. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "perp/perp.h"
#include "seconds.h"

static void must(perp_status st, const perp_refusal *why) {
    if (!st) return;
    fprintf(stderr, "%s\n", why->text);
    exit(1);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : PERP_SCENES_DIR "/demo.yaml", *out = "bench-recording.h5";
    perp_refusal why;
    for (int every = 1; every >= 0; every--) { /* every step; as the scene says */
        perp_scene *s;
        must(perp_scene_open(path, NULL, &s, &why), &why);
        perp_world *w = perp_scene_world(s);
        perp_record_choice choice = perp_scene_record(s);
        if (every) choice.every = 1;
        remove(out);
        double start = seconds(), spent = 0, from = start;
        perp_recorder *r;
        must(perp_recorder_create(out, s, &choice, &r, &why), &why);
        spent += seconds() - from;
        for (uint64_t n = perp_scene_steps(s); n > 0; n--) {
            perp_certificate c;
            if (perp_world_step(w, &c)) {
                fprintf(stderr, "%s\n", perp_world_why(w));
                return 1;
            }
            from = seconds();
            must(perp_recorder_step(r, &c, &why), &why);
            spent += seconds() - from;
        }
        from = seconds();
        must(perp_recorder_close(r, true, &why), &why);
        spent += seconds() - from;
        double all = seconds() - start;
        perp_recording *back;
        must(perp_recording_open(out, &back, &why), &why);
        const perp_recording_info *i = perp_recording_about(back);
        printf("frame every %d steps: %llu frames, %.2f s, of which recording %.2f %%; file %.0f kB, %.3f of the %.0f "
               "kB it stores\n",
               choice.every, (unsigned long long)i->frames, all, 100 * spent / all, 1e-3 * (double)i->file_size,
               (double)i->file_size / (double)i->raw_size, 1e-3 * (double)i->raw_size);
        perp_recording_close(back);
        perp_scene_close(s);
    }
    remove(out);
    return 0;
}
