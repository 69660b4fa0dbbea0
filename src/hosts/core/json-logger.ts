import type { Writable } from 'node:stream';
import type { LogFields, Logger } from '../../contract/index.js';
import { toLoggable } from './loggable.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** How much a log line must matter to be written. */
export type LogLevel = (typeof LEVELS)[number];

/** Bytes that may wait for a slow reader before lines are dropped. */
const MAX_BACKLOG = 8 * 1024 * 1024;

/**
 * Writes one JSON object a line: `timestamp` (ISO 8601), `level`, `message`, then the fields. A field of one of these three
 * names, or `dropped`, is left out. Errors are written with name, code, message, stack and cause; long texts, deep values and
 * wide lists are cut. It never throws: lines that a broken stream refuses are lost, and lines for a stalled one are dropped
 * and counted in `dropped` of the next line written.
 *
 * @param stream - for instance `process.stderr`
 * @param level - the least level that is written
 */
export function jsonLogger(stream: Writable, level: LogLevel = 'info'): Logger {
  let dropped = 0;
  // Without a listener, a reader that goes away would take the process with it. Many loggers may share a stream.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);

  const at =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(lineLevel) < LEVELS.indexOf(level)) return;
      if (stream.writableLength > MAX_BACKLOG) {
        dropped += 1;
        return;
      }
      const reserved = { timestamp: new Date().toISOString(), level: lineLevel, message: toLoggable(message) };
      const line = {
        ...reserved,
        ...(toLoggable(fields) as object),
        ...reserved,
        dropped: dropped > 0 ? dropped : undefined,
      };
      dropped = 0;
      stream.write(`${JSON.stringify(line)}\n`);
    };
  return { trace: at('trace'), debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function ignore(): void {
  // The line is lost.
}
