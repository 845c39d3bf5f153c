package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// app is what all verbs share.
type app struct {
	out, err io.Writer
	json     bool
	asked    bool // --json is somewhere on the command line
	printed  bool // the one document of --json
	quiet    bool
	stateDir string
}

// execute runs the command line and returns the exit code. A panic is a defect of stellarlab, and says so.
func execute(args []string, stdout, stderr io.Writer) (exit int) {
	a := &app{out: stdout, err: stderr, asked: asksJSON(args)}
	defer func() {
		if r := recover(); r != nil {
			a.failed(fmt.Errorf("defect: %v", r), exitDefect)
			fmt.Fprintf(stderr, "stellarlab: this is a defect of stellarlab, please report it with this text and the run's journal.bin: %v\n%s", r, debug.Stack()) //nolint:errcheck // nothing better to do
			exit = exitDefect
		}
	}()
	ctx, stop := interruptible(stderr)
	defer stop()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		a.failed(err, code(err))
		fmt.Fprintf(stderr, "stellarlab: %v\n", err) //nolint:errcheck // nothing better to do
	}
	return code(err)
}

// asksJSON looks for --json before the flags are parsed: an error in them is to be one document too.
func asksJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// failed prints the one document of a command that has printed none and ends with an error.
func (a *app) failed(err error, exit int) {
	if (a.json || a.asked) && !a.printed {
		a.printJSON(map[string]any{"error": err.Error(), "exit": exit}) //nolint:errcheck // stderr has it too
	}
}

// later are flags of the public contract that this build does not have.
var later = []string{"capture", "trace", "metrics"}

// badFlag explains an error of the flags: nothing is ignored.
func badFlag(_ *cobra.Command, err error) error {
	for _, name := range later {
		if strings.HasSuffix(err.Error(), "unknown flag: --"+name) {
			return usage(fmt.Errorf("--%s is not in this build; leave it out", name))
		}
	}
	return usage(err)
}

// interruptible returns a context that ends with the first SIGINT, SIGTERM or SIGHUP, which a terminal sends as it
// closes unless the command was told to outlive it; the second ends the process at once,
// and leaves to gc what is left.
func interruptible(stderr io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		if _, ok := <-signals; !ok {
			return
		}
		fmt.Fprintln(stderr, "stellarlab: interrupted, rolling back; a second interrupt stops at once and leaves the rest to stellarlab gc") //nolint:errcheck // nothing better to do
		cancel()
		if _, ok := <-signals; ok {
			os.Exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "stellarlab",
		Short: "Fault injection for an emulated RDMA datapath, with a verdict that can be trusted",
		Long: `stellarlab runs a scenario, traffic over an emulated Stellar datapath while faults strike, on a deterministic
simulator or in real network namespaces, and says whether it stayed correct, stayed up and came back.

Exit codes: 0 pass, 1 failed, 2 inconclusive, 3 residue, 4 a capability is missing, 64 bad input,
70 a defect of stellarlab, 130 interrupted and rolled back.`,
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetFlagErrorFunc(badFlag)
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print one JSON document on standard output and nothing else there")
	f.BoolVar(&a.quiet, "quiet", false, "print no progress")
	f.StringVar(&a.stateDir, "state-dir", "/run/stellarlab", "where the undo logs are kept")
	root.AddCommand(
		a.doctor(), a.validate(), a.plan(), a.run(), a.gc(), a.report(), a.events(), a.version(),
		a.faultsCmd(), a.workloadsCmd(), a.topologiesCmd(), a.policiesCmd(), a.expectationsCmd(),
	)
	return root
}

// printJSON prints the one document.
func (a *app) printJSON(v any) error {
	a.printed = true
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// say prints text for people; with --json it goes to standard error.
func (a *app) say(format string, args ...any) {
	w := a.out
	if a.json {
		w = a.err
	}
	fmt.Fprintf(w, format, args...) //nolint:errcheck // a closed terminal is no reason to stop
}
