package modeltest

import "flag"

var every = flag.Bool("every", false, "explore with all kinds of static facts")
