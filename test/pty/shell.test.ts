// `!command` on the screen of the built program, as a stranger meets it: typed, seen, stopped, told to a model, and
// found again after a kill.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answer } from "../helpers/answer.ts";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function connected(): Promise<{ place: Workplace; server: ModelServer }> {
  const server = await startModelServer(() => ({ text: "seen" }));
  servers.push(server);
  const place = workplace();
  mkdirSync(place.home, { mode: 0o700 });
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } };
  writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ model: "local/m1", providers, titles: "off" }));
  return { place, server };
}

async function expectSound(place: Workplace): Promise<void> {
  const doctor = JSON.parse((await place.stele(["doctor", "--json", "--full"])).out) as { verify: unknown };
  expect(doctor.verify).toEqual([]);
}

describe("a command in the composer", () => {
  it("is seen as such, runs at once, is told with the next prompt or never, and comes back whole", async () => {
    const { place, server } = await connected();
    writeFileSync(path.join(place.folder, "notes.txt"), "told words\n");
    const stele = openStele(place);
    await ready(stele);

    stele.write("!");
    await stele.waitFor(/^\$ !$[\s\S]*runs in the shell, the model is told/m);
    stele.write("\r");
    await stele.waitFor(/type a command behind it/);
    stele.write("cat @note");
    await stele.waitFor(/^ +notes\.txt$/m);
    stele.write("\t");
    await stele.waitFor(/^\$ !cat notes\.txt$/m);
    stele.write("; exit 3\r");
    await stele.waitFor(/^! cat notes\.txt ; exit 3\n +⎿ shell cat notes\.txt ; exit 3 +exit 3.*\n +told words$/m);

    await ready(stele);
    stele.write("!!printf hid");
    await stele.waitFor(/runs in the shell, the model is not told/);
    stele.write("den\x1b\recho $((3*4))x\r");
    await stele.waitFor(/^!! printf hidden\n {3}echo \$\(\(3\*4\)\)x\n.*exit 0.*\n +hidden12x$/m);

    await type(stele, "what was that?");
    await stele.waitFor(/● seen/);
    const [asked, ...more] = server.requests;
    expect(more).toEqual([]);
    expect(asked?.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(asked?.body.messages[1]?.content).toMatch(
      /\$ cat notes\.txt ; exit 3\n[^]*told words\n[^]*what was that\?$/,
    );
    expect(asked?.text).not.toMatch(/hidden|12x/);

    await ready(stele);
    stele.write("\x1b[A\x1b[A");
    await stele.waitFor(/^\$ !!printf hidden\n {2}echo/m);
    stele.write("\x03");
    await type(stele, "/quit");
    await stele.exit;
    const next = openStele(place, ["-c"]);
    await next.waitFor(/^! cat notes\.txt ; exit 3\n[\s\S]*^!! printf hidden\n[\s\S]*● seen/m);
    await ready(next);
    await type(next, "/quit");
    await next.exit;
    await expectSound(place);
  });

  it("queues behind what runs, is stopped by esc, and is given back by an undo with the files it made", async () => {
    const place = workplace();
    const stele = openStele(place);
    await type(stele, "!touch made; echo begun; sleep 60");
    await stele.waitFor(/^ +begun$/m);
    stele.write("!echo second\r");
    await stele.waitFor(/› !echo second {2}\(next\)/);
    stele.write("\x1b");
    await stele.waitFor(/cancelled[\s\S]*› !echo second {2}\(waits · \/queue run\)/);
    await type(stele, "/queue run");
    await stele.waitFor(/^! echo second\n.*exit 0.*\n +second$/m);

    await type(stele, "/undo 2");
    await stele.waitFor(/\[ \] made .*is removed, changed by a command/);
    await answer(stele, "a\r");
    await stele.waitFor(/^\$ !touch made; echo begun; sleep 60$/m);
    expect(existsSync(path.join(place.folder, "made"))).toBe(false);
    stele.write("\x15");
    await type(stele, "/redo");
    await stele.waitFor(/rought back 2 turns/);
    await vi.waitFor(() => expect(existsSync(path.join(place.folder, "made"))).toBe(true), { timeout: 30_000 });
    await type(stele, "/quit");
    await stele.exit;
    await expectSound(place);
  });

  it("is no command where nobody saw it as one: an argument, and a paste that is folded", async () => {
    const place = workplace();
    const stele = openStele(place, ["!touch argument"]);
    await stele.waitFor((each) => everything(each).includes("› !touch argument"));
    await ready(stele);
    stele.write(`\x1b[200~!touch pasted\n${"#\n".repeat(9)}\x1b[201~`);
    await stele.waitFor(/^❯ \[10 lines\]$/m);
    stele.write("\r");
    await stele.waitFor((each) => /^› !touch pasted$/m.test(everything(each)));
    await ready(stele);
    await place.stele(["run", "!touch run"]);
    for (const name of ["argument", "pasted", "run"]) expect(existsSync(path.join(place.folder, name))).toBe(false);
    await type(stele, "/quit");
    await stele.exit;
  });
});

/** The command itself runs, not only its supervisor. */
function hasBegun({ home }: Workplace): boolean {
  const spool = path.join(home, "spool");
  return existsSync(spool) && readdirSync(spool).some((name) => existsSync(path.join(spool, name, "go")));
}

describe("a kill while a command of the person runs", () => {
  it("leaves it running; the next start shows it, waits for it, and it has run once", async () => {
    const place = workplace();
    const doomed = openStele(place);
    await type(doomed, "!until [ -e go ]; do sleep 0.02; done; echo x >> ran; echo got there");
    await doomed.waitFor(/until .* running/);
    await vi.waitFor(() => expect(hasBegun(place)).toBe(true), { timeout: 30_000, interval: 20 });
    doomed.write("!touch next\r");
    await doomed.waitFor(/!touch next {2}\(next\)/);
    doomed.kill("SIGKILL");
    await doomed.exit;

    const next = openStele(place, ["-c"]);
    await next.waitFor(/A turn was interrupted: "!until[\s\S]*still running: process group \d+/);
    await answer(next, "\r");
    await next.waitFor(/Wait for it/);
    await answer(next, "\r");
    writeFileSync(path.join(place.folder, "go"), "");
    await next.waitFor(/finished after the crash: exit 0[\s\S]*Resume the turn/);
    await answer(next, "\r");
    await next.waitFor(/Goes on: !until/);
    await ready(next);
    expect(everything(next)).toMatch(/⎿ shell until .*exit 0.*\n +got there/);
    expect(readFileSync(path.join(place.folder, "ran"), "utf8")).toBe("x\n");
    expect(existsSync(path.join(place.folder, "next"))).toBe(false);
    await type(next, "/quit");
    await next.exit;
    await expectSound(place);
  });
});
