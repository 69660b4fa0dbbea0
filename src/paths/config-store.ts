import { AuthMethodError } from '../contract/index.js';
import type { Clock, CloudConfiguration, Storage } from '../contract/index.js';
import { RecordStore } from '../framework/record-store.js';
import type { StoredRecord } from '../framework/record-store.js';
import { cloudConfiguration, withVariables } from './cloud-configuration.js';
import type { ConfigSources } from './cloud-configuration.js';
import type { ConfigValues } from './config-fields.js';
import { checkConfig } from './config-rules.js';

/** Storage key of the configuration. */
export const CONFIG_KEY = 'config';

/** What is stored: the fields, and what is noted beside them. */
export type StoredConfig = ConfigValues & {
  /** Since when rotations happen by themselves in this way, in milliseconds since the Unix epoch. */
  readonly automated_since?: number;
};

interface LoadedConfig {
  readonly stored: StoredConfig | undefined;
  /** The configuration in force, or why there is none. */
  readonly inForce: CloudConfiguration | AuthMethodError;
}

const AUTOMATION = ['rotation_period', 'rotation_schedule', 'disable_automated_rotation'] as const;

/** The configuration of one mount: stored values over environment variables over defaults. */
export class ConfigStore {
  readonly sources: ConfigSources;
  readonly #records: RecordStore<LoadedConfig>;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock, sources: ConfigSources, maxAge: number | undefined) {
    this.sources = sources;
    this.#clock = clock;
    this.#records = new RecordStore<LoadedConfig>(storage, clock, {
      parse: (record) => ({ stored: record, inForce: cloudConfiguration(record ?? {}, sources) }),
      maxEntries: 1,
      ...(maxAge !== undefined && { maxAge }),
    });
  }

  /** The stored values, or `undefined` when none were ever written. */
  async stored(): Promise<StoredConfig | undefined> {
    return (await this.#records.get(CONFIG_KEY)).stored;
  }

  /** The configuration in force: the same object until it changes. Throws `not_configured` when it is not complete. */
  async inForce(): Promise<CloudConfiguration> {
    const { inForce } = await this.#records.get(CONFIG_KEY);
    if (inForce instanceof AuthMethodError) throw new AuthMethodError(inForce.code, inForce.message);
    return inForce;
  }

  /** Throws `invalid_request` when {@link update} would. */
  async check(values: ConfigValues): Promise<void> {
    this.#changed(await this.stored(), values);
  }

  /** Changes the given fields and keeps the others. Throws `invalid_request` and stores nothing when a rule is broken. */
  async update(values: ConfigValues): Promise<void> {
    await this.#records.update(CONFIG_KEY, (current) => this.#changed(current, values));
  }

  /**
   * Stores another client secret, provided that `isCurrent` says so of what is stored at that moment. Resolves to whether it
   * did.
   */
  async replaceSecret(isCurrent: (stored: StoredConfig) => boolean, clientSecret: string): Promise<boolean> {
    let replaced = false;
    await this.#records.update(CONFIG_KEY, (current: StoredConfig | undefined) => {
      replaced = current !== undefined && isCurrent(current);
      return replaced ? { ...current, client_secret: clientSecret } : undefined;
    });
    return replaced;
  }

  delete(): Promise<void> {
    return this.#records.delete(CONFIG_KEY);
  }

  invalidate(key: string): void {
    if (key === CONFIG_KEY) this.#records.invalidate(key);
  }

  #changed(current: StoredConfig = {}, values: ConfigValues): StoredRecord {
    const { sources } = this;
    const now = this.#clock.now();
    const isAutomationChange = AUTOMATION.some((name) => name in values && values[name] !== current[name]);
    const next = { ...current, ...values, ...(isAutomationChange && { automated_since: now }), version: 1 };
    checkConfig(next, withVariables(next, sources), sources.environments, now);
    return next;
  }
}
