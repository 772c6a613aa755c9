// Markdown a line at a time, so that an answer can be printed while it streams: what a line looks like depends on it
// and on what is open before it, a code block, a list, a quote, never on what follows. Two things wait for the next
// line, because only it tells: what may be the head of a table, and the rows of one. Pure; text is sanitised here.
import { type CodeState, colorLine, openCode } from "./code-colors.ts";
import { inlineSpans, type OpenMark, readInline } from "./markdown-inline.ts";
import { type Lead, type MarkdownLine, noLead } from "./markdown-line.ts";
import { asLead, findLevel, type Level, openItem, quoteLead } from "./markdown-lists.ts";
import { addRow, closeTable, mayBeHead, type OpenTable, openTable } from "./markdown-table.ts";
import { sanitize } from "./sanitize.ts";
import { span } from "./styled-line.ts";

/** What a line has to know of the ones before it. */
export interface MarkdownState {
  /** How deep the line before was quoted. */
  readonly quotes: number;
  /** The items of lists around what comes, outermost first. */
  readonly levels: readonly Level[];
  /** The paragraph that goes on: how its rows begin. */
  readonly paragraph?: Lead;
  /** Marks that it opened. */
  readonly open: readonly OpenMark[];
  /** The line before was let go before its end. */
  readonly isWithinLine: boolean;
  readonly fence?: Fence;
  /** What may be the head of a table. */
  readonly held?: Held;
  readonly table?: OpenTable;
}

interface Fence {
  /** What closes it: as many of these or more. */
  readonly mark: string;
  readonly lead: Lead;
  /** Blanks that are not the code's. */
  readonly indent: number;
  readonly code: CodeState | undefined;
}

interface Held {
  readonly text: string;
  readonly lead: Lead;
}

export interface MarkdownStep {
  readonly state: MarkdownState;
  readonly lines: readonly MarkdownLine[];
}

export const openMarkdown: MarkdownState = { quotes: 0, levels: [], open: [], isWithinLine: false };

export function readMarkdown(state: MarkdownState, source: string): MarkdownStep {
  const text = sanitize(source, { tabs: 4 }).trimEnd();
  const { quotes, rest } = unquote(text, state);
  if (state.isWithinLine) return readRest({ ...state, isWithinLine: false }, text);
  if (state.fence && (quotes === state.quotes || rest === "")) return readFenced(state, state.fence, rest);
  const before = quotes === state.quotes ? keep(state) : { state: leave(state), lines: held(state) };
  const step = readOpen({ ...before.state, quotes }, rest);
  return { state: step.state, lines: [...before.lines, ...step.lines] };
}

/** Nothing follows: what was kept back. */
export function endMarkdown(state: MarkdownState): readonly MarkdownLine[] {
  return held(state);
}

/** What is read next belongs to the same line. */
export function withinLine(state: MarkdownState): MarkdownState {
  return { ...state, isWithinLine: true };
}

// ---- what is kept back ----

function held(state: MarkdownState): readonly MarkdownLine[] {
  if (state.table) return closeTable(state.table);
  return state.held ? readText(state, state.held.text, state.held.lead).lines : [];
}

function keep(state: MarkdownState): MarkdownStep {
  return { state, lines: [] };
}

/** Out of a quote, or into one: nothing of before goes on. */
function leave({ quotes }: MarkdownState): MarkdownState {
  return { ...openMarkdown, quotes };
}

function readOpen(state: MarkdownState, text: string): MarkdownStep {
  if (state.table) return readTableRow(state, state.table, text);
  if (!state.held) return readLine(state, text);
  const { held: head, ...before } = state;
  const table = openTable(head.text, text.trim(), head.lead);
  if (table) return { state: { ...withoutParagraph(before), table }, lines: [] };
  const shown = readText(before, head.text, head.lead);
  const step = readLine(shown.state, text);
  return { state: step.state, lines: [...shown.lines, ...step.lines] };
}

function readTableRow(state: MarkdownState, table: OpenTable, text: string): MarkdownStep {
  const body = text.trimStart();
  if (body.includes("|") && !startsBlock(body) && !/^(?:[-*+]|\d{1,9}[.)]) /.test(body)) {
    const step = addRow(table, text);
    return { state: { ...state, table: step.table }, lines: step.lines };
  }
  const { table: _ended, ...after } = state;
  const step = readLine(after, text);
  return { state: step.state, lines: [...closeTable(table), ...step.lines] };
}

// ---- blocks ----

function readLine(state: MarkdownState, text: string): MarkdownStep {
  const body = text.trimStart();
  if (body === "") {
    return { state: withoutParagraph(state), lines: [{ kind: "blank", lead: quoteLead(state.quotes) }] };
  }
  const indent = text.length - body.length;
  const item = rule.test(body) ? undefined : openItem(state.levels, { indent, body, quotes: state.quotes });
  if (item && (indent < 4 || state.levels.length > 0)) {
    const within = { ...withoutParagraph(state), levels: item.levels };
    if (item.text === "") return { state: within, lines: [{ kind: "text", lead: item.lead, spans: [] }] };
    return readBlock(within, { body: item.text, indent: item.column, lead: item.lead });
  }
  const goesOn = state.paragraph && !startsBlock(body) ? state.paragraph : undefined;
  const levels = goesOn ? state.levels : findLevel(state.levels, indent);
  const lead = goesOn ?? asLead(quoteLead(state.quotes), levels.at(-1)?.column ?? 0);
  if (indent - (levels.at(-1)?.content ?? 0) >= 4 && !state.paragraph) {
    const own = text.slice((levels.at(-1)?.content ?? 0) + 4);
    return { state: { ...state, levels }, lines: [{ kind: "code", lead, spans: [span(own)] }] };
  }
  return readBlock({ ...state, levels }, { body, indent, lead });
}

interface Body {
  readonly body: string;
  /** The column it starts at. */
  readonly indent: number;
  readonly lead: Lead;
}

function readBlock(state: MarkdownState, { body, indent, lead }: Body): MarkdownStep {
  const fence = /^(`{3,}|~{3,})\s*(.*)$/.exec(body);
  if (fence?.[1] !== undefined && !(body.startsWith("`") && fence[2]?.includes("`"))) {
    const open = {
      mark: fence[1],
      indent,
      lead: { first: lead.rest, rest: lead.rest },
      code: openCode(fence[2] ?? ""),
    };
    return { state: { ...withoutParagraph(state), fence: open }, lines: [fenceLine(body, lead)] };
  }
  const heading = /^#{1,6}(?:\s+(.*))?$/.exec(body);
  if (heading) return { state: withoutParagraph(state), lines: [headingLine(heading[1] ?? "", lead)] };
  if (rule.test(body) || (state.paragraph && /^=+$/.test(body))) {
    return { state: withoutParagraph(state), lines: [{ kind: "rule", lead }] };
  }
  // In a list.
  const quoted = /^>\s?(.*)$/.exec(body);
  if (quoted) return { state: withoutParagraph(state), lines: [innerQuote(quoted[1] ?? "", lead)] };
  if (mayBeHead(body)) return { state: { ...state, held: { text: body, lead } }, lines: [] };
  return readText(state, body, lead);
}

/** Ends a paragraph, wherever it stands. */
function startsBlock(body: string): boolean {
  return /^(?:#{1,6}(?:\s|$)|`{3}|~{3}|>)/.test(body) || rule.test(body);
}

const rule = /^(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;

function readText(state: MarkdownState, body: string, lead: Lead): MarkdownStep {
  const { spans, open } = readInline(body, state.paragraph ? state.open : []);
  const { held: _shown, ...rest } = state;
  return {
    state: { ...rest, open, paragraph: { first: lead.rest, rest: lead.rest } },
    lines: [{ kind: "text", lead, spans }],
  };
}

/** What follows of a line whose start was let go: text or code, whatever it looks like. */
function readRest(state: MarkdownState, text: string): MarkdownStep {
  if (state.fence) return codeLine(state, state.fence, text);
  const { table: _table, held: _held, ...rest } = state;
  const step = readText(rest, text, state.paragraph ?? noLead);
  return { state: step.state, lines: [...held(state), ...step.lines] };
}

function headingLine(text: string, lead: Lead): MarkdownLine {
  const spans = inlineSpans(text.replace(/(?:^|\s+)#+$/, ""));
  const roles = spans.map((each) =>
    each.role === "code" || each.role === "link" ? each : { ...each, role: "heading" as const },
  );
  return { kind: "text", lead, spans: roles };
}

function innerQuote(text: string, lead: Lead): MarkdownLine {
  const [bar] = quoteLead(1).rest;
  const bars = bar ? [bar] : [];
  return {
    kind: "text",
    lead: { first: [...lead.first, ...bars], rest: [...lead.rest, ...bars] },
    spans: inlineSpans(text),
  };
}

function withoutParagraph(state: MarkdownState): MarkdownState {
  if (!state.paragraph) return state;
  const { paragraph: _ended, ...rest } = state;
  return { ...rest, open: [] };
}

// ---- code ----

function readFenced(state: MarkdownState, fence: Fence, text: string): MarkdownStep {
  const body = text.trim();
  const isEnd = body.startsWith(fence.mark) && body === (fence.mark[0] ?? "").repeat(body.length);
  if (!isEnd) return codeLine(state, fence, text.slice(Math.min(fence.indent, text.length - text.trimStart().length)));
  const { fence: _closed, ...rest } = state;
  return { state: rest, lines: [fenceLine(body, fence.lead)] };
}

function codeLine(state: MarkdownState, fence: Fence, text: string): MarkdownStep {
  const { lead, code } = fence;
  if (!code) return { state, lines: [{ kind: "code", lead, spans: [span(text)] }] };
  const colored = colorLine(code, text);
  return {
    state: { ...state, fence: { ...fence, code: colored.state } },
    lines: [{ kind: "code", lead, spans: colored.spans }],
  };
}

function fenceLine(text: string, lead: Lead): MarkdownLine {
  return { kind: "code", lead, spans: [span(text, "muted")] };
}

// ---- quotes ----

const maxQuotes = 12;

function unquote(text: string, state: MarkdownState): { readonly quotes: number; readonly rest: string } {
  const most = state.fence ? state.quotes : maxQuotes;
  // Further in it is quoted within an item.
  const sign = state.levels.length > 0 ? /^ ?> ?/ : /^ {0,3}> ?/;
  let rest = text;
  let quotes = 0;
  for (let found = sign.exec(rest); found && quotes < most; found = sign.exec(rest)) {
    rest = rest.slice(found[0].length);
    quotes += 1;
  }
  return { quotes, rest };
}
