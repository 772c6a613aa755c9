// Words of several who know nothing of each other, a provider and us above all, in one line: each is a sentence of its own.

/** What is missing or empty is left out. */
export function sentences(...words: readonly (string | undefined)[]): string {
  return words.flatMap((each) => (each === undefined || each.trim() === "" ? [] : [sentence(each)])).join(" ");
}

/** For what goes on behind a colon. */
export function withoutStop(words: string): string {
  return words.trim().replace(/(?<!\.)\.$/, "");
}

/** A provider's words rarely end in a full stop. */
function sentence(words: string): string {
  const text = words.trim();
  // What is quoted or in brackets may end with a stop of its own: then there is one.
  return /[.!?…。！？]["'”’»)\]]*$/u.test(text) ? text : `${text}.`;
}
