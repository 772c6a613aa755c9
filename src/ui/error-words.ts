// Errors as a person reads them: what happened, and what to do about it on a line of its own.
import { SteleError } from "../ledger/errors.ts";
import type { TurnError } from "../ledger/types.ts";

export function errorWords(error: unknown): string {
  const { message, hint } = turnError(error);
  return hint ? `${message}\n${hint}` : message;
}

export function turnError(error: unknown): TurnError {
  if (error instanceof SteleError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}
