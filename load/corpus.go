package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Seed is a file of a fuzz target's seed corpus.
type Seed struct {
	Name   string // of the file
	Values []SeedValue
}

// A SeedValue is the value of an argument.
type SeedValue struct {
	Type string // a type that a parameter of a fuzz target may have, by its name in package types
	Bits uint64 // value of a number or bool
	Text string // value of a string or []byte
}

// corpusVersion is the first line of files of the corpus.
const corpusVersion = "go test fuzz v1"

// readCorpus reads the files in dir, as go test does; one that is damaged is an error.
func readCorpus(dir string) ([]Seed, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("seed corpus: %v", err)
	}
	var list []Seed
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		name := filepath.Join(dir, f.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("seed corpus: %v", err)
		}
		values, err := parseCorpus(data)
		if err != nil {
			return nil, fmt.Errorf("seed corpus: %q: %v", name, err)
		}
		list = append(list, Seed{f.Name(), values})
	}
	return list, nil
}

// parseCorpus reads a file of the corpus.
func parseCorpus(data []byte) ([]SeedValue, error) {
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	lines := bytes.Split(data, []byte("\n"))
	if len(lines) < 2 {
		return nil, errors.New("must include version and at least one value")
	}
	if v := strings.TrimSuffix(string(lines[0]), "\r"); v != corpusVersion {
		return nil, fmt.Errorf("unknown encoding version: %s", v)
	}
	var list []SeedValue
	for _, line := range lines[1:] {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		v, err := parseSeedValue(string(line))
		if err != nil {
			return nil, fmt.Errorf("malformed line %q: %v", line, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// parseSeedValue reads a line like int(-5), []byte("ab") or math.Float64frombits(0x7ff8).
func parseSeedValue(line string) (SeedValue, error) {
	none := SeedValue{}
	expr, err := parser.ParseExpr(line)
	if err != nil {
		return none, err
	}
	call, ok := expr.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return none, errors.New("expected a conversion")
	}
	var name string
	switch fun := call.Fun.(type) {
	case *ast.ArrayType:
		if elem, ok := fun.Elt.(*ast.Ident); fun.Len == nil && ok && elem.Name == "byte" {
			name = "[]byte"
		}
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && x.Name == "math" {
			name = "math." + fun.Sel.Name
		}
	case *ast.Ident:
		name = fun.Name
	}
	arg, sign := call.Args[0], ""
	if u, ok := arg.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.ADD) {
		arg = u.X
		if u.Op == token.SUB {
			sign = "-"
		}
	}
	var text string
	kind := token.ILLEGAL
	switch x := arg.(type) {
	case *ast.BasicLit:
		text, kind = x.Value, x.Kind
	case *ast.Ident: // true, NaN, Inf
		text, kind = x.Name, token.IDENT
	default:
		return none, errors.New("expected a literal")
	}
	return seedValue(name, sign, text, kind)
}

// seedValue returns the value that the literal text stands for as one of the type name.
func seedValue(name, sign, text string, kind token.Token) (SeedValue, error) {
	bad := fmt.Errorf("%s%s is no %s", sign, text, name)
	signed := func(typ string, size int) (SeedValue, error) {
		v, err := strconv.ParseInt(sign+text, 0, size)
		if kind != token.INT || err != nil {
			return SeedValue{}, bad
		}
		return SeedValue{Type: typ, Bits: uint64(v)}, nil
	}
	unsigned := func(typ string, size int) (SeedValue, error) {
		v, err := strconv.ParseUint(text, 0, size)
		if kind != token.INT || sign != "" || err != nil {
			return SeedValue{}, bad
		}
		return SeedValue{Type: typ, Bits: v}, nil
	}
	switch name {
	case "string", "[]byte":
		s, err := strconv.Unquote(text)
		if kind != token.STRING || err != nil {
			return SeedValue{}, bad
		}
		return SeedValue{Type: name, Text: s}, nil
	case "bool":
		if text != "true" && text != "false" {
			return SeedValue{}, bad
		}
		v := SeedValue{Type: name}
		if text == "true" {
			v.Bits = 1
		}
		return v, nil
	case "byte", "rune":
		if kind == token.CHAR {
			r, _, tail, err := strconv.UnquoteChar(text[1:len(text)-1], '\'')
			if err != nil || tail != "" || name == "byte" && r > 0xff {
				return SeedValue{}, bad
			}
			return SeedValue{Type: map[string]string{"byte": "uint8", "rune": "int32"}[name], Bits: uint64(r)}, nil
		}
		if name == "byte" {
			return unsigned("uint8", 8)
		}
		return signed("int32", 32)
	case "int", "int8", "int16", "int32", "int64":
		return signed(name, intSize(name[3:]))
	case "uint", "uint8", "uint16", "uint32", "uint64":
		return unsigned(name, intSize(name[4:]))
	case "float32", "float64":
		size, _ := strconv.Atoi(name[5:])
		f, err := strconv.ParseFloat(sign+text, size)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return SeedValue{}, bad
		}
		if size == 32 {
			return SeedValue{Type: name, Bits: uint64(math.Float32bits(float32(f)))}, nil
		}
		return SeedValue{Type: name, Bits: math.Float64bits(f)}, nil
	case "math.Float32frombits":
		return unsigned("float32", 32)
	case "math.Float64frombits":
		return unsigned("float64", 64)
	}
	return SeedValue{}, fmt.Errorf("expected a type that fuzz targets may have, got %s", name)
}

// intSize returns the size of an integer type from the digits of its name.
func intSize(digits string) int {
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return 64
}

// FormatSeed returns a file of the corpus with these values, as go test -fuzz writes it.
func FormatSeed(values []SeedValue) []byte {
	b := []byte(corpusVersion + "\n")
	for _, v := range values {
		typ, text := v.Type, ""
		switch r := rune(v.Bits); typ {
		case "string", "[]byte":
			text = strconv.Quote(v.Text)
		case "bool":
			text = strconv.FormatBool(v.Bits != 0)
		case "uint8":
			typ, text = "byte", strconv.QuoteRune(r)
		case "int32":
			if utf8.ValidRune(r) {
				typ, text = "rune", strconv.QuoteRune(r)
			} else {
				text = strconv.FormatInt(int64(r), 10)
			}
		case "uint", "uint16", "uint32", "uint64":
			text = strconv.FormatUint(v.Bits, 10)
		default:
			text = strconv.FormatInt(int64(v.Bits), 10)
		}
		b = fmt.Appendf(b, "%s(%s)\n", typ, text)
	}
	return b
}
