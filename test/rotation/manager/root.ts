import { Cron } from 'croner';
import { AuthMethodError } from '../../../src/contract/index.js';
import type {
  CloudConfiguration,
  RootConfiguration,
  RootCredential,
  RotationSchedule,
  Storage,
} from '../../../src/contract/index.js';

/** The stored configuration of these tests. */
export interface FakeConfig {
  readonly credential: RootCredential;
  readonly period?: number;
  readonly expression?: string;
  readonly window?: number;
  readonly since?: number;
  /** Seconds. */
  readonly ttl?: number;
  readonly retryDelay?: number;
  readonly maxRetryDelay?: number;
  /** Set for a configuration whose secret is stored and not used. */
  readonly pinned?: boolean;
}

const ENVIRONMENT = {
  name: 'CloudPublicCloud',
  aliases: [],
  authorityHost: 'https://login.invalid',
  issuerHosts: [],
  resourceManagerEndpoint: 'https://arm.invalid',
  resourceManagerAudience: 'https://arm.invalid',
  graphEndpoint: 'https://graph.invalid',
} as unknown as CloudConfiguration['environment'];

/** A configuration in storage, under the key `config`. */
export class FakeRoot implements RootConfiguration {
  readonly #storage: Storage;
  readonly #configurations = new Map<string, CloudConfiguration>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async read(): Promise<FakeConfig | undefined> {
    const bytes = await this.#storage.get('config').catch((cause: unknown) => {
      throw new AuthMethodError('storage_failed', 'storage: could not read config', { cause });
    });
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as FakeConfig);
  }

  async write(config: FakeConfig | undefined): Promise<void> {
    try {
      if (config === undefined) await this.#storage.delete('config');
      else await this.#storage.put('config', new TextEncoder().encode(JSON.stringify(config)));
    } catch (cause) {
      throw new AuthMethodError('storage_failed', 'storage: could not write config', { cause });
    }
  }

  async credential(): Promise<RootCredential> {
    const config = await this.read();
    if (config === undefined) {
      throw new AuthMethodError('invalid_request', 'client_secret: nothing to rotate', { field: 'client_secret' });
    }
    if (config.pinned) {
      throw new AuthMethodError('invalid_request', 'auth_type: nothing to rotate', { field: 'auth_type' });
    }
    return config.credential;
  }

  async schedule(): Promise<RotationSchedule | undefined> {
    const config = await this.read();
    if (config === undefined || (config.period === undefined && config.expression === undefined)) return undefined;
    const { period = 0, expression = '', window = 0, since = 0 } = config;
    return scheduleOf({ period, expression, window, since });
  }

  async secretTtl(): Promise<number> {
    return (await this.read())?.ttl ?? 180 * 86_400;
  }

  async withCredential(credential: RootCredential): Promise<CloudConfiguration> {
    const { retryDelay = 4, maxRetryDelay = 60 } = (await this.read()) ?? {};
    const { tenantId, clientId, clientSecret } = credential;
    const values = { tenantId, clientId, clientSecret, retryDelay, maxRetryDelay };
    const key = JSON.stringify(values);
    const known = this.#configurations.get(key) ?? {
      ...values,
      resource: 'https://resource.invalid',
      environment: ENVIRONMENT,
      maxAttempts: 1,
    };
    this.#configurations.set(key, known);
    return known;
  }

  async replaceSecret(current: RootCredential, clientSecret: string): Promise<boolean> {
    const config = await this.read();
    if (config === undefined || JSON.stringify(config.credential) !== JSON.stringify(current)) return false;
    await this.write({ ...config, credential: { ...current, clientSecret } });
    return true;
  }
}

export function scheduleOf(fields: Omit<RotationSchedule, 'next'>): RotationSchedule {
  const { expression } = fields;
  const cron = expression === '' ? undefined : new Cron(expression, { mode: '5-part', timezone: 'UTC' });
  return { ...fields, next: (after) => cron?.nextRun(new Date(after))?.getTime() };
}
