module apart.test

go 1.26

require flags.test v0.0.0

replace flags.test => ./flags
