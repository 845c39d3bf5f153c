package wire_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stellarlab/stellarlab/datapath/wire"
	"github.com/stellarlab/stellarlab/internal/strict"
)

// peers are samples for other people's dissectors, in order: data, data of no bytes, acknowledgement, NAK.
func peers() []wire.Packet {
	all := samples()
	all[0].Payload.Len, all[0].MessageLen = 61, 8192 // needs three bytes of padding
	return all
}

// TestWiresharkReadsThem captures one packet of each sort and lets tshark dissect it.
func TestWiresharkReadsThem(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	strict.Need(t, "tshark", err)

	file := filepath.Join(t.TempDir(), "wire.pcap")
	var capture bytes.Buffer
	w := pcapgo.NewWriter(&capture)
	if err := w.WriteFileHeader(65535, layers.LinkTypeRaw); err != nil {
		t.Fatal(err)
	}
	for _, p := range peers() {
		b := p.Append(nil)
		info := gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(b), Length: len(b)}
		if err := w.WritePacket(info, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, capture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tshark, "-r", file, "-T", "fields", "-E", "separator=|",
		"-e", "infiniband.bth.opcode", "-e", "infiniband.bth.destqp", "-e", "infiniband.bth.psn",
		"-e", "infiniband.reth.dmalen", "-e", "infiniband.aeth.syndrome", "-e", "_ws.malformed", "-e", "_ws.col.Info")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []struct {
		fields string
		info   string
	}{
		{"10|0x123456|16777214|61||", "RDMA Write Only"},
		{"10|0x000001|0|0||", "RDMA Write Only"},
		{"17|0x654321|41||31|", "Acknowledge"},
		{"17|0x654321|41||98|", "Acknowledge"},
	}
	if len(lines) != len(want) {
		t.Fatalf("tshark prints %d packets, want %d:\n%s", len(lines), len(want), out)
	}
	for i, l := range lines {
		if !strings.HasPrefix(l, want[i].fields+"|") || !strings.Contains(l, want[i].info) {
			t.Errorf("packet %d: tshark reads %q, want %q and %q", i, l, want[i].fields, want[i].info)
		}
	}
}

// recompute makes scapy take each packet apart and build it again with an ICRC of its own.
const recompute = `
import sys
from scapy.layers.inet import IP
from scapy.contrib.roce import BTH
from scapy.compat import raw
for line in sys.stdin:
    p = IP(bytes.fromhex(line.strip()))
    del p[BTH].icrc
    print(raw(p).hex())
`

// TestScapyAgreesOnTheICRC compares byte for byte with an independent computation.
func TestScapyAgreesOnTheICRC(t *testing.T) {
	python := "/usr/bin/python3"
	strict.Need(t, "scapy", exec.Command(python, "-c", "import scapy.contrib.roce").Run())

	var in, want strings.Builder
	for _, p := range peers() {
		line := hex.EncodeToString(p.Append(nil)) + "\n"
		want.WriteString(line)
		in.WriteString(line[:len(line)-9] + "00000000\n") // the answer is not given away
	}
	cmd := exec.Command(python, "-c", recompute)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("scapy: %v", err)
	}
	if string(out) != want.String() {
		t.Errorf("scapy builds\n%swant\n%s", out, want.String())
	}
}
