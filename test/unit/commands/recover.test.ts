import { describe, expect, it } from "vitest";
import { after, openView, printed } from "../ui/view-samples.ts";
import { jsonOf, words } from "./command-harness.ts";
import { afterCrash } from "./crashed-desk.ts";

describe("/recover", () => {
  it("shows what the crash left as one object", async () => {
    const { desk, session, admission, call } = await afterCrash();
    const result = await desk.type("/recover");
    expect(result.kind).toBe("recovery");
    expect(jsonOf(result)).toEqual({
      steps: ["ledger", "integrity", "queue", "leases", "turns"].map((name) => ({
        name,
        status: expect.stringMatching(/^(ok|warn)$/),
        detail: expect.any(String),
        ms: expect.any(Number),
      })),
      open: [
        {
          admission,
          session: session.id,
          prompt: "run git push",
          state: "unknown",
          startedAt: expect.any(Number),
          calls: [
            {
              id: call,
              tool: "shell",
              input: { command: "git push" },
              state: "unknown",
              evidence: "started, no end recorded",
            },
          ],
        },
      ],
      undelivered: [],
      drafts: [],
    });
    await desk.type(`/recover settle ${admission}`);
  });

  it("resumes nothing before a person said what became of the call", async () => {
    const { desk, session, admission, call } = await afterCrash();
    const refused = await desk.type(`/recover resume ${admission}`);
    expect(refused).toMatchObject({ kind: "refused", code: "person", why: expect.stringContaining(`${call} (shell)`) });
    expect(await desk.type(`/recover call ${call}`)).toMatchObject({ kind: "usage" });
    expect(await desk.type(`/recover call ${call} --happened --again`)).toMatchObject({ kind: "usage" });
    const decided = await desk.type(`/recover call ${call} --happened`);
    expect(jsonOf(decided)).toEqual({ call, admission, tool: "shell", state: "succeeded", verdict: "happened" });
    expect(words(await desk.type(`/recover resume ${admission}`))).toBe("Goes on: run git push");
    expect(desk.runner.session.id).toBe(session.id);
    expect(await desk.db.admission(admission)).toMatchObject({ status: "terminal", outcome: "completed" });
    expect((await desk.db.call(call)).attempts).toBe(1);
  });

  it.each([
    ["not-happened", "cancelled"],
    ["again", "approved"],
  ])("takes the word --%s", async (verdict, state) => {
    const { desk, admission, call } = await afterCrash();
    expect(jsonOf(await desk.type(`/recover call ${call} --${verdict}`))).toMatchObject({ state, verdict });
    expect(await desk.type(`/recover call ${call} --happened`)).toMatchObject({ kind: "usage", code: "illegal_edge" });
    await desk.type(`/recover settle ${admission}`);
  });

  it("names on the screen each call that a settle ended", async () => {
    const { desk, session, admission } = await afterCrash();
    await desk.type(`/resume ${session.id}`);
    desk.events.length = 0;
    await desk.type(`/recover settle ${admission}`);
    const shown = printed(after(openView(), ...desk.events));
    expect(shown[0]).toMatch(/^ {2}⎿ shell git push +\? unknown$/);
    expect(shown.join("\n")).not.toContain("an earlier call");
  });

  it("settles a turn as interrupted, with a note, and once", async () => {
    const { desk, session, admission, call } = await afterCrash();
    await desk.type(`/resume ${session.id}`);
    const settled = await desk.type(`/recover settle ${admission}`);
    expect(jsonOf(settled)).toEqual({ admission, session: session.id, outcome: "interrupted" });
    expect((await desk.db.call(call)).state).toBe("unknown");
    expect(desk.events.map(({ type }) => type)).toContain("turn-settled");
    expect(await desk.type(`/recover settle ${admission}`)).toMatchObject({ kind: "refused", code: "conflict" });
    expect(await desk.type(`/recover resume ${admission}`)).toMatchObject({ kind: "refused", code: "conflict" });
  });

  it("stands in the way of undo until it is decided, and undoes nothing by itself", async () => {
    const { desk, session, admission } = await afterCrash();
    await desk.type("/recover");
    await desk.type(`/resume ${session.id}`);
    expect(await desk.type("/undo")).toMatchObject({
      kind: "refused",
      code: "person",
      why: expect.stringContaining("/recover"),
    });
    await desk.type(`/recover settle ${admission}`);
    expect(await desk.type("/undo")).toMatchObject({ kind: "prefill", text: "run git push" });
  });

  it("leaves a conversation alone that somebody holds, and knows no turn that does not exist", async () => {
    const { desk, session, admission } = await afterCrash();
    const taken = await desk.db.acquireLease({ conversation: session.conversation, holder: "other" as never });
    expect(await desk.type(`/recover settle ${admission}`)).toMatchObject({ kind: "refused", code: "busy" });
    if (taken.kind === "acquired") await desk.db.releaseLease(taken.lease);
    expect(await desk.type("/recover settle 99")).toMatchObject({ kind: "usage", code: "not_found" });
    expect(await desk.type("/recover call 99 --again")).toMatchObject({ kind: "usage", code: "not_found" });
    await desk.type(`/recover settle ${admission}`);
  });
});
