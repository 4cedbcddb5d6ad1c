/** @file shape.h
 *  Shapes and their exact mass properties.
 *
 *  2D worlds take particle, sphere (a disc), half-space (a half-plane), box (a rectangle) and polygon;
 *  3D worlds particle, sphere, half-space, box and polyhedron. */
#ifndef PERP_SHAPE_H
#define PERP_SHAPE_H

#include "perp/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of shape. */
typedef enum perp_shape_kind {
    PERP_SHAPE_PARTICLE,   /**< a point */
    PERP_SHAPE_SPHERE,     /**< ball; a disc in 2D */
    PERP_SHAPE_HALFSPACE,  /**< all points with n . x <= offset; bodies that have one are obstacle or kinematic */
    PERP_SHAPE_BOX,        /**< cuboid; a rectangle in 2D */
    PERP_SHAPE_POLYGON,    /**< convex polygon, 2D only */
    PERP_SHAPE_POLYHEDRON, /**< convex polyhedron, 3D only */
    PERP_SHAPE_KIND_COUNT  /**< number of kinds */
} perp_shape_kind;

/** Definition of a shape, in its own frame S, placed on a body by X_BS. Start from perp_shape_particle() etc. */
typedef struct perp_shape_def {
    perp_shape_kind kind;
    perp_pose X_BS;          /**< pose of the shape frame in the body frame */
    double radius;           /**< sphere [L] */
    perp_vec3 half_size;     /**< box: half edge lengths [L]; z is ignored in 2D */
    perp_vec3 normal;        /**< half-space: outward normal in S; normalised on creation */
    double offset;           /**< half-space: n . x = offset on the surface [L] */
    const perp_vec3 *points; /**< polygon, polyhedron: points in S whose convex hull is meant [L]; copied */
    int npoint;
    int material;         /**< material number, 0 is the default material; see perp_pair_set() */
    uint32_t group, mask; /**< two shapes are tested if (a.group & b.mask) and (b.group & a.mask); defaults 1, ~0 */
    uint32_t cookie;      /**< set by the functions below */
} perp_shape_def;

/** A point at p_B. */
PERP_API perp_shape_def perp_shape_particle(perp_vec3 p_B);
/** A ball (3D) or disc (2D) centred at the body origin. */
PERP_API perp_shape_def perp_shape_sphere(double radius);
/** The half-space n . x <= offset. */
PERP_API perp_shape_def perp_shape_halfspace(perp_vec3 normal, double offset);
/** Box with edges 2 hx, 2 hy, 2 hz; in 2D hz is ignored. */
PERP_API perp_shape_def perp_shape_box(double hx, double hy, double hz);
/** Convex hull of points in the x-y plane; `points` borrowed until perp_shape_add() returns. */
PERP_API perp_shape_def perp_shape_polygon(const perp_vec3 *points, int npoint);
/** Convex hull of points in space; `points` borrowed until perp_shape_add() returns. */
PERP_API perp_shape_def perp_shape_polyhedron(const perp_vec3 *points, int npoint);

/** Exact mass, centre of mass and inertia of a shape of uniform density, in the body frame (X_BS applied).
 *  In 2D density is per area, inertia is about z (I_B.c[2].z) and the other entries are zero. A particle has no
 *  volume: its mass is `density` itself, at its point, and its inertia is zero. A half-space has no mass:
 *  PERP_E_GEOMETRY.
 *  @param dim  2 or 3
 *  @param why  sentence on failure, may be NULL */
PERP_API perp_status perp_shape_mass(const perp_shape_def *def, int dim, double density, perp_mass *out, char *why,
                                     size_t why_size);

#ifdef __cplusplus
}
#endif
#endif
