module findings.test

go 1.26
