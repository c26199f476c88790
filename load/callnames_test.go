package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCallNames: the names by which system calls are refused are those of golang.org/x/sys.
func TestCallNames(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]int)
	for name, v := range constants(t, filepath.Join(strings.TrimSpace(string(out)), "unix", "zsysnum_linux_amd64.go")) {
		if name, ok := strings.CutPrefix(name, "SYS_"); ok {
			if numbers[strings.ToLower(name)], err = strconv.Atoi(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours := constants(t, "overlay/_src/syscall/hb_callnames.go")
	begin, err := strconv.Atoi(ours["hbNewCalls"])
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, list := range []struct {
		names string
		first int
	}{{ours["hbOldCallNames"], 0}, {ours["hbNewCallNames"], begin}} {
		for i, name := range strings.Split(list.names, " ") {
			if count++; numbers[name] != list.first+i {
				t.Errorf("%s is %d, not %d", name, numbers[name], list.first+i)
			}
		}
	}
	if count != len(numbers) || count < 300 {
		t.Errorf("%d names of %d", count, len(numbers))
	}
}

// constants returns the constants of a file, by name: numbers, and sums of strings.
func constants(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			found[spec.Names[0].Name] = literal(spec.Values[0])
		}
		return true
	})
	return found
}

func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
		return e.Value
	}
	return ""
}
