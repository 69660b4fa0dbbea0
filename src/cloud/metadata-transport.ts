import { OutboundError } from '../contract/index.js';
import type { OutboundRequest, OutboundResponse } from '../contract/index.js';

/** Milliseconds for one answer: it comes from this machine, or there is no metadata service. */
const TIMEOUT = 3_000;
const MAX_BODY = 65_536;

/**
 * Sends one request to the metadata service of the machine, which unlike everything else is asked over plain http. Settles as
 * `OutboundTransport.send` does.
 */
export async function sendToMetadataService(request: OutboundRequest): Promise<OutboundResponse> {
  const { method, url, headers = {}, body, signal } = request;
  const timeout = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: (body as string | undefined) ?? null,
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout]),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await boundedBody(response),
    };
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    // The original is left behind: it may quote what was received.
    const isAborted = signal.aborted || timeout.aborted;
    throw new OutboundError(isAborted ? 'aborted' : 'connection', 'The metadata service gave no answer.');
  }
}

async function boundedBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new OutboundError('too_large', "The metadata service's answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
