// The screen from its first frame to the last line: paints before anything is opened, boots, and on every way out
// gives the terminal back as it was. Resolves with the exit code; never rejects.
import { homedir } from "node:os";
import { EXIT, exitCodeOf } from "../exit-codes.ts";
import { usageOf } from "../commands/args.ts";
import { note } from "./block.ts";
import { Conversation, blockingTurn, earlierBlocks, errorWords, turnError } from "./conversation.ts";
