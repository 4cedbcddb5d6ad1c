/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* summary.c - what a run was, after it ended: certificate, energy account, time per stage, recording. */
#include <math.h>
#include <string.h>

#include "cli.h"

static const ledger_entry entries[] = {
    {"gravity", "gravity", offsetof(perp_ledger, gravity)},
    {"applied", "applied forces", offsetof(perp_ledger, applied)},
    {"spring", "springs", offsetof(perp_ledger, spring)},
    {"damping", "dampers", offsetof(perp_ledger, damping)},
    {"kinematic", "driven bodies", offsetof(perp_ledger, kinematic)},
    {"joint", "joints", offsetof(perp_ledger, joint)},
    {"motor", "motors", offsetof(perp_ledger, motor)},
    {"armature", "armature", offsetof(perp_ledger, armature)},
    {"joint_loss", "joint losses", offsetof(perp_ledger, joint_loss)},
    {"normal", "impacts", offsetof(perp_ledger, normal)},
    {"friction", "friction", offsetof(perp_ledger, friction)},
    {"turning", "turning", offsetof(perp_ledger, turning)},
    {"start", "stopped by joints", offsetof(perp_ledger, start)},
    {"sampling", "sampling", offsetof(perp_ledger, sampling)},
    {"drift", "drift", offsetof(perp_ledger, drift)},
};

const ledger_entry *summary_ledger(int i) { return i < (int)(sizeof entries / sizeof *entries) ? &entries[i] : NULL; }

static double entry(const perp_ledger *l, int i) {
    return *(const double *)(const void *)((const char *)l + entries[i].offset);
}

static void heading(FILE *to, const char *text) {
    fprintf(to, "\n%s%s%s\n", cli_style(to, "1"), text, cli_style(to, ""));
}

static void graded(FILE *to, const char *what, const char *word, const char *sentence) {
    const char *colour = !strcmp(word, "good")   ? "32"
                         : !strcmp(word, "fair") ? "33"
                         : !strcmp(word, "poor") ? "31"
                                                 : "";
    fprintf(to, "  %-9s%s%-6s%s%s\n", what, *colour ? cli_style(to, colour) : "", word,
            *colour ? cli_style(to, "") : "", sentence);
}

/* Impacts with less than the restitution of the scene, because of energy or of wedged bodies. */
static void print_rebounds(FILE *to, const perp_certificate *c) {
    if (c->rebounds_limited > 0)
        fprintf(
            to,
            "  bounces  %d with less than the restitution of the scene: the full rebound would have gained energy\n",
            c->rebounds_limited);
    if (c->rebounds_given_up > 0)
        fprintf(to,
                "  bounces  given up %d time%s: no solution with restitution, too many impacts, or impacts that "
                "accumulate\n",
                c->rebounds_given_up, c->rebounds_given_up == 1 ? "" : "s");
}

/* Jams of driven bodies. Nothing stops a driven body: it moves into a body that it pushes against a fixed one, and slides on below a
 * body that it drags into a wedge. */
static void print_jams(FILE *to, const simulate_result *r) {
    const perp_certificate *c = &r->total;
    char a[128], b[128];
    if (c->jams == 0) return;
    fprintf(to, "  drives   jammed in %d substep%s: the driven body %s ", c->jams, c->jams == 1 ? "" : "s",
            cli_printable(a, sizeof a, r->jam_names[0]));
    if (c->jam_depth > 0)
        fprintf(to, "went up to %.2g into ", c->jam_depth);
    else
        fprintf(to, "dragged ");
    fprintf(to, "%s, which could not move\n", cli_printable(b, sizeof b, r->jam_names[1]));
}

/* A motor without force limit that cannot have its speed presses with a large force. */
static void print_yields(FILE *to, const simulate_result *r) {
    char name[128];
    if (r->total.motor_yields == 0) return;
    fprintf(to, "  motors   yielded in %d substep%s: the motor of joint %s has no force limit and was blocked\n",
            r->total.motor_yields, r->total.motor_yields == 1 ? "" : "s",
            cli_printable(name, sizeof name, r->yield_name));
}

/* Rigid contacts and joints of a jammed island that had no answer otherwise. */
static void print_gives(FILE *to, const simulate_result *r) {
    if (r->total.gives == 0) return;
    fprintf(
        to,
        "  jams     contacts or joints gave way in %d substep%s, at up to %.2g of the speeds: no solution was found\n",
        r->total.gives, r->total.gives == 1 ? "" : "s", r->total.give);
}

/* Steps that the contact model or the stepper of the scene could not solve and others solved. */
static void print_handed_over(FILE *to, const simulate_result *r) {
    if (r->total.handed_over == 0) return;
    fprintf(to,
            "  method   the chosen method found no solution for %d step%s; its fallback solved them (contact model "
            "peg, stepper "
            "stewart-trinkle, friction cones)\n",
            r->total.handed_over, r->total.handed_over == 1 ? "" : "s");
}

void summary_certificate(FILE *to, const simulate_result *r) {
    verdict v;
    judge(r, &v);
    char title[64];
    snprintf(title, sizeof title, "Certificate: %s", v.word);
    heading(to, title);
    graded(to, "laws", v.laws_word, v.laws);
    graded(to, "overlap", v.overlap_word, v.overlap);
    graded(to, "joints", r->joints > 0 ? v.joints_word : "-", v.joints);
    graded(to, "energy", v.energy_word, v.energy);
    if (r->total.creep > 0) graded(to, "creep", v.creep_word, v.creep);
    if (r->total.twist > 0) graded(to, "twist", v.twist_word, v.twist);
    print_rebounds(to, &r->total);
    print_jams(to, r);
    print_yields(to, r);
    print_gives(to, r);
    print_handed_over(to, r);
}

void summary_energy(FILE *to, const perp_ledger *l, const double energy[3]) {
    double most = fmax(fabs(l->kinetic_before), fabs(l->kinetic_after));
    for (int i = 0; summary_ledger(i); i++) most = fmax(most, fabs(entry(l, i)));
    heading(to, "Energy account");
    fprintf(to, "  %-24s%14.7g\n", "kinetic at the start", l->kinetic_before);
    for (int i = 0; summary_ledger(i); i++) /* entries that are zero or only rounding are left out */
        if (fabs(entry(l, i)) > 1e-15 * most) fprintf(to, "  %-24s%+14.7g\n", entries[i].label, entry(l, i));
    fprintf(to, "  %-24s%14.7g\n", "kinetic at the end", l->kinetic_after);
    fprintf(to, "  %-24s%14.1e\n", "unaccounted", l->remainder);
    if (energy && energy[1] != 0) fprintf(to, "  %-24s%14.7g\n", "potential of gravity", energy[1]);
    if (energy && energy[2] != 0) fprintf(to, "  %-24s%14.7g\n", "potential of springs", energy[2]);
}

/* Stages, recording, and what is left of the time of the run. */
static double stage_sum(const simulate_result *r) {
    double sum = 0;
    for (int i = 0; i < PERP_STAGE_COUNT; i++) sum += r->stage[i];
    return sum;
}

static void print_stages(FILE *to, const simulate_result *r) {
    if (r->steps == 0) return;
    heading(to, "Time                 ms/step      %");
    double n = (double)r->steps, other = r->seconds - stage_sum(r) - r->recording_seconds;
    for (int i = 0; i <= PERP_STAGE_COUNT + 1; i++) {
        bool own = i >= PERP_STAGE_COUNT;
        double s = !own ? r->stage[i] : i == PERP_STAGE_COUNT ? r->recording_seconds : fmax(other, 0);
        const char *name = !own ? perp_stage_name((perp_stage)i) : i == PERP_STAGE_COUNT ? "recording" : "other";
        if (s > 0) fprintf(to, "  %-16s %9.4f  %5.1f\n", name, 1e3 * s / n, 100 * s / r->seconds);
    }
}

static void print_recording(FILE *to, const simulate_options *o, const simulate_result *r) {
    char path[CLI_PATH], size[32], raw[32];
    heading(to, "Recording");
    fprintf(to, "  %s: %llu frames, %s", cli_printable(path, sizeof path, o->output), (unsigned long long)r->frames,
            cli_bytes(size, sizeof size, (double)r->recording_bytes));
    if (r->recording_raw > 0) fprintf(to, " (%s of data)", cli_bytes(raw, sizeof raw, (double)r->recording_raw));
    if (r->seconds > 0) fprintf(to, "; writing took %.1f %% of the time", 100 * r->recording_seconds / r->seconds);
    cli_quote(path, sizeof path, o->output);
    fprintf(to, "\n  figures:  perp info %s\n  plot it:  perp plot %s\n", path, path);
}

static void print_problems(FILE *to, const simulate_options *o, const simulate_result *r) {
    char path[CLI_PATH];
    heading(to, "Problems");
    fprintf(to, "  %s: %llu file%s\n", cli_printable(path, sizeof path, o->save_problems),
            (unsigned long long)r->saved_problems, r->saved_problems == 1 ? "" : "s");
    fprintf(to, "  solve them:  perp solve %s\n", cli_quote(path, sizeof path, o->save_problems));
}

void summary_run(FILE *to, const simulate_options *o, const simulate_result *r) {
    char title[512], took[32], rate[32], factor[32];
    const perp_certificate *c = &r->total;
    fprintf(to, "%s%s%s\n", cli_style(to, "1"), cli_printable(title, sizeof title, r->title), cli_style(to, ""));
    fprintf(to, "  %dD, %d bod%s, %d joint%s, at most %d contact%s\n", r->dim, r->bodies, r->bodies == 1 ? "y" : "ies",
            r->joints, r->joints == 1 ? "" : "s", r->contacts_most, r->contacts_most == 1 ? "" : "s");
    fprintf(to, "  %llu step%s of %.6g from t = %.6g to %.6g in %s", (unsigned long long)r->steps,
            r->steps == 1 ? "" : "s", r->h, r->t0, r->t1, cli_seconds(took, sizeof took, r->seconds));
    if (r->steps > 0 && r->seconds > 0)
        fprintf(to, ": %s steps/s, real-time factor %s", cli_rate(rate, sizeof rate, (double)r->steps / r->seconds),
                cli_rate(factor, sizeof factor, (r->t1 - r->t0) / r->seconds));
    fprintf(to, "\n");
    if (r->steps > 0 && c->h > 0) {
        long long whole = llround(c->h / r->h);
        if (c->substeps > whole)
            fprintf(to, "  divided steps: %lld steps were solved in %lld substeps\n", whole, (long long)c->substeps);
        if (c->rejected > 0)
            fprintf(to, "  %d substep%s rejected because of the estimated error\n", c->rejected,
                    c->rejected == 1 ? " was" : "s were");
        if (c->ambiguous > 0)
            fprintf(
                to,
                "  the motion is not unique: the laws leave up to %d degree%s of freedom undetermined; the smallest "
                "motion was taken\n",
                c->ambiguous, c->ambiguous == 1 ? "" : "s");
        if (c->fallbacks > 0)
            fprintf(to, "  %d solve%s needed a fallback solver\n", c->fallbacks, c->fallbacks == 1 ? "" : "s");
    }
    if (c->substeps > 0) {
        summary_certificate(to, r);
        summary_energy(to, &c->ledger, r->energy);
    }
    print_stages(to, r);
    if (o->output) print_recording(to, o, r);
    if (o->save_problems) print_problems(to, o, r);
    if (r->interrupted) {
        char path[CLI_PATH];
        fprintf(to, "\ninterrupted at t = %.6g", r->t1);
        if (o->output) fprintf(to, "; continue with: perp run --resume %s", cli_quote(path, sizeof path, o->output));
        fprintf(to, "\n");
    }
    if (o->output) { /* the last line: what to do next */
        char path[CLI_PATH];
        fprintf(to, "\nview it: perp view %s\n", cli_quote(path, sizeof path, o->output));
    }
}

void summary_json_verdict(json *j, const simulate_result *r) {
    verdict v;
    judge(r, &v);
    const char *const part[6][3] = {{"laws", v.laws_word, v.laws},       {"overlap", v.overlap_word, v.overlap},
                                    {"joints", v.joints_word, v.joints}, {"energy", v.energy_word, v.energy},
                                    {"creep", v.creep_word, v.creep},    {"twist", v.twist_word, v.twist}};
    json_key(j, "verdict");
    json_object(j);
    json_field_string(j, "word", v.word);
    for (int i = 0; i < 6; i++) {
        json_key(j, part[i][0]);
        json_object(j);
        json_field_string(j, "word", part[i][1]);
        json_field_string(j, "text", part[i][2]);
        json_end(j, '}');
    }
    json_end(j, '}');
    json_key(j, "worst");
    json_object(j);
    json_field_number(j, "law", r->law);
    json_field_number(j, "law_t", r->law_t);
    json_field_number(j, "overlap", r->total.overlap);
    json_field_number(j, "overlap_t", r->overlap_t);
    if (r->total.compression > 0) json_field_number(j, "compression", r->total.compression); /* recordings lack it */
    json_key(j, "overlap_bodies");
    json_array(j);
    for (int i = 0; i < 2 && *r->overlap_names[i]; i++) json_string(j, r->overlap_names[i]);
    json_end(j, ']');
    if (r->total.jams > 0) { /* the same */
        json_field_whole(j, "jams", r->total.jams);
        json_field_number(j, "jam_depth", r->total.jam_depth);
        json_key(j, "jam_bodies");
        json_array(j);
        for (int i = 0; i < 2; i++) json_string(j, r->jam_names[i]);
        json_end(j, ']');
    }
    if (r->total.motor_yields > 0) { /* the same */
        json_field_whole(j, "motor_yields", r->total.motor_yields);
        json_key(j, "yield_joint");
        json_string(j, r->yield_name);
    }
    if (r->total.gives > 0) { /* the same */
        json_field_whole(j, "gives", r->total.gives);
        json_field_number(j, "give", r->total.give);
    }
    if (r->total.handed_over > 0) json_field_whole(j, "handed_over", r->total.handed_over);
    json_field_number(j, "joint_error", r->total.joint_error);
    json_field_number(j, "joint_error_t", r->joint_t);
    json_field_number(j, "smallest_size", r->size);
    json_end(j, '}');
}

void summary_json(json *j, const simulate_options *o, const simulate_result *r) {
    const char *state = r->failed ? "failed" : r->interrupted ? "interrupted" : r->code ? "broken" : "finished";
    char hash[24];
    json_field_string(j, "state", state);
    if (o->scene) json_field_string(j, "scene", o->scene);
    json_field_string(j, "title", r->title);
    json_field_whole(j, "dim", r->dim);
    json_field_whole(j, "bodies", r->bodies);
    json_field_whole(j, "joints", r->joints);
    json_field_whole(j, "contacts_most", r->contacts_most);
    json_field_number(j, "h", r->h);
    json_field_number(j, "t0", r->t0);
    json_field_number(j, "t1", r->t1);
    json_field_number(j, "end", r->end);
    json_field_whole(j, "steps", (long long)r->steps);
    json_field_number(j, "seconds", r->seconds);
    json_field_number(j, "load_seconds", r->load_seconds);
    json_field_number(j, "real_time_factor", r->seconds > 0 ? (r->t1 - r->t0) / r->seconds : NAN);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
    json_field_string(j, "hash", hash);
    summary_json_verdict(j, r);
    json_certificate(j, "certificate", &r->total);
    json_key(j, "energy");
    json_object(j);
    json_field_number(j, "kinetic", r->energy[0]);
    json_field_number(j, "gravity", r->energy[1]);
    json_field_number(j, "spring", r->energy[2]);
    json_end(j, '}');
    json_key(j, "stage_seconds");
    json_object(j);
    for (int i = 0; i < PERP_STAGE_COUNT; i++) json_field_number(j, perp_stage_name((perp_stage)i), r->stage[i]);
    json_field_number(j, "recording", r->recording_seconds);
    json_field_number(j, "other", fmax(r->seconds - stage_sum(r) - r->recording_seconds, 0));
    json_end(j, '}');
    json_key(j, "recording");
    if (o->output) {
        json_object(j);
        json_field_string(j, "path", o->output);
        json_field_whole(j, "frames", (long long)r->frames);
        json_field_whole(j, "bytes", (long long)r->recording_bytes);
        json_field_whole(j, "raw_bytes", (long long)r->recording_raw);
        json_field_number(j, "seconds", r->recording_seconds);
        json_end(j, '}');
    } else {
        json_null(j);
    }
    if (o->save_problems) {
        json_key(j, "problems");
        json_object(j);
        json_field_string(j, "folder", o->save_problems);
        json_field_whole(j, "files", (long long)r->saved_problems);
        json_end(j, '}');
    }
    if (*r->failed_problem) json_field_string(j, "failed_problem", r->failed_problem);
}
