import { AuthMethodError } from '../../contract/index.js';
import type { Clock } from '../../contract/index.js';
import { readChoice, readObject, readSeconds, readText, readTexts } from './body-fields.js';
import type { Body } from './body-fields.js';
import type { HostAnswer, HostOperation } from './host-request.js';
import { MOUNT_TOKEN_TYPES, UNTUNED } from './mount.js';
import type { Mount, MountTuning } from './mount.js';
import type { MountTable } from './mount-table.js';
import { mergeOpenApi } from './openapi.js';
import { byOperation } from './route.js';
import type { Route } from './route.js';
import type { TokenStore } from './token-store.js';

/** What the paths below `sys/` work with. */
export interface SysRoutesOptions {
  readonly mounts: MountTable;
  readonly tokens: TokenStore;
  readonly clock: Clock;
  readonly version: string;
}

/** Finds the route of a path below `sys/`; `undefined` where there is none. */
export function sysRoute(path: string, options: SysRoutesOptions): Route | undefined {
  const { mounts } = options;
  const plain = path.replace(/\/$/, '');
  if (plain === 'health') return { access: 'open', serve: ({ operation }) => health(options, operation) };
  if (plain === 'internal/specs/openapi') {
    return byOperation('admin', { read: () => ({ whole: { ...mergeOpenApi(mounts.list()) } }) });
  }
  if (plain === 'auth') return byOperation('admin', { read: () => listMounts(mounts) });
  if (!plain.startsWith('auth/')) return undefined;
  const target = plain.slice('auth/'.length);
  return target.endsWith('/tune') ? tuneRoute(mounts, target.slice(0, -'/tune'.length)) : mountRoute(options, target);
}

function mountRoute({ mounts, tokens }: SysRoutesOptions, path: string): Route {
  return byOperation('admin', {
    read: () => ({ data: describeMount(mounts.at(path)) }),
    write: async ({ data = {} }) => {
      const type = readText(data, 'type');
      if (!type) throw new AuthMethodError('invalid_request', 'type: is required', { field: 'type' });
      const description = readText(data, 'description') ?? '';
      const tuning = tune({ ...UNTUNED, description }, readObject(data, 'config'));
      await mounts.enable({ path, type, options: readTexts(data, 'options'), tuning });
      return undefined;
    },
    delete: async () => {
      const mount = await mounts.disable(path);
      if (mount === undefined) return undefined;
      await tokens.revokeMount(mount.record.id);
      await mounts.discard(mount);
      return undefined;
    },
  });
}

function tuneRoute(mounts: MountTable, path: string): Route {
  return byOperation('admin', {
    read: () => {
      const data = describeTuning(mounts.at(path));
      return { data, beside: data };
    },
    write: async ({ data = {} }) => {
      await mounts.tune(path, (current) => tune(current, data));
      return undefined;
    },
  });
}

function tune(current: MountTuning, body: Body): MountTuning {
  return {
    description: readText(body, 'description') ?? current.description,
    defaultLeaseTtl: readSeconds(body, 'default_lease_ttl') ?? current.defaultLeaseTtl,
    maxLeaseTtl: readSeconds(body, 'max_lease_ttl') ?? current.maxLeaseTtl,
    tokenType: readChoice(body, 'token_type', MOUNT_TOKEN_TYPES) ?? current.tokenType,
  };
}

function listMounts(mounts: MountTable): HostAnswer {
  const data = Object.fromEntries(mounts.list().map((mount) => [`${mount.record.path}/`, describeMount(mount)]));
  return { data, beside: data };
}

function describeMount({ record }: Mount): Record<string, unknown> {
  const { tuning } = record;
  return {
    accessor: record.accessor,
    config: {
      default_lease_ttl: tuning.defaultLeaseTtl,
      max_lease_ttl: tuning.maxLeaseTtl,
      token_type: tuning.tokenType,
    },
    description: tuning.description,
    local: false,
    options: record.options,
    seal_wrap: false,
    type: record.type,
    uuid: record.id,
  };
}

function describeTuning({ record, limits }: Mount): Record<string, unknown> {
  return {
    default_lease_ttl: limits.defaultLeaseTtl,
    description: record.tuning.description,
    max_lease_ttl: limits.maxLeaseTtl,
    token_type: record.tuning.tokenType,
  };
}

function health({ clock, version }: SysRoutesOptions, operation: HostOperation): HostAnswer {
  if (operation !== 'read') throw new AuthMethodError('unsupported_operation', `this path does not take ${operation}`);
  return {
    whole: {
      initialized: true,
      sealed: false,
      standby: false,
      performance_standby: false,
      replication_performance_mode: 'disabled',
      replication_dr_mode: 'disabled',
      server_time_utc: Math.floor(clock.now() / 1000),
      version,
    },
  };
}
