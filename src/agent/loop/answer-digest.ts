// Whether an answer of a loop says anything new (C 10.4): a digest of what is left of it without times, dates and
// durations, which differ in every answer. No model is asked. Pure.
import { sha256 } from "../../ledger/ids.ts";

const MOVING = [
  // Dates, and dates with a time, as machines write them.
  /\b\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?z| ?[+-]\d{2}:?\d{2})?)?\b/g,
  /\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b/g,
  /\b(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?\b/g,
  /\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[ap]\.?m\.?)?\b/g,
  /\b\d+(?:[.,]\d+)? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b/g,
];

/** 16 hex digits. */
export function answerDigest(answer: string): string {
  const text = MOVING.reduce((left, each) => left.replace(each, " "), answer.toLowerCase());
  return sha256(text.replace(/\s+/g, " ").trim()).slice(0, 16);
}
