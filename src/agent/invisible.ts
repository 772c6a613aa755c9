// What nobody sees in a text, as the ledger has it, for the screen.
export { createInvisibleFilter, emojiSequence, harmless } from "../ledger/invisible.ts";
