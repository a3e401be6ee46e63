import type { ReactNode } from "react";
import { Card } from "../shared/components";

/** A card that the page's own table of contents leads to. */
export function AnchoredCard(props: {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div id={props.id} className="anchored">
      <Card title={props.title}>{props.children}</Card>
    </div>
  );
}
