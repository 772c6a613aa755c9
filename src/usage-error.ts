// Wrong words on the command line, or a file that says them: exit code 2.
import { SteleError } from "./ledger/errors.ts";

export class UsageError extends SteleError {
  constructor(message: string, hint = "") {
    super("usage", message, { hint });
  }
}
