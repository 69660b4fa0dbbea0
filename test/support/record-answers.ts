import { recordEvidence } from './evidence.js';

// Every answer that a test reads through fetch is evidence, but for those of the simulated cloud: it hands out tokens.
const realFetch = globalThis.fetch;
globalThis.fetch = async (...parameters) => {
  const response = await realFetch(...parameters);
  if (response.headers.get('server') !== 'cloud-simulator') {
    const text = await response.clone().text();
    recordEvidence('answer', `${response.status} ${JSON.stringify([...response.headers])} ${text}`);
  }
  return response;
};
