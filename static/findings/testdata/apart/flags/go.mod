module flags.test

go 1.26
