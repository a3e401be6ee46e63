import { Suspense } from "react";
import { Route, Switch } from "wouter";
import { Loading } from "../shared/components";
import { t } from "../shared/language";
import { NoSuchPage } from "../shared/NoSuchPage";
import { onDemand } from "../shared/onDemand";
import { Shell } from "../shared/Shell";
import { ReaderMenu } from "./Reader";
import { Releases } from "./Releases";

const MethodsPage = onDemand(() => import("../shared/documents/MethodsPage"));
const Compare = onDemand(() => import("./Compare"));
const ReleasePage = onDemand(() => import("./ReleasePage"));

export function App() {
  return (
    <Shell
      name={t("releases")}
      nav={[
        { href: "/", title: t("Releases") },
        { href: "/documents/METHODS", title: t("Methods|documents") },
      ]}
      tools={<ReaderMenu />}
    >
      <Suspense fallback={<Loading what={t("the page")} />}>
        <Switch>
          <Route path="/" component={Releases} />
          <Route path="/releases/:id">{({ id }) => <ReleasePage key={id} id={id} />}</Route>
          <Route path="/compare/:first/:second">
            {({ first, second }) => <Compare first={first} second={second} />}
          </Route>
          <Route path="/documents/*">
            {({ "*": name }) => <MethodsPage key={name} name={name} above={[["/", t("Releases")]]} />}
          </Route>
          <Route>
            <NoSuchPage home={t("All releases")} />
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
