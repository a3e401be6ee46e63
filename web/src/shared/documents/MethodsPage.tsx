import { t } from "../language";
import { DocumentPage } from "./DocumentPage";
import { documentsAt } from "./documents";

/** What certificates name as proofs, and what these rest on. */
const documents = documentsAt(
  "/documents",
  import.meta.glob<string>(
    ["../../../../docs/METHODS.md", "../../../../docs/references.md", "../../../../docs/methods/*.md"],
    { query: "?raw", import: "default" },
  ),
);

/** @param props.above - what leads back from the documents */
export default function MethodsPage(props: {
  readonly name: string;
  readonly above: readonly (readonly [href: string, title: string])[];
}) {
  const { name, above } = props;
  const methods = ["/documents/METHODS", t("Methods|documents")] as const;
  const trail = name === "METHODS" ? above : [...above, methods];
  return <DocumentPage documents={documents} name={name} title={methods[1]} trail={trail} />;
}
