// A run that is stopped from outside: the turn ends as interrupted, the command's whole group is gone, exit 130.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { workplace } from "../helpers/stele.ts";

describe("stele run, stopped by", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s: interrupted, exit 130, nothing keeps running",
    async (signal) => {
      const place = workplace();
      const pidFile = path.join(place.folder, "pid");
      const ended = await place.stele(["run", "--json", "--yes", "run echo $$ > pid; sleep 600 & wait"], {
        onStart: (child) => {
          let out = "";
          child.stdout?.on("data", (chunk: string) => {
            out += chunk;
            if (!out.includes('"state":"running"')) return;
            out = "";
            stopWhenThere(pidFile, () => child.kill(signal));
          });
        },
      });
      expect(ended.code, ended.err).toBe(130);
      const settled = ended.events.find((event) => event["type"] === "turn-settled");
      expect(settled).toMatchObject({ outcome: "interrupted" });
      expect(runningInGroup(Number(readFileSync(pidFile, "utf8")))).toEqual([]);
    },
  );
});

/** The command has begun when it wrote its pid. */
function stopWhenThere(file: string, stop: () => void): void {
  const timer = setInterval(() => {
    if (!existsSync(file) || readFileSync(file, "utf8") === "") return;
    clearInterval(timer);
    stop();
  }, 10);
}

/** A zombie runs nothing any more, whoever forgot to reap it. */
function runningInGroup(group: number): readonly string[] {
  const rows = execFileSync("ps", ["-eo", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return rows.filter((row) => new RegExp(`^\\s*${group} [^Z]`).test(row));
}
