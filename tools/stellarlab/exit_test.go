package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stellarlab/stellarlab/framework"
	"github.com/stellarlab/stellarlab/framework/simlab"
	main "github.com/stellarlab/stellarlab/tools/stellarlab"
)

// here runs the command in this process, with a state directory of its own that must stay as it is.
func here(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	exit = main.Execute(append(args, "--state-dir", t.TempDir()), &out, &errs)
	return out.String(), errs.String(), exit
}

// verdict returns the outcome that verdict.json of the only run in out says.
func verdict(t *testing.T, out string) map[string]any {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(out, "*", "verdict.json"))
	if len(found) != 1 {
		t.Fatalf("%d verdicts in %s", len(found), out)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	v, _ := document(t, string(b)).(map[string]any)
	return v
}

// late strikes when the last byte has long been sent: nothing meets it.
const late = `  faults:
  - {name: late, at: 10ms, for: 1ms, link.loss: {link: host0-path0, p: 50%}}
`

// leaky is a lab that cannot be torn down.
type leaky struct{ framework.System }

func (l leaky) Close() error {
	return errors.Join(l.System.Close(), errors.New("namespace stlx is left"))
}

func simulator(ctx context.Context, s framework.Spec) (framework.System, error) {
	return simlab.Build(ctx, s)
}

func TestExitCodesByTheirCauses(t *testing.T) {
	good, failing, unmet := file(t, small), file(t, strings.Replace(small, "within: 10ms", "within: 1us", 1)), file(t, small+late)
	panics := func(context.Context, framework.Spec) (framework.System, error) { panic("a defect") }
	leaks := func(ctx context.Context, s framework.Spec) (framework.System, error) {
		l, err := simulator(ctx, s)
		return leaky{l}, err
	}
	interrupted := func(ctx context.Context, s framework.Spec) (framework.System, error) {
		l, err := simulator(ctx, s)
		if e := syscall.Kill(os.Getpid(), syscall.SIGINT); e != nil {
			return l, e
		}
		<-ctx.Done()
		return l, err
	}
	type build = func(context.Context, framework.Spec) (framework.System, error)
	for name, c := range map[string]struct {
		lab     build
		files   []string
		exit    int
		outcome string // of the last run
	}{
		"pass":                 {simulator, []string{good}, 0, "pass"},
		"fail":                 {simulator, []string{failing}, 1, "fail"},
		"inconclusive":         {simulator, []string{unmet}, 2, "inconclusive"},
		"residue":              {leaks, []string{good}, 3, "residue"},
		"residue after a fail": {leaks, []string{failing}, 3, "residue"},
		"defect":               {panics, []string{good}, 70, "error"},
		"interrupted":          {interrupted, []string{good}, 130, "interrupted"},
		"interrupted of two":   {interrupted, []string{failing, good}, 130, "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			defer main.WithLab("sim", c.lab)()
			out := t.TempDir()
			stdout, stderr, exit := here(t, append([]string{"run", "--out", out}, c.files...)...)
			if exit != c.exit {
				t.Errorf("exit %d, want %d\n%s%s", exit, c.exit, stdout, stderr)
			}
			if plea := strings.Contains(stderr, "please report it with "+out) && strings.Contains(stderr, "journal.bin"); plea != (c.exit == 70) {
				t.Errorf("a plea to report a defect: %v\n%s", plea, stderr)
			}
			if v := verdict(t, out); v["outcome"] != c.outcome {
				t.Errorf("outcome %v, want %s", v["outcome"], c.outcome)
			}
		})
	}
}

func TestWorstOfSeveralRunsCounts(t *testing.T) {
	good, failing, unmet := file(t, small), file(t, strings.Replace(small, "within: 10ms", "within: 1us", 1)), file(t, small+late)
	for _, c := range []struct {
		files []string
		exit  int
	}{{[]string{good, unmet, good}, 2}, {[]string{failing, unmet, good}, 1}, {[]string{unmet, failing}, 1}} {
		if stdout, stderr, exit := here(t, append([]string{"run", "--out", t.TempDir()}, c.files...)...); exit != c.exit {
			t.Errorf("exit %d, want %d\n%s%s", exit, c.exit, stdout, stderr)
		}
	}
	order := []int{70, 3, 130, 1, 2, 4, 0}
	for i, a := range order {
		for j, b := range order {
			if got := main.Worse(a, b); got != order[min(i, j)] {
				t.Errorf("the worse of %d and %d: %d", a, b, got)
			}
		}
	}
}

func TestMissingCapabilityExits4AndTouchesNothing(t *testing.T) {
	defer main.WithMissing(func(lab string) error {
		if lab == "netns" {
			return errors.New("root: not there; remedy: run it with sudo")
		}
		return nil
	})()
	out := filepath.Join(t.TempDir(), "out")
	stdout, stderr, exit := here(t, "run", file(t, small), "--lab", "netns", "--out", out, "--json")
	if exit != 4 || !strings.Contains(stderr, "remedy: run it with sudo") {
		t.Errorf("exit %d, want 4 and the remedy:\n%s", exit, stderr)
	}
	document(t, stdout)
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Error("it made the output directory")
	}
}

// A defect outside of a run, where no verdict can be written, says so too.
func TestPanicOfTheCommandExits70(t *testing.T) {
	defer main.WithMissing(func(string) error { panic("a defect") })()
	stdout, stderr, exit := here(t, "run", file(t, small), "--out", t.TempDir(), "--json")
	if exit != 70 || !strings.Contains(stderr, "please report it") {
		t.Errorf("exit %d, want 70 and a plea:\n%s", exit, stderr)
	}
	document(t, stdout)
}

// SIGINT in the middle of a simulation, as Ctrl-C sends it: the first line of progress says that it runs.
func TestInterruptInTheMiddleOfASimulation(t *testing.T) {
	path := file(t, strings.NewReplacer("limit: 20ms", "limit: 10m", "count: 4", "time: 5m", "within: 10ms", "within: 10m").Replace(small))
	for _, by := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		out := t.TempDir()
		c := exec.Command(binary, "run", path, "--out", out, "--json", "--state-dir", t.TempDir()) //nolint:gosec // our own
		var stdout bytes.Buffer
		c.Stdout = &stdout
		progress, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(progress)
		if !lines.Scan() || !strings.Contains(lines.Text(), "lab time") {
			t.Errorf("no progress: %q", lines.Text())
		}
		if err := c.Process.Signal(by); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			continue // to the end: the pipe must not fill
		}
		if err := c.Wait(); c.ProcessState.ExitCode() != 130 {
			t.Errorf("%v: %v, want exit 130", by, err)
		}
		if v := verdict(t, out); v["outcome"] != "interrupted" || v["judgement"] != "interrupted" {
			t.Errorf("%v: outcome %v, judgement %v", by, v["outcome"], v["judgement"])
		}
		document(t, stdout.String())
	}
}

// Without root the namespace lab cannot be built; the binary itself finds that out.
func TestNoRootExits4(t *testing.T) {
	dir, err := os.MkdirTemp("", "stl")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system's temporary directory
	path, program := filepath.Join(dir, "small.yaml"), filepath.Join(dir, "stellarlab")
	text, err := os.ReadFile(binary)
	if err = errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(program, text, 0o755), os.WriteFile(path, []byte(small), 0o644)); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	out, state := filepath.Join(dir, "out"), filepath.Join(dir, "state")
	c := exec.Command(program, "run", path, "--lab", "netns", "--out", out, "--state-dir", state) //nolint:gosec // our own
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	said, err := c.CombinedOutput()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != 4 || !strings.Contains(string(said), "remedy: ") {
		t.Errorf("%v, want exit 4 and a remedy:\n%s", err, said)
	}
	for _, d := range []string{out, state} {
		if _, err := os.Stat(d); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it made %s", d)
		}
	}
}
