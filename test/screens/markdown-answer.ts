// An answer as a model writes it, in the pieces in which it comes: headings, lists, a table, code.

const text = `## How the clock works

The clock is **one function** in \`src/clock.ts\`. It asks the system and
formats what it gets:

1. \`new Date()\` reads the time
2. \`toISOString()\` writes it as text
   - always in UTC
   - with milliseconds

| Part | File | Tested |
|---|---|---|
| clock | src/clock.ts | yes |
| main program | src/main.ts | no |

\`\`\`ts
export function now(): string {
  return new Date().toISOString();
}
\`\`\`

> Time zones are left out.

That is the *whole story*; see [the docs](https://example.com/date).
`;

export const markdownAnswer: readonly string[] = text.match(/\s*\S+\s?/g) ?? [];
