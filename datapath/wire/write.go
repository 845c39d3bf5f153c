package wire

import (
	"fmt"

	"github.com/stellarlab/stellarlab/internal/mem"
)

// appendWrite appends BTH, RETH and extension of an RDMA WRITE Only: every packet says where its own bytes go,
// so it is placed on arrival, in whatever order.
func (p *Packet) appendWrite(b []byte) []byte {
	b = p.appendBTH(b, pad(p.Payload.Len))
	b = be.AppendUint64(b, uint64(p.VA))
	b = be.AppendUint32(b, uint32(p.RKey))
	b = be.AppendUint32(b, p.Payload.Len)
	b = p.appendHead(b, kindData)
	b = be.AppendUint32(b, p.MSN)
	b = be.AppendUint32(b, p.Offset)
	b = be.AppendUint32(b, p.MessageLen)
	return append(b, p.Generation, 0, 0, 0)
}

// decodeWrite reads what follows the BTH of an RDMA WRITE Only: b ends before the ICRC.
func decodeWrite(b []byte, padCount int, p *Packet) error {
	if len(b) < rethLen+dataExt {
		return fmt.Errorf("%w: RDMA WRITE of %d bytes after the BTH, want at least %d", ErrMalformed, len(b), rethLen+dataExt)
	}
	reth, ext, payload := b[:rethLen], b[rethLen:rethLen+dataExt], b[rethLen+dataExt:]
	n := be.Uint32(reth[12:])
	if uint64(n)+uint64(padCount) != uint64(len(payload)) || padCount != pad(n) {
		return fmt.Errorf("%w: RETH length %d with pad count %d, packet holds %d", ErrMalformed, n, padCount, len(payload))
	}
	if err := decodeHead(ext, kindData, p); err != nil {
		return err
	}
	p.VA = mem.VA(be.Uint64(reth))
	p.RKey = mem.Key(be.Uint32(reth[8:]))
	p.MSN = be.Uint32(ext[16:])
	p.Offset = be.Uint32(ext[20:])
	p.MessageLen = be.Uint32(ext[24:])
	p.Generation = ext[28]
	if ext[29]|ext[30]|ext[31] != 0 || !zero(payload[n:]) {
		return fmt.Errorf("%w: reserved bytes are not zero", ErrMalformed)
	}
	if uint64(p.Offset)+uint64(n) > uint64(p.MessageLen) {
		return fmt.Errorf("%w: bytes %d to %d of a message of %d", ErrMalformed, p.Offset, uint64(p.Offset)+uint64(n), p.MessageLen)
	}
	p.Payload = mem.Payload{Len: n, Bytes: payload[:n:n]}
	return nil
}
