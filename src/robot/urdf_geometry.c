/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/* urdf_geometry.c - collision and visual elements of URDF: where shapes are, their colours and friction. */
#include <string.h>

#include "robot/model/robot.h"

/* <origin> of an element; none: no shift. */
perp_status pp_urdf_origin(pp_import *m, const pp_xml *e, perp_pose *out) {
    const pp_xml *o = pp_xml_child(e, "origin");
    double rpy[3] = {0};
    *out = perp_pose_identity();
    perp_status s = pp_robot_vector(m, o, "xyz", pp_xml_get(o, "xyz"), &out->p);
    if (!s) s = pp_robot_numbers(m, o, "rpy", pp_xml_get(o, "rpy"), 3, 3, rpy, NULL);
    if (!s) out->q = pp_robot_rpy(rpy);
    return s;
}

/* The colour of a visual: its own, or that of the material of that name at the top of the file. */
static perp_status read_colour(pp_import *m, const pp_xml *e, pp_model_geom *g) {
    const pp_xml *material = pp_xml_child(e, "material"), *colour = pp_xml_child(material, "color");
    const char *name = material ? pp_xml_get(material, "name") : NULL;
    const pp_xml *root = e;
    while (root->parent) root = root->parent;
    for (const pp_xml *top = pp_xml_child(root, "material"); top && name && !colour; top = pp_xml_again(top)) {
        const char *other = pp_xml_get(top, "name");
        if (other && !strcmp(other, name)) colour = pp_xml_child(top, "color");
    }
    const char *text = colour ? pp_xml_get(colour, "rgba") : NULL;
    double rgba[4];
    int got;
    perp_status s = pp_robot_numbers(m, colour ? colour : e, "rgba", text, 3, 4, rgba, &got);
    if (!s && got) g->colour = pp_robot_colour(rgba);
    return s;
}

/* <contact> of Bullet on the link. */
static perp_status read_contact(pp_import *m, const pp_xml *link, pp_model_geom *g) {
    const pp_xml *mu = pp_xml_child(pp_xml_child(link, "contact"), "lateral_friction");
    if (!mu) return pp_robot_note(m, PERP_IMPORT_ASSUMED, NULL, "friction is not given: mu = %g", g->friction[0]);
    return pp_robot_number(m, mu, "value", pp_xml_get(mu, "value"), &g->friction[0]);
}

perp_status pp_urdf_geometry(pp_import *m, const pp_xml *e, int body, bool visual) {
    const pp_xml *geometry = pp_xml_child(e, "geometry");
    if (!geometry || !geometry->first) return pp_robot_wrong(m, e, NULL, "no geometry", "<geometry> with a shape");
    pp_model_geom g = {0};
    pp_model_geom *added = pp_model_add_geom(m, e, body, PP_GEOM_SPHERE);
    if (!added) return m->why->status;
    g = *added;
    bool empty = false;
    perp_status s = pp_robot_shape(m, geometry->first, &g, &empty);
    if (!s && empty) {
        m->model.ngeom--;
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a shape without size");
    }
    if (s && visual && s != PERP_E_MEMORY) { /* errors in visual elements do not refuse the model */
        m->model.ngeom--;
        return pp_robot_note(m, PERP_IMPORT_IGNORED, e, "a visual: %s", m->why->text);
    }
    if (!s) s = pp_urdf_origin(m, e, &g.X_B);
    g.visual = visual;
    if (!s && visual) {
        g.contype = g.conaffinity = 0;
        s = read_colour(m, e, &g);
    } else if (!s) {
        s = read_contact(m, e->parent, &g);
    }
    m->model.geom[m->model.ngeom - 1] = g;
    return s;
}
