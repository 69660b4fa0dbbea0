/** Values that go with a log line. Never secrets: no client secret, identity token or service token. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured, leveled log of the host. Never throws, and returns before the line is written if writing is slow. */
export interface Logger {
  trace(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
