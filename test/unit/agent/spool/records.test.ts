import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readIdentity, SPOOL_FILES } from "../../../../src/agent/spool/records.ts";
import { temporaryFolder } from "../../../helpers/ledger.ts";

function written(group: unknown, pid: unknown = 4711): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, SPOOL_FILES.identity), JSON.stringify({ group, identity: { pid } }));
  return folder;
}

test("a supervisor's identity names a process of its own", () => {
  expect(readIdentity(written(4711))).toMatchObject({ group: 4711 });
});

test.each([0, 1, -4711, 2.5, "4711", null])("%j is no group that a signal may be sent to", (number) => {
  expect(readIdentity(written(number))).toBeUndefined();
  expect(readIdentity(written(4711, number))).toBeUndefined();
});
