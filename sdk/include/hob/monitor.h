#pragma once

#include <hob/events.h>  // hob::Monitor
