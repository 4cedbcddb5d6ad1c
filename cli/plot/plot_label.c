/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* plot_label.c - names of several recordings in a legend: by the parameters that differ, where they are runs of one scene. */
#include <string.h>

#include "plot/plot_data.h"

enum { MOST_RUNS = 24, MOST_PARAMETERS = 3 }; /* more of them would not be read in a legend */

static bool same_scene(const perp_scene *a, const perp_scene *b) {
    int n = perp_scene_parameter_count(a);
    if (strcmp(perp_scene_title(a), perp_scene_title(b)) != 0 || n != perp_scene_parameter_count(b)) return false;
    for (int i = 0; i < n; i++)
        if (strcmp(perp_scene_parameter_at(a, i).name, perp_scene_parameter_at(b, i).name) != 0) return false;
    return true;
}

/* Parameters that do not have the same value in all runs; 0: none, or too many. */
static int find_differing(perp_scene *const *scene, int n, int out[MOST_PARAMETERS]) {
    int found = 0;
    for (int i = 0; i < perp_scene_parameter_count(scene[0]); i++) {
        bool differs = false;
        for (int s = 1; s < n; s++)
            differs |= perp_scene_parameter_at(scene[s], i).value != perp_scene_parameter_at(scene[0], i).value;
        if (differs && found == MOST_PARAMETERS) return 0;
        if (differs) out[found++] = i;
    }
    return found;
}

static const char *label_of(plot_data *d, const perp_scene *scene, const int *parameter, int n) {
    const char *text = "";
    for (int i = 0; i < n && text; i++) {
        perp_scene_parameter p = perp_scene_parameter_at(scene, parameter[i]);
        text = plot_say(d, "%s%s%s = %.6g%s%s", text, i ? ", " : "", p.name, p.value, *p.unit ? " " : "", p.unit);
    }
    return text;
}

void plot_label_by_parameters(plot_data *d) {
    perp_scene *scene[MOST_RUNS];
    const char *label[MOST_RUNS];
    int n = 0, parameter[MOST_PARAMETERS];
    if (d->nsource < 2 || d->nsource > MOST_RUNS) return;
    while (n < d->nsource && !perp_recording_scene(d->source[n].r, &scene[n], NULL)) n++;
    bool ok = n == d->nsource;
    for (int s = 1; ok && s < n; s++) ok = same_scene(scene[0], scene[s]);
    int differing = ok ? find_differing(scene, n, parameter) : 0;
    ok = ok && differing > 0;
    for (int s = 0; ok && s < n; s++) {
        label[s] = label_of(d, scene[s], parameter, differing);
        ok = label[s] != NULL;
        for (int k = 0; ok && k < s; k++) ok = strcmp(label[k], label[s]) != 0;
    }
    for (int s = 0; ok && s < n; s++) d->source[s].label = label[s];
    for (int s = 0; s < n; s++) perp_scene_close(scene[s]);
}
