package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/framework/run"
	"github.com/stellarlab/stellarlab/framework/scenario"
)

func (a *app) run() *cobra.Command {
	var in input
	var out string
	var repeat int
	c := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run scenarios; the worst outcome decides the exit code",
		Example: `  stellarlab run suites/scenarios/dead-spine.yaml
  stellarlab run suites/scenarios/dead-spine.yaml --lab netns --out out --set device.paths=32`,
		Args: files,
		RunE: func(c *cobra.Command, args []string) error {
			if repeat < 1 {
				return usage(fmt.Errorf("--repeat %d: want 1 or more", repeat))
			}
			all, err := in.resolve(c, args)
			if err != nil {
				return err
			}
			if err := a.able(all); err != nil {
				return err
			}
			if slices.ContainsFunc(all, func(r *scenario.Resolved) bool { return r.Lab == "netns" }) {
				if err := writable(a.stateDir); err != nil {
					return usage(fmt.Errorf("--state-dir %s: the undo log cannot be kept there, so nothing may be done: %w", a.stateDir, err))
				}
			}
			if err := writable(out); err != nil {
				return usage(fmt.Errorf("--out %s: run directories cannot be made there: %w", out, err))
			}
			return a.runAll(c, all, repeat, out)
		},
	}
	in.flags(c)
	c.Flags().StringVar(&out, "out", "out", "where run directories are made")
	c.Flags().IntVar(&repeat, "repeat", 1, "run each scenario so many times")
	return c
}

// writable makes dir where it is not there, and tries whether a directory can be made in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are for everyone
		return err
	}
	probe, err := os.MkdirTemp(dir, ".try")
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// runAll runs every scenario, repeat times each, until one is interrupted.
func (a *app) runAll(c *cobra.Command, all []*scenario.Resolved, repeat int, out string) error {
	exit := exitPass
	verdicts := []*report.Verdict{}
	for _, r := range all {
		for i := range repeat {
			p := a.progress(r.Name)
			o := run.Options{Labs: table, Out: out, StateDir: a.stateDir, Progress: p.show}
			if repeat > 1 {
				a.say("run %d of %d\n", i+1, repeat)
			}
			v, err := run.Run(c.Context(), r, o)
			p.end()
			if err != nil && v.Reason == "" {
				v.Reason = err.Error()
			}
			verdicts = append(verdicts, v)
			exit = worse(exit, codeOf(v))
			if !a.json {
				if err := report.Text(a.out, v); err != nil {
					return err
				}
				a.say("run directory: %s\n\n", o.Directory(v))
			}
			if codeOf(v) == exitDefect {
				fmt.Fprintf(a.err, "stellarlab: the run broke: %s\nUnless that is this machine's doing, such as a full disk, it is a defect of stellarlab: please report it with %s\n", //nolint:errcheck // nothing better to do
					v.Reason, filepath.Join(o.Directory(v), "journal.bin"))
			}
			if c.Context().Err() != nil {
				return a.finish(verdicts, worse(exit, exitInterrupted))
			}
		}
	}
	return a.finish(verdicts, exit)
}

// finish prints the one document: the verdict, or a list of them.
func (a *app) finish(verdicts []*report.Verdict, exit int) error {
	if a.json {
		var v any = verdicts
		if len(verdicts) == 1 {
			v = verdicts[0]
		}
		if err := a.printJSON(v); err != nil {
			return err
		}
	}
	if exit != exitPass {
		return &exitError{code: exit}
	}
	return nil
}

// progress shows how far a run is: one line that is overwritten on a terminal, plain lines elsewhere.
type progress struct {
	a        *app
	name     string
	terminal bool
	last     time.Time
	began    time.Time
	stage    string
	open     bool
}

func (a *app) progress(name string) *progress {
	now := time.Now()
	info, err := os.Stderr.Stat()
	return &progress{a: a, name: name, began: now, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// show is called from the lab's loop; it prints at most twice a second, every five where nobody overwrites.
func (p *progress) show(r run.Progress) {
	pace := 5 * time.Second
	if p.terminal {
		pace = 500 * time.Millisecond
	}
	now := time.Now()
	if p.a.quiet || now.Sub(p.last) < pace && r.Stage == p.stage || r.Stage != p.stage && !p.terminal && now.Sub(p.began) < time.Second {
		return
	}
	p.last, p.stage = now, r.Stage
	line := fmt.Sprintf("%s: %s, lab time %v of at most %v, %v since the start", p.name, r.Stage,
		time.Duration(r.Now).Round(time.Microsecond), time.Duration(r.Limit), now.Sub(p.began).Round(100*time.Millisecond))
	if p.terminal {
		fmt.Fprintf(p.a.err, "\r\x1b[K%s", line) //nolint:errcheck // progress alone
		p.open = true
	} else {
		fmt.Fprintln(p.a.err, line) //nolint:errcheck // progress alone
	}
}

func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.a.err, "\r\x1b[K") //nolint:errcheck // progress alone
	}
}
