package mutants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrBuild is wrapped by the error of a variant that does not compile: it is no variant.
var ErrBuild = errors.New("variant does not build")

// Verdict is what a suite said of one variant.
type Verdict struct {
	Caught bool
	Output string // of the suite
}

// Build compiles the test binary of a suite with the mutant laid over the tree, into dir. A nil mutant builds
// the suite as it is.
func Build(ctx context.Context, root, suite, dir string, m *Mutant) (binary string, err error) {
	binary = filepath.Join(dir, "suite.test")
	args := []string{"test", "-c", "-o", binary}
	if m != nil {
		overlay, err := m.overlay(root, dir)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, suite)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %w\n%s", ErrBuild, err, out)
	}
	return binary, nil
}

// overlay writes the patched files and the overlay that names them, and returns the overlay's path.
func (m *Mutant) overlay(root, dir string) (string, error) {
	patched, err := m.Patched(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for i, file := range slices.Sorted(maps.Keys(patched)) {
		at := filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
		if err := os.WriteFile(at, []byte(patched[file]), 0o644); err != nil {
			return "", fmt.Errorf("mutant %s: %w", m.Name, err)
		}
		abs, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			return "", fmt.Errorf("mutant %s: %w", m.Name, err)
		}
		replace[abs] = at
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	at := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(at, b, 0o644); err != nil {
		return "", fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	return at, nil
}

// Run runs a suite's test binary with a label filter, in the suite's own folder. Only a spec that failed counts
// as caught: a crash, a signal or a timeout of the binary is an error, and so is a suite that ran no spec.
func Run(ctx context.Context, root, suite, binary, filter string) (Verdict, error) {
	if filter == "" {
		filter = "sim"
	}
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-ginkgo.label-filter="+filter, "-ginkgo.no-color")
	cmd.Dir = filepath.Join(root, suite)
	b, err := cmd.CombinedOutput()
	out := string(b)
	var exit *exec.ExitError
	switch {
	case strings.Contains(out, "Ran 0 of"):
		return Verdict{Output: out}, fmt.Errorf("%s ran no spec with label filter %q", suite, filter)
	case err == nil && strings.Contains(out, "SUCCESS!"):
		return Verdict{Output: out}, nil
	case errors.As(err, &exit) && exit.ExitCode() == 1 && strings.Contains(out, "FAIL!") && strings.Contains(out, "[FAIL]"):
		return Verdict{Caught: true, Output: out}, nil
	}
	return Verdict{Output: out}, fmt.Errorf("%s ended without a verdict: %w", suite, err)
}
