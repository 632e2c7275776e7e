#pragma once

// The layers that a model is made of. Including single ones compiles faster.

#include <hob/native/attention.h>
#include <hob/native/conv.h>
#include <hob/native/dropout.h>
#include <hob/native/embedding.h>
#include <hob/native/linear.h>
#include <hob/native/norm.h>
#include <hob/native/segment.h>
