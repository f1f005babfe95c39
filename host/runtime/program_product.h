#pragma once

#include "host/driver/element_size.h"
#include "host/driver/product.h"
