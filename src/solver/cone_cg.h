#ifndef PP_CONE_CG_H
#define PP_CONE_CG_H
#include "solver/cone.h"
typedef struct pp_cone_cg { int dummy; } pp_cone_cg;
#endif
