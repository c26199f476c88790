module kernels.test

go 1.26
