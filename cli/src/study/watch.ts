import { ConsiliumError } from "@consilium/core/errors";
import type { StudyView } from "@consilium/core/operator/views";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import type { OperatorClient } from "../federation/operatorClient.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import { LiveScreen } from "../terminal/liveScreen.js";
import { changeLines, endText, liveLines } from "./studyText.js";
import { hasEnded, type WatchEvent, watchEvents } from "./watchEvents.js";

/**
 * Shows a study until it ends: a redrawn view on a terminal, one line per change elsewhere, one StudyView per line with
 * --json.
 * @returns 0 if the study was released, 1 if not
 */
export async function watchStudy(
  session: Session,
  operator: OperatorClient,
  id: string,
  patienceMs: number,
): Promise<ExitCode> {
  const viewer = session.json
    ? jsonViewer(session)
    : session.io.stdout.isTerminal && session.io.environment.TERM !== "dumb"
      ? terminalViewer(session)
      : lineViewer(session);
  let last: StudyView | null = null;
  try {
    for await (const event of watchEvents(operator, id, { patienceMs, signal: session.interrupted })) {
      viewer.show(event);
      if (event.kind === "view") last = event.view;
    }
  } catch (thrown) {
    if (!session.interrupted.aborted) throw thrown;
    throw new ConsiliumError("INTERRUPTED", `stopped watching ${id}`, {
      remedy: `the study continues; follow it again with \`consilium study watch ${id}\``,
      cause: thrown,
    });
  } finally {
    viewer.close();
  }
  if (last === null || !hasEnded(last.status)) return exitCodes.failed;
  if (!session.json) session.print(endText(last, session.style));
  return last.status === "released" ? exitCodes.ok : exitCodes.failed;
}

interface Viewer {
  show(event: WatchEvent): void;
  close(): void;
}

function jsonViewer(session: Session): Viewer {
  return {
    show: (event) => {
      if (event.kind === "view") session.printJson(event.view);
      else session.note(lostText(event));
    },
    close: () => {},
  };
}

function lineViewer(session: Session): Viewer {
  let before: StudyView | null = null;
  let lost = false;
  return {
    show: (event) => {
      const stamp = (now: number) => new Date(now).toISOString().slice(11, 19);
      if (event.kind === "lost") {
        // Printed once per outage, not once per attempt.
        if (!lost) session.print(`${stamp(Date.now())} ${lostText(event)}`);
        lost = true;
        return;
      }
      const now = Date.now() + event.clockOffsetMs;
      if (lost) session.print(`${stamp(now)} reconnected to the aggregator`);
      lost = false;
      for (const line of changeLines(before, event.view, now)) session.print(`${stamp(now)} ${line}`);
      before = event.view;
    },
    close: () => {},
  };
}

/** Often enough for a countdown in seconds. */
const redrawMs = 500;

function terminalViewer(session: Session): Viewer {
  const screen = new LiveScreen(session.io.stdout);
  let picture: { view: StudyView; clockOffsetMs: number } | null = null;
  let trouble: string | null = null;
  const draw = () => {
    if (picture === null) {
      if (trouble !== null) screen.draw([trouble.slice(0, session.io.stdout.size().columns)]);
      return;
    }
    const now = Date.now() + picture.clockOffsetMs;
    const { style } = session;
    screen.draw(liveLines(picture.view, { now, trouble, size: session.io.stdout.size(), style }));
  };
  const timer = setInterval(draw, redrawMs);
  return {
    show: (event) => {
      if (event.kind === "view") {
        picture = event;
        trouble = null;
      } else trouble = lostText(event);
      draw();
    },
    close: () => {
      clearInterval(timer);
      screen.end();
    },
  };
}

function lostText(event: Extract<WatchEvent, { kind: "lost" }>): string {
  return `${printable(event.reason)}; retrying. The study itself continues or waits; nothing is lost.`;
}
