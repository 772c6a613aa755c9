// An import is killed at every point it passes. Then: nothing of it is shown or everything is, the next start takes what
// it left, verify() finds nothing, and the same file imports.
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SessionDB } from "../../src/ledger/session-db.ts";
import { temporaryFolder } from "../helpers/ledger.ts";
import { richConversation } from "../helpers/rich-conversation.ts";
import { workplace } from "../helpers/stele.ts";
import { inLedger, violations } from "../helpers/stored.ts";
import { exported, fileOf } from "../helpers/transfer.ts";

const POINTS = ["before:import-begin", "after:import-begin", "before:import-rows", "after:import-rows"];
const ENDS = ["before:import-end", "after:import-end"];

let file = "";
let id = "";
beforeAll(async () => {
  const db = new SessionDB({ path: path.join(temporaryFolder(), "state.db") });
  const { session } = richConversation(db);
  id = session.id;
  file = await exported(db, session);
  db.close();
});

describe("stele import, killed", () => {
  it.each([...POINTS, "after:import-rows@2", ...ENDS])(
    "%s: leaves nothing half done, and can be done again",
    async (point) => {
      const place = workplace();
      const source = fileOf(file);
      const doomed = await place.stele(["import", source], { env: { STELE_CRASH_AT: point } });
      expect(doomed.signal, doomed.err).toBe("SIGKILL");
      expect(violations(place)).toEqual([]);
      const shown = (await place.stele(["sessions", "--all", "--json"])).events.map((each) => each["id"]);
      expect(shown).toEqual(point === "after:import-end" ? [id] : []);

      const again = await place.stele(["import", source, "--json"]);
      expect(again.code, again.err).toBe(0);
      expect(violations(place)).toEqual([]);
      expect(inLedger(place, (db) => db.session(id as never).title)).toBe("one of everything");
      const out = path.join(place.folder, "again.jsonl");
      expect((await place.stele(["sessions", "export", id, out])).code).toBe(0);
    },
  );
});
