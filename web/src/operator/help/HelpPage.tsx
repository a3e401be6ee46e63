import { Link, useParams } from "wouter";
import { DocumentPage } from "../../shared/documents/DocumentPage";
import { documentsAt } from "../../shared/documents/documents";
import { said, t } from "../../shared/language";

const documents = documentsAt("/help", {
  ...import.meta.glob<string>(
    "../../../../docs/{STUDY,METHODS,OPERATING,HOSPITAL,ERRORS,THREAT_MODEL,references,omop,recoding}.md",
    { query: "?raw", import: "default" },
  ),
  ...import.meta.glob<string>("../../../../docs/{methods/*,tutorials/operator}.md", {
    query: "?raw",
    import: "default",
  }),
});

/** What the page leads to. */
const titles: Readonly<Record<string, string>> = said({
  "tutorials/operator": "A federation from the first site to a release",
  STUDY: "Every key of a study",
  METHODS: "Methods and their proofs",
  omop: "Studies on OMOP databases",
  recoding: "Recoding, dates and cohorts",
  OPERATING: "Running a federation",
  HOSPITAL: "Running a hospital's site",
  ERRORS: "Error codes",
  THREAT_MODEL: "Threat model",
});

/** The project's documents, of this version: `/help/<document>#<place>`. */
export default function HelpPage() {
  const { "*": name = "tutorials/operator" } = useParams<{ "*": string }>();
  const contents = (
    <nav aria-label={t("Documents")}>
      <ul className="plain">
        {Object.entries(titles).map(([id, title]) => (
          <li key={id}>
            <Link href={`/help/${id}`} aria-current={id === name ? "page" : undefined}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
  return (
    <DocumentPage
      key={name}
      documents={documents}
      name={name}
      title={t("Help")}
      trail={[["/help", t("Help")]]}
      aside={contents}
    />
  );
}
