// A loop in the built program: it ticks, waits for who types, esc pauses it, and a kill leaves it paused.
import { expect, it } from "vitest";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

it("is paused by esc and by a kill, says so at the next start, and goes on when one says so", async () => {
  const place = workplace();
  writeConfig(place, { loops: { minInterval: "5s" } });
  const doomed = openStele(place, ["--yes"]);
  await ready(doomed);
  await type(doomed, "/loop 5s say all quiet");
  await doomed.waitFor(/● all quiet[\s\S]*↻ loop 5s/);
  doomed.write("\x1b[27u");
  await doomed.waitFor(/The loop is paused: you stopped it\. \/loop resume goes on[\s\S]*↻ loop paused/);
  await type(doomed, "/loop resume");
  await doomed.waitFor(/active, next in 5s/);
  await type(doomed, "/loop pause");
  await doomed.waitFor(/paused: you paused it · 1 tick/);
  expect(everything(doomed)).not.toContain("The loop is paused: you paused it");
  await type(doomed, "/loop resume");
  await doomed.waitFor((each) => everything(each).split("● all quiet").length === 3);
  doomed.kill("SIGKILL");
  await doomed.exit;

  const stele = openStele(place, ["-c", "--yes"]);
  await stele.waitFor(/1 loop is paused/);
  await stele.waitFor(/A loop waits here, paused: “say all quiet” \(the stele that ran it ended\)/);
  await type(stele, "/loop 5s say once more --times 1");
  await stele.waitFor(/● once more[\s\S]*The loop is done: it ran once\./);
  await type(stele, "/loop status");
  await stele.waitFor(/1 {2}just now +completed/);
  expect(everything(stele)).not.toContain("↻ loop paused\n");
});
