// Package report is the verdict of a run as data (SCENARIO §3) and its renderings: JUnit, Markdown and the short
// text for a terminal. It judges nothing: every rendering is a view of verdict.json, the source of truth.
package report
