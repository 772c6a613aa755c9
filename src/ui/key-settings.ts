// What is wrong with the keys that a config file chooses. Whoever writes it is told what, where and what to do; a
// person can always send, stop and leave.
import type { KeySettings } from "../config/config.ts";
import type { ConfigIssue } from "../config/schema.ts";
import { readChord } from "./chords.ts";
import { listed, tableOf } from "./keymap.ts";
import { defaultTable } from "./keys-help.ts";

/** Chords that cannot be taken from these actions. */
const lasting: Readonly<Record<string, string>> = { send: "enter", stop: "escape", interrupt: "ctrl+c" };
/** The one acts only where nothing is written, the other only where something is. */
const apart: ReadonlySet<string> = new Set(["quit", "delete"]);

const actions: readonly string[] = [...defaultTable.screen, ...defaultTable.composer].map(({ action }) => action);

export function keyIssues(settings: KeySettings): readonly ConfigIssue[] {
  const issues = Object.entries(settings).flatMap(([action, chords]) => ofAction(action, chords));
  return issues.length > 0 ? issues : boundTwice(settings);
}

function ofAction(action: string, chords: string | readonly string[]): readonly ConfigIssue[] {
  const path = ["keys", action];
  if (!actions.includes(action)) return [{ kind: "unknown-key", path, known: actions }];
  const read = listed(chords).map((text) => ({ text, result: readChord(text) }));
  const unreadable = read.flatMap(({ text, result }, index): ConfigIssue[] => {
    if (result.ok) return [];
    const at = typeof chords === "string" ? path : [...path, index];
    return [{ kind: "refused", path: at, sentence: `${JSON.stringify(text)} ${result.why}` }];
  });
  const kept = Object.hasOwn(lasting, action) ? lasting[action] : undefined;
  if (unreadable.length > 0 || kept === undefined) return unreadable;
  if (read.some(({ result }) => result.ok && result.chord === kept)) return [];
  const all = JSON.stringify([kept, ...listed(chords)]);
  return [{ kind: "refused", path, sentence: `${kept} stays the key for it; write ${all}` }];
}

function boundTwice(settings: KeySettings): readonly ConfigIssue[] {
  const { screen, composer } = tableOf(settings);
  const owners = new Map<string, string>();
  const issues: ConfigIssue[] = [];
  // What was chosen comes last, so that it is what is complained of.
  const order = [...screen, ...composer].sort((a, b) => Number(isChosen(a.action)) - Number(isChosen(b.action)));
  for (const { action, keys } of order) {
    for (const chord of keys) {
      const owner = owners.get(chord);
      owners.set(chord, action);
      if (owner === undefined || (apart.has(owner) && apart.has(action))) continue;
      const way = lasting[owner] === chord ? "" : `, or give ${owner} other keys: "${owner}": []`;
      const sentence = `${chord} does ${owner} already; choose another${way}`;
      issues.push({ kind: "refused", path: ["keys", action], sentence });
    }
  }
  return issues;

  function isChosen(action: string): boolean {
    return Object.hasOwn(settings, action);
  }
}
