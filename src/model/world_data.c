/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* world_data.c - services of the world for all stages: error messages, log, stop requests, timing */
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "model/world_data.h"

perp_status pp_fail(perp_world *w, perp_status s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->why, sizeof w->why, format, args);
    va_end(args);
    return s;
}

void pp_logf(const perp_world *w, perp_log_level level, const char *format, ...) {
    if (!w->def.log.line) return;
    char text[PP_WHY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->def.log.line(level, text, w->def.log.ctx);
}

bool pp_told_to_stop(void *world) {
    perp_world *w = world;
    if (!w->run.stopped && w->run.stop.requested) w->run.stopped = w->run.stop.requested(w->run.stop.ctx);
    return w->run.stopped;
}

perp_status pp_stopped(perp_world *w) { return pp_fail(w, PERP_E_STOPPED, "told to stop at t = %g", w->state.t); }

void pp_clocked(perp_world *w, perp_stage stage, double *from) {
    double now = pp_clock();
    w->last.timing[stage] += now - *from;
    *from = now;
}

pp_joint_side pp_side(const perp_world *w, const pp_state *s, int slot, const int *block) {
    pp_joint_side side = {.X_WB = perp_pose_identity(), .block = -1};
    if (slot < 0) return side;
    side.X_WB = s->X[slot];
    side.theta = s->theta[slot];
    side.v = s->v[slot];
    side.w = s->w[slot];
    side.ndof = pp_ndof(w, &w->body[slot]);
    if (block) side.block = block[slot];
    return side;
}
