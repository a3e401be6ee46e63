import { Link } from "wouter";
import { Empty, Page } from "./components";

/** The page for unknown addresses. */
export function NoSuchPage({ home }: { readonly home: string }) {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address.">
        <p>
          <Link href="/">{home}</Link>
        </p>
      </Empty>
    </Page>
  );
}
