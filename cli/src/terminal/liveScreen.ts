import type { TextSink } from "./io.js";

/** A block of lines at the cursor that is redrawn in place. */
export class LiveScreen {
  readonly #sink: TextSink;
  #drawn = 0;
  #hidden = false;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** Draws the lines in place of the last ones. Each must fit the terminal's width. */
  draw(lines: readonly string[]): void {
    const hide = this.#hidden ? "" : "\u001b[?25l";
    this.#hidden = true;
    this.#sink.write(`${hide}${this.#back()}${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`);
    this.#drawn = lines.length;
  }

  /** Keeps the last view and restores the cursor. */
  end(): void {
    if (this.#hidden) this.#sink.write("\u001b[?25h");
    this.#hidden = false;
    this.#drawn = 0;
  }

  #back(): string {
    return this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A\r`;
  }
}
