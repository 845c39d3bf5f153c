// Package sock drives devices with real packets: one owner loop per device, on a thread of its own, between
// one raw socket, one UDP socket and the device's deadline. It knows no protocol: what a packet means and when
// to send one is the device's.
package sock
