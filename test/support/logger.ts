import { inspect } from 'node:util';
import type { LogFields, Logger } from '../../src/contract/index.js';
import { recordEvidence } from './evidence.js';

export interface LoggedLine {
  level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: LogFields;
}

/** A logger that keeps its lines, and hands them to the suite's search for leaked secrets. */
export function recordingLogger(): Logger & { lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at =
    (level: LoggedLine['level']) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ level, message, fields });
      recordEvidence('log', `${level} ${message} ${inspect(fields, { depth: 8 })}`);
    };
  return { lines, trace: at('trace'), debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
