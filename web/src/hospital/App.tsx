import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Loading, Notice } from "../shared/components";
import { AsksBeforeLeaving } from "../shared/leaving";
import { NoSuchPage } from "../shared/NoSuchPage";
import { Shell } from "../shared/Shell";
import { NeedsRole } from "../shared/session/NeedsRole";
import { AccountMenu, SignedIn, useSession } from "../shared/session/session";
import { hospitalAccess, hospitalAudit } from "./access";
import { HealthPage } from "./health/HealthPage";
import { LiveSite, useLiveSite } from "./live";
import { StudiesPage } from "./studies/StudiesPage";

const AccountsPage = lazy(() => import("../shared/access/AccountsPage"));
const AuditPage = lazy(() => import("../shared/access/AuditPage"));
const EgressPage = lazy(() => import("./egress/EgressPage"));
const LedgerPage = lazy(() => import("./ledger/LedgerPage"));
const PolicyPage = lazy(() => import("./policy/PolicyPage"));
const ProfilePage = lazy(() => import("./tables/ProfilePage"));
const StudyPage = lazy(() => import("./studies/StudyPage"));

export function App() {
  return (
    <SignedIn name="hospital console">
      <LiveSite>
        <AsksBeforeLeaving>
          <Console />
        </AsksBeforeLeaving>
      </LiveSite>
    </SignedIn>
  );
}

function Console() {
  const { event, isLost } = useLiveSite();
  const { account } = useSession();
  const waiting = event?.waiting ?? 0;
  return (
    <Shell
      name="hospital console"
      nav={[
        { href: "/", title: "Health" },
        { href: "/studies", title: waiting === 0 ? "Studies" : `Studies (${waiting})` },
        { href: "/table", title: "Table" },
        { href: "/ledger", title: "Ledger" },
        { href: "/egress", title: "Data sent" },
        { href: "/policy", title: "Policy" },
        { href: "/audit", title: "Audit" },
        ...(account.role === "administrator" ? [{ href: "/accounts", title: "Accounts" }] : []),
      ]}
      tools={<AccountMenu />}
    >
      {isLost ? (
        <Notice tone="warn" title="This page is out of date.">
          <p>The site's agent is not responding. The page updates automatically once it does.</p>
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
          <Route path="/audit">
            <AuditPage words={hospitalAudit} />
          </Route>
          <Route path="/accounts">
            <NeedsRole needed="administrator" title="Accounts">
              <AccountsPage words={hospitalAccess} />
            </NeedsRole>
          </Route>
          <Route>
            <NoSuchPage home="Go to site health" />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
