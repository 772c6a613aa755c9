// Runs before each test file. A worker takes one file after the other, as the start of a process and what it loads of
// node_modules cost more than most files; modules of this project are loaded anew, so that no state of theirs and none
// of their hooks is another file's.
import { vi } from "vitest";

vi.resetModules();
