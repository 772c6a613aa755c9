// The text that stands for an image, for the layers above: the ledger, which shows prompts too, owns its form.
export { type ImageToken, isNamedIn, shownImages, splitImages } from "../../ledger/image-token.ts";
