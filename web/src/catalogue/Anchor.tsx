import type { ReactNode } from "react";
import { Card } from "../shared/components";

/** A card that the page's table of contents links to. */
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
