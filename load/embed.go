package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// An Embed is a variable that the compiler initialises from files, because of
// //go:embed directives. SSA ignores it: for the package's init function it is a variable without an
// initial value.
type Embed struct {
	Var      *types.Var // string, []byte or embed.FS
	Pos      token.Pos  // of the first directive
	Patterns []string
	Files    []EmbedFile // in the order of names
}

// An EmbedFile is one file that an Embed's patterns match.
type EmbedFile struct {
	Name string // as in the embed.FS: slash-separated, relative to the package
	Path string // on disk
}

// findEmbeds collects the embedding variables of a package of the user's.
func findEmbeds(p *Package, source func(string) string) []Embed {
	if p.library() || len(p.list.EmbedFiles) == 0 {
		return nil
	}
	// If a package and its tests embed the same file, the list has the file twice.
	files := slices.Compact(slices.Sorted(slices.Values(p.list.EmbedFiles)))
	var embeds []Embed
	for _, f := range p.Files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				s := s.(*ast.ValueSpec)
				doc := s.Doc
				if doc == nil && !d.Lparen.IsValid() {
					doc = d.Doc
				}
				patterns, pos := embedPatterns(doc)
				v, ok := p.Info.Defs[s.Names[0]].(*types.Var)
				if len(patterns) == 0 || !ok {
					continue
				}
				e := Embed{Var: v, Pos: pos, Patterns: patterns}
				for _, name := range files {
					if name = filepath.ToSlash(name); matchesEmbed(patterns, name) {
						e.Files = append(e.Files, EmbedFile{name, source(filepath.Join(p.Dir, filepath.FromSlash(name)))})
					}
				}
				embeds = append(embeds, e)
			}
		}
	}
	return embeds
}

// embedPatterns returns the patterns of the //go:embed lines in a comment.
func embedPatterns(doc *ast.CommentGroup) (patterns []string, pos token.Pos) {
	if doc == nil {
		return nil, token.NoPos
	}
	for _, c := range doc.List {
		args, ok := strings.CutPrefix(c.Text, "//go:embed ")
		if !ok {
			continue
		}
		if !pos.IsValid() {
			pos = c.Pos()
		}
		for args = strings.TrimSpace(args); args != ""; args = strings.TrimSpace(args) {
			// A pattern may be a string literal, to have spaces in it.
			if quoted, err := strconv.QuotedPrefix(args); err == nil {
				pattern, _ := strconv.Unquote(quoted)
				patterns, args = append(patterns, pattern), args[len(quoted):]
				continue
			}
			pattern, rest, _ := strings.Cut(args, " ")
			patterns, args = append(patterns, pattern), rest
		}
	}
	return patterns, pos
}

// matchesEmbed reports whether a pattern matches the file or a directory it is
// in. Hidden files below a matching directory count only with the prefix all:.
func matchesEmbed(patterns []string, name string) bool {
	for _, pattern := range patterns {
		pattern, all := strings.CutPrefix(pattern, "all:")
		for dir, below := name, ""; ; {
			if ok, _ := path.Match(pattern, dir); ok && (all || !isHidden(below)) {
				return true
			}
			if pattern == "." && (all || !isHidden(name)) {
				return true
			}
			i := strings.LastIndexByte(dir, '/')
			if i < 0 {
				break
			}
			dir, below = dir[:i], name[i+1:]
		}
	}
	return false
}

// isHidden reports whether an element of the path begins with a dot or an
// underscore.
func isHidden(name string) bool {
	for elem := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(elem, ".") || strings.HasPrefix(elem, "_") {
			return true
		}
	}
	return false
}
