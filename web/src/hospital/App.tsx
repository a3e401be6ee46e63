import { useQuery } from "@tanstack/react-query";
import { request } from "../shared/api";
import { Facts, Loaded, Page } from "../shared/components";
import { Shell } from "../shared/Shell";
import { AccountMenu, SignedIn } from "../shared/session/session";

interface Status {
  readonly site: string;
  readonly federation: string;
  readonly software: string;
  readonly connected: boolean;
}

export function App() {
  return (
    <SignedIn name="hospital console">
      <Shell name="hospital console" nav={[{ href: "/", title: "Health" }]} tools={<AccountMenu />}>
        <Health />
      </Shell>
    </SignedIn>
  );
}

function Health() {
  const query = useQuery({ queryKey: ["status"], queryFn: () => request<Status>("GET", "/api/status") });
  return (
    <Page title="Health">
      <Loaded query={query} what="the agent's state">
        {(status) => (
          <Facts
            of={[
              ["Site", status.site],
              ["Federation", status.federation],
              ["Software", status.software],
              ["Aggregator", status.connected ? "connected" : "not connected"],
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
