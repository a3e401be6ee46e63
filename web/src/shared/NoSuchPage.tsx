import { Link } from "wouter";
import { Empty, Page } from "./components";

/** What stands at every address that no page has. */
export function NoSuchPage({ home }: { readonly home: string }) {
  return (
    <Page title="No such page">
      <Empty title="There is no page at this address.">
        <p>
          <Link href="/">{home}</Link>
        </p>
      </Empty>
    </Page>
  );
}
