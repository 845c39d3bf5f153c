package stability_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/labs"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/internal/strict"
)

func TestStability(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "stability")
}

// verdict runs a scenario of the suites in a lab.
func verdict(ctx SpecContext, lab, name string) *report.Verdict {
	strict.Need(GinkgoT(), lab, labs.Missing(lab))
	v, err := labs.File(ctx, "../scenarios/"+name+".yaml", lab, GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	return v
}

var _ = DescribeTableSubtree("data stays right", func(lab string) {
	DescribeTable("while", func(ctx SpecContext, name, cause string) {
		v := verdict(ctx, lab, name)
		Expect(v.Outcome).To(Equal(expect.Pass), v.Reason)
		for _, f := range v.Faults {
			Expect(f.Confirmation).To(Equal("confirmed"), "fault %s: %v", f.Name, f.Evidence)
		}
		for _, i := range v.Invariants {
			Expect(i.Outcome).To(Equal(expect.Pass), "%s: %v", i.Name, i.Violations)
			Expect(i.Checked).NotTo(BeZero(), "%s had something to check", i.Name)
		}
		Expect(v.Ledger.Dropped[cause]).NotTo(BeZero(), "packets dropped by %s, in the fabric's own ledger", cause)
		Expect(v.Ledger.Balanced).To(BeTrue())
	},
		Entry("an uplink loses one packet in a hundred", "lossy-uplink", "loss"),
		Entry("links flip bits", "bit-errors", "icrc"),
	)
},
	Entry("in the simulator", Label("sim"), "sim"),
	Entry("in namespaces", Label("netns"), Serial, "netns"),
)

var _ = Describe("the reference fabric", Label("sim"), func() {
	It("drops nothing and sends nothing twice when it is clean", func(ctx SpecContext) {
		v := verdict(ctx, "sim", "clean-permutation")
		Expect(v.Outcome).To(Equal(expect.Pass), v.Reason)
		Expect(v.Ledger.Dropped).To(BeEmpty())
		Expect(v.Workloads[0].Retransmits).To(BeZero())
		Expect(v.Workloads[0].Completion.Mean).To(BeNumerically("<=", 187.4*1.05), "µs; the peer's mean and 5 %")
		Expect(v.Workloads[0].Completion.P99).To(BeNumerically("<=", 202.8*1.05), "µs; the peer's p99 and 5 %")
	})

	It("does not collapse when 32 hosts send to one", func(ctx SpecContext) {
		v := verdict(ctx, "sim", "incast")
		Expect(v.Outcome).To(Equal(expect.Pass), v.Reason)
		Expect(v.Workloads[0].Completion.Max).To(BeNumerically("<=", 2800), "µs; ideal is 2,612")
	})
})
