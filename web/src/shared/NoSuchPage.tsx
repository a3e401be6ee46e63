import { Link } from "wouter";
import { Empty, Page } from "./components";
import { t } from "./language";

/** The page for unknown addresses. */
export function NoSuchPage({ home }: { readonly home: string }) {
  return (
    <Page title={t("Page not found")}>
      <Empty title={t("There is no page at this address.")}>
        <p>
          <Link href="/">{home}</Link>
        </p>
      </Empty>
    </Page>
  );
}
