import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Empty, Loading, Page } from "../shared/components";
import { Shell } from "../shared/Shell";
import { ReaderMenu } from "./Reader";
import { Releases } from "./Releases";

const ReleasePage = lazy(() => import("./ReleasePage"));

export function App() {
  return (
    <Shell name="releases" nav={[{ href: "/", title: "Releases" }]} tools={<ReaderMenu />}>
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          <Route path="/" component={Releases} />
          <Route path="/releases/:id">{({ id }) => <ReleasePage key={id} id={id} />}</Route>
          <Route>
            <Page title="Nothing here">
              <Empty title="There is no page at this address.">
                <p>
                  <a href="/">All releases</a>
                </p>
              </Empty>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  );
}
