package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/stellarlab/stellarlab/datapath/journal"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/internal/event"
)

func (a *app) report() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Render run directories",
		Example: `  stellarlab report out/dead-spine-sim-7-abcdefgh
  stellarlab report out/dead-spine-sim-7-abcdefgh --format jsonl | head`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if a.json {
				if c.Flags().Changed("format") && format != "json" {
					return usage(fmt.Errorf("--format %s and --json: give one of them", format))
				}
				format = "json"
			}
			if format == "json" && len(args) > 1 {
				return a.manyJSON(args)
			}
			for _, dir := range args {
				if err := a.render(dir, format); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, markdown, json, junit, or jsonl: every event of the journal")
	return c
}

// load reads the verdict of a run directory.
func load(dir string) (*report.Verdict, error) {
	b, err := os.ReadFile(filepath.Join(dir, "verdict.json"))
	if err != nil {
		return nil, usage(fmt.Errorf("%s is no run directory: %w", dir, err))
	}
	var v report.Verdict
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, usage(fmt.Errorf("%s: verdict.json is damaged: %w", dir, err))
	}
	if v.Schema != report.Schema {
		return nil, usage(fmt.Errorf("%s: verdict.json has schema %q: this build reads %s", dir, v.Schema, report.Schema))
	}
	return &v, nil
}

func (a *app) manyJSON(dirs []string) error {
	var all []*report.Verdict
	for _, d := range dirs {
		v, err := load(d)
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	return a.printJSON(all)
}

func (a *app) render(dir, format string) error {
	v, err := load(dir)
	if err != nil {
		return err
	}
	switch format {
	case "text":
		return report.Text(a.out, v)
	case "markdown":
		return report.Markdown(a.out, v)
	case "json":
		return a.printJSON(v)
	case "junit":
		b, err := report.JUnit(v)
		if err == nil {
			_, err = a.out.Write(b)
		}
		return err
	case "jsonl":
		return a.events2jsonl(filepath.Join(dir, "journal.bin"))
	}
	return usage(fmt.Errorf("--format %s: want text, markdown, json, junit or jsonl", format))
}

// events2jsonl prints a journal, one event a line. What can be read of a torn one is printed before the error.
func (a *app) events2jsonl(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return usage(err)
	}
	defer f.Close() //nolint:errcheck // read only
	w := bufio.NewWriter(a.out)
	defer func() { err = errors.Join(err, w.Flush()) }()
	e := json.NewEncoder(w)
	for ev, err := range journal.Read(bufio.NewReaderSize(f, 1<<20)) {
		if err != nil {
			return usage(fmt.Errorf("%s: %w", path, err))
		}
		if err := e.Encode(line(ev)); err != nil {
			return err
		}
	}
	return nil
}

// eventLine is one event of a journal, as text.
type eventLine struct {
	At   int64  `json:"at"`
	Kind string `json:"kind"`
	Node int32  `json:"node"`
	QP   uint32 `json:"qp,omitempty"`
	A    uint64 `json:"a"`
	B    uint64 `json:"b"`
	C    uint64 `json:"c"`
	D    uint64 `json:"d"`
}

func line(e event.Event) eventLine {
	return eventLine{int64(e.At), e.Kind.String(), e.Node, e.QP, e.A, e.B, e.C, e.D}
}
