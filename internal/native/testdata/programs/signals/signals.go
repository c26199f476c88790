// Package signals has programs about signals.
package signals

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// Interrupted waits for an interrupt.
//
//native:interrupt
func Interrupted() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	fmt.Print(<-c)
}

// InterruptedWork: an interrupt or the work.
//
//native:interrupt
func InterruptedWork() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	done := make(chan int, 1)
	go func() { time.Sleep(10 * time.Millisecond); done <- 1 }()
	select {
	case <-c:
		fmt.Print("interrupt")
	case <-done:
		fmt.Print("done")
	}
}

// InterruptedBug: a bug behind an interrupt.
//
//native:interrupt
func InterruptedBug() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	<-c
	panic("after the signal")
}

// InterruptedContext is done by an interrupt.
//
//native:interrupt
func InterruptedContext() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
	fmt.Print(ctx.Err())
}

// InterruptedServer stops a worker.
//
//native:interrupt
func InterruptedServer() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { <-stop; close(done) }()
	<-c
	close(stop)
	<-done
	fmt.Print("stopped")
}

// Ignored: an interrupt has no effect.
//
//native:interrupt
func Ignored() {
	signal.Ignore(os.Interrupt)
	time.Sleep(10 * time.Millisecond)
	fmt.Print("ok")
}

// Stopped: after Stop nothing is sent.
func Stopped() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
	select {
	case <-c:
		fmt.Print("signal")
	default:
		fmt.Print("none")
	}
}

// ContextStopped: stop cancels the context.
func ContextStopped() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	stop()
	<-ctx.Done()
	fmt.Print(ctx.Err())
}

// Self sends itself a signal.
//
//native:incomplete ill
func Self() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Print(<-c)
}

// None arrives in a short program.
func None() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	select {
	case <-c:
		fmt.Print("signal")
	default:
		fmt.Print("none")
	}
}

// Reset gives the default behaviour back.
func Reset() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	signal.Reset(os.Interrupt)
	fmt.Print(signal.Ignored(os.Interrupt))
}

// CountListening: one goroutine waits for all signals.
func CountListening() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	n := runtime.NumGoroutine()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGUSR1)
	fmt.Print(n, runtime.NumGoroutine())
}
