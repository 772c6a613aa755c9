// The config of a workplace, as a person would have written it.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Workplace } from "./stele.ts";

/** Titles are off unless it says otherwise: one that is asked for beside a turn would take a reply of its script. */
export function writeConfig({ home }: Workplace, config: object): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "config.json"), JSON.stringify({ titles: "off", ...config }));
}
