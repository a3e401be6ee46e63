import type { SitePresence, SiteView } from "@consilium/core/operator/views";
import { useQuery } from "@tanstack/react-query";
import { Route, Switch } from "wouter";
import { request } from "../shared/api";
import { Ago, Badge, DataTable, Loaded, Page, type Tone } from "../shared/components";
import { Shell } from "../shared/Shell";
import { AccountMenu, SignedIn } from "../shared/session/session";

const tones: Readonly<Record<SitePresence, Tone>> = {
  online: "ok",
  slow: "warn",
  gone: "bad",
  invited: "info",
  expelled: "neutral",
};

export function App() {
  return (
    <SignedIn name="operator console">
      <Shell name="operator console" nav={[{ href: "/", title: "Federation" }]} tools={<AccountMenu />}>
        <Switch>
          <Route path="/" component={Sites} />
          <Route>
            <Page title="No such page">
              <p>The address leads nowhere.</p>
            </Page>
          </Route>
        </Switch>
      </Shell>
    </SignedIn>
  );
}

function Sites() {
  const query = useQuery({
    queryKey: ["sites"],
    queryFn: () => request<SiteView[]>("GET", "/api/sites"),
    refetchInterval: 5_000,
  });
  return (
    <Page title="Federation">
      <Loaded query={query} what="the sites">
        {(sites) => (
          <DataTable
            caption="Sites"
            columns={[
              { title: "Site", cell: (site) => site.id },
              { title: "State", cell: (site) => <Badge tone={tones[site.presence]}>{site.presence}</Badge> },
              {
                title: "Last seen",
                cell: (site) => (site.lastSeenAt === null ? "never" : <Ago iso={site.lastSeenAt} />),
              },
            ]}
            rows={sites}
            keyOf={(site) => site.id}
            empty="No site has been invited yet."
          />
        )}
      </Loaded>
    </Page>
  );
}
