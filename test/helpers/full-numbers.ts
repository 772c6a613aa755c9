// How often, and how much: few enough for every day, and the full number where `npm run soak` sets STELE_FULL_NUMBERS.
const isFull = process.env["STELE_FULL_NUMBERS"] === "1";

export function fullNumber(full: number, everyDay: number): number {
  return isFull ? full : everyDay;
}
