// Searching in the built program: a hit in another conversation, far from its end, opens it there; one in the
// conversation that is open opens the pager alone.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newSession, openLedger, runTurn } from "../helpers/ledger.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

describe("/search", () => {
  it("lists hits with what is around them, and enter opens the conversation at the chosen one", async () => {
    const place = workplace();
    const db = openLedger({ path: path.join(place.home, "state.db") });
    const [birds, ponds] = [newSession(db, { title: "birds" }), newSession(db, { title: "ponds" })];
    for (let turn = 1; turn <= 40; turn += 1)
      runTurn(db, birds, `question ${turn}`, turn === 12 ? "it was a grey heron" : `answer ${turn}`);
    runTurn(db, ponds, "which bird stands in the pond", "a heron, mostly");
    const stele = openStele(place, [], { cols: 100, rows: 24 });
    await type(stele, "/search heron");
    await stele.waitFor(/“heron” \(2\)/);
    stele.write("grey");
    await stele.waitFor(/❯ it was a grey “heron” +birds .*│ › question 12\n.*│\n.*│ ● it was a grey heron/);
    stele.write("\r");
    await stele.waitFor(/birds · 24-\d+ of 80 messages/);
    expect(stele.screen().slice(0, 2).join("\n")).toContain("● it was a grey heron");
    expect(stele.modes()).toMatchObject({ alternateScreen: true });
    stele.write("q");
    await stele.waitFor(/saved · birds/);
    await ready(stele);
    expect(everything(stele)).toContain("“birds” · 40 turns");
    await type(stele, "/search heron");
    await stele.waitFor(/“heron” \(2\)/);
    stele.write("grey");
    await stele.waitFor(/❯ it was a grey “heron”/);
    stele.write("\r");
    await stele.waitFor(/birds · 24-\d+ of 80 messages/);
    stele.write("q");
    await ready(stele);
    expect(everything(stele).match(/“birds” · 40 turns/g)).toHaveLength(1);
    await type(stele, "/search nowhere to be found");
    await stele.waitFor(/Nothing was found for “nowhere to be found”\. Fewer words find more\./);
  });

  it("without words opens a field to type them in", async () => {
    const place = workplace();
    const db = openLedger({ path: path.join(place.home, "state.db") });
    runTurn(db, newSession(db, { title: "birds" }), "which bird", "a zebra🦓 finch");
    const stele = openStele(place, [], { cols: 100, rows: 24 });
    await type(stele, "/search");
    await stele.waitFor(/Search all conversations \(0\)[^]*Type words: what was said/);
    stele.write("finch");
    await stele.waitFor(/a zebra ?🦓 “finch” +birds/);
    stele.write("\x1b");
    await stele.waitFor(/Type words: what was said/);
    stele.write("zebra🦓");
    await stele.waitFor(/❯ a “zebra” “🦓” finch/);
    stele.write("\r");
    await stele.waitFor(/birds · [^\n]*2 messages/);
  });
});
