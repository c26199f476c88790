package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// The machine does not run assembly. Most packages with assembly also have the same code in Go, for other
// processors or for users without assembly, selected by build constraints. Such a package is loaded with
// those files instead, like the standard library (pureTags).

// noAssembly are the tags that select files without assembly.
var noAssembly = []string{"purego", "noasm", "appengine"}

// pureArch is a 64-bit little-endian processor for which people seldom write assembly.
const pureArch = "mips64le"

// takePure replaces files of lp, a package of the user with assembly, by equivalent Go files, and returns
// the imports of these. It changes nothing if there are none.
func (l *loader) takePure(lp *listPackage) (imports []string) {
	if lp.Standard || len(lp.SFiles) == 0 {
		return nil
	}
	// All functions of the package without a body must get a body, or disappear with their file.
	tagged := l.std.ctxt
	tagged.BuildTags = append(slices.Clip(tagged.BuildTags), noAssembly...)
	match := func(name string) bool { ok, err := tagged.MatchFile(lp.Dir, name); return err == nil && ok }
	pure := newVariant(lp, match, l.choices.source, false)
	if pure == nil {
		// A file for other processors is a weaker indication, because it may be specific to these processors.
		// So in such a file each function without a body must have a body.
		tagged.GOARCH = pureArch
		pure = newVariant(lp, match, l.choices.source, true)
	}
	if pure == nil {
		return nil
	}
	lp.IgnoredGoFiles = append(slices.DeleteFunc(lp.IgnoredGoFiles, func(name string) bool {
		return slices.Contains(pure.files, name)
	}), pure.dropped...)
	lp.GoFiles = pure.files
	return pure.imports
}

// A variant of a package is its files under other build constraints.
type variant struct {
	files, dropped []string // the files that the package has now, and those that it had before and lacks now
	imports        []string // of files that are new
}

// newVariant returns the variant of lp with the files for which match holds. It returns nil if the variant
// has assembly; if the variant has functions without a body and lp has none; or if the variant does not
// declare all mentioned names.
//
//  1. Other packages mention exported names: all of these are still declared.
//  2. The names that the package's own files mention are among their identifiers. None of these is
//     a name that only a dropped file declared.
//
// With twins, each function without a body has a counterpart with a body in the variant, or its callers have
// one (wrapped).
func newVariant(lp *listPackage, match func(name string) bool, source func(string) string, twins bool) *variant {
	if slices.ContainsFunc(lp.SFiles, match) {
		return nil
	}
	v := new(variant)
	before, now := newNames(lp.Dir, source), newNames(lp.Dir, source)
	for _, name := range lp.GoFiles {
		if !before.add(name) {
			return nil
		}
		if match(name) {
			v.files = append(v.files, name)
			now.add(name)
		} else {
			v.dropped = append(v.dropped, name)
		}
	}
	kept := len(v.files)
	for _, name := range lp.IgnoredGoFiles {
		if strings.HasSuffix(name, "_test.go") || !match(name) {
			continue
		}
		imports, ok := now.added(name)
		if !ok {
			return nil
		}
		v.files, v.imports = append(v.files, name), append(v.imports, imports...)
	}
	if len(v.dropped) == 0 && len(v.files) == kept {
		return nil
	}
	// The variant must not drop a test file: a test that comes only with the assembly has to be
	// executed.
	if slices.ContainsFunc(v.dropped, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		return nil
	}
	for name, body := range before.declared {
		if _, ok := now.declared[name]; ok {
			continue
		}
		if ast.IsExported(last(name)) || now.mentioned[last(name)] || twins && !body && !v.wrapped(before, now, last(name)) {
			return nil
		}
	}
	for _, body := range now.declared {
		if !body {
			return nil
		}
	}
	return v
}

// wrapped reports whether the function of the given name is mentioned only in the bodies of exported
// functions that the variant has, too, with the same types. Then it is their implementation for one
// processor.
func (v *variant) wrapped(before, now *names, name string) bool {
	found := false
	for f, uses := range before.uses {
		if !uses[name] {
			continue
		}
		if !ast.IsExported(f) || now.types[f] == "" || now.types[f] != before.types[f] {
			return false
		}
		found = true
	}
	return found && !before.elsewhere[name]
}

// names are those of some files of a package.
type names struct {
	dir       string
	source    func(name string) string // the contents read for a file
	declared  map[string]bool          // names at package level, methods as T.m; false: a function without a body
	mentioned map[string]bool          // all identifiers in bodies, types and values
	pkg       string

	// types and uses have, for functions that are not methods, their types and the identifiers in
	// their bodies. elsewhere has the identifiers in all other declarations.
	types     map[string]string
	uses      map[string]map[string]bool
	elsewhere map[string]bool
}

func newNames(dir string, source func(string) string) *names {
	return &names{dir: dir, source: source, declared: make(map[string]bool), mentioned: make(map[string]bool),
		types: make(map[string]string), uses: make(map[string]map[string]bool), elsewhere: make(map[string]bool)}
}

// add adds the declarations of a file, and reports whether it could.
func (n *names) add(name string) bool { _, ok := n.added(name); return ok }

// added is add, and returns the paths of the file's imports.
func (n *names) added(name string) (imports []string, ok bool) {
	// This syntax tree serves only to find names; its positions are meaningless.
	tree, err := parser.ParseFile(token.NewFileSet(), n.source(filepath.Join(n.dir, name)), nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || n.pkg != "" && tree.Name.Name != n.pkg {
		return nil, false
	}
	n.pkg = tree.Name.Name
	for _, spec := range tree.Imports {
		if imports = append(imports, importPath(spec)); imports[len(imports)-1] == "C" {
			return nil, false
		}
	}
	linked := linknamed(tree)
	own := make(map[*ast.Ident]bool)
	declare := func(id *ast.Ident, name string, body bool) {
		own[id] = true
		if id.Name != "_" && id.Name != "init" {
			n.declared[name] = body
		}
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d) + "." + name
			}
			declare(d.Name, name, d.Body != nil || linked[d.Name.Name])
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declare(s.Name, s.Name.Name, true)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						declare(id, id.Name, true)
					}
				}
			}
		}
	}
	for _, d := range tree.Decls {
		in := n.elsewhere
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Body != nil {
			if in = n.uses[f.Name.Name]; in == nil { // there are several init
				in = make(map[string]bool)
			}
			n.types[f.Name.Name], n.uses[f.Name.Name] = types.ExprString(f.Type), in
		}
		ast.Inspect(d, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok && !own[id] {
				n.mentioned[id.Name], in[id.Name] = true, true
			}
			return true
		})
	}
	return imports, true
}

// linknamed returns the names of functions in go:linkname lines: a function without a body here may have
// one elsewhere.
func linknamed(tree *ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, g := range tree.Comments {
		for _, c := range g.List {
			if f := strings.Fields(c.Text); len(f) > 1 && isLinkname(f[0]) {
				names[f[1]] = true
			}
		}
	}
	return names
}

// last returns the name of a function or method without its receiver.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
