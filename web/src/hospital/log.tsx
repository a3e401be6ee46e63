import { Link } from "wouter";
import { t } from "../shared/language";

/** Shared parts of the console's logs. */

/** Where a study's page is, from a log. */
export function StudyLink({ of }: { readonly of: string }) {
  return <Link href={`/studies/${of}`}>{t("Go to the study")}</Link>;
}

/** The first digits of a hash; the full hash on demand. */
export function Hash({ of }: { readonly of: string }) {
  return (
    <details className="hash">
      <summary>
        <code>{of.slice(0, 12)}</code>
      </summary>
      <code>{of}</code>
    </details>
  );
}
