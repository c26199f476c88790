// Command library uses a little of many packages of the standard library and
// prints what comes of it: the same wherever it runs.
package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"container/heap"
	"container/list"
	"container/ring"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"hash/adler32"
	"hash/crc32"
	"hash/fnv"
	"hash/maphash"
	"html"
	htemplate "html/template"
	"image"
	"image/color"
	"image/png"
	"index/suffixarray"
	"io"
	"io/fs"
	"iter"
	"log"
	"log/slog"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
	"math/rand"
	randv2 "math/rand/v2"
	"mime"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"text/scanner"
	"text/tabwriter"
	"text/template"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
	"unique"
	"weak"
)

// P has a field of each of some kinds.
type P struct {
	Name string `json:"name" xml:"name,attr"`
	Age  int    `json:"age,omitempty"`
	Tags []string
	M    map[string]any
}

// ih is a heap.
type ih []int

func (h ih) Len() int           { return len(h) }
func (h ih) Less(i, j int) bool { return h[i] < h[j] }
func (h ih) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ih) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ih) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }

// try prints what f does under its name.
func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "PANIC", r)
		}
	}()
	fmt.Print(name, ": ")
	f()
	fmt.Println()
}

// kept is what escapes: arrays on the stack have other capacities.
var kept any

func grow[T any]() {
	last := -1
	var z T
	for s := []T(nil); len(s) < 2500; s = append(s, z) {
		if kept = s; cap(s) > last+last/32 {
			last = cap(s)
			fmt.Print(last, "/", cap(slices.Grow(s, 10)), " ")
		}
	}
}

func main() {
	only := ""
	if len(os.Args) > 1 {
		only = os.Args[1]
	}
	t := func(name string, f func()) {
		if only == "" || only == name {
			try(name, f)
		}
	}
	t("archive", func() {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		f, _ := w.Create("a.txt")
		f.Write([]byte(strings.Repeat("hello ", 50)))
		w.Close()
		r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		fmt.Print(err, len(r.File), r.File[0].Name)
		rc, _ := r.File[0].Open()
		x, _ := io.ReadAll(rc)
		fmt.Print(len(x))
		var tb bytes.Buffer
		tw := tar.NewWriter(&tb)
		tw.WriteHeader(&tar.Header{Name: "x", Size: 2, Mode: 0o600})
		tw.Write([]byte("ab"))
		tw.Close()
		h, err := tar.NewReader(&tb).Next()
		fmt.Print(h.Name, err)
	})
	t("gzip", func() {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(bytes.Repeat([]byte("abc"), 1000))
		w.Close()
		fmt.Print(b.Len(), " ")
		r, err := gzip.NewReader(&b)
		x, err2 := io.ReadAll(r)
		fmt.Print(len(x), err, err2)
		fw, _ := flate.NewWriter(&b, 9)
		fw.Write([]byte("zz"))
		fw.Close()
	})
	t("floats that do not fit", func() {
		for _, x := range []float64{1e10, -1e10, 300, 70000, 5e9, 1e19, -1e19, math.NaN(), math.Inf(1)} {
			y := float32(x)
			fmt.Println(int8(x), int16(x), int32(x), int64(x), uint8(x), uint16(x), uint32(x), uint64(x))
			fmt.Println(int8(y), int16(y), int32(y), int64(y), uint8(y), uint16(y), uint32(y), uint64(y))
		}
	})
	t("capacities", func() {
		grow[byte]()
		grow[int32]()
		grow[[7]byte]()
		grow[*int]()
		grow[string]()
		grow[[]int]()
		grow[struct{}]()
		for i := 1; i < 40; i++ {
			s := strings.Repeat("x", i*7)
			b, r := []byte(s), []rune(s)
			kept = []any{b, r}
			fmt.Print(cap(b), "/", cap(r), " ")
		}
		for i := 1; i < 40_000; i += 1 + i/8 {
			b := append([]byte(nil), make([]byte, i)...)
			p := append([]*int(nil), make([]*int, i/8)...)
			kept = []any{b, p}
			fmt.Print(cap(b), "/", cap(p), " ")
		}
	})
	t("container", func() {
		h := &ih{5, 2, 8}
		heap.Init(h)
		heap.Push(h, 1)
		fmt.Print(heap.Pop(h), " ")
		l := list.New()
		l.PushBack(1)
		l.PushFront(0)
		for e := l.Front(); e != nil; e = e.Next() {
			fmt.Print(e.Value)
		}
		r := ring.New(3)
		fmt.Print(r.Len())
	})
	t("context", func() {
		ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), "k", "v"), time.Millisecond)
		defer cancel()
		<-ctx.Done()
		fmt.Print(ctx.Err(), ctx.Value("k"))
		c2, c := context.WithCancelCause(context.Background())
		c(errors.New("why"))
		fmt.Print(context.Cause(c2))
	})
	t("crypto", func() {
		fmt.Printf("%x %x %x %x", md5.Sum([]byte("a")), sha1.Sum([]byte("a")), sha256.Sum256([]byte("a")), sha512.Sum512([]byte("a")))
		m := hmac.New(sha256.New, []byte("k"))
		m.Write([]byte("x"))
		fmt.Printf("%x", m.Sum(nil))
	})
	t("aes", func() {
		b, err := aes.NewCipher(make([]byte, 16))
		if err != nil {
			fmt.Print(err)
			return
		}
		g, _ := cipher.NewGCM(b)
		fmt.Printf("%x", g.Seal(nil, make([]byte, 12), []byte("text"), nil))
	})
	t("encoding", func() {
		b, err := asn1.Marshal(struct {
			A int
			B string
		}{3, "x"})
		fmt.Printf("%x %v ", b, err)
		fmt.Print(base32.StdEncoding.EncodeToString([]byte("hi")), base64.URLEncoding.EncodeToString([]byte("hi?>")), hex.Dump([]byte("abc")))
		var bb bytes.Buffer
		binary.Write(&bb, binary.BigEndian, struct {
			A uint16
			B int32
		}{1, -2})
		fmt.Printf("%x ", bb.Bytes())
		rec, err := csv.NewReader(strings.NewReader("a,\"b,c\"\n1,2\n")).ReadAll()
		fmt.Print(rec, err)
		fmt.Printf("%s", pem.EncodeToMemory(&pem.Block{Type: "T", Bytes: []byte("abc")}))
	})
	t("gob", func() {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(P{Name: "n", Age: 3, Tags: []string{"x"}})
		var p P
		err2 := gob.NewDecoder(&b).Decode(&p)
		fmt.Print(err, err2, p)
	})
	t("json", func() {
		b, err := json.MarshalIndent(P{"n", 0, []string{"a<b"}, map[string]any{"z": 1.5, "a": nil}}, "", " ")
		fmt.Print(string(b), err)
		var p P
		err = json.Unmarshal([]byte(`{"name":"x","age":7,"Tags":["q"],"M":{"k":[1,2,{"z":true}]}}`), &p)
		fmt.Print(p, err)
		err = json.Unmarshal([]byte(`{"age":"x"}`), &p)
		fmt.Print(err)
		err = json.Unmarshal([]byte(`{`), &p)
		fmt.Print(err)
	})
	t("xml", func() {
		b, err := xml.Marshal(struct {
			XMLName xml.Name `xml:"r"`
			A       int      `xml:"a,attr"`
			B       []string `xml:"b"`
		}{A: 1, B: []string{"x", "y"}})
		fmt.Print(string(b), err)
		var v struct {
			B []string `xml:"b"`
		}
		err = xml.Unmarshal(b, &v)
		fmt.Print(v, err)
	})
	t("errors", func() {
		e := fmt.Errorf("a: %w", os.ErrNotExist)
		var pe *fs.PathError
		_, err := os.Open("/nonexistent")
		fmt.Print(errors.Is(e, fs.ErrNotExist), errors.As(err, &pe), err, errors.Join(e, err))
	})
	t("expvar", func() { i := expvar.NewInt("x"); i.Add(2); fmt.Print(i) })
	t("flag", func() {
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(os.Stdout)
		n := f.Int("n", 3, "number `k`")
		fmt.Print(f.Parse([]string{"-n", "5", "rest"}), *n, f.Args(), f.Parse([]string{"-z"}))
	})
	t("go", func() {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", "package x; func f(  a int) { return }", 0)
		fmt.Print(err)
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				fmt.Printf("%T ", n)
			}
			return true
		})
		b, err := format.Source([]byte("package x\nvar   x=1"))
		fmt.Print(string(b), err)
	})
	t("hash", func() {
		f := fnv.New64a()
		f.Write([]byte("x"))
		fmt.Print(adler32.Checksum([]byte("abc")), crc32.ChecksumIEEE([]byte("abc")), f.Sum64())
		var h maphash.Hash
		h.WriteString("x")
		a := h.Sum64()
		h.Reset()
		h.WriteString("x")
		fmt.Print(a == h.Sum64())
	})
	t("html", func() {
		fmt.Print(html.EscapeString("<a&b>"), html.UnescapeString("&eacute;&lt;"))
		tm := htemplate.Must(htemplate.New("x").Parse(`<a href="{{.}}">{{.}}</a><script>var x={{.}}</script>`))
		fmt.Print(tm.Execute(os.Stdout, "a<b>&\"'"))
	})
	t("image", func() {
		m := image.NewRGBA(image.Rect(0, 0, 4, 4))
		m.Set(1, 1, color.RGBA{1, 2, 3, 255})
		var b bytes.Buffer
		err := png.Encode(&b, m)
		c, f, err2 := image.DecodeConfig(&b)
		fmt.Print(err, c.Width, f, err2)
	})
	t("index", func() {
		x := suffixarray.New([]byte("banana"))
		o := x.Lookup([]byte("ana"), -1)
		sort.Ints(o)
		fmt.Print(o)
	})
	t("io", func() {
		pr, pw := io.Pipe()
		go func() { fmt.Fprint(pw, "through"); pw.Close() }()
		b, err := io.ReadAll(io.TeeReader(io.LimitReader(pr, 5), io.Discard))
		fmt.Print(string(b), err)
		s := bufio.NewScanner(strings.NewReader("a b\nc"))
		s.Split(bufio.ScanWords)
		for s.Scan() {
			fmt.Print(s.Text(), ";")
		}
		fmt.Print(iotest.TestReader(strings.NewReader("abc"), []byte("abc")))
	})
	t("iter", func() {
		seq := func(yield func(int, string) bool) {
			for i := range 3 {
				if !yield(i, strconv.Itoa(i)) {
					return
				}
			}
		}
		next, stop := iter.Pull2(seq)
		fmt.Print(next())
		stop()
		fmt.Print(next())
		for i, s := range seq {
			fmt.Print(i, s)
		}
		fmt.Print(slices.Collect(maps.Values(map[int]int{1: 2})), slices.Sorted(maps.Keys(map[string]int{"b": 1, "a": 2})))
	})
	t("log", func() {
		l := log.New(os.Stdout, "p: ", log.Lshortfile|log.Lmsgprefix)
		l.Println("hi", 3)
		s := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
			if a.Key == "time" {
				return slog.Attr{}
			}
			return a
		}}))
		s.With("a", 1).WithGroup("g").Info("m", "k", []int{1}, slog.Duration("d", time.Second))
		slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{AddSource: false, ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
			if a.Key == "time" {
				return slog.Attr{}
			}
			return a
		}})).Warn("x y", "err", errors.New("e"))
	})
	t("math", func() {
		fmt.Print(math.Sqrt(2), math.Sin(1), math.Pow(2, 0.5), math.Inf(1), math.NaN(), math.Exp(1), math.Gamma(4.5), math.FMA(2, 3, 4), bits.LeadingZeros32(5), bits.Reverse16(3), cmplx.Exp(1i), cmplx.Sqrt(-1))
		a, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
		fmt.Print(new(big.Int).Exp(a, big.NewInt(5), nil), new(big.Rat).SetFrac64(3, 9), new(big.Float).SetPrec(100).Quo(big.NewFloat(1), big.NewFloat(3)), new(big.Int).Sqrt(a), a.ProbablyPrime(3))
	})
	t("rand", func() {
		r := rand.New(rand.NewSource(1))
		fmt.Print(r.Intn(100), r.Perm(5), r.Float64())
		r2 := randv2.New(randv2.NewPCG(1, 2))
		fmt.Print(r2.IntN(100), r2.Perm(4), randv2.New(randv2.NewChaCha8([32]byte{})).Uint64())
	})
	t("mime", func() {
		fmt.Print(mime.FormatMediaType("text/html", map[string]string{"charset": "x"}))
		fmt.Print(mime.ParseMediaType("a/b; c=d"))
	})
	t("net", func() {
		u, err := url.Parse("http://u:p@h:1/a%20b?q=1&q=2#f")
		fmt.Print(u, err, u.Query(), u.User, netip.MustParsePrefix("10.0.0.0/8").Contains(netip.MustParseAddr("10.1.2.3")))
	})
	t("signal", func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		signal.Stop(c)
		fmt.Print(len(c))
	})
	t("path", func() {
		fmt.Print(path.Join("a", "../b"), filepath.Ext("x.go"), path.Clean("/a/../b//c"))
		m, err := filepath.Match("a*", "abc")
		fmt.Print(m, err)
	})
	t("reflect", func() {
		v := reflect.ValueOf(&P{Name: "z"}).Elem()
		v.Field(1).SetInt(4)
		for i := range v.NumField() {
			fmt.Print(v.Type().Field(i).Name, v.Type().Field(i).Tag.Get("json"), v.Field(i), " ")
		}
		f := reflect.MakeFunc(reflect.TypeOf(func(int, int) int { return 0 }), func(a []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(int(a[0].Int() + a[1].Int()))}
		})
		fmt.Print(f.Interface().(func(int, int) int)(2, 3), reflect.DeepEqual(map[string][]int{"a": {1}}, map[string][]int{"a": {1}}))
		c := make(chan int, 1)
		c <- 5
		i, x, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}, {Dir: reflect.SelectDefault}})
		fmt.Print(i, x, ok, reflect.TypeOf(map[string][]*P{}), reflect.TypeFor[func(...int) (error, string)]())
		fmt.Print(reflect.StructOf([]reflect.StructField{{Name: "X", Type: reflect.TypeOf(0)}}))
	})
	t("regexp", func() {
		re := regexp.MustCompile(`(\w+)@(?P<host>[a-z.]+)`)
		fmt.Print(re.FindAllStringSubmatch("a@b.c x@y.z", -1), re.ReplaceAllString("a@b.c", "${host}:$1"), re.SubexpNames(), re.MatchString("no"))
		_, err := regexp.Compile("(")
		fmt.Print(err)
	})
	t("runtime", func() {
		_, file, line, ok := runtime.Caller(0)
		fmt.Print(filepath.Base(file), line, ok, runtime.GOOS, runtime.Version())
		pcs := make([]uintptr, 10)
		n := runtime.Callers(1, pcs)
		fr := runtime.CallersFrames(pcs[:n])
		for {
			f, more := fr.Next()
			fmt.Print(f.Function, " ")
			if !more {
				break
			}
		}
		fmt.Print(debug.SetGCPercent(50), len(debug.Stack()) > 10)
		runtime.GC()
		var ms runtime.MemStats
		runtime.ReadMemStats(&ms)
	})
	t("sort", func() {
		s := []string{"b", "a", "c"}
		sort.Sort(sort.Reverse(sort.StringSlice(s)))
		fmt.Print(s, sort.SearchInts([]int{1, 3, 5}, 3))
		slices.SortFunc(s, strings.Compare)
		i, ok := slices.BinarySearch(s, "b")
		fmt.Print(s, i, ok, slices.Max(s), slices.Collect(slices.Chunk(s, 2)))
	})
	t("strings", func() {
		fmt.Print(strings.Fields(" a b "), strings.Title("abc"), strings.Map(unicode.ToUpper, "äb"), strings.NewReplacer("a", "b", "b", "a").Replace("abba"), strings.EqualFold("ß", "ẞ"))
		fmt.Print(strconv.Quote("a\n☺\x00"), strconv.FormatFloat(1.0/3, 'e', -1, 32), utf8.RuneCountInString("☺x"), utf16.Encode([]rune("𝄞")))
		_, err := strconv.ParseInt("99999999999999999999", 10, 64)
		fmt.Printf("%v|%8.3f|%-5s|%+v|%#v|%T|%x|%q|%U|%c|%08b|%e|%g|%t|%6d|%v", err, math.Pi, "ab", P{Name: "q"}, P{Name: "q"}, P{}, "hi", 'x', '☺', '☺', 5, 1e10, 1e21, true, 42, [3]bool{true})
	})
	t("sync", func() {
		var m sync.Map
		m.Store("a", 1)
		v, l := m.LoadOrStore("a", 2)
		fmt.Print(v, l)
		var o sync.Once
		o.Do(func() { fmt.Print("once") })
		fmt.Print(sync.OnceValue(func() int { return 4 })())
		var p sync.Pool
		p.Put(3)
		var a atomic.Pointer[P]
		a.Store(&P{Name: "x"})
		fmt.Print(a.Load().Name)
		var av atomic.Value
		av.Store("s")
		fmt.Print(av.Load(), av.CompareAndSwap("s", "t"))
	})
	t("testing", func() {
		fmt.Print(testing.AllocsPerRun(1, func() {}) >= 0, fstest.TestFS(fstest.MapFS{"a": {Data: []byte("x")}}, "a"))
	})
	t("text", func() {
		tm := template.Must(template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper}).Parse(`{{range $i, $e := .}}{{$i}}={{$e | up | printf "%q"}} {{else}}none{{end}}{{len .}}`))
		fmt.Print(tm.Execute(os.Stdout, []string{"a", "b"}))
		w := tabwriter.NewWriter(os.Stdout, 0, 8, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
		fmt.Fprintln(w, "a\tbbb\tc")
		fmt.Fprintln(w, "aaa\tb\tc")
		w.Flush()
		var s scanner.Scanner
		s.Init(strings.NewReader("x := 3.5 // c"))
		for tok := s.Scan(); tok != scanner.EOF; tok = s.Scan() {
			fmt.Print(s.Position, s.TokenText(), ",")
		}
	})
	t("time", func() {
		d := time.Date(2024, 2, 29, 12, 30, 0, 5, time.UTC)
		fmt.Print(d.Format(time.RFC1123), d.AddDate(1, 0, 0), d.Weekday(), d.YearDay(), d.Truncate(time.Hour), time.Duration(3661e9))
		p, err := time.Parse("2006-01-02 15:04", "2023-05-06 07:08")
		fmt.Print(p, err, p.Sub(d), p.Unix())
		tm := time.NewTimer(time.Hour)
		fmt.Print(tm.Stop())
		loc, err := time.LoadLocation("Europe/Berlin")
		fmt.Print(err, d.In(loc))
	})
	t("unique", func() {
		fmt.Print(unique.Make("a") == unique.Make("a"), unique.Make("b").Value())
		x := new(int)
		w := weak.Make(x)
		fmt.Print(w.Value() == x)
		runtime.KeepAlive(x)
	})
}
