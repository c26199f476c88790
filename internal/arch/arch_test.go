// Package arch holds the architecture: which package may import which.
package arch

import (
	"bufio"
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "hbcheck.dev/hbcheck/"

// allowed lists, for every package of the module, the packages of the module
// it may import. It is the source of truth for the table in docs/dev/packages.md.
// Packages that do not exist yet have no line: add one together with the
// package. A trailing "/..." allows a whole subtree.
var allowed = map[string]string{
	"trace":                      "",
	"hbtest":                     "",
	"hbtest/lin":                 "hbtest",
	"symbolic":                   "",
	"por":                        "trace",
	"por/hb":                     "por trace",
	"por/search":                 "por por/pool trace",
	"por/stateful":               "internal/saved por por/hb por/pool por/search trace",
	"por/dpor":                   "por por/hb por/search trace",
	"por/optimal":                "internal/saved por por/hb por/readsfrom por/search trace",
	"por/readsfrom":              "por por/hb por/search trace",
	"por/graph":                  "por por/hb por/search trace",
	"por/pool":                   "",
	"por/sample":                 "internal/saved por por/hb por/pool por/search trace",
	"por/lookahead":              "por por/search por/stateful trace",
	"por/explorers":              "por por/dpor por/graph por/optimal por/sample por/stateful",
	"por/toys":                   "internal/saved por por/hb por/search trace",
	"load":                       "load/overlay",
	"load/...":                   "",
	"load/scale":                 "load",
	"vm/layout":                  "",
	"vm/bytecode":                "",
	"vm/abitype":                 "vm/layout",
	"vm/race":                    "",
	"vm/bounds":                  "vm/bytecode",
	"vm/heap":                    "trace vm/bytecode vm/layout",
	"vm/native":                  "",
	"vm/compile":                 "static/observable vm/bytecode vm/layout",
	"vm/loops":                   "static/observable vm/bytecode",
	"vm/host":                    "load",
	"vm/shadow":                  "load symbolic trace vm/bounds vm/bytecode vm/heap vm/layout",
	"vm/hash":                    "",
	"vm/values":                  "vm/bytecode vm/compile vm/hash vm/heap vm/layout vm/link",
	"vm/link":                    "load static/observable vm/abitype vm/bytecode vm/compile vm/hash vm/heap vm/layout",
	"vm/maps":                    "vm/heap vm/link vm/shadow vm/values",
	"vm/orders":                  "vm/heap vm/link vm/maps",
	"vm/begun":                   "load",
	"vm/fingerprint":             "por vm/bytecode vm/hash vm/heap vm/shadow",
	"vm/reach":                   "vm/bytecode vm/heap",
	"vm":                         "load load/overlay por static/observable symbolic trace vm/abitype vm/begun vm/bounds vm/bytecode vm/compile vm/fingerprint vm/hash vm/heap vm/host vm/layout vm/link vm/loops vm/maps vm/native vm/orders vm/race vm/reach vm/shadow vm/values",
	"static":                     "load static/pointer trace",
	"static/pointer":             "load trace",
	"static/observable":          "load",
	"static/findings":            "load static static/pointer static/sketch",
	"static/sketch":              "load",
	"hybrid":                     "static trace",
	"fieldaccess":                "hybrid static trace",
	"mhb":                        "fieldaccess hybrid load/overlay static trace",
	"mhb/patterns":               "fieldaccess hybrid load/overlay mhb static trace",
	"oracle":                     "fieldaccess hybrid internal/saved load mhb mhb/patterns por por/lookahead static static/pointer trace vm",
	"oracle/abstraction":         "static/pointer trace vm",
	"oracle/check":               "hybrid load oracle oracle/abstraction por por/lookahead static static/pointer trace vm",
	"explore":                    "explore/bug explore/describe explore/ignore explore/schedule explore/strategy explore/target internal/ordered internal/saved load oracle oracle/check por por/stateful trace vm",
	"analyze":                    "load static static/findings static/pointer",
	"explore/describe":           "internal/ordered load oracle oracle/check por trace vm",
	"explore/strategy":           "explore/describe por por/sample trace vm",
	"explore/ignore":             "explore/bug explore/describe load",
	"explore/target":             "explore/describe load oracle por trace",
	"explore/schedule":           "explore/bug explore/describe por por/stateful trace",
	"internal/faketest":          "explore/describe load oracle oracle/check por trace vm",
	"explore/bug":                "explore/describe internal/saved load por trace vm",
	"explore/confirm":            "explore explore/bug explore/describe explore/target load oracle por static/findings trace",
	"explore/selection":          "explore explore/describe explore/ignore load",
	"explore/small":              "explore explore/bug explore/describe explore/schedule load load/scale",
	"bench":                      "explore explore/bug explore/describe internal/litmus load oracle por por/explorers report testdata/benchmarks vm",
	"report":                     "explore explore/bug explore/describe explore/ignore explore/schedule explore/selection explore/strategy load oracle por por/explorers static/findings trace vm",
	"report/page":                "explore explore/bug explore/describe load report trace",
	"debug":                      "explore/bug explore/describe explore/schedule load load/overlay por trace vm vm/bytecode",
	"debug/console":              "debug explore/describe report trace",
	"debug/dap":                  "debug debug/console explore/describe report",
	"cmd/hbcheck":                "analyze bench debug debug/console debug/dap explore explore/bug explore/confirm explore/describe explore/ignore explore/schedule explore/selection explore/small explore/target internal/cluster internal/cluster/jetstream internal/cluster/server internal/saved internal/verdicts load load/scale oracle por por/explorers por/sample report report/page static/findings vm",
	"internal/goroot":            "",
	"internal/real":              "explore explore/describe explore/small load load/scale por/explorers vm",
	"internal/saved":             "",
	"internal/ordered":           "",
	"internal/cluster":           "",
	"internal/cluster/jetstream": "internal/cluster",
	"internal/cluster/server":    "internal/cluster internal/cluster/jetstream",
	"internal/deep":              "",
	"internal/cmd/clustersim":    "",
	"internal/cmd/deep":          "internal/mutation",
	"internal/cmd/drift":         "load/overlay",
	"internal/cmd/testtime":      "",
	"internal/verdicts":          "explore explore/bug vm",
	"internal/histories":         "",
	"internal/litmus":            "",
	"internal/modeltest":         "load oracle por por/explorers trace vm",
	"internal/mutation":          "",
	"internal/yielding":          "",
	"internal/classes":           "por trace",
	"internal/vmtest":            "load por trace vm",
	"internal/debugtest":         "debug explore/describe internal/vmtest load report vm",
	"internal/conformance":       "explore load vm",
	"internal/microtest":         "internal/deep load oracle oracle/check por por/lookahead trace vm",
	"internal/inputs":            "explore load oracle por por/explorers vm",
	"internal/racetest":          "internal/vmtest load por trace vm",
	"internal/leaktest":          "internal/vmtest load por trace vm",
	"internal/progen":            "explore internal/saved load por trace vm",
	"internal/native":            "explore internal/yielding load oracle por/explorers report vm",
	"internal/environment":       "explore load oracle por/explorers report vm",
	"internal/xsync":             "explore internal/microtest load por vm",
}

// external lists the modules each package may use besides the standard library.
var external = map[string]string{
	"load":                       "golang.org/x/tools",
	"vm/maps":                    "vm/heap vm/link vm/shadow vm/values",
	"vm/orders":                  "vm/heap vm/link vm/maps",
	"vm/begun":                   "load",
	"vm/fingerprint":             "por vm/bytecode vm/hash vm/heap vm/shadow",
	"vm/reach":                   "vm/bytecode vm/heap",
	"vm":                         "golang.org/x/tools vm/begun vm/fingerprint vm/maps vm/orders vm/reach",
	"vm/...":                     "golang.org/x/tools",
	"cmd/hbcheck":                "github.com/fsnotify/fsnotify github.com/nats-io/nuid github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term",
	"debug":                      "golang.org/x/tools",
	"debug/dap":                  "github.com/google/go-dap",
	"internal/verdicts":          "github.com/rogpeppe/go-internal",
	"internal/cluster/jetstream": "github.com/nats-io/nats.go github.com/nats-io/nuid",
	"internal/cluster/server":    "github.com/nats-io/nats-server/v2",
	"explore/describe":           "golang.org/x/tools",
	"explore/strategy":           "",
	"explore/ignore":             "",
	"explore/target":             "",
	"explore/schedule":           "",
	"internal/faketest":          "",
	"explore/bug":                "",
	"analyze":                    "golang.org/x/tools",
	"static":                     "golang.org/x/tools",
	"static/...":                 "golang.org/x/tools",
	"hybrid":                     "golang.org/x/tools",
	"fieldaccess":                "golang.org/x/tools",
	"oracle":                     "golang.org/x/tools",
	"oracle/...":                 "golang.org/x/tools",
	"mhb":                        "golang.org/x/tools",
	"mhb/...":                    "golang.org/x/tools",
}

// rule returns the entry of table for pkg and whether there is one.
func rule(table map[string]string, pkg string) (string, bool) {
	if r, ok := table[pkg]; ok {
		return r, true
	}
	for p := pkg; strings.Contains(p, "/"); {
		p = p[:strings.LastIndexByte(p, '/')]
		if r, ok := table[p+"/..."]; ok {
			return r, true
		}
	}
	return "", false
}

// dotImports lists the files that use names of another package without its name: loops over the operations
// of package vm/bytecode, and code that emits nearly all of them.
var dotImports = []string{
	"vm/bounds/bounds.go", "vm/compile/emit.go", "vm/shadow/arith.go", "vm/shadow/exec.go", "vm/shadow/labels_exec.go",
	"vm/shadow/labels_skip.go", "vm/shadow/slow.go", "vm/step_exec.go",
}

// TestDotImports: everywhere else a name says which package it is from.
func TestDotImports(t *testing.T) {
	var found []string
	for _, file := range tracked(t, "*.go") {
		if strings.Contains(file, "testdata/") || strings.Contains(file, "/_src/") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Name != nil && i.Name.Name == "." }) {
			found = append(found, file)
		}
	}
	if !slices.Equal(found, dotImports) {
		t.Errorf("files with dot imports: %q, want %q", found, dotImports)
	}
}

func permits(rule, pkg string) bool {
	return slices.ContainsFunc(strings.Fields(rule), func(p string) bool {
		return p == pkg || strings.HasSuffix(p, "/...") && strings.HasPrefix(pkg, strings.TrimSuffix(p, "..."))
	})
}

// TestImports: the packages form the graph above and nothing else.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-tags=cluster", "-f", `{{.ImportPath}} {{.Standard}} {{join .Imports " "}}`, "./...")
	cmd.Dir = filepath.Join("..", "..")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		pkg, ok := strings.CutPrefix(f[0], module)
		if !ok || strings.HasPrefix(pkg, "internal/arch") || strings.Contains(pkg, "testdata/") {
			continue
		}
		n++
		own, known := rule(allowed, pkg)
		if !known {
			t.Errorf("package %s has no place in the architecture", pkg)
			continue
		}
		ext, _ := rule(external, pkg)
		for _, imp := range f[2:] {
			switch dep, inside := strings.CutPrefix(imp, module); {
			case inside && !permits(own, dep):
				t.Errorf("%s must not import %s", pkg, dep)
			case !inside && strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") &&
				!slices.ContainsFunc(strings.Fields(ext), func(m string) bool { return strings.HasPrefix(imp, m) }):
				t.Errorf("%s must not use %s", pkg, imp)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d packages seen", n)
	}
}

// TestReadme: the table in docs/dev/packages.md shows the same graph.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "dev", "packages.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, "|")
		if len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			shown[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[3])
		}
	}
	for pkg, imports := range allowed {
		if strings.HasSuffix(pkg, "/...") || strings.HasPrefix(pkg, "internal/") {
			continue
		}
		if got, ok := shown[pkg]; !ok || got != imports {
			t.Errorf("docs/dev/packages.md says that %s imports %q, want %q", pkg, got, imports)
		}
		delete(shown, pkg)
	}
	for pkg := range shown {
		t.Errorf("docs/dev/packages.md shows %s, which is not in the graph", pkg)
	}
}

// TestAreas: each package with tests is in an area of the deep tier.
func TestAreas(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, ".ci", "areas"))
	if err != nil {
		t.Fatal(err)
	}
	in, tested := make(map[string]bool), make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		for i, word := range strings.Fields(line) {
			in[word] = in[word] || i > 0
		}
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == "testdata" {
			return cmp.Or(err, fs.SkipDir)
		}
		if strings.HasSuffix(path, "_test.go") {
			rel, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			if rel = filepath.ToSlash(rel); !in[rel] {
				in[rel] = true
				t.Errorf("no area of .ci/areas has package %s", rel)
			}
			tested[rel] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for word, isPackage := range in {
		if isPackage && !tested[word] {
			t.Errorf(".ci/areas has %s, which has no tests: the deep tier would not begin", word)
		}
	}
}
