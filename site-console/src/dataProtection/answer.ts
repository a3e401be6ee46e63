import type {
  DataProtectionScope,
  DataProtectionView,
  dataProtectionAnswerSchema,
} from "@consilium/core/hospital/dataProtectionViews";
import type { Methods } from "@consilium/core/method/methods";
import { spoken } from "@consilium/runtime/http/spoken";
import type { z } from "zod";
import { dataProtectionDocument } from "./document.js";
import { type GivenFacts, siteFactsOf } from "./facts.js";
import { dataProtectionMarkdown } from "./markdown.js";

/**
 * What a data-protection officer needs of this site: as JSON, and as a document to read.
 * @throws ConsiliumError STUDY_UNKNOWN
 */
export function dataProtectionAnswer(
  given: GivenFacts,
  methods: Pick<Methods, "read">,
  scope: DataProtectionScope,
): z.output<typeof dataProtectionAnswerSchema> {
  const document = dataProtectionDocument(siteFactsOf(given, methods), scope);
  return { document, markdown: dataProtectionMarkdown(spoken(document) as DataProtectionView) };
}
