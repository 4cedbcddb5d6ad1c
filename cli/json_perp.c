/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* json_perp.c - certificates, refusals, units and parameters as JSON, the same in every command. */
#include "cli.h"

void json_certificate(json *j, const char *key, const perp_certificate *c) {
    if (key) json_key(j, key);
    json_object(j);
    json_field_number(j, "t", c->t);
    json_key(j, "law");
    json_object(j);
    json_field_number(j, "momentum", c->law.momentum);
    json_field_number(j, "joint", c->law.joint);
    json_field_number(j, "normal", c->law.normal);
    json_field_number(j, "cone", c->law.cone);
    json_field_number(j, "dissipation", c->law.dissipation);
    json_field_number(j, "scale", c->law.scale);
    json_end(j, '}');
    json_field_number(j, "joint_error", c->joint_error);
    json_field_number(j, "error", c->error);
    json_field_whole(j, "ambiguous", c->ambiguous);
    json_field_whole(j, "rebounds_limited", c->rebounds_limited);
    json_field_whole(j, "rebounds_given_up", c->rebounds_given_up);
    json_field_number(j, "overlap", c->overlap);
    json_field_whole(j, "contacts", c->contacts);
    json_field_whole(j, "separating", c->separating);
    json_field_whole(j, "sticking", c->sticking);
    json_field_whole(j, "sliding", c->sliding);
    json_field_whole(j, "unknowns", c->unknowns);
    json_field_whole(j, "substeps", c->substeps);
    json_field_whole(j, "rejected", c->rejected);
    json_field_whole(j, "fallbacks", c->fallbacks);
    json_field_string(j, "solver", c->solver ? c->solver : "");
    json_field_whole(j, "iterations", c->iterations);
    json_field_number(j, "residual", c->residual);
    json_key(j, "ledger");
    json_object(j);
    json_field_number(j, "kinetic_before", c->ledger.kinetic_before);
    for (int i = 0; summary_ledger(i); i++)
        json_field_number(j, summary_ledger(i)->key,
                          *(const double *)(const void *)((const char *)&c->ledger + summary_ledger(i)->offset));
    json_field_number(j, "kinetic_after", c->ledger.kinetic_after);
    json_field_number(j, "remainder", c->ledger.remainder);
    json_end(j, '}');
    json_end(j, '}');
}

void json_refusal(json *j, const char *key, const perp_refusal *why, int code) {
    json_key(j, key);
    json_object(j);
    json_field_string(j, "status", perp_status_name(why->status));
    json_field_whole(j, "code", code);
    if (*why->file) json_field_string(j, "file", why->file);
    if (why->line > 0) json_field_whole(j, "line", why->line);
    if (why->column > 0) json_field_whole(j, "column", why->column);
    if (*why->key) json_field_string(j, "key", why->key);
    if (*why->found) json_field_string(j, "found", why->found);
    if (*why->allowed) json_field_string(j, "allowed", why->allowed);
    json_field_string(j, "text", why->text);
    json_end(j, '}');
}

void json_units(json *j, perp_units u) {
    json_key(j, "units");
    json_object(j);
    json_field_string(j, "length", u.length);
    json_field_string(j, "mass", u.mass);
    json_field_string(j, "time", u.time);
    json_end(j, '}');
}

void json_parameters(json *j, const perp_scene *s) {
    json_key(j, "parameters");
    json_array(j);
    for (int i = 0; i < perp_scene_parameter_count(s); i++) {
        perp_scene_parameter p = perp_scene_parameter_at(s, i);
        json_object(j);
        json_field_string(j, "name", p.name);
        json_field_number(j, "value", p.value);
        json_field_number(j, "default", p.initial);
        json_field_string(j, "unit", p.unit);
        json_field_string(j, "about", p.about);
        json_field_number(j, "min", p.min);
        json_field_number(j, "max", p.max);
        json_end(j, '}');
    }
    json_end(j, ']');
}
