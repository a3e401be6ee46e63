import { lazy, Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import { Loading, Notice, Page } from "../shared/components";
import { Shell } from "../shared/Shell";
import { AccountMenu, SignedIn } from "../shared/session/session";
import { HealthPage } from "./health/HealthPage";
import { LiveSite, useLiveSite } from "./live";
import { StudiesPage } from "./studies/StudiesPage";
import { StudyPage } from "./studies/StudyPage";

const EgressPage = lazy(() => import("./egress/EgressPage"));
const LedgerPage = lazy(() => import("./ledger/LedgerPage"));
const PolicyPage = lazy(() => import("./policy/PolicyPage"));
const ProfilePage = lazy(() => import("./tables/ProfilePage"));

export function App() {
  return (
    <SignedIn name="hospital console">
      <LiveSite>
        <Console />
      </LiveSite>
    </SignedIn>
  );
}

function Console() {
  const { event, isLost } = useLiveSite();
  const waiting = event?.waiting ?? 0;
  return (
    <Shell
      name="hospital console"
      nav={[
        { href: "/", title: "Health" },
        { href: "/studies", title: waiting === 0 ? "Studies" : `Studies (${waiting} waiting)` },
        { href: "/table", title: "Table" },
        { href: "/ledger", title: "Ledger" },
        { href: "/egress", title: "What left" },
        { href: "/policy", title: "Policy" },
      ]}
      tools={<AccountMenu />}
    >
      {isLost ? (
        <Notice tone="warn" title="This page is not up to date.">
          <p>The site's agent does not answer at the moment. The page goes on by itself once it does.</p>
        </Notice>
      ) : null}
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          <Route path="/" component={HealthPage} />
          <Route path="/studies" component={StudiesPage} />
          <Route path="/studies/:id">{({ id }) => <StudyPage key={id} id={id} />}</Route>
          <Route path="/table" component={ProfilePage} />
          <Route path="/ledger" component={LedgerPage} />
          <Route path="/egress" component={EgressPage} />
          <Route path="/policy" component={PolicyPage} />
          <Route>
            <Page title="No such page">
              <p>
                The address leads nowhere. <Link href="/">To the site's health</Link>
              </p>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
