module hbcheck.dev/far

go 1.26
