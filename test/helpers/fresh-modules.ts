// Runs before each test file. A worker takes one file after the other, as the start of a process and what it loads of
// node_modules cost more than most files; modules of this project are loaded anew, so that no state of theirs and none
// of their hooks is another file's.
import { vi } from "vitest";

vi.resetModules();

// Ink paints nothing but a last frame where it believes to be in CI; it looks once, when it is loaded.
for (const name of Object.keys(process.env)) if (/^CI(_|$)|^CONTINUOUS_INT/.test(name)) delete process.env[name];
