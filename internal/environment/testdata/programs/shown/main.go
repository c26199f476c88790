// assumed: nothing
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"time"
)

type at struct{ p *int }

func (a at) Error() string { return "at " + fmt.Sprintf("%p", a.p) }

func main() {
	p := new(int)
	log.Printf("%p", p)
	log.Print(fmt.Sprintf("%v ", p) + fmt.Sprint(p))
	var err error = at{p}
	if !errors.Is(err, os.ErrExist) {
		fmt.Fprintln(os.Stderr, err, fmt.Errorf("%w %p", err, p))
	}
	log.Println(time.Now().UnixNano(), time.Since(time.Now()).Seconds())
	if time.Now().Unix() > 0 {
		fmt.Println("ok")
	}
}
