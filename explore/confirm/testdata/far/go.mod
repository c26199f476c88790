module confirm.test/far

go 1.26
