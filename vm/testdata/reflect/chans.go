package main

import (
	"fmt"
	"reflect"
	"sync"
)

type msg struct {
	id   int
	body string
}

func main() {
	c := reflect.MakeChan(reflect.TypeFor[chan msg](), 2)
	c.Send(reflect.ValueOf(msg{1, "a"}))
	fmt.Println(c.TrySend(reflect.ValueOf(msg{2, "b"})), c.TrySend(reflect.ValueOf(msg{3, "c"})), c.Len(), c.Cap())
	x, ok := c.Recv()
	fmt.Println(x, ok)
	x, ok = c.TryRecv()
	fmt.Println(x, ok)
	x, ok = c.TryRecv()
	fmt.Println(x.IsValid(), ok)
	c.Close()
	x, ok = c.Recv()
	fmt.Println(x, ok)
	un := make(chan *int)
	uv := reflect.ValueOf(un)
	var wg sync.WaitGroup
	wg.Add(1)
	n := 5
	go func() { defer wg.Done(); uv.Send(reflect.ValueOf(&n)) }()
	y, ok := uv.Recv()
	fmt.Println(y.Elem(), ok)
	wg.Wait()
	a, b := make(chan int, 1), make(chan string, 1)
	b <- "bee"
	cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)}}
	i, v, ok := reflect.Select(cases)
	fmt.Println(i, v, ok)
	cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
	i, v, ok = reflect.Select(cases)
	fmt.Println(i, v.IsValid(), ok)
	cases = []reflect.SelectCase{{Dir: reflect.SelectDefault}, {Dir: reflect.SelectSend, Chan: reflect.ValueOf(a), Send: reflect.ValueOf(4)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)}}
	i, v, ok = reflect.Select(cases)
	fmt.Println(i, v.IsValid(), ok, <-a)
	close(b)
	i, v, ok = reflect.Select(cases[2:])
	fmt.Println(i, v, ok)
	func() {
		defer func() { fmt.Println(recover()) }()
		c.Send(reflect.ValueOf(msg{}))
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		c.Close()
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		reflect.ValueOf((<-chan int)(a)).Send(reflect.ValueOf(1))
	}()
	// several goroutines through select
	out := make(chan int)
	for k := range 3 {
		go func() {
			reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: reflect.ValueOf(out), Send: reflect.ValueOf(k)}})
		}()
	}
	s := 0
	for range 3 {
		s += <-out
	}
	fmt.Println(s)
}
