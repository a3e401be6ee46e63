/** One of the two streams a command writes to. */
export interface TextSink {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Size in characters; a sensible default for a stream that is not a terminal. */
  size(): { readonly columns: number; readonly rows: number };
}

/** A command's only access to its environment, so that tests can run a whole command in their own process. */
export interface CliIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly environment: NodeJS.ProcessEnv;
  readonly workingFolder: string;
  /** Everything on standard input, as text. */
  readInput(): Promise<string>;
  /** Standard input as a stream. */
  readonly inputBytes: AsyncIterable<Uint8Array>;
  /** Writes bytes to standard output, with backpressure. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Asks the user a question and returns the typed line; null if standard input is not a terminal. */
  ask(question: string): Promise<string | null>;
  /** Calls the listener for SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
}
