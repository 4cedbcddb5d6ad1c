/* SPDX-FileCopyrightText: the perp authors
 * SPDX-License-Identifier: Apache-2.0 */
/** @file shape.h
 *  Shapes and their exact mass properties.
 *
 *  2D worlds have particle, sphere (a disc), half-space (a half-plane), box (a rectangle), polygon and capsule (a
 *  stadium); 3D worlds particle, sphere, half-space, box, polyhedron and capsule. Worlds whose stepper uses implicit
 *  functions ("implicit", "implicit-compliant") also have ellipsoid, superellipsoid, cylinder and intersection; the
 *  others refuse them. Every shape is convex. A non-convex body has several convex shapes: perp_polygon_parts() and
 *  perp_mesh_parts() make them. */
#ifndef PERP_SHAPE_H
#define PERP_SHAPE_H

#include "perp/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of shape. */
typedef enum perp_shape_kind {
    PERP_SHAPE_PARTICLE,       /**< a point */
    PERP_SHAPE_SPHERE,         /**< ball; a disc in 2D */
    PERP_SHAPE_HALFSPACE,      /**< all points with n . x <= offset; only on obstacles and kinematic bodies */
    PERP_SHAPE_BOX,            /**< cuboid; a rectangle in 2D */
    PERP_SHAPE_POLYGON,        /**< convex polygon, 2D only */
    PERP_SHAPE_POLYHEDRON,     /**< convex polyhedron, 3D only */
    PERP_SHAPE_CAPSULE,        /**< all points within a radius of a segment; a stadium in 2D */
    PERP_SHAPE_ELLIPSOID,      /**< ellipsoid; an ellipse in 2D */
    PERP_SHAPE_SUPERELLIPSOID, /**< the sum of |x/a|, |y/b|, |z/c| to given powers is at most 1; see
                                    perp_shape_superellipsoid() */
    PERP_SHAPE_CYLINDER,       /**< true cylinder along z, 3D only */
    PERP_SHAPE_INTERSECTION,   /**< all points where several convex functions are not positive */
    PERP_SHAPE_KIND_COUNT      /**< number of kinds */
} perp_shape_kind;

/** A convex function of the user: its value at x, gradient and Hessian [any unit; 1/L, 1/L^2 of it]. It must be convex
 *  and twice differentiable, negative somewhere, and its gradient must not vanish where it is zero. In 2D x.z is 0 and z
 *  entries are ignored. Called in the thread that steps; it may depend only on x and ctx. */
typedef double (*perp_convex)(perp_vec3 x, perp_vec3 *gradient, perp_mat3 *hessian, const void *ctx);

/** Kinds of convex function. */
typedef enum perp_function_kind {
    PERP_FUNCTION_SPHERE,         /**< radius */
    PERP_FUNCTION_ELLIPSOID,      /**< half_size */
    PERP_FUNCTION_SUPERELLIPSOID, /**< half_size, exponent */
    PERP_FUNCTION_HALFSPACE,      /**< normal, offset */
    PERP_FUNCTION_CYLINDER, /**< radius, about the z axis, without ends; a strip of that half width in 2D, along y */
    PERP_FUNCTION_USER      /**< user, ctx */
} perp_function_kind;

/** A convex function, negative within a body; meaning of the fields as in perp_shape_def. */
typedef struct perp_function {
    perp_function_kind kind;
    perp_pose X_SF; /**< pose of its frame in that of the shape; a zero q means no rotation */
    double radius;
    perp_vec3 half_size;
    double exponent[2];
    perp_vec3 normal;
    double offset;
    perp_convex user;
    const void *ctx; /**< borrowed until the shape is removed */
} perp_function;

/** A colour from red, green and blue, 0 to 255 each. */
#define PERP_COLOUR(r, g, b) (0xff000000u | (uint32_t)(r) << 16 | (uint32_t)(g) << 8 | (uint32_t)(b))

/** Definition of a shape, in its own frame S, placed on a body by X_BS. Start from perp_shape_particle() etc. */
typedef struct perp_shape_def {
    perp_shape_kind kind;
    perp_pose X_BS;      /**< pose of the shape frame in the body frame */
    double radius;       /**< sphere, capsule, cylinder [L] */
    double half_length;  /**< capsule: its segment runs from -half_length to half_length on the x axis of S; cylinder:
                                  from -half_length to half_length on the z axis [L] */
    perp_vec3 half_size; /**< box: half edge lengths; ellipsoid, superellipsoid: half axes [L]; z is ignored in 2D */
    double exponent[2];  /**< superellipsoid: powers r, t, 2 to 100 */
    const perp_function *function; /**< intersection: its functions; copied */
    int nfunction;
    double bound;            /**< intersection: radius of a ball about the origin of S that contains it [L] */
    perp_vec3 normal;        /**< half-space: outward normal in S; normalised on creation */
    double offset;           /**< half-space: n . x = offset on the surface [L] */
    const perp_vec3 *points; /**< polygon, polyhedron: points in S; the shape is their convex hull [L]; copied */
    int npoint;
    int material; /**< material number, 0 is the default material; see perp_pair_set() */
    /** Velocity of the surface relative to the body, in the body frame [L/T]: a conveyor belt. It is added to the velocity of the
     *  body in the slip of contacts. Only the component in the contact plane counts. In 2D z must be 0. */
    perp_vec3 surface_velocity;
    /** The surface velocity as a function of time, instead of surface_velocity: writes the velocity at t. It may depend only on t
     *  and ctx (perp calls it for several times of a step, more than once). NULL: surface_velocity. */
    void (*surface_motion)(double t, perp_vec3 *v_B, void *ctx);
    void *surface_ctx;    /**< of surface_motion; borrowed until the shape is removed */
    bool visual;          /**< only drawn: it has no contacts and does not count in the size of the body */
    uint32_t colour;      /**< PERP_COLOUR(r, g, b); 0: not set, the drawing program chooses */
    uint32_t group, mask; /**< two shapes may touch if (a.group & b.mask) and (b.group & a.mask); defaults 1, ~0 */
    uint32_t cookie;      /**< set by the functions below */
} perp_shape_def;

/** A point at p_B. */
PERP_API perp_shape_def perp_shape_particle(perp_vec3 p_B);
/** A ball (3D) or disc (2D) centred at the body origin. */
PERP_API perp_shape_def perp_shape_sphere(double radius);
/** The half-space n . x <= offset. */
PERP_API perp_shape_def perp_shape_halfspace(perp_vec3 normal, double offset);
/** Box by its half edges: the edges are 2 hx, 2 hy, 2 hz; in 2D hz is ignored. `half_edges` in scene files. */
PERP_API perp_shape_def perp_shape_box(double hx, double hy, double hz);
/** Box by its full edges; in 2D z is ignored. `size` or `edges` in scene files. */
PERP_API perp_shape_def perp_shape_box_edges(double x, double y, double z);
/** All points within `radius` of the segment from (-half_length, 0, 0) to (half_length, 0, 0). */
PERP_API perp_shape_def perp_shape_capsule(double radius, double half_length);
/** (x/hx)^2 + (y/hy)^2 + (z/hz)^2 <= 1; in 2D an ellipse, hz is ignored. */
PERP_API perp_shape_def perp_shape_ellipsoid(double hx, double hy, double hz);
/** (|x/hx|^r + |y/hy|^r)^(t/r) + |z/hz|^t <= 1, powers 2 to 100; in 2D |x/hx|^r + |y/hy|^r <= 1. */
PERP_API perp_shape_def perp_shape_superellipsoid(double hx, double hy, double hz, double r, double t);
/** Cylinder about the z axis from -half_length to half_length. */
PERP_API perp_shape_def perp_shape_cylinder(double radius, double half_length);
/** All points within `bound` of the origin where none of the functions is positive. All must be negative at the origin
 *  of S, and no point of the intersection may lie outside the ball of radius `bound`. Its mass is not computed: set it for the
 *  body.
 *  `function` borrowed until perp_shape_add() returns. At most PERP_FUNCTION_MAX. */
PERP_API perp_shape_def perp_shape_intersection(const perp_function *function, int nfunction, double bound);
#define PERP_FUNCTION_MAX 32
/** Convex hull of points in the x-y plane; `points` borrowed until perp_shape_add() returns. */
PERP_API perp_shape_def perp_shape_polygon(const perp_vec3 *points, int npoint);
/** Convex hull of points in space; `points` borrowed until perp_shape_add() returns. */
PERP_API perp_shape_def perp_shape_polyhedron(const perp_vec3 *points, int npoint);

/** @name Points of regular bodies
 *  For perp_shape_polygon() and perp_shape_polyhedron(). Each returns the number of points and writes them if there is
 *  room (n <= max); 0 if a number is not finite, not positive or out of range. The origin is the centre of mass of the
 *  body. Faces are flat and corners convex up to rounding of the coordinates, far below the angle that counts as a corner.
 *  @{ */
#define PERP_SIDES_MAX 1000
/** Regular polygon with its corners at distance `radius`, the first on +x; sides: 3 to PERP_SIDES_MAX. */
PERP_API int perp_points_regular(int sides, double radius, perp_vec3 *out, int max);
/** Prism over that polygon, axis along z from -height/2 to height/2; with many sides a cylinder, its corners on the
 *  circle of that radius. 2 * sides points. */
PERP_API int perp_points_prism(int sides, double radius, double height, perp_vec3 *out, int max);
/** Pyramid over that polygon, which lies at z = -height/4, with its tip at z = 3/4 height; with many sides a cone.
 *  sides + 1 points. */
PERP_API int perp_points_cone(int sides, double radius, double height, perp_vec3 *out, int max);
/** The five regular solids, by their number of faces. */
typedef enum perp_platonic {
    PERP_TETRAHEDRON = 4,
    PERP_CUBE = 6,
    PERP_OCTAHEDRON = 8,
    PERP_DODECAHEDRON = 12,
    PERP_ICOSAHEDRON = 20
} perp_platonic;
/** Corners at distance `radius` from the origin; at most 20. */
PERP_API int perp_points_platonic(perp_platonic which, double radius, perp_vec3 *out, int max);
/** @} */

/** Convex parts of a non-convex polygon or mesh. Part k is the hull of point[start[k]] to point[start[k + 1] - 1]. Each is a
 *  shape, all on one body. The parts may overlap; their union is the polygon or mesh. Its mass is therefore not the sum of the
 *  masses of the parts: see perp_polygon_mass() and perp_mesh_mass(). */
typedef struct perp_parts {
    int npart;
    int *start; /**< npart + 1 */
    perp_vec3 *point;
    perp_allocator alloc; /**< allocator of the arrays */
} perp_parts;
/** Frees the arrays and clears the struct. NULL is allowed. */
PERP_API void perp_parts_free(perp_parts *parts);

/** Largest number of points of a polygon that is decomposed. */
#define PERP_POLYGON_MAX 1000
/** Convex parts of a simple polygon without holes, given by its corners in order, clockwise or counter-clockwise. Each part is
 *  extended as far as the polygon allows. Parts therefore overlap, sides keep their length, and there are few seams. New
 *  corners are, to rounding, intersections of the lines of two sides. A convex polygon is one part.
 *  Refused: corners that are not finite or coincide, sides that intersect, a part thinner than 1e-9 of its size.
 *  @param alloc  NULL: malloc and free
 *  @param why    sentence on failure, may be NULL */
PERP_API perp_status perp_polygon_parts(const perp_vec3 *points, int npoint, const perp_allocator *alloc,
                                        perp_parts *out, char *why, size_t why_size);
/** Exact mass properties of a simple polygon of uniform density per area, in the form of perp_shape_mass(). */
PERP_API perp_status perp_polygon_mass(const perp_vec3 *points, int npoint, double density, perp_mass *out, char *why,
                                       size_t why_size);

/** A closed surface: corners of each face counter-clockwise from outside. */
typedef struct perp_surface {
    const perp_vec3 *vertex;
    int nvertex;
    const int *face_start; /**< nface + 1, into face */
    const int *face;       /**< vertices of each face, at least 3; faces are flat */
    int nface;
} perp_surface;
/** Exact mass properties of the volume in a closed surface. Refused: an edge that does not have one face on each side (open, or
 *  faces of opposite orientation), a surface that is inside out. */
PERP_API perp_status perp_mesh_mass(const perp_surface *s, double density, perp_mass *out, char *why, size_t why_size);
/** Largest number of face corners of a surface that is decomposed. */
#define PERP_MESH_PARTS_MAX 6000
/** Convex parts of the volume in a closed surface, cut along planes of its faces; they touch and do not overlap. Refused as by
 *  perp_mesh_mass(); also a surface that intersects itself (the volumes of its parts do not add up to its volume).
 *  @param alloc  NULL: malloc and free
 *  @param why    sentence on failure, may be NULL */
PERP_API perp_status perp_mesh_parts(const perp_surface *s, const perp_allocator *alloc, perp_parts *out, char *why,
                                     size_t why_size);

/** Exact mass, centre of mass and inertia of a shape of uniform density, in the body frame (X_BS applied).
 *  In 2D density is per area, inertia is about z (I_B.c[2].z) and the other entries are zero. A particle has no
 *  volume: its mass is `density` itself, at its point, and its inertia is zero. A half-space has no mass, and the mass of an
 *  intersection is not computed: PERP_E_GEOMETRY for both.
 *  @param dim  2 or 3
 *  @param why  sentence on failure, may be NULL */
PERP_API perp_status perp_shape_mass(const perp_shape_def *def, int dim, double density, perp_mass *out, char *why,
                                     size_t why_size);

#ifdef __cplusplus
}
#endif
#endif
