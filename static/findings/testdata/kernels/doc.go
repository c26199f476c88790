// Package kernels has small programs with one concurrency bug each (TestWrong...), of the classes of GoBench,
// and the same programs mended (TestRight...).
package kernels
