import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { ProviderDeadline } from '../../src/paths/provider-deadline.js';

test('logins that begin at almost the same time share a signal', () => {
  const deadline = new ProviderDeadline(600_000);
  expect(deadline.signal()).toBe(deadline.signal());
});

test('a login gets no signal that has aborted already', async () => {
  const deadline = new ProviderDeadline(5);
  const first = deadline.signal();
  // The deadline’s own timer does not keep the process going.
  const stay = setInterval(() => undefined, 1_000);
  await once(first, 'abort');
  clearInterval(stay);
  expect(first.aborted).toBe(true);
  expect(deadline.signal()).not.toBe(first);
  expect(deadline.signal().aborted).toBe(false);
});

test('two mounts share no signal', () => {
  expect(new ProviderDeadline(600_000).signal()).not.toBe(new ProviderDeadline(600_000).signal());
});
