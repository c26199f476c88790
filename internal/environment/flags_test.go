package environment

import "flag"

var every = flag.Bool("every", false, "explore with every explorer and all static facts, and execute each program 200 times")
