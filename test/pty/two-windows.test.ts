// Two windows on one conversation, and what a kill leaves: takeover, waiting prompts, and the new start.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answer } from "../helpers/answer.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

/** Its command goes on after a kill. */
const lasting = "run touch started; sleep 600";

describe("two windows on one conversation", () => {
  it("show each other's turns, keep a prompt waiting, refuse an undo, and take over from the dead", async () => {
    const place = workplace();
    await place.stele(["run", "say hello"]);
    const first = openStele(place, ["-c"]);
    const second = openStele(place, ["-c"]);
    await ready(first);
    await ready(second);

    await type(first, "say from the first");
    await second.waitFor(/● from the first/);

    await type(first, lasting);
    await first.waitFor(/Allow shell/);
    await answer(first, "y");
    await first.waitFor(() => existsSync(path.join(place.folder, "started")));
    await type(second, "/undo");
    // The status line says it as well: only the answer shows that the command was read, and what follows is no paste.
    await second.waitFor(/The conversation is held by stele, pid/);
    second.write("say from the second\r");
    await second.waitFor(/› say from the second/);

    first.kill("SIGKILL");
    // Its lease would have held for minutes.
    await second.waitFor(/waits for your decision/);

    const open = JSON.parse((await place.stele(["recover", "--json"])).out) as {
      open: readonly { prompt: string; calls: readonly { tool: string; state: string }[] }[];
    };
    expect(open.open).toMatchObject([{ prompt: lasting, calls: [{ tool: "shell", state: "running" }] }]);
  });
});

describe("unsent text", () => {
  it("stays with the window that is there, and comes back in one other when that one is gone", async () => {
    const place = workplace();
    await place.stele(["run", "say hello"]);
    const first = openStele(place, ["-c"]);
    await ready(first);
    first.write("words that nobody sent");
    await first.waitFor(/words that nobody sent/);
    const second = openStele(place, ["-c"]);
    await ready(second);
    expect(second.screen().join("\n")).not.toContain("words that nobody sent");
    first.kill("SIGTERM");
    await first.exit;
    const other = openStele(place);
    await other.waitFor(/unsent text of .*“words that nobody/);
    const third = openStele(place, ["-c"]);
    await third.waitFor(/unsent text of .* restored/);
    await third.waitFor(/words that nobody sent/);
  });
});

describe("a killed window", () => {
  it("is told about at the next start, and settling leaves a conversation that goes on", async () => {
    const place = workplace();
    const doomed = openStele(place);
    await type(doomed, lasting);
    await doomed.waitFor(/Allow shell/);
    await answer(doomed, "y");
    await doomed.waitFor(() => existsSync(path.join(place.folder, "started")));
    doomed.kill("SIGKILL");
    await doomed.exit;

    const next = openStele(place, ["-c"]);
    await next.waitFor(/A turn was interrupted: "run touch started; sleep 600"/);
    expect(next.screen().join("\n")).toMatch(/↻ shell touch started; sleep 600 +still running/);
    await answer(next, "\r");
    await next.waitFor(/❯ Wait for it\n {2}Stop it/);
    await answer(next, "\x1b[B\r");
    await next.waitFor(/❯ Resume the turn/);
    await answer(next, "\x1b[B\r");
    await next.waitFor(/is settled as interrupted/);
    await type(next, "say it goes on");
    await next.waitFor(/● it goes on/);
    await type(next, "/quit");
    expect((await next.exit).exitCode).toBe(0);
  });

  it("right after /new: -c opens the new conversation, never the one before it", async () => {
    const place = workplace();
    const doomed = openStele(place);
    await type(doomed, "say the old one");
    await doomed.waitFor(/● the old one/);
    await type(doomed, "/new fresh");
    await doomed.waitFor(/fresh/);
    await ready(doomed);
    doomed.kill("SIGKILL");
    await doomed.exit;

    const next = openStele(place, ["-c"]);
    await ready(next);
    await next.waitFor(/fresh/);
    expect(next.scrollback().join("\n")).not.toContain("the old one");
  });
});

describe("a conversation that another window deletes", () => {
  it("says so at once, keeps what is typed, and leads to a new one", async () => {
    const place = workplace();
    await place.stele(["run", "say hello"]);
    const [first, second] = [openStele(place, ["-c"]), openStele(place, ["-c"])];
    await ready(first);
    await ready(second);
    await type(first, "/delete");
    await first.waitFor(/for good/);
    await answer(first, "y");
    await second.waitFor(/deleted in another window\. \/new begins another/);
    await second.waitFor(/^\s*deleted in another window ·/m);
    second.write("say still here\r");
    await second.waitFor(/not sent: the conversation is deleted[\s\S]*❯ say still here/);
    second.write("\x15/new\r");
    await second.waitFor(/A new conversation\./);
    await second.waitFor(/^\s*saved/m);
    expect(second.scrollback().join("\n")).not.toContain("The old one");
  });
});
