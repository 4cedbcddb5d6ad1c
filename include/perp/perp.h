/** @file perp.h
 *  Everything: rigid bodies with intermittent frictional contact, every step certified. */
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include "perp/base.h"
#include "perp/certificate.h"
#include "perp/contact.h"
#include "perp/contradiction.h"
#include "perp/drive.h"
#include "perp/ensemble.h"
#include "perp/filter.h"
#include "perp/fit.h"
#include "perp/input.h"
#include "perp/joint.h"
#include "perp/judge.h"
#include "perp/math.h"
#include "perp/mpec.h"
#include "perp/plugin.h"
#include "perp/problem.h"
#include "perp/problem_file.h"
#include "perp/random.h"
#include "perp/recording.h"
#include "perp/scene.h"
#include "perp/search.h"
#include "perp/shape.h"
#include "perp/solve.h"
#include "perp/solver.h"
#include "perp/statistic.h"
#include "perp/step.h"
#include "perp/tangent.h"
#include "perp/world.h"

#endif
