// -c in two terminals of one folder: each goes on with its own conversation and says so where another one is newer.
import { expect, it } from "vitest";
import { openStele, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

function pane(place: Workplace, name: string, args: readonly string[] = []) {
  const env = { TMUX: "/tmp/tmux-test/default,1,0", TMUX_PANE: name };
  return openStele(place, args, { cols: 100, rows: 24, env });
}

async function quit(stele: ReturnType<typeof openStele>): Promise<void> {
  await type(stele, "/quit");
  await stele.exit;
}

it("goes on with what this terminal had, which an empty start does not change", async () => {
  const place = workplace();
  const one = pane(place, "%1");
  await type(one, "say apples");
  await one.waitFor("● apples");
  await quit(one);
  const two = pane(place, "%2");
  await type(two, "say pears");
  await two.waitFor("● pears");
  await quit(two);
  await quit(pane(place, "%1"));
  const again = pane(place, "%1", ["-c"]);
  await again.waitFor(/● apples[\s\S]*saved · say apples/);
  await again.waitFor(
    /-c went on with “say apples”, which this terminal had; the newest of this folder is “say pears”/,
  );
  await type(again, "/new");
  await again.waitFor("A new conversation.");
  await quit(again);
  const fresh = pane(place, "%1", ["-c"]);
  await type(fresh, "/status");
  await fresh.waitFor(/session [^\n]*\d{8}-/);
  expect(fresh.screen().join("\n")).not.toContain("apples");
  await quit(fresh);
  const other = pane(place, "%3", ["-c"]);
  await other.waitFor("saved");
  expect(other.screen().join("\n")).not.toMatch(/apples|pears/);
});
