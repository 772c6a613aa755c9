import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/helpers/longest-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    // Beyond the longest wait of a test: a busy machine is slow, and not red.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Many tests wait for processes of their own: one worker a core would leave the cores idle.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ["test/helpers/fresh-modules.ts"],
    globalSetup: ["test/helpers/run-folder.ts"],
    // A stray variable of the person's shell must not reach a test's home or colours. Certificates of their own would be
    // read by each of the thousand programs that the tests start, which takes four times as long as Node itself.
    env: { STELE_HOME: "", STELE_MODEL: "", STELE_CRASH_AT: "", NO_COLOR: "", NODE_EXTRA_CA_CERTS: "" },
  },
});
