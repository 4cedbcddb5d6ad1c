/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* info_recording.c - what a recording holds, and how good the run in it was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"

/* The name of the body of a shape; "" if it is not there. @return it is driven */
static bool shape_owner(const perp_recording *r, int shape, char *out, size_t size) {
    const perp_recording_info *info = perp_recording_about(r);
    *out = 0;
    if (shape < 0 || shape >= info->nshape) return false;
    int b = perp_recording_shape(r, shape).body;
    if (b < 0 || b >= info->nbody) return false;
    const char *name = perp_recording_body(r, b).name;
    if (name && *name)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "body-%d", b);
    return perp_recording_body(r, b).kind == PERP_BODY_KINEMATIC;
}

static double frame_time(perp_recording *r, uint64_t frame) {
    perp_certificate c;
    return perp_recording_certificate(r, frame, &c, NULL) ? NAN : c.t;
}

/* Fills what judge() looks at. False if the recording has no certificate. */
static bool collect(perp_recording *r, simulate_result *out) {
    const perp_recording_info *info = perp_recording_about(r);
    perp_recording_worst w;
    *out = (simulate_result){.dim = info->dim, .bodies = info->nbody, .joints = info->njoint, .h = info->h};
    if (!(info->choice.what & PERP_RECORD_CERTIFICATE) || perp_recording_total(r, &w, NULL)) return false;
    out->total = w.total;
    out->law = w.law;
    out->law_t = frame_time(r, w.law_frame);
    out->overlap_t = frame_time(r, w.overlap_frame);
    out->joint_t = frame_time(r, w.joint_frame);
    out->size = size_of_recording(r);
    out->gain_t = frame_time(r, w.gain_frame);
    for (int i = 0; i < 2 && w.total.gain > 0; i++)
        (void)shape_owner(r, w.total.gain_shape[i], out->gain_names[i], sizeof out->gain_names[i]);
    for (int i = 0; i < 2; i++)
        out->overlap_driven[i] =
            shape_owner(r, w.total.overlap_shape[i], out->overlap_names[i], sizeof out->overlap_names[i]);
    return true;
}

static void tell_counts(json *j, const perp_recording *r) {
    const perp_recording_info *info = perp_recording_about(r);
    int body[3] = {0}, shape[PERP_SHAPE_KIND_COUNT] = {0}, joint[PERP_JOINT_KIND_COUNT] = {0};
    for (int i = 0; i < info->nbody; i++) body[perp_recording_body(r, i).kind]++;
    for (int i = 0; i < info->nshape; i++) shape[perp_recording_shape(r, i).kind]++;
    for (int i = 0; i < info->njoint; i++) joint[perp_recording_joint(r, i).kind]++;
    info_counts(j, "bodies", info_body_kind, body, 3);
    info_counts(j, "shapes", info_shape_kind, shape, PERP_SHAPE_KIND_COUNT);
    info_counts(j, "joints", info_joint_kind, joint, PERP_JOINT_KIND_COUNT);
}

static void tell_series(json *j, const perp_recording *r) {
    if (j) {
        json_key(j, "series");
        json_array(j);
    } else {
        printf("\nSeries\n");
    }
    for (int i = 0; perp_recording_series_name(r, i); i++) {
        const char *name = perp_recording_series_name(r, i);
        char unit[64];
        perp_unit_text(perp_recording_unit(r, name), perp_recording_about(r)->units, unit, sizeof unit);
        if (j) {
            json_object(j);
            json_field_string(j, "name", name);
            json_field_string(j, "unit", unit);
            json_end(j, '}');
        } else {
            printf("  %-32s%s%s\n", name, *unit ? "  " : "", unit);
        }
    }
    if (j) json_end(j, ']');
}

static void text_head(const char *path, const perp_recording_info *info) {
    char text[CLI_PATH], size[32], raw[32];
    printf("%s%s%s: recording\n", cli_style(stdout, "1"), cli_printable(text, sizeof text, path),
           cli_style(stdout, ""));
    if (*info->title) info_row("title", "%s", cli_printable(text, sizeof text, info->title));
    info_units(NULL, info->units);
    info_row("written by", "%s (layout %d)", cli_printable(text, sizeof text, info->program), info->version);
    info_row("state", "%s", info->finished ? "finished" : "not finished: interrupted, or still running");
    info_row("time", "t = %.6g to %.6g of %.6g, %dD, steps of %.6g", info->t0, info->t1, info->duration, info->dim,
             info->h);
    info_row("frames", "%llu, one every %d step%s", (unsigned long long)info->frames, info->choice.every,
             info->choice.every == 1 ? "" : "s");
    info_row("holds", "%s", info_what(info->choice.what, text, sizeof text));
    info_row("size", "%s on disk for %s of data", cli_bytes(size, sizeof size, (double)info->file_size),
             cli_bytes(raw, sizeof raw, (double)info->raw_size));
}

static void json_head(json *j, const perp_recording_info *info) {
    char text[128];
    json_field_string(j, "kind", "recording");
    json_field_whole(j, "version", info->version);
    json_field_string(j, "program", info->program);
    json_field_string(j, "title", info->title);
    info_units(j, info->units);
    json_field_bool(j, "finished", info->finished);
    json_field_whole(j, "dim", info->dim);
    json_field_number(j, "h", info->h);
    json_field_number(j, "duration", info->duration);
    json_field_whole(j, "frames", (long long)info->frames);
    json_field_number(j, "t0", info->t0);
    json_field_number(j, "t1", info->t1);
    json_field_whole(j, "step0", (long long)info->step0);
    json_field_whole(j, "step1", (long long)info->step1);
    json_key(j, "record");
    json_object(j);
    json_field_string(j, "what", info_what(info->choice.what, text, sizeof text));
    json_field_whole(j, "every", info->choice.every);
    json_field_whole(j, "compression", info->choice.compression);
    json_end(j, '}');
    json_field_whole(j, "bytes", (long long)info->file_size);
    json_field_whole(j, "raw_bytes", (long long)info->raw_size);
    json_field_whole(j, "contact_rows", (long long)info->ncontact);
}

perp_status info_recording(const info_request *q, perp_refusal *why) {
    perp_recording *r;
    perp_status s = perp_recording_open(q->path, &r, why);
    if (s) return s;
    const perp_recording_info *info = perp_recording_about(r);
    static simulate_result result;
    uint64_t digest = 0;
    if (q->digest) s = perp_recording_digest(r, &digest, why);
    if (s) {
        perp_recording_close(r);
        return s;
    }
    bool judged = collect(r, &result), ledger = (info->choice.what & PERP_RECORD_LEDGER) != 0;
    json *j = q->j;
    if (j)
        json_head(j, info);
    else
        text_head(q->path, info);
    tell_counts(j, r);
    if (q->digest) {
        char text[24];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
        if (j)
            json_field_string(j, "digest", text);
        else
            info_row("digest", "%s", text);
    }
    if (j) {
        if (judged) {
            summary_json_verdict(j, &result);
            json_certificate(j, "certificate", &result.total);
        }
    } else {
        info_row("contacts", "%llu rows", (unsigned long long)info->ncontact);
        if (judged && info->frames > 1) {
            summary_certificate(stdout, &result);
            if (ledger) summary_energy(stdout, &result.total.ledger, NULL);
        } else if (!judged) {
            printf("\nNo certificate was recorded (perp run --what).\n");
        }
        char path[CLI_PATH];
        cli_quote(path, sizeof path, q->path);
        if (!q->series) printf("\nperp info --series %s lists what can be plotted", path);
        if (!q->series && !info->finished) printf("; perp run --resume %s continues the run", path);
        if (!q->series) printf("\n");
    }
    if (q->series) tell_series(j, r);
    perp_recording_close(r);
    return PERP_OK;
}
