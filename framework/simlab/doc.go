// Package simlab is the lab in virtual time: a framework.System over datapath/sim, which needs no privilege and
// whose result is a function of its inputs. It judges nothing and plans nothing.
package simlab
