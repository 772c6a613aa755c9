// A model that takes no images is told in words which one was left out, in the place where it would have been.
import { isNamedIn, splitImages } from "../../ledger/image-token.ts";
import type { Part } from "../../ledger/types.ts";
import type { Model, ModelMessage } from "./model.ts";

export function withoutImages(model: Model): Model {
  const name = model.route.model;
  return {
    route: model.route,
    stream: (request) => model.stream({ ...request, messages: request.messages.map((each) => inWords(each, name)) }),
  };
}

function inWords({ role, parts }: ModelMessage, model: string): ModelMessage {
  const words = (name = "without a name") => `[image ${name} left out: ${model} takes no images]`;
  const fitted = parts.flatMap((part): Part[] => {
    if (part.kind === "text") {
      const pieces = splitImages(part.text).map((piece) => (typeof piece === "string" ? piece : words(piece.name)));
      return [{ ...part, text: pieces.join("") }];
    }
    if (part.kind !== "file" || !part.mediaType.startsWith("image/")) return [part];
    return isNamedIn(part, parts) ? [] : [{ kind: "text", text: words(part.name) }];
  });
  return { role, parts: fitted };
}
