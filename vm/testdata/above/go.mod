module example.com/above

go 1.26
