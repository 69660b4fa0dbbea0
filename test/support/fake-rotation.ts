import type { RootConfiguration, RotationManager, RotationStatus } from '../../src/contract/index.js';

/** A rotation manager that does what the test says, and lets the test see the configuration as root rotation sees it. */
export class FakeRotation implements RotationManager {
  outcome: 'completed' | 'pending' | Error = 'completed';
  known: RotationStatus = { cleanUps: 0 };
  /** Of each change of the configuration, whether it gave other credentials. */
  readonly changes: boolean[] = [];
  recoveries = 0;
  readonly ticks: number[] = [];
  closed = 0;

  constructor(readonly root: RootConfiguration) {}

  recover(): Promise<void> {
    this.recoveries += 1;
    return Promise.resolve();
  }

  rotate(): Promise<'completed' | 'pending'> {
    return this.outcome instanceof Error ? Promise.reject(this.outcome) : Promise.resolve(this.outcome);
  }

  async reconfigure(change: () => Promise<void>, changesCredential: () => Promise<boolean>): Promise<void> {
    this.changes.push(await changesCredential());
    await change();
  }

  periodic(now: number): Promise<void> {
    this.ticks.push(now);
    return Promise.resolve();
  }

  status(): Promise<RotationStatus> {
    return Promise.resolve(this.known);
  }

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }
}
