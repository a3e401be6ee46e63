/** One of the two streams a command writes to. */
export interface TextSink {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Size in characters; of a stream that is no terminal, a sensible page. */
  size(): { readonly columns: number; readonly rows: number };
}

/** All that a command may touch of its surroundings, so that tests run a whole command in their own process. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly environment: NodeJS.ProcessEnv;
  readonly workingFolder: string;
  /** Everything on standard input, as text. */
  readInput(): Promise<string>;
  /** Standard input, as it comes. */
  readonly inputBytes: AsyncIterable<Uint8Array>;
  /** Writes to standard output what is not text, once there is room for it. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Asks a person a question and gives the line they type; null where standard input is no terminal. */
  ask(question: string): Promise<string | null>;
  /** Calls the listener for SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
}
